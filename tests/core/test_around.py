"""Legs that go around each other in what comes out of a walk that was simulated with legs that pass through each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from core import jobs, presets, rotation
from core.feet import sole
from core.feet.around import around
from core.feet.banded import Banded
from core.feet.loads import loaded
from core.feet.pair import Pair
from core.hit.take import as_before
from core.jobs import make_job
from core.motion import Motion
from core.rotation import hinge_angle
from core.signals import runs
from tests.cases import quick

SIDES = {"left": [0.0, -1.0, 0.0], "right": [0.0, 1.0, 0.0], "front": [-1.0, 0.0, 0.0], "back": [1.0, 0.0, 0.0]}
PUSHES = {f"{side} {newtons:g} N": (side, newtons, time) for side in SIDES for newtons, time in ((150.0, 1.0), (100.0, 1.3), (250.0, 1.6))}
GAITS = ("sturdy_walk", "fast_walk", "run", "fast_run", "in_place", "high_step", "backward", "sideways_left", "skip", "crouch")


def walked(push: tuple[str, float, float] | None = None, legs_apart: bool = False, **changes):
    events = [] if push is None else [{"type": "push", "time": push[2], "duration": 0.3, "part": "torso", "frame": "world",
                                       "force": [push[1] * value for value in SIDES[push[0]]]}]
    usual = {"gait": "sturdy_walk", "duration": 3.5, "start": "gait", "step_width": 0.12}
    return jobs.run(make_job(usual | {"events": events, "legs_apart": legs_apart} | changes))


def shown(result) -> Motion:
    return Motion(presets.body(result.job["body"]).skeleton, result.fps, result.root_positions, rotation.make_continuous(result.rotations))


def between_legs(result) -> float:
    """m between balls that fill them, below 0 where they are in each other."""
    no = np.zeros(result.frames, dtype=bool)
    legs = Pair.of(presets.body(result.job["body"]), shown(result), np.stack([no, no], axis=1), no, True)
    return float(legs.gaps(legs.nothing).min())


def sudden(result, part: str) -> float:
    """rad/s² of a joint of both legs, which 99 of 100 frames do not reach."""
    links = [result.link_names.index(f"{part}.{side}") for side in "LR"]
    turns = shown(result).rotations[:, links]
    speeds = rotation.log(rotation.multiply(rotation.conjugate(turns[:-1]), turns[1:])) * result.fps
    return float(np.percentile(np.linalg.norm(np.diff(speeds, axis=0), axis=-1) * result.fps, 99))


def assert_sound(before, after) -> None:
    """Feet that stand neither slide nor leave their height nor turn, knees bend the right way and no joint pops."""
    body = presets.body(before.job["body"])
    was, now = (sole.soles(body, shown(result)) for result in (before, after))
    for foot, standing in enumerate(loaded(before).T):
        for start, end in runs(standing):
            moved = (now - was)[start:end, foot]
            assert np.ptp(moved, axis=0).max() < 5e-4 and np.abs(moved[..., 2]).max() < 5e-4
    knees = [hinge_angle(shown(result).rotations[:, [result.link_names.index(f"shin.{side}") for side in "LR"]]) for result in (before, after)]
    assert knees[1].min() > min(np.radians(2.0), knees[0].min()) - 1e-9
    for part in ("thigh", "shin", "foot"):
        assert sudden(after, part) < 1.2 * sudden(before, part) + 20.0
    assert np.abs(after.root_positions - before.root_positions).max() < 0.08
    np.testing.assert_array_equal(before.foot_forces, after.foot_forces)


@pytest.mark.parametrize("push", quick(PUSHES, "left 150 N", "right 150 N"))
def test_legs_that_cross_after_a_push_go_around_each_other(push):
    across = push.startswith(("left", "right"))
    before = walked(PUSHES[push], step_width=0.12 if across else 0.08)  # pushed along its way it crosses its legs only where its steps are narrow
    if before.outcome["fell"]:
        pytest.skip("it falls")
    after = around(presets.body(before.job["body"]), before)
    assert between_legs(before) < -0.03 and between_legs(after) > -0.01
    assert_sound(before, after)


@pytest.mark.parametrize("gait", quick(GAITS, "sideways_left"))
def test_legs_go_around_each_other_in_every_gait(gait):
    before = walked(gait=gait, step_width=0.0)
    after = around(presets.body(before.job["body"]), before)
    assert between_legs(after) > -0.01
    assert_sound(before, after)


@pytest.mark.parametrize("gait", quick(("sturdy_walk", "in_place"), "sturdy_walk"))
def test_legs_go_around_each_other_in_a_turn(gait):
    before = walked(gait=gait, heading=[[0.0, 0.0], [0.5, 0.0], [3.5, 3.0]])
    after = around(presets.body(before.job["body"]), before)
    assert between_legs(after) > -0.01
    assert_sound(before, after)


def test_a_job_asks_for_it():
    before, after = (walked(legs_apart=wanted, step_width=0.08) for wanted in (False, True))
    assert between_legs(before) < -0.03 and between_legs(after) > -0.01
    assert_sound(before, after)


def test_legs_that_do_not_touch_stay_as_they_are():
    wide = walked(step_width=0.3, duration=3.0)
    assert around(presets.body(wide.job["body"]), wide) is wide


def test_who_falls_is_left_alone():
    fallen = walked(duration=1.0)
    fallen = replace(fallen, outcome=fallen.outcome | {"fell": True})
    assert around(presets.body(fallen.job["body"]), fallen) is fallen


def test_on_stairs_feet_stay_where_they_stand():
    before = walked(ground={"type": "steps", "height": 0.05, "start": 1.0, "depth": 1.0, "count": 2}, step_width=0.08)
    body = presets.body(before.job["body"])
    was, now = (sole.soles(body, shown(result)) for result in (before, around(body, before)))
    assert np.linalg.norm(now - was, axis=-1)[loaded(before)].max() < 1e-4
    assert np.linalg.norm(now - was, axis=-1).max() > 0.01


def test_a_pose_in_which_it_begins_stays():
    inward = {f"thigh.{side}": rotation.from_axis_angle((1.0, 0.0, 0.0), sign * 0.1).tolist() for side, sign in (("L", -1.0), ("R", 1.0))}
    before, after = (walked(start={"rotations": inward}, duration=2.0, legs_apart=wanted) for wanted in (False, True))
    assert np.abs(shown(after).world()[0][0] - shown(before).world()[0][0]).max() < 1e-3
    assert between_legs(before) < -0.02


def test_the_equations_of_frames_are_solved():
    made = np.random.default_rng(0)
    for frames in (4, 5, 8, 9):
        form = Banded.of(frames, 3)
        form.near += 1.0
        form.still(made.uniform(0.0, 2.0, (frames - 1, 3)))
        form.even(made.uniform(0.0, 2.0, (frames - 2, 3)))
        more = made.normal(size=(frames, 3, 3))
        more = more @ more.swapaxes(1, 2)
        values = made.normal(size=(frames, 3))
        np.testing.assert_allclose(form.solved(more, form.times(values) + np.einsum("fij,fj->fi", more, values)), values, atol=1e-9)


@pytest.mark.slow
def test_legs_go_around_each_other_after_a_hit_and_the_clip_stays_as_it_is():
    clip = Path(pybullet_data.getDataPath()) / "data" / "motions" / "humanoid3d_walk.txt"
    push = {"type": "push", "time": 0.8, "duration": 0.2, "force": [0.0, -300.0, 0.0], "part": "chest", "frame": "heading"}
    data = {"method": "hit", "clips": [str(clip)], "loop": True, "duration": 4.8, "events": [push], "fps": 60.0, "engine": "pybullet"}
    before, after = (jobs.run(make_job({**data, "legs_apart": wanted})) for wanted in (False, True))
    assert not before.outcome["fell"]
    assert between_legs(before) < -0.02 and between_legs(after) > -0.008
    assert_sound(before, after)
    kept = as_before(before)
    assert kept[:48].all() and kept[-10:].all()
    assert np.abs(before.rotations - after.rotations)[kept].max() < 1e-6
    assert np.abs(before.root_positions - after.root_positions)[kept].max() < 1e-6
