"""Standing balance: the solver says what happens, ankles, hips and steps each have their pushes, and a clip goes on after one."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from math import radians
from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from core import presets, rotation
from core.balance_styles import known_styles
from core.bar import Bar
from core.context import Context
from core.control.step import Swing, nearest
from core.control.whole_body import WholeBody, nonnegative
from core.dynamics import Dynamics
from core.errors import JobError, SimulationError
from core.hit.reflex import best, kept
from core.jobs import make_job, run
from core.optimize.balance_map import BalanceMap, balance_map, push, pushed
from core.physics import WorldSettings, engines, world_class
from core.physics.base import moment
from core.result import STRATEGIES
from tests.cases import quick

ROOT = Path(__file__).resolve().parents[2]
CLIPS = Path(pybullet_data.getDataPath()) / "data" / "motions"
NOWHERE = {"type": "profile", "points": [[-1e3, -50.0], [1e3, -50.0]]}


@pytest.mark.parametrize("engine", engines())
def test_what_is_solved_for_is_what_happens(engine):
    """Torques for a wanted acceleration of a foot, in the air and turning: the engine moves it so."""
    body, chance, step = presets.body("average_man"), np.random.default_rng(1), 1e-5
    rotations, rates = rotation.exp(0.08 * chance.normal(size=(len(body.names), 3))), chance.normal(size=(len(body.names), 3))
    for link, name in enumerate(body.names):
        if body.hinges[link]:
            bend = {"forearm": -0.3, "shin": 0.3}.get(name.split(".")[0], 0.0)
            rotations[link], rates[link] = rotation.exp(np.array([0.0, bend, 0.0])), rates[link] * (0.0, 1.0, 0.0)
    rates[0] = 0.0
    with world_class(engine)(body, NOWHERE, settings=WorldSettings(time_step=step, limit_firmness=0.0)) as world:
        world.place(**moment(body, np.array([0.0, 0.0, 5.0]), rotations, np.zeros(3), chance.normal(size=3), rates))
        dynamics = Dynamics(body, world.inertias)
        solver, state = WholeBody(body, dynamics, 0.8), world.read()
        pose, foot = dynamics.pose(state), body.names.index("foot.R")
        solver.begin(pose)
        wish = np.array([10.0, 5.0, -5.0])
        solver.add(solver.moving(foot, pose.origins[foot]), wish - solver.swung[foot], 30.0)
        torques = solver.torques([], np.zeros((len(body.names), 3)), np.full(len(body.names), 0.1))
        assert np.abs(torques[0]).max() < 0.1  # nothing holds the pelvis
        world.apply([row[1] if hinge else tuple(row) for hinge, row in zip(body.hinges, torques.tolist(), strict=True)], state)
        world.step()
        after = dynamics.pose(world.read())
    assert (after.velocities[foot] - pose.velocities[foot]) / step == pytest.approx(wish, abs=0.4)
    assert (after.com_velocity - pose.com_velocity) / step == pytest.approx((0.0, 0.0, -9.81), abs=0.05)


def test_nonnegative_forces_are_the_best_ones():
    chance = np.random.default_rng(0)
    for size in (1, 5, 24):
        rows = chance.normal(size=(size + 4, size))
        matrix, goal = rows.T @ rows + 1e-6 * np.eye(size), chance.normal(size=size)
        for guess in (np.zeros(size), chance.uniform(size=size)):
            found = nonnegative(matrix, goal, guess)
            slope = matrix @ found - goal
            # Where a force is, nothing is gained by changing it; where none is, one would only cost.
            assert (found >= 0.0).all() and (slope > -1e-7).all() and np.abs(slope * found).max() < 1e-7


def test_the_nearest_place_on_the_feet():
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.5, 0.5)]
    assert nearest(square, (0.2, 0.7)) == (0.2, 0.7)
    assert nearest(square, (2.0, 0.5)) == (1.0, 0.5)
    assert nearest(square, (-1.0, -1.0)) == (0.0, 0.0)


def test_a_step_begins_and_ends_at_rest_and_goes_around_the_other_foot():
    swing = Swing(1, 1.0, 0.3, (0.0, -0.1, 0.07), (0.3, 0.2, 0.07), 0.06, (0.0, 0.2))
    swing.avoid((0.0, 0.1, 0.07), 0.0, 0.2)
    for time, place in ((1.0, swing.origin), (1.3, swing.goal)):
        now, speed, _ = swing.at(time)
        assert now == pytest.approx(place) and np.hypot(*speed[:2]) < 0.1  # on the way it is 2 m/s
    assert swing.at(1.15)[0][0] > 0.3 and swing.at(1.15)[0][2] == pytest.approx(0.13)
    assert swing.at(1.4)[0][2] < 0.0  # and looks for the ground where there is none
    assert swing.yaw(1.0) == 0.0 and swing.yaw(2.0) == 0.2


@pytest.mark.parametrize("engine", engines())
@pytest.mark.parametrize("direction, force", [(0.0, 60.0), (90.0, 60.0), (180.0, 30.0)])
def test_a_small_push_is_taken_in_place(engine, direction, force):
    strategy, moved = push('"average_man"', engine, radians(direction), force)
    assert STRATEGIES[strategy] in ("ankle", "hip") and moved < 0.15


@pytest.mark.parametrize("engine", engines())
@pytest.mark.parametrize("direction, force", [(0.0, 300.0), (180.0, 150.0)])
def test_a_larger_one_takes_steps(engine, direction, force):
    """On pybullet, where the styles were found, one or two; on MuJoCo perhaps more."""
    strategy, moved = push('"average_man"', engine, radians(direction), force)
    most = "double step" if engine == "pybullet" else "several steps"
    assert STRATEGIES.index("single step") <= strategy <= STRATEGIES.index(most) and 0.1 < moved < 1.0


@pytest.mark.parametrize("changes", [{"mass": 0.9}, {"scale": {"shin": 1.06}}])
@pytest.mark.parametrize("direction", quick([0.0, 90.0, 180.0], 90.0))
def test_a_lighter_body_and_one_with_longer_shins_balance_too(direction, changes):
    body = dict(presets.load("bodies", "average_man"))
    body |= {"mass": 0.9 * body["mass"]} if "mass" in changes else changes
    assert push(json.dumps(body), "auto", radians(direction), 150.0)[0] >= 0


@pytest.mark.parametrize("body", quick(["short", "tall", "overweight", "average_woman"], "tall", "overweight"))
def test_other_people_balance_too(body):
    assert push(json.dumps(body), "auto", radians(45.0), 150.0)[0] >= 0


def test_a_style_that_blows_up_is_left_out():
    def attempt(one):
        if one.style == known_styles()[0]:
            raise SimulationError("The simulation blew up.")
        return pushed("average_man", "pybullet", 0.0, 100.0, one.style, one.most_steps)

    assert kept(*best(attempt))


@pytest.mark.slow
def test_where_no_known_styles_hold_others_are_tried():
    """A push from the side that only variations of them take, and as many tries as they may have."""
    tried = []

    def attempt(one):
        tried.append(one.style)
        return pushed("average_man", "pybullet", radians(90.0), 550.0, one.style, one.most_steps)

    known = len(known_styles())
    careless = [replace(style, careful=False) for style in known_styles()]
    assert not kept(*best(attempt, more=0)) and tried == [*known_styles(), *careless]
    assert kept(*best(attempt)) and len(tried) > 4 * known and tried[-1] not in tried[:2 * known]


def test_who_lies_on_the_trunk_has_fallen_however_high_the_hips_are():
    result, driver = pushed("average_man", "pybullet", radians(180.0), 700.0, known_styles()[1])
    torso = result.link_names.index("torso")
    up = rotation.rotate(rotation.multiply(result.rotations[:, 0], result.rotations[:, torso]), np.array([0.0, 0.0, 1.0]))[:, 2]
    assert result.outcome["fell"] and not driver.stands
    assert up.min() > 0.0 and result.root_positions[-1, 2] > 0.6 * result.root_positions[0, 2]


@pytest.mark.slow
def test_nobody_looks_for_long_for_a_way_to_take_what_nobody_can():
    tried = []

    def attempt(one):
        tried.append(one.style)
        return pushed("average_man", "pybullet", 0.0, 3000.0, one.style, one.most_steps, seconds=1.5)

    assert not kept(*best(attempt, more=3)) and len(set(tried)) == len(tried) == 2 * len(known_styles()) + 3


def test_a_map_knows_its_limits_and_holes():
    table = np.array([[0, 1, -1, 2], [0, 2, 2, -1], [-1, -1, -1, -1]])
    found = BalanceMap(np.radians([0.0, 120.0, 240.0]), np.array([100.0, 200.0, 300.0, 400.0]), table, np.zeros(table.shape))
    assert found.limits().tolist() == [200.0, 300.0, 0.0]
    assert found.holes() == [(0.0, 300.0)]


def test_a_map_is_made_on_workers():
    done = []
    found = balance_map("average_man", "pybullet", 2, [40.0, 80.0], Context(lambda fraction, *_: done.append(fraction), workers=2))
    assert found.strategies.shape == (2, 2) and (found.strategies >= 0).all() and done == sorted(done) and done[-1] == 1.0


@pytest.fixture
def standing(tmp_path):
    """The first pose of pybullet_data's punch, for six seconds."""
    data = json.loads((CLIPS / "humanoid3d_punch.txt").read_text())
    data["Frames"] = [[0.05, *data["Frames"][0][1:]] for _ in range(120)]
    path = tmp_path / "stand.txt"
    path.write_text(json.dumps(data))
    return str(path)


def hit(clip, force, time=0.5, response="balance"):
    push = {"type": "push", "time": time, "duration": 0.2, "force": force, "part": "chest"}
    return make_job({"method": "hit", "clips": [clip], "response": response, "fps": 60.0, "events": [push]})


def test_a_standing_clip_takes_a_hit_and_goes_on(standing):
    result = run(hit(standing, [0.0, 140.0, 0.0]))
    assert not result.outcome["fell"] and result.outcome["strategy"] in STRATEGIES
    still = run(make_job({"method": "retarget", "clips": [standing], "fps": 60.0}))
    before = slice(0, 31)
    assert (result.rotations[before] == still.rotations[before]).all() and (result.root_positions[before] == still.root_positions[before]).all()
    assert np.ptp(result.root_positions[:, 1]) > 0.02
    # At the end it stands as it stood, wherever that is.
    assert rotation.log(rotation.multiply(rotation.conjugate(result.rotations[-1]), still.rotations[-1])) == pytest.approx(0.0, abs=1e-6)
    jumps = np.linalg.norm(np.diff(result.root_positions, axis=0), axis=1)
    assert jumps.max() < 1.5 / 60.0


@pytest.mark.slow
def test_automatic_balances_who_stands_and_lets_fall_who_cannot_be_saved(standing):
    for force, response in ((150.0, "balance"), (1500.0, "fall")):
        result = run(hit(standing, [0.0, force, 0.0], response="auto"))
        assert result.outcome["response"] == response and result.outcome["fell"] == (response == "fall")


@pytest.mark.slow
def test_who_is_to_keep_the_balance_and_cannot_falls_as_a_person_does(standing):
    result = run(hit(standing, [0.0, 800.0, 0.0]))
    assert result.outcome["fell"] and result.outcome["response"] == "fall"
    # It lies still in the end, and was not thrown about before.
    assert result.root_positions[-1, 2] < 0.45 and np.abs(np.diff(result.root_positions[-10:], axis=0)).max() < 0.005
    speeds = np.linalg.norm(np.diff(result.root_positions, axis=0), axis=1) * 60.0
    assert speeds.max() < 5.0
    # As it falls, between the push and the floor, it gets faster evenly from frame to frame, whenever the controller looks.
    assert np.abs(np.diff(speeds[43:62])).max() < 0.6


@pytest.mark.slow
@pytest.mark.parametrize("force", [[0.0, 450.0, 0.0], [0.0, -450.0, 0.0]], ids=["left", "right"])
def test_a_hard_push_aside_on_a_clip_is_taken_with_steps(standing, force):
    result = run(hit(standing, force))
    assert not result.outcome["fell"] and result.outcome["recovery_steps"] >= 2
    assert np.abs(result.root_positions[-1, 2] - result.root_positions[0, 2]) < 0.02


def test_progress_goes_on_from_one_way_to_the_next(standing):
    bar, done, said = Bar(), [], []

    def progress(fraction, _, doing):
        bar.tell(fraction)
        done.append(bar.shown)
        said.append(doing)

    run(hit(standing, [0.0, 400.0, 0.0]), Context(progress))
    assert done == sorted(done) and 0.0 <= done[0] < done[-1] <= 1.0
    assert said[0] == "Trying 1 of 54 ways to keep its balance" and said[-1] != said[0]


def test_a_clip_that_does_not_stand_is_sent_elsewhere():
    with pytest.raises(JobError, match="does not stand on both feet.*'stumble'"):
        run(hit(str(CLIPS / "humanoid3d_run.txt"), [100.0, 0.0, 0.0], 0.3))


def test_a_map_from_the_command_line(tmp_path):
    command = [sys.executable, "-m", "core", "balance-map", "--directions", "1", "--most", "60", "--step", "60", "--workers", "1"]
    command += ["--plot", str(tmp_path / "map.png")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    found = json.loads(done.stdout)
    assert found["strategies"] == {"0": ["ankle"]} and found["limits_N"] == {"0": 60.0} and found["holes"] == 0
    assert (tmp_path / "map.png").stat().st_size > 10000
    wrong = subprocess.run([*command[:4], "--step", "0"], capture_output=True, text=True, cwd=ROOT)
    assert wrong.returncode == 2 and "--step is 0.0" in wrong.stderr


def test_a_map_of_the_body_of_a_job(tmp_path):
    """As the add-on asks for it: the body and the engine of a job, progress as lines of JSON, the map in a file."""
    (tmp_path / "job.json").write_text(json.dumps({"body": {"height": 1.6, "mass": 55.0, "sex": "female"}}))
    few = ["--directions", "1", "--most", "60", "--step", "60"]
    command = [sys.executable, "-m", "core", "balance-map", "job.json", "-o", "map.json", "--stream", *few]
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines[-2]["fraction"] == 1.0 and lines[-1]["limits_N"] == {"0": 60.0}
    found = json.loads((tmp_path / "map.json").read_text())
    assert found["forces_N"] == [60.0] and found["limits_N"] == {"0": 60.0}
    done = subprocess.run([*command[:5], "-o", "nowhere/map.json", *command[7:]], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
                          capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr == "The folder 'nowhere' does not exist: create it, or choose another place.\n"
