"""Following any clip by planning: what the ground can give, scores, resuming, replaying, and clips that feedback laws do not hold."""

import copy
import dataclasses
import json
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from core.context import Context
from core.errors import JobError
from core.jobs import make_job
from core.measure.following import following
from core.methods import plan
from core.methods.hit import task_of as hit_task_of
from core.methods.plan import task_of
from core.physics import engines
from core.plan import finish, support
from core.plan.aim import FPS, center_of_mass
from core.plan.cost import HOPELESS
from core.plan.follow import follow, job_in, replayed
from core.plan.planned import Planned
from core.plan.planner import Planner
from core.plan.settings import PRESET, Preset, Quality
from core.plan.stage import WINDOW, Stage, packed, try_plans
from core.plan.team import Processes, Threads
from core.session import perform
from core.version import VERSION

ROOT = Path(__file__).resolve().parents[2]
MOTIONS = Path(pybullet_data.getDataPath()) / "data" / "motions"
FEW = Quality(24, 2, 2, 4)


def clip(name: str) -> str:
    return str(MOTIONS / f"humanoid3d_{name}.txt")


def job(name: str = "kick", seconds: float | None = None, **settings):
    data = {"method": "plan", "clips": [clip(name)], "quality": "draft", "fps": 60.0, "engine": "mujoco", **settings}
    return make_job(data | ({"duration": seconds} if seconds else {}))


def task(name: str = "kick", seconds: float | None = None, **settings):
    return task_of(job(name, seconds, **settings))


def keep(unfinished: Path):
    """As `python -m core keep` does it."""
    return plan.keep(make_job(job_in(unfinished)), unfinished)


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage(task(seconds=0.5))


# -- the ground ------------------------------------------------------------------------------------------------------------


def test_the_ground_carries_who_stands_on_it():
    corners = np.array([(x, y, -1.0) for x in (-0.1, 0.1) for y in (-0.1, 0.1)])
    need = np.array([[0.0, 0.0, 600.0, 0.0, 12.0, 0.0]])
    forces = support.ground_forces(corners[None], np.ones((1, 4), dtype=bool), need)[0]
    assert forces.sum(axis=0) == pytest.approx([0.0, 0.0, 600.0], abs=1.0)
    assert np.cross(corners, forces).sum(axis=0) == pytest.approx([0.0, 12.0, 0.0], abs=0.5)
    assert (np.abs(forces[:, :2]).sum(axis=1) <= support.GRIP * forces[:, 2] + 1e-9).all()


def test_the_ground_neither_pulls_nor_reaches_into_the_air():
    corners = np.array([(x, 0.0, -1.0) for x in (-0.1, 0.1)])
    pulled = support.ground_forces(corners[None], np.ones((1, 2), dtype=bool), np.array([[0.0, 0.0, -300.0, 0.0, 0.0, 0.0]]))
    flying = support.ground_forces(corners[None], np.zeros((1, 2), dtype=bool), np.array([[0.0, 0.0, 600.0, 0.0, 0.0, 0.0]]))
    assert np.allclose(pulled, 0.0, atol=1e-6) and np.allclose(flying, 0.0)


def test_a_standing_body_needs_no_plan():
    """With the torques behind the clip as a part of the targets, a second of standing stays up by itself."""
    stage = Stage(task("punch", 1.0))
    zero = np.zeros((1, 10, len(stage.spread)))
    found = stage.world.rollouts(stage.start[None], stage.targets(0, zero[:, 0], zero), stage.steps)
    distance, drift, lost = stage.cost.distance(18, found.positions[:, 17], found.rotations[:, 17])
    assert distance[0] < 0.02 and drift[0] < 0.02 and not lost[0]


def test_who_lies_is_not_in_the_floor():
    stage = Stage(task("getup_facedown", 0.3))
    _, spots = support.lowest_points(stage.body, stage.aim.positions, stage.aim.orientations)
    others = [n for n, link in enumerate(support.touching_points(stage.body)[0]) if not stage.body.names[link].startswith(("foot", "toes"))]
    assert spots[:, others, 2].min() > -1e-3


# -- trying plans out ------------------------------------------------------------------------------------------------------


def plans(stage: Stage, count: int = 6) -> tuple:
    noise = np.random.default_rng(1)
    knots = 0.3 * stage.spread * noise.standard_normal((count, 3, len(stage.spread)))
    return 0, np.tile(stage.start, (count, 1)), np.zeros((count, len(stage.spread))), knots


def test_the_clip_itself_costs_least(stage):
    frame, starts, before, knots = plans(stage)
    knots[0] = 0.0
    scores = stage.tried(frame, starts, before, knots)
    assert scores.costs.argmin() == 0 and not scores.lost.any()


def test_any_team_finds_the_same(stage):
    arguments = plans(stage)
    alone = Threads(stage).tried(*arguments)
    with ProcessPoolExecutor(2) as executor:
        shared = Processes(stage, executor, 2).tried(*arguments)
    for other in (Threads(stage, 2).tried(*arguments), shared):
        assert all(np.array_equal(getattr(alone, name), getattr(other, name)) for name in vars(alone))


def other_preset() -> Preset:
    data = copy.deepcopy(PRESET.data)
    data["costs"]["place"] *= 3.0
    return Preset(data)


def test_a_preset_that_is_not_the_built_in_one_travels_with_the_work(stage):
    other = Stage(stage.task, other_preset())
    arguments = plans(stage)
    with ProcessPoolExecutor(1) as executor:
        shared = Processes(other, executor, 1).tried(*arguments)
    assert np.array_equal(shared.costs, other.tried(*arguments).costs) and not np.array_equal(shared.costs, stage.tried(*arguments).costs)


def test_a_worker_with_another_version_or_clip_refuses(stage, tmp_path):
    arguments, own = plans(stage), packed(stage)
    with pytest.raises(JobError, match=r"0\.0\.1.*same version"):
        try_plans("0.0.1", stage.digest(), own, *arguments)
    with pytest.raises(JobError, match="finds something else in"):
        try_plans(VERSION, "of another stage", own, *arguments)
    # A worker whose file of the same name holds another clip.
    file = tmp_path / "clip.txt"
    file.write_bytes(Path(clip("kick")).read_bytes())
    here = Stage(task_of(make_job({"method": "plan", "clips": [str(file)], "duration": 0.3, "engine": "mujoco"})))
    file.write_bytes(Path(clip("punch")).read_bytes())
    os.utime(file, (1, 1))
    with pytest.raises(JobError, match=r"finds something else in '.*clip\.txt'"):
        try_plans(VERSION, here.digest(), packed(here), *plans(here))


def test_a_nan_is_a_hopeless_plan_and_no_more(stage):
    frame, starts, before, knots = plans(stage)
    starts[2, 5] = np.nan
    scores = stage.tried(frame, starts, before, knots)
    assert scores.costs[2] == HOPELESS and scores.lost[2]
    assert (np.delete(scores.costs, 2) < HOPELESS).all()
    assert stage.tried(frame, starts[2:3], before[2:3], knots[2:3]).costs.tolist() == [HOPELESS]


# -- planning --------------------------------------------------------------------------------------------------------------


def test_a_replay_is_what_was_planned(stage):
    """One continuous simulation goes through the very states that the search has seen."""
    planner = Planner(stage, FEW, seed=0)
    while not planner.done:
        planner.advance(Threads(stage))
    result = replayed(planner)
    knots = planner.found()
    targets = stage.targets(0, np.zeros((1, len(stage.spread))), knots[None])
    found = stage.world.rollouts(planner.levels[0].snapshots, targets, stage.steps)
    frames = len(result.root_positions) - 1
    assert np.abs(result.root_positions[1:] - found.positions[0, :frames]).max() < 1e-12
    assert np.array_equal(found.snapshots[0, len(knots) * WINDOW - 1], planner.levels[-1].snapshots[0])


def test_who_strays_is_given_a_few_harder_looks_and_no_more(stage, monkeypatch):
    monkeypatch.setattr(stage.cost, "limits", dataclasses.replace(stage.cost.limits, wary=0.0))
    planner = Planner(stage, FEW, seed=0)
    while not planner.done:
        planner.advance(Threads(stage))
    assert 1 <= planner.retries <= stage.search.patience and planner.lost_at is None


class StopError(Exception):
    pass


@pytest.mark.parametrize("speed, light, steps", [(1.0, True, True), (1.0, False, False), (0.3, True, False)])
def test_a_light_foot_that_gets_far_along_the_floor_makes_a_step(speed, light, steps):
    """For a fifth of a second; one that bears weight, or gets no farther than it can be held, is held."""
    soles = np.zeros((60, 2, 4, 3))
    soles[20:32, 0, :, 0] = np.linspace(0.0, 0.2 * speed, 12)[:, None]
    soles[32:, 0, :, 0] = 0.2 * speed
    found = finish._steps(soles, np.full((60, 2), light), 60.0, 0.13)
    assert not found[:, 1].any() and not found[:18].any() and not found[34:].any() and found[21:31, 0].tolist() == [steps] * 10


@pytest.mark.slow
def test_stopped_work_goes_on_and_ends_alike(tmp_path, monkeypatch):
    monkeypatch.setattr("core.plan.follow.EVERY_S", 0.0)
    planned, part = task(seconds=0.5), tmp_path / "kick.npz.part"

    def stop(done: float, *_: object) -> None:
        if done > 0.5:
            raise StopError

    whole = follow(planned)
    with pytest.raises(StopError):
        follow(planned, Context(stop, unfinished=part))
    half = keep(part)
    assert 0.1 < half.outcome["simulated_s"] < 0.5
    resumed = follow(planned, Context(unfinished=part))
    assert np.array_equal(whole.rotations, resumed.rotations) and np.array_equal(whole.root_positions, resumed.root_positions)


@pytest.mark.parametrize("changes", [{"freedom": 0.9}, *(pytest.param(changes, marks=pytest.mark.slow) for changes in (
    {"weights": {"feet": 3.0}}, {"strength": "hero"}, {"seed": 7}, {"seconds": 0.3})), {"friction": 0.5}], ids=str)
def test_work_with_other_settings_is_begun_anew_and_said(tmp_path, monkeypatch, changes):
    monkeypatch.setattr("core.plan.follow.EVERY_S", 0.0)
    part = tmp_path / "kick.npz.part"

    def stop(done: float, *_: object) -> None:
        raise StopError

    with pytest.raises(StopError):
        follow(task(seconds=0.2, freedom=0.0), Context(stop, unfinished=part))
    changed, said = task(**{"seconds": 0.2, "freedom": 0.0, **changes}), []
    resumed = follow(changed, Context(unfinished=part, say=said.append))
    assert len(said) == 1 and "kick.npz.part" in said[0] and "begun anew" in said[0]
    assert np.array_equal(resumed.rotations, follow(changed).rotations)


def test_work_of_another_version_or_preset_is_begun_anew(tmp_path, monkeypatch):
    monkeypatch.setattr("core.plan.follow.EVERY_S", 0.0)
    part, said, planned = tmp_path / "kick.npz.part", [], task(seconds=0.2)

    def stop(done: float, *_: object) -> None:
        raise StopError

    with pytest.raises(StopError):
        follow(planned, Context(stop, workers=1, unfinished=part))
    with monkeypatch.context() as patched:
        patched.setattr("core.plan.stage.VERSION", "9.9.9")
        with pytest.raises(StopError):
            follow(planned, Context(stop, workers=1, unfinished=part, say=said.append))
    assert len(said) == 1
    with pytest.raises(StopError):
        follow(planned, Context(stop, workers=1, unfinished=part, say=said.append), preset=other_preset())
    assert len(said) == 2


@pytest.mark.slow
def test_a_kick_is_held():
    result = follow(task("kick"))
    assert not result.outcome["fell"], result.outcome["reason"]
    assert following(result)["joint_error_m"] < 0.08
    assert np.linalg.norm(result.root_positions[:, :2] - result.reference_positions[:, 0, :2], axis=1).max() < 0.3
    assert result.penetrations.max() < 0.01 and np.abs(result.torques).max() > 10.0


@pytest.mark.slow
def test_flight_is_free_fall():
    """No hidden hand: while a jumper is in the air, only gravity moves the centre of mass."""
    stage = Stage(task("jump"))
    planner = Planner(stage, FEW, seed=0)
    while not planner.done:
        planner.advance(Threads(stage))
    result = replayed(planner)
    positions, orientations = stage.body.skeleton.forward_kinematics(result.root_positions, result.rotations)
    heights = center_of_mass(stage.body, positions, orientations)[:, 2]
    falling = np.diff(heights, 2) * FPS**2
    loads = result.foot_forces[:, :, 2].sum(axis=1)
    flying = np.array([loads[n:n + 4].max() == 0.0 for n in range(len(loads) - 4)])
    assert flying.sum() >= 5
    assert falling[:len(flying)][flying] == pytest.approx(-9.81, abs=0.3)


@pytest.mark.slow
def test_a_clip_that_cannot_be_held_says_when_and_why():
    wall = {"size": [0.5, 4.0, 3.0], "position": [0.8, 0.0, 1.5], "name": "wall"}
    data = {"method": "plan", "clips": [clip("run")], "quality": "draft", "obstacles": [wall], "engine": "mujoco"}
    result = follow(task_of(make_job(data)))
    assert result.outcome["fell"] and result.outcome["retries"] > 0
    assert "Lost the clip at" in result.outcome["reason"] and np.isfinite(result.rotations).all()


def test_bullet_plans_too():
    result = follow(task(seconds=0.3, engine="pybullet"), Context(workers=1))
    assert not result.outcome["fell"] and following(result)["joint_error_m"] < 0.05


@pytest.mark.slow
def test_other_bodies_and_ground():
    data = {"method": "plan", "clips": [clip("walk")], "quality": "draft", "body": "average_woman", "duration": 0.6,
            "ground": {"type": "slope", "degrees": 4.0}, "engine": "mujoco"}
    result = follow(task_of(make_job(data)))
    assert not result.outcome["fell"], result.outcome["reason"]


# -- mistakes and the command line -----------------------------------------------------------------------------------------


def test_a_moment_is_no_clip():
    with pytest.raises(JobError, match="nothing to follow"):
        follow(task(seconds=0.01))


@pytest.mark.parametrize("content", [b"", b"no plan", b"PK\x03\x04 cut off"], ids=["empty", "text", "cut"])
def test_a_broken_part_is_named(tmp_path, content):
    part = tmp_path / "a.npz.part"
    part.write_bytes(content)
    with pytest.raises(JobError, match="a.npz.part"):
        keep(part)


def test_a_part_of_something_else_or_none_is_named(tmp_path):
    part = tmp_path / "a.npz.part"
    with pytest.raises(JobError, match="There is no"):
        keep(part)
    with part.open("wb") as file:
        np.savez(file, job="{}")
    with pytest.raises(JobError, match="a.npz.part"):
        keep(part)


def test_a_changed_clip_begins_anew(tmp_path, monkeypatch):
    monkeypatch.setattr("core.plan.follow.EVERY_S", 0.0)
    file, part = tmp_path / "clip.txt", tmp_path / "clip.npz.part"
    file.write_bytes(Path(clip("kick")).read_bytes())
    data = {"method": "plan", "clips": [str(file)], "quality": "draft", "duration": 0.3, "engine": "mujoco"}

    def stop(_done: float, *_: object) -> None:
        raise StopError

    with pytest.raises(StopError):
        follow(task_of(make_job(data)), Context(stop, unfinished=part))
    file.write_bytes(Path(clip("punch")).read_bytes())
    os.utime(file, (1, 1))
    with pytest.raises(JobError, match="the clip has changed"):
        keep(part)


@pytest.mark.slow
def test_the_ghost_goes_along_evenly_at_24_frames_a_second():
    data = {"method": "plan", "clips": [clip("kick")], "quality": "draft", "duration": 0.5, "engine": "mujoco", "fps": 24.0}
    result = follow(task_of(make_job(data)))
    stage = Stage(task_of(make_job(data)))
    times = np.arange(len(result.reference_positions)) / 24.0
    for axis in range(3):
        own = np.interp(times, np.arange(stage.aim.frames) / FPS, stage.aim.positions[:, 0, axis])
        assert result.reference_positions[:, 0, axis] == pytest.approx(own, abs=2e-3)


def test_the_command_line(tmp_path):
    output = tmp_path / "kick.npz"
    command = [sys.executable, "-m", "core", "follow", clip("kick"), "--quality", "draft", "--seconds", "0.3", "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    outcome = json.loads(done.stdout)
    assert not outcome["fell"] and outcome["report"].startswith("Followed the clip for 0.3 s, joints ") and output.is_file()
    missing = subprocess.run([*command[:-1], str(tmp_path / "nowhere" / "kick.npz")], capture_output=True, text=True, cwd=ROOT)
    assert missing.returncode == 2 and "does not exist" in missing.stderr


@pytest.mark.parametrize("engine", engines())
def test_a_replay_is_the_same_to_the_last_bit(engine):
    """Also where a last bit of the first rotation decides what a foot touches."""
    data = {"method": "plan", "clips": [clip("walk")], "quality": "draft", "duration": 0.3, "fps": 60.0, "engine": engine}
    stage = Stage(task_of(make_job(data)))
    knots = 0.3 * np.random.default_rng(0).normal(size=(3, len(stage.spread))) * stage.spread
    with stage.world:
        targets = stage.targets(0, np.zeros((1, len(stage.spread))), knots[None])
        found = stage.world.rollouts(stage.start[None], targets, stage.steps, every=WINDOW)
        stage.world.resume(stage.start)
        result = perform(stage.world, Planned(stage, knots, "walk"), dataclasses.replace(stage.job, time_step=stage.world.time_step))
    assert np.array_equal(result.root_positions[1:], found.positions[0, :len(result.root_positions) - 1])


@pytest.mark.parametrize("engine", engines())
def test_a_replay_of_a_hit_is_what_was_planned(engine):
    hit = {"type": "push", "time": 0.1, "duration": 0.2, "force": [0.0, 300.0, 0.0], "part": "chest", "frame": "heading"}
    struck = make_job({"method": "hit", "clips": [clip("kick")], "quality": "draft", "duration": 0.6, "fps": 60.0, "engine": engine, "events": [hit]})
    stage = Stage(hit_task_of(struck).plan(struck))
    planner = Planner(stage, Quality(8, 1, 2, 2), seed=0)
    with stage.world:
        while not planner.done:
            planner.advance(Threads(stage))
        result = replayed(planner)
        targets = stage.targets(0, np.zeros((1, len(stage.spread))), planner.found()[None])
        found = stage.world.rollouts(stage.start[None], targets, stage.steps, every=WINDOW, pushes=stage.pushes(0))
    assert result.frames == 31
    assert np.array_equal(result.root_positions[1:], found.positions[0, :30])
