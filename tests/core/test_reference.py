"""From clips to references, step by step: recordings that pybullet brings, with faults put into them whose truth is known."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from core import feet, rotation
from core.body import make_body
from core.errors import FormatError
from core.feet import level, plant, stances
from core.formats import read_clip
from core.motion import Motion
from core.reference import RATE, find_cycle, floor, fragments, inspect, looped, lowpass, prepare
from core.reference.inspection import sink, slides
from core.reference.repair import faults, with_sound_ankles
from core.retarget import retarget
from core.skeleton import Skeleton

MOTIONS = Path(pybullet_data.getDataPath()) / "data" / "motions"
STEP_HEIGHT = 0.15


def clip_of(name):
    return read_clip(MOTIONS / f"humanoid3d_{name}.txt")


@pytest.fixture(scope="module")
def walk():
    return prepare(clip_of("walk"))


@pytest.fixture(scope="module")
def long_walk(walk):
    """Five strides over a level floor, with feet that stand exactly where and when they should."""
    return looped(walk, find_cycle(walk), 5)


def turned_world(motion, turn, shift):
    """The motion as a recorder would see it whose world is turned and shifted."""
    rotations = motion.rotations.copy()
    rotations[:, 0] = rotation.multiply(turn, rotations[:, 0])
    return Motion(motion.skeleton, motion.fps, rotation.rotate(turn, motion.root_positions) + shift, rotations)


def sole_tilt(body, motion, foot):
    """(F,) radians between the sole of a foot and the floor."""
    _, orientations = motion.world()
    up = rotation.rotate(orientations[:, feet.link(body, "foot", foot)], (0.0, 0.0, 1.0))
    return np.arccos(np.clip(up[:, 2], -1.0, 1.0))


def knees(motion, side):
    return np.degrees(rotation.hinge_angle(motion.rotations[:, motion.skeleton.index(f"shin.{side}")]))


def step_angles(motion, fps=30.0):
    """(F,) degrees by which the joint that turns most turns from one frame to the next at ``fps``."""
    rotations = motion.resample(fps).rotations
    dots = np.abs(np.sum(rotations[1:] * rotations[:-1], axis=-1)).clip(max=1.0)
    return np.degrees(2.0 * np.arccos(dots)).max(axis=1)


# --- the whole way ----------------------------------------------------------------------------------------------------------


def test_a_walk_comes_out_at_120_frames_a_second_with_planted_feet(walk):
    assert walk.motion.fps == RATE == 120.0
    assert walk.fps == 30.0
    assert walk.contacts.shape == (walk.motion.frames, 2)
    assert max(slides(walk)) < 0.003
    assert sink(walk) < 0.001
    soles_down = feet.soles(walk.body, walk.motion)[..., 2].min(axis=2)
    assert np.abs(soles_down[walk.contacts]).max() < 0.001
    assert soles_down[~walk.contacts].max() > 0.03
    assert step_angles(walk.motion).max() < 20.0


def test_strikes_of_the_walk_are_where_an_eye_sees_them(walk):
    """Read off a plot of heights and speeds of heel, ball and tip: frames of 120 a second."""
    left, right = ([stance for stance in walk.stances if stance.foot == foot] for foot in (0, 1))
    assert left[0].start == 0 and abs(left[0].end - 9) <= 3
    assert right[0].start == 0 and abs(right[0].end - 87) <= 3
    assert abs(left[1].start - 69) <= 3
    assert abs(right[1].start - 145) <= 3


def test_planting_changes_little(walk):
    """Knees stay within a few degrees of those of the recording, hips where they were."""
    own = prepare(clip_of("walk"))
    recorded = retarget(clip_of("walk"), own.body).resample(RATE)
    for side in "LR":
        assert np.abs(knees(recorded, side) - knees(own.motion, side)).mean() < 5.0
    assert np.linalg.norm(recorded.root_positions[:, :2] - own.motion.root_positions[:, :2], axis=1).max() < 0.02


def test_the_clip_itself_is_left_alone():
    clip = clip_of("walk")
    before = clip.motion.root_positions.copy(), clip.motion.rotations.copy(), list(clip.notes)
    prepare(clip, repair=True)
    np.testing.assert_array_equal(clip.motion.root_positions, before[0])
    np.testing.assert_array_equal(clip.motion.rotations, before[1])
    assert clip.notes == before[2]


def test_notes_begin_with_those_of_the_clip(walk):
    clip = clip_of("walk")
    assert walk.notes[: len(clip.notes)] == clip.notes
    assert all(note.endswith(".") for note in walk.notes)


@pytest.mark.parametrize("name", ["walk", "run", "jump"])
@pytest.mark.parametrize("frames", [1, 2, 3, 5, 10])
def test_a_few_frames_are_no_reason_to_fail(name, frames):
    clip = clip_of(name)
    middle = slice(clip.motion.frames // 2, clip.motion.frames // 2 + frames)  # the run and the jump fly there
    short = replace(clip, motion=Motion(clip.skeleton, 30.0, clip.motion.root_positions[middle], clip.motion.rotations[middle]))
    assert prepare(short).motion.frames == 4 * (frames - 1) + 1


def test_inspection_is_plain_data(walk):
    told = json.loads(json.dumps(inspect(walk)))
    assert told["name"] == "humanoid3d_walk" and told["fps"] == 30.0
    assert told["speed_median"] == pytest.approx(0.97, abs=0.05)
    assert 0.8 < told["hip_height"] < 0.9
    assert told["strikes"]["right"] == [pytest.approx(145 / 120, abs=0.03)]
    assert [fragment["kind"] for fragment in told["fragments"]] == ["right", "left", "right"]
    assert told["slide_max_mm"] < 3.0 and told["faults"] == []


# --- faults ------------------------------------------------------------------------------------------------------------------


def with_dropout(clip, start, end):
    roots = clip.motion.root_positions.copy()
    roots[start:end] = 0.0
    return replace(clip, motion=replace(clip.motion, root_positions=roots))


def test_a_root_that_drops_out_is_refused_with_its_frames_and_the_way_out():
    with pytest.raises(FormatError, match=r"'humanoid3d_walk'.*frames 12–15.*repair"):
        prepare(with_dropout(clip_of("walk"), 12, 16))


def test_a_root_that_drops_out_is_interpolated_on_request(walk):
    mended = prepare(with_dropout(clip_of("walk"), 12, 16), repair=True)
    assert np.linalg.norm(mended.motion.root_positions - walk.motion.root_positions, axis=1).max() < 0.03
    assert any("drops out in frames 12–15" in note and "interpolated" in note for note in mended.notes)
    assert len(mended.faults) == 1


def test_a_root_that_never_comes_back_cannot_be_repaired():
    with pytest.raises(FormatError, match="cut these frames off"):
        prepare(with_dropout(clip_of("walk"), 20, 39), repair=True)


def test_a_spike_is_noted_and_repaired_on_request(walk):
    clip = clip_of("walk")
    rotations = clip.motion.rotations.copy()
    knee = clip.skeleton.index("left_knee")
    rotations[25, knee] = rotation.multiply(rotations[25, knee], rotation.hinge(np.radians(80.0)))
    spiked = replace(clip, motion=replace(clip.motion, rotations=rotations))
    assert [(fault.start, fault.end, fault.joint) for fault in faults(spiked)] == [(25, 26, "left_knee")]
    noted, mended = prepare(spiked), prepare(spiked, repair=True)
    assert any("'left_knee'" in note and "frame 25" in note and "turn on repair" in note for note in noted.notes)
    assert np.abs(knees(mended.motion, "L") - knees(walk.motion, "L")).max() < 5.0
    assert np.abs(knees(noted.motion, "L") - knees(walk.motion, "L")).max() > 10.0


def test_sound_clips_have_no_faults():
    for name in ("walk", "run", "jump", "kick", "spinkick"):
        assert faults(clip_of(name)) == []


def test_a_foot_that_flips_backwards_is_interpolated(long_walk):
    body, motion = long_walk.body, long_walk.motion
    ankle = feet.link(body, "foot", 0)
    rotations = motion.rotations.copy()
    rotations[100:106, ankle] = rotation.multiply(rotations[100:106, ankle], rotation.from_axis_angle((0.0, 1.0, 0.0), np.radians(-130.0)))
    mended, said = with_sound_ankles(body, replace(motion, rotations=rotations))
    apart = rotation.log(rotation.multiply(rotation.conjugate(motion.rotations[:, ankle]), mended.rotations[:, ankle]))
    assert np.degrees(np.linalg.norm(apart, axis=-1)).max() < 10.0
    assert len(said) == 1 and "left foot" in said[0]
    untouched, said = with_sound_ankles(body, motion)
    assert said == [] and np.array_equal(untouched.rotations, motion.rotations)


# --- floor and soles ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("per_metre", [0.0, 0.015, -0.02])
def test_a_floor_that_slopes_is_levelled(long_walk, per_metre):
    body = long_walk.body
    turn = rotation.from_axis_angle((0.0, 1.0, 0.0), -np.arctan(per_metre))
    sloped = turned_world(long_walk.motion, turn, (0.0, 0.0, 0.07))
    plane = floor.fit(body, sloped)
    assert plane.slope[0] == pytest.approx(per_metre, abs=0.002)
    assert plane.slope[1] == pytest.approx(0.0, abs=0.003)
    level, height = floor.lowered_to_soles(body, floor.levelled(sloped, plane))
    lowest = feet.soles(body, level)[..., 2].min(axis=2)
    assert np.abs(lowest[long_walk.contacts]).max() < 0.015
    said = floor.notes(plane, plane.height + height)
    assert any("slopes" in note for note in said) == (per_metre != 0.0)
    assert any("7 cm above the floor" in note for note in said)


def test_a_floor_is_found_from_few_steps_in_place():
    """Without travel there is no slope to be told, only a height."""
    jump = prepare(clip_of("jump"))
    tilted = turned_world(jump.motion, rotation.from_axis_angle((1.0, 0.0, 0.0), 0.02), (0.0, 0.0, -0.1))
    assert not floor.fit(jump.body, tilted).slope.any()


def on_stairs(reference):
    """The walk over stairs: each stance one step higher than the one before."""
    stances = [replace(stance, height=STEP_HEIGHT * max(0, number - 4)) for number, stance in enumerate(reference.stances)]
    return plant.planted(reference.body, reference.motion, stances), stances


def test_stairs_are_no_slope(long_walk):
    climbing, truths = on_stairs(long_walk)
    plane = floor.fit(long_walk.body, climbing)
    assert np.linalg.norm(plane.slope) < 0.01
    lowered, _ = floor.lowered_to_soles(long_walk.body, floor.levelled(climbing, plane))
    found = stances.find(long_walk.body, lowered)
    heights = sorted({round(stance.height, 1) for stance in found})
    assert len(heights) >= 4
    for stance in found:
        nearest = min(truths, key=lambda truth: abs(truth.start - stance.start) + 100 * (truth.foot != stance.foot))
        assert stance.height == pytest.approx(nearest.height, abs=0.03)
    assert any("stairs" in note for note in stances.notes(found))


def test_a_place_below_the_floor_where_a_foot_sinks_once_is_not_the_floor(long_walk):
    roots = long_walk.motion.root_positions.copy()
    stance = long_walk.stances[4]
    roots[stance.start + 20:stance.end - 20, 2] -= 0.15
    plane = floor.fit(long_walk.body, replace(long_walk.motion, root_positions=roots))
    assert plane.height == pytest.approx(floor.fit(long_walk.body, long_walk.motion).height, abs=0.02)


@pytest.mark.parametrize("degrees", [(15.0, 0.0), (-20.0, 5.0), (0.0, -8.0)])
def test_soles_that_lie_badly_in_the_foot_are_levelled(long_walk, degrees):
    body, motion = long_walk.body, long_walk.motion
    pitch, roll = np.radians(degrees)
    off = rotation.exp(np.array([roll, pitch, 0.0]))
    rotations = motion.rotations.copy()
    for foot in (0, 1):
        rotations[:, feet.link(body, "foot", foot)] = rotation.multiply(rotations[:, feet.link(body, "foot", foot)], off)
    askew = replace(motion, rotations=rotations)
    mended, said = level.flattened(body, floor.levelled(askew, floor.fit(body, askew)))
    for foot in (0, 1):
        assert np.degrees(np.abs(sole_tilt(body, mended, foot) - sole_tilt(body, motion, foot)).max()) < 2.0
    assert len(said) == 2


def test_good_soles_stay_as_they_are(long_walk):
    motion = floor.levelled(long_walk.motion, floor.fit(long_walk.body, long_walk.motion))
    mended, said = level.flattened(long_walk.body, motion)
    assert said == []
    assert np.degrees(np.abs(sole_tilt(long_walk.body, mended, 0) - sole_tilt(long_walk.body, motion, 0)).max()) < 1.0


# --- low-pass ----------------------------------------------------------------------------------------------------------------


def test_the_filter_keeps_slow_things_and_takes_fast_ones_without_delay():
    t = np.arange(0, 4, 1 / 120)
    slow, fast = np.sin(2 * np.pi * t), 0.2 * np.sin(2 * np.pi * 25 * t)
    smooth = lowpass.low_pass(slow + fast, 120, 6.0)
    assert np.abs(smooth - slow)[30:-30].max() < 0.01
    assert lowpass.low_pass(np.sin(2 * np.pi * 6 * t), 120, 6.0)[200:280].max() == pytest.approx(0.5, abs=0.02)


def test_the_filter_neither_bends_ends_nor_shortens_ways():
    ramp = np.outer(np.linspace(0, 5, 300), (1.0, -2.0, 0.5))
    np.testing.assert_allclose(lowpass.low_pass(ramp, 120, 6.0), ramp, atol=1e-9)
    np.testing.assert_allclose(lowpass.low_pass(np.ones((2, 3)), 120, 6.0), 1.0)
    assert lowpass.low_pass(np.ones((1, 3)), 120, 6.0).shape == (1, 3)


# --- fragments ---------------------------------------------------------------------------------------------------------------


def test_a_walk_is_cut_into_left_and_right_in_turn(long_walk):
    cut = long_walk.fragments
    assert [fragment.start for fragment in cut[1:]] == [fragment.end for fragment in cut[:-1]]
    assert cut[0].start == 0 and cut[-1].end == long_walk.motion.frames
    whole = [fragment for fragment in cut if fragment.whole]
    assert len(whole) == 9
    assert all(one.stance != other.stance for one, other in pairwise(whole))
    for fragment in whole:
        assert fragment.kind == ("left", "right")[fragment.stance]
        assert 0.3 < fragment.frames / RATE < 0.9
        assert fragment.start < fragment.trailing_off < fragment.end  # double support at first
        assert fragment.stance_off is None or fragment.stance_off > fragment.end  # and no flight at the end
        assert long_walk.contacts[fragment.start, fragment.stance] and not long_walk.contacts[fragment.start - 1, fragment.stance]


def test_the_short_flight_of_a_run_is_part_of_the_half_cycle():
    run = looped(prepare(clip_of("run")), find_cycle(prepare(clip_of("run"))), 4)
    assert {fragment.kind for fragment in run.fragments} == {"left", "right"}
    for fragment in run.fragments[1:-1]:
        assert fragment.trailing_off is None
        assert fragment.start < fragment.stance_off < fragment.end


def test_a_jump_has_a_flight_and_then_a_stand():
    kinds = [fragment.kind for fragment in prepare(clip_of("jump")).fragments]
    assert kinds[-2:] == ["flight", "both"]


def test_standing_is_one_fragment_and_a_step_out_of_it_another():
    skeleton = Skeleton(("pelvis",), [-1], [[0.0, 0.0, 0.0]])
    still = Motion(skeleton, RATE, np.zeros((240, 3)), rotation.identity((240, 1)))
    stood = [stances.Stance(0, 0, 120), stances.Stance(1, 0, 240), stances.Stance(0, 170, 240)]
    cut = fragments.cut(still, stood)
    spans = [(fragment.kind, fragment.start, fragment.end) for fragment in cut]
    assert spans == [("both", 0, 120), ("right", 120, 170), ("both", 170, 240)]
    assert cut[1].whole and cut[1].stance == 1


def test_two_feet_that_land_at_once_are_no_step():
    skeleton = Skeleton(("pelvis",), [-1], [[0.0, 0.0, 0.0]])
    still = Motion(skeleton, RATE, np.zeros((240, 3)), rotation.identity((240, 1)))
    stood = [stances.Stance(0, 0, 80), stances.Stance(1, 0, 84), stances.Stance(0, 150, 240), stances.Stance(1, 156, 240)]
    assert [fragment.kind for fragment in fragments.cut(still, stood)] == ["both", "flight", "both"]


# --- stances ----------------------------------------------------------------------------------------------------------------


def test_stances_are_found_again(long_walk):
    found = stances.find(long_walk.body, long_walk.motion)
    assert [stance.foot for stance in found] == [stance.foot for stance in long_walk.stances]
    for stance, truth in zip(found, long_walk.stances, strict=True):
        assert abs(stance.start - truth.start) <= 4 and abs(stance.end - truth.end) <= 4
        assert stance.height == 0.0


def test_toes_that_creep_up_while_they_rest_stay_until_they_move(long_walk):
    """Ankles that drift by two centimetres before the other foot lands are a fault of the recording: a walk has double support."""
    creep = np.zeros(long_walk.motion.frames)
    for stance in long_walk.stances:
        lands = stance.start
        creep += np.interp(np.arange(len(creep)), (lands - 25, lands - 5, lands + 30, lands + 50), (0.0, 0.02, 0.02, 0.0)) * (lands > 0)
    found = stances.find(long_walk.body, long_walk.motion.displace(np.outer(creep, (0.0, 0.0, 1.0))))
    assert [stance.foot for stance in found] == [stance.foot for stance in long_walk.stances]
    for stance, truth in zip(found, long_walk.stances, strict=True):
        assert abs(stance.start - truth.start) <= 4 and abs(stance.end - truth.end) <= 4


def one_that_leaves_early(reference, frames):
    """A stance from the middle of the walk that seems to end so many frames before the other foot lands: it, where it is, and all."""
    stances = list(reference.stances)
    lands = stances[4].start
    stances[3] = replace(stances[3], end=lands - frames)
    return stances[3], lands, stances


def test_toes_carry_until_the_other_foot_lands_unless_the_body_falls(long_walk):
    body, motion = long_walk.body, long_walk.motion
    early, lands, dragging = one_that_leaves_early(long_walk, 8)
    assert stances.carried(body, motion, dragging) == [replace(one, end=lands) if one is early else one for one in dragging]
    seconds = (np.arange(motion.frames) - early.end) / RATE
    fall = np.where(seconds < 0.0, 0.0, -4.9 * seconds**2)
    assert stances.carried(body, motion.displace(np.outer(fall, (0.0, 0.0, 1.0))), dragging) == dragging
    _, _, hopping = one_that_leaves_early(long_walk, 20)
    assert stances.carried(body, motion, hopping) == hopping  # too long for dragging toes


def test_a_foot_that_is_held_up_does_not_stand(long_walk):
    """On one leg: the other foot is as still as can be, half a metre up."""
    body, motion = long_walk.body, long_walk.motion
    middle = long_walk.stances[3].start + 35
    still = [np.repeat(values[middle:middle + 1], 200, axis=0) for values in (motion.root_positions, motion.rotations)]
    hold = Motion(motion.skeleton, RATE, *still)
    standing = long_walk.stances[3].foot
    rotations = hold.rotations.copy()
    rotations[:, feet.link(body, "thigh", 1 - standing)] = rotation.hinge(-1.2)
    rotations[:, feet.link(body, "shin", 1 - standing)] = rotation.hinge(1.2)
    found = stances.find(body, replace(hold, rotations=rotations))
    assert [(stance.foot, stance.start, stance.end) for stance in found] == [(standing, 0, 200)]


def test_a_body_far_from_the_floor_has_no_contacts_but_a_reference():
    clip = clip_of("walk")
    t = np.arange(40) / 30.0
    flying = replace(clip.motion, root_positions=np.stack([4.0 * t, 0 * t, 3.0 + 8.0 * t - 4.9 * t**2], axis=1)[:clip.motion.frames])
    assert prepare(replace(clip, motion=flying), make_body({})).motion.frames > 100
