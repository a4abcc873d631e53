"""Planted feet: on the clip's own body and on others, from short legs to long ones."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from core import feet, presets, rotation
from core.body import make_body
from core.feet import legs, pin, plant
from core.feet.stances import Stance
from core.formats import read_clip
from core.reference import find_cycle, looped, prepare
from core.reference.inspection import sink, slides
from core.rotation import hinge_angle
from core.signals import runs
from tests.cases import quick

MOTIONS = Path(pybullet_data.getDataPath()) / "data" / "motions"
BODIES = {name: presets.load("bodies", name) for name in ("average_woman", "long_arm", "overweight", "tall", "stocky")}
BODIES |= {"short legs": {"scale": {"leg": 0.7}}, "long legs": {"scale": {"leg": 1.3}}, "big feet": {"scale": {"foot": 1.4}}}


def clip_of(name):
    return read_clip(MOTIONS / f"humanoid3d_{name}.txt")


@pytest.fixture(scope="module")
def walk():
    """Three strides."""
    reference = prepare(clip_of("walk"))
    return looped(reference, find_cycle(reference), 3)


def steps(motion, fps=30.0):
    """(F, J) degrees that joints turn from one frame to the next at ``fps``."""
    rotations = motion.resample(fps).rotations
    return np.degrees(2.0 * np.arccos(np.abs(np.sum(rotations[1:] * rotations[:-1], axis=-1)).clip(max=1.0)))


def planted(reference, motion):
    return replace(reference, motion=plant.planted(reference.body, motion, reference.stances))


def knee(motion, side):
    return hinge_angle(motion.rotations[:, motion.skeleton.index(f"shin.{side}")])


def test_feet_that_slide_are_held(walk):
    """A body that travels 5 % too far drags its feet along, 3 cm a stance."""
    sliding = walk.motion.displace(walk.motion.root_positions * (0.05, 0.0, 0.0))
    assert max(slides(replace(walk, motion=sliding))) > 0.02
    held = planted(walk, sliding)
    assert max(slides(held)) < 0.003
    assert sink(held) < 0.001


def cut_in(walk, coming):
    """The walk, which drags its feet along 6 cm a stance, from just after the left one has landed, or just before; and when each
    foot stands."""
    motion, standing = walk.motion.displace(walk.motion.root_positions * (0.1, 0.0, 0.0)), walk.contacts
    start = next(run[0] for run in runs(standing[:, 0]) if run[0] > 20)
    first = start - 4 if coming else start + 2
    later = replace(motion, root_positions=motion.root_positions[first:], rotations=motion.rotations[first:])
    return later, standing[first:]


@pytest.mark.parametrize("fps", [120.0, 30.0, 12.0])
@pytest.mark.parametrize("loaded_from", [0, 1])
def test_a_foot_that_stands_as_a_clip_goes_over_stays_there(walk, fps, loaded_from):
    """Also at a low rate, and where physics has no weight on it yet in the first frame."""
    motion, standing = cut_in(walk, coming=False)
    every = round(motion.fps / fps)
    motion = replace(motion, fps=fps, root_positions=motion.root_positions[::every], rotations=motion.rotations[::every])
    standing = standing[::every].copy()
    standing[:loaded_from] = False
    before, after = (feet.soles(walk.body, way)[:, 0] for way in (motion, pin.pinned_after(walk.body, motion, standing)))
    end = runs(standing[:, 0])[0][1] - max(1, round(2 / every))
    assert np.abs(after[0] - before[0]).max() < 1e-6
    still = np.linalg.norm(np.diff(after[:end, :, :2], axis=0), axis=-1).min(axis=-1)
    dragged = np.linalg.norm(np.diff(before[:end, :, :2], axis=0), axis=-1).min(axis=-1)
    assert dragged.sum() > 0.03 and still.sum() < 0.003


def test_a_foot_that_comes_down_as_a_clip_goes_over_does_not_slide_where_it_lands(walk):
    motion, standing = cut_in(walk, coming=True)
    after = feet.soles(walk.body, pin.pinned_after(walk.body, motion, standing))[:, 0]
    start, end = runs(standing[:, 0])[0]
    still = np.linalg.norm(np.diff(after[start:end - 2, :, :2], axis=0), axis=-1).min(axis=-1)
    assert start == 4 and still.sum() < 0.001


def test_feet_that_sink_or_float_are_put_onto_the_floor(walk):
    frames = np.arange(walk.motion.frames)
    swaying = walk.motion.displace(np.stack([0 * frames, 0 * frames, 0.015 * np.sin(frames / 40.0)], axis=1))
    assert sink(replace(walk, motion=swaying)) > 0.01
    held = planted(walk, swaying)
    lowest = feet.soles(held.body, held.motion)[..., 2].min(axis=2)
    assert np.abs(lowest[held.contacts]).max() < 0.001
    assert lowest[~held.contacts].min() > -0.001
    assert steps(held.motion).max() < 20.0


def test_swinging_feet_clear_the_floor(walk):
    low = walk.motion.displace((0.0, 0.0, -0.015))
    held = planted(walk, low)
    lowest = feet.soles(held.body, held.motion)[..., 2].min(axis=2)
    for foot in (0, 1):
        away = np.convolve(held.contacts[:, foot], np.ones(21), mode="same") == 0
        assert lowest[away, foot].min() >= plant.Care().clearance - 1e-6


def test_planting_twice_is_planting_once(walk):
    again = planted(walk, walk.motion)
    apart = np.linalg.norm(again.motion.world()[0] - walk.motion.world()[0], axis=-1)
    assert apart.mean() < 0.003 and apart.max() < 0.05


def test_a_sole_that_is_almost_level_becomes_level_and_feet_do_not_twist(walk):
    rng = np.random.default_rng(3)
    rotations = walk.motion.rotations.copy()
    ankles = [feet.link(walk.body, "foot", foot) for foot in (0, 1)]
    wobble = np.cumsum(rng.normal(size=(walk.motion.frames, 2, 3)), axis=0)
    wobble = np.radians(1.5) * (wobble - wobble.mean(axis=0)) / np.abs(wobble).max()
    rotations[:, ankles] = rotation.multiply(rotations[:, ankles], rotation.exp(wobble))
    held = planted(walk, replace(walk.motion, rotations=rotations))
    _, orientations = held.motion.world()
    for stance in held.stances:
        middle = slice((3 * stance.start + stance.end) // 4, (stance.start + stance.end) // 2)
        if stance.end - stance.start > 60:
            turns = orientations[middle, feet.link(walk.body, "foot", stance.foot)]
            apart = np.linalg.norm(rotation.log(rotation.multiply(rotation.conjugate(turns[0]), turns)), axis=-1)
            assert np.degrees(apart).max() < 0.5


def test_a_pivot_stays_a_pivot(walk):
    """A foot that turns by 60° while it stands still does so, on one point of its sole."""
    stance = next(stance for stance in walk.stances if stance.start > 0)
    middle = (stance.start + stance.end) // 2
    pose = walk.motion.rotations[middle], walk.motion.root_positions[middle]
    frames = 120
    yaw = np.radians(60.0) * (0.5 - 0.5 * np.cos(np.pi * np.arange(frames) / (frames - 1)))
    ankle = walk.motion.world()[0][middle, feet.link(walk.body, "foot", stance.foot)]
    turn = rotation.from_axis_angle((0.0, 0.0, 1.0), yaw)
    rotations = np.repeat(pose[0][None], frames, axis=0)
    rotations[:, 0] = rotation.multiply(turn, rotations[:, 0])
    roots = ankle + rotation.rotate(turn, pose[1] - ankle)
    spinning = replace(walk, stances=[replace(stance, start=0, end=frames)])
    held = planted(spinning, replace(walk.motion, root_positions=roots, rotations=rotations))
    _, orientations = held.motion.world()
    turned = rotation.heading(orientations[:, feet.link(walk.body, "foot", stance.foot)])
    assert np.degrees(abs(turned[-1] - turned[0])) == pytest.approx(60.0, abs=3.0)
    assert max(slides(held)) < 0.02


def test_who_kneels_stands_on_the_tips_of_the_toes(walk):
    """A foot that is upright does not lay its toes flat, which would lift it out of the knee's reach; it is held all the same."""
    body, frames = walk.body, 120
    rotations = np.tile((1.0, 0.0, 0.0, 0.0), (frames, len(body.names), 1))
    for name, degrees in (("shin.R", 85.0), ("toes.R", -22.0)):
        rotations[:, body.names.index(name)] = rotation.from_axis_angle((0.0, 1.0, 0.0), np.radians(degrees))
    drifting = np.outer(np.linspace(0.0, 0.06, frames), (1.0, 0.0, 0.0))
    motion = replace(walk.motion, root_positions=drifting, rotations=rotations)
    motion = motion.displace((0.0, 0.0, -feet.soles(body, motion)[:, 1, :, 2].min()))
    held = pin.pinned(body, motion, [Stance(1, 0, frames)])
    soles = feet.soles(body, held)[:, 1]
    assert np.degrees(hinge_angle(held.rotations[:, body.names.index("toes.R")])) == pytest.approx(-22.0, abs=1.0)
    assert soles[..., 2].min(axis=1) == pytest.approx(0.0, abs=0.001)
    assert np.linalg.norm(np.diff(soles[..., :2], axis=0), axis=-1).min(axis=-1).sum() < 0.003


def test_a_knee_is_not_stretched_for_a_foot_that_is_dragged_along(walk):
    """Who sits and slides backward drags a heel along: a leg that is held straightens, and then snaps."""
    body, frames = walk.body, 120
    rotations = np.tile((1.0, 0.0, 0.0, 0.0), (frames, len(body.names), 1))
    for name, degrees in (("thigh.R", -100.0), ("shin.R", 50.0)):
        rotations[:, body.names.index(name)] = rotation.from_axis_angle((0.0, 1.0, 0.0), np.radians(degrees))
    motion = replace(walk.motion, root_positions=np.outer(np.linspace(0.0, -0.2, frames), (1.0, 0.0, 0.0)), rotations=rotations)
    motion = motion.displace((0.0, 0.0, -feet.soles(body, motion)[:, 1, :, 2].min()))
    stances = [Stance(1, 0, frames)]
    stretched, held = (np.degrees(knee(way, "R")) for way in (plant.planted(body, motion, stances), pin.pinned(body, motion, stances)))
    assert np.abs(stretched - 50.0).max() > 30.0
    assert np.abs(held - 50.0).max() < 27.0
    toes = feet.soles(body, pin.pinned(body, motion, stances))[:, 1, :, :2]
    assert np.linalg.norm(np.diff(toes, axis=0), axis=-1).min() < 1e-5  # now and then it stands …
    assert np.ptp(toes[..., 0], axis=0).min() > 0.1  # … and all in all it is dragged along


@pytest.mark.parametrize("fps", [120.0, 24.0])
def test_a_foot_is_held_before_and_after_a_moment_in_which_it_cannot_be(walk, fps):
    """A drifting body that stands, drops for a moment so low that no leg can fold so far, and stands again."""
    body, frames, low = walk.body, round(1.5 * fps), slice(round(0.66 * fps), round(0.84 * fps))
    rotations = np.tile((1.0, 0.0, 0.0, 0.0), (frames, len(body.names), 1))
    motion = replace(walk.motion, fps=fps, root_positions=np.outer(np.linspace(0.0, 0.09, frames), (1.0, 0.0, 0.0)), rotations=rotations)
    motion = motion.displace((0.0, 0.0, -feet.soles(body, motion)[..., 2].min()))
    motion.root_positions[low, 2] = 0.1
    held = feet.soles(body, pin.pinned(body, motion, [Stance(0, 0, frames), Stance(1, 0, frames)]))
    for span in (slice(0, low.start - 1), slice(low.stop + 1, frames)):
        assert held[span, ..., 2].min(axis=(1, 2)) == pytest.approx(0.0, abs=0.002)
        assert np.linalg.norm(np.diff(held[span, ..., :2], axis=0), axis=-1).min(axis=-1).sum(axis=0).max() < 0.003


def test_a_leg_that_is_too_short_raises_its_heel_and_lowers_the_pelvis_without_a_pop(walk):
    high = planted(walk, walk.motion.displace((0.0, 0.0, 0.03)))
    lower = high.motion.root_positions[:, 2] - walk.motion.root_positions[:, 2] - 0.03
    assert lower.min() < -0.01
    assert max(slides(high)) < 0.003
    for side in "LR":
        assert np.degrees(knee(high.motion, side)).min() >= np.degrees(legs.STRAIGHT_KNEE) - 0.01
    assert steps(high.motion).max() < 20.0


def test_pinned_feet_do_not_snap_knees_straight(walk):
    """Legs of a body that travels too far would have to be longer; its pelvis comes down instead."""
    far = walk.motion.displace(walk.motion.root_positions * (0.1, 0.0, 0.0))
    held, planted_only = pin.pinned(walk.body, far, walk.stances), planted(walk, far).motion
    straighter = [max(np.degrees(np.minimum(knee(far, side), pin.CARE.knee) - knee(way, side))[walk.contacts[:, foot]].max()
                      for foot, side in enumerate("LR")) for way in (held, planted_only)]
    assert straighter[0] < 1.0 and straighter[1] > 3.0
    assert max(slides(replace(walk, motion=held))) < 0.003


def test_knees_point_where_they_pointed(walk):
    """The axis about which a knee bends turns by a few degrees at most."""
    held = planted(walk, walk.motion.displace((0.0, 0.0, -0.03)))
    for side in "LR":
        thigh = walk.motion.skeleton.index(f"thigh.{side}")
        before, after = (rotation.rotate(motion.world()[1][:, thigh], (0.0, 1.0, 0.0)) for motion in (walk.motion, held.motion))
        assert np.degrees(np.arccos(np.clip(np.sum(before * after, axis=-1), -1.0, 1.0))).max() < 8.0
        assert knee(held.motion, side).min() > 0.0


def test_a_clip_without_contacts_stays_as_it_is(walk):
    free = plant.planted(walk.body, walk.motion.displace((0.0, 0.0, 1.0)), [])
    np.testing.assert_allclose(free.world()[0], walk.motion.world()[0] + (0.0, 0.0, 1.0), atol=1e-3)


@pytest.mark.parametrize(("name", "build"), quick(product(("walk", "run", "jump"), BODIES), *zip(("walk", "run", "jump"), BODIES, strict=False)))
def test_any_build_can_do_it(name, build):
    body = make_body(BODIES[build], build)
    reference = prepare(clip_of(name), body)
    assert reference.motion.skeleton.names == body.names
    assert max(slides(reference)) < 0.01
    assert sink(reference) < 0.005
    natural = steps(prepare(clip_of(name)).motion).max()
    assert steps(reference.motion).max() < max(20.0, 1.35 * natural)
    clearance = feet.soles(body, reference.motion)[..., 2].min(axis=2)
    assert np.abs(clearance[reference.contacts]).max() < 0.005
