"""Both engines offer the same: servos and rollouts for planners, grounds to stand on, and a clear word when one is missing.

What obeys mechanics is tested for both in test_world.py.
"""

import hashlib
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core import physics, rotation
from core.body import make_body, planar_biped
from core.errors import JobError, SimulationError
from core.jobs import make_job, run
from core.physics import Push, WorldSettings
from core.physics.base import held_inertias
from core.places import struck

MAN = make_body({"height": 1.75, "mass": 73.0})
PLANAR = planar_biped()
BOTH = pytest.mark.parametrize("body", [MAN, PLANAR], ids=["man", "planar"])
LINKS = len(MAN.names)
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
STEP = 1 / 240


def link(body, name: str) -> int:
    return body.names.index(name)


def zero(body) -> np.ndarray:
    """Targets of the zero pose."""
    return rotation.identity((len(body.names),))


def set_servos(world, scale: float = 1.0, strongest: float = 400.0) -> None:
    """Servos that hold a pose against the body's weight."""
    stiffness = {"torso": 1000, "head": 100, "upper_arm": 200, "forearm": 100, "thigh": 1000, "shin": 1000, "foot": 1000, "toes": 60}
    values = np.array([0.0] + [scale * stiffness[name.partition(".")[0]] for name in world.body.names[1:]])
    world.set_servos(values, values / 10, np.full(len(values), strongest))


def standing(make_world, body=MAN, ground=None, obstacles=None, time_step=STEP, seconds=0.25, **more):
    """A world with a body that stands under servos; ``more``: of ``WorldSettings``."""
    world = make_world(body, ground, obstacles, WorldSettings(time_step=time_step, **more))
    set_servos(world)
    world.follow(zero(body))
    world.place((0, 0, world.ground_height(0, 0) + body.standing_height + 1e-3), UPRIGHT, body.zero_joints())
    for _ in range(round(seconds / time_step)):
        world.step()
    return world


def random_targets(body, samples: int, segments: int, size: float = 0.15) -> np.ndarray:
    turns = np.random.default_rng(5).normal(0, size, (samples, segments, len(body.names), 3))
    turns[..., body.hinges, :] *= [0, 1, 0]
    return rotation.exp(turns)


def same(one, other) -> bool:
    """Whether two Rollouts are bit by bit the same."""
    return all(np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True) for name in one.__slots__)


# -- servos ------------------------------------------------------------------------------------------------------------


def swing(make_world, name: str, turn: tuple, stiffness: float, damping: float, strongest: float, seconds: float, time_step: float = STEP):
    """Angles (rad) of one joint towards a target over time, in a body that floats with its other joints held."""
    moved = link(MAN, name)
    with make_world(MAN, settings=WorldSettings(time_step=time_step)) as world:
        values = np.full(LINKS, 3000.0)
        gains = np.array([values, values / 10, values])
        gains[:, moved] = stiffness, damping, strongest
        world.set_servos(*gains)
        targets = zero(MAN)
        targets[moved] = rotation.exp(turn)
        world.follow(targets)
        world.place((0, 0, 50), UPRIGHT, MAN.zero_joints())
        away = []
        for _ in range(round(seconds / time_step)):
            world.step()
            joint = world.read().joints[moved]
            joint = rotation.exp([0, joint, 0]) if MAN.hinges[moved] else np.array(joint)
            away.append(rotation.log(rotation.multiply(rotation.conjugate(joint), targets[moved])))
    return np.array(away)


@pytest.mark.parametrize("name", ["forearm.L", "head"])
def test_a_servo_moves_a_known_inertia_as_spring_and_damper_do(make_world, name):
    inertia = held_inertias(MAN, make_world(MAN).inertias)[link(MAN, name), 1]
    stiffness = inertia * 15**2  # 15 rad/s
    damping = 2 * 0.6 * inertia * 15
    away = swing(make_world, name, (0, -0.4, 0), stiffness, damping, 1e3, 0.4)[:, 1]
    times = STEP * np.arange(1, len(away) + 1)
    decay, beat = 0.6 * 15, 15 * math.sqrt(1 - 0.6**2)
    expected = -0.4 * np.exp(-decay * times) * (np.cos(beat * times) + decay / beat * np.sin(beat * times))
    np.testing.assert_allclose(away, expected, atol=0.04)


@pytest.mark.parametrize("name, turn", [("shin.R", (0, 1.5, 0)), ("head", (0.3, 0.2, -0.6)), ("upper_arm.L", (2.2, -1.2, 0.3))])
def test_a_servo_settles_at_its_target(make_world, name, turn):
    away = swing(make_world, name, turn, 200, 20, 1e3, 1.0)
    assert np.linalg.norm(away[0]) > 0.5 and np.linalg.norm(away[-1]) < 0.01


def test_a_servo_is_no_stronger_than_it_may_be(make_world):
    """Far from its target it pulls with all its strength: a constant acceleration."""
    inertia = held_inertias(MAN, make_world(MAN).inertias)[link(MAN, "forearm.L"), 1]
    away = swing(make_world, "forearm.L", (0, -2.5, 0), 1e3, 1.0, 2.0, 0.15)[:, 1]
    seconds = STEP * len(away)
    assert 2.5 + away[-1] == pytest.approx(0.5 * 2.0 / inertia * seconds**2, rel=0.1)


def test_saturated_servos_of_light_links_do_not_chatter(make_world):
    away = swing(make_world, "foot.L", (0.3, 0.4, 0.2), 1000, 100, 100, 0.5)
    assert np.linalg.norm(away[-1]) < 0.05 and np.all(np.diff(np.linalg.norm(away, axis=1)) < 1e-3)


@pytest.mark.parametrize("time_step, creeping", [(1 / 240, True), (1 / 480, False)], ids=["as in plans", "as in falls"])
def test_servos_hold_a_standing_man_whose_weight_the_feet_carry(make_world, time_step, creeping):
    with standing(make_world, time_step=time_step, seconds=0.5, creeping=creeping) as world:
        loads = []
        for _ in range(round(0.25 / time_step)):
            world.step()
            loads.append(sum(foot.force[2] for foot in world.read().feet))
        state = world.read()
    assert np.mean(loads) == pytest.approx(MAN.mass * 9.81, rel=0.05)
    assert state.position[2] == pytest.approx(MAN.standing_height, abs=0.01) and max(foot.depth for foot in state.feet) < 0.003


# -- snapshots and rollouts --------------------------------------------------------------------------------------------


@BOTH
def test_a_snapshot_brings_back_everything(make_world, body):
    boxes = [{"size": [0.2, 0.2, 0.2], "position": [0.5, 0.0, 1.5], "mass": 3.0}]
    with standing(make_world, body, obstacles=boxes) as world:
        before, things, snapshot = world.read(), world.object_poses(), world.snapshot()
        for _ in range(30):
            world.push(0, (300.0, 0.0, 0.0))
            world.step()
        assert world.read().position != before.position
        world.resume(snapshot)
        after = world.read()
        np.testing.assert_allclose(np.array(world.object_poses()[0][0]), things[0][0], atol=1e-12)
    assert snapshot.dtype == np.float64 and snapshot.ndim == 1
    assert after.time == before.time and after.position == pytest.approx(before.position, abs=1e-12)
    for name in ("rotation", "velocity", "angular_velocity"):
        assert getattr(after, name) == pytest.approx(getattr(before, name), abs=1e-12)
    for i in range(1, len(body.names)):
        assert after.joints[i] == pytest.approx(before.joints[i], abs=1e-12)
        assert after.joint_velocities[i] == pytest.approx(before.joint_velocities[i], abs=1e-12)


def test_a_snapshot_of_another_body_is_refused(make_world):
    said = "A snapshot of .* numbers does not fit a world of .*; resume it in a world with the same body"
    with make_world(PLANAR) as one, make_world(MAN) as other, pytest.raises(SimulationError, match=said):
        other.resume(one.snapshot())


@BOTH
def test_rollouts_tell_what_stepping_by_hand_shows(make_world, body):
    targets = random_targets(body, 3, 2)
    with standing(make_world, body) as world:
        start = world.snapshot()
        found = world.rollouts(np.tile(start, (3, 1)), targets, 12)
        assert found.ok.all()
        world.resume(start)
        for segment in range(2):
            world.follow(targets[1, segment])
            for _ in range(12):
                world.step()
            state, snapshot = world.read(), world.snapshot()
            np.testing.assert_array_equal(found.snapshots[1, segment], snapshot)
            np.testing.assert_allclose(found.positions[1, segment], state.position, atol=1e-12)
            np.testing.assert_allclose(found.angular_velocities[1, segment], state.angular_velocity, atol=1e-12)
            np.testing.assert_allclose(found.rotations[1, segment, 0], state.rotation, atol=1e-12)
            for i in range(1, len(body.names)):
                joint = rotation.exp([0, state.joints[i], 0]) if body.hinges[i] else state.joints[i]
                assert abs(np.dot(found.rotations[1, segment, i], joint)) == pytest.approx(1, abs=1e-12)
            world.resume(snapshot)
    assert np.ptp(found.positions[:, -1], axis=0).max() > 1e-4  # the samples did different things


@BOTH
def test_a_sample_is_the_same_alone_in_any_batch_and_after_any_past(make_world, body):
    targets = random_targets(body, 4, 2)
    with standing(make_world, body) as world:
        starts = np.tile(world.snapshot(), (4, 1))
        found = world.rollouts(starts, targets, 12)
        assert same(world.rollouts(starts, targets, 12), found)
        assert same(world.rollouts(starts, targets, 12, threads=2), found)
        np.testing.assert_array_equal(world.rollouts(starts[2:3], targets[2:3], 12).snapshots[0], found.snapshots[2])
        np.testing.assert_array_equal(world.rollouts(starts[::-1], targets[::-1], 12).snapshots[::-1], found.snapshots)
        later = world.rollouts(found.snapshots[:, 0], targets[:, 1:], 12)
        np.testing.assert_array_equal(later.snapshots, found.snapshots[:, 1:])
    with make_world(body, settings=WorldSettings(time_step=STEP)) as other:
        set_servos(other)
        other.place((3, 0, 0.3), UPRIGHT, body.zero_joints())
        for _ in range(50):
            other.step()
        assert same(other.rollouts(starts, targets, 12), found)


def busy_digest(engine: str) -> str:
    """Of rollouts with a crate on the head."""
    boxes = [{"size": [0.2, 0.2, 0.2], "position": [0.0, 0.0, 1.9], "mass": 3.0}]
    with standing(physics.world_class(engine), obstacles=boxes) as world:
        found = world.rollouts(np.tile(world.snapshot(), (2, 1)), random_targets(MAN, 2, 2), 24)
    return hashlib.sha256(found.snapshots.tobytes() + found.torques.tobytes()).hexdigest()


def test_rollouts_in_another_process_are_bit_by_bit_the_same(engine):
    repository, here = Path(__file__).resolve().parents[2], Path(__file__).resolve().parent
    program = (f"import sys; sys.path[:0] = [{str(repository)!r}, {str(here)!r}]\n"
               "from test_engines import *\n"
               f"print(busy_digest({engine!r}))\n")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=repository)
    assert done.stdout.split()[-1] == busy_digest(engine)


def test_a_push_in_rollouts_gives_its_impulse_to_the_body(make_world):
    force = np.array([30.0, 120.0, 0.0])
    targets = np.tile(zero(MAN), (1, 3, 1, 1))
    push = Push(link(MAN, "torso"), tuple(force), None, first=0, end=1)
    with make_world(MAN, settings=WorldSettings(time_step=STEP)) as world:
        set_servos(world)
        world.place((0, 0, 50), UPRIGHT, MAN.zero_joints())
        start = world.snapshot()[None]
        free = world.rollouts(start, targets, 12)
        pushed = world.rollouts(start, targets, 12, pushes=[push])
        world.rollouts(start, targets, 12, pushes=[Push(i, (50.0, 50.0, 50.0), None, first=0, end=3) for i in range(LINKS)])
        assert same(world.rollouts(start, targets, 12), free)

    def centers(found) -> np.ndarray:
        origins, turns = MAN.skeleton.forward_kinematics(found.positions[0], found.rotations[0])
        return np.average(origins + rotation.rotate(turns, MAN.com_offsets), axis=1, weights=MAN.masses)

    gained = np.diff(centers(pushed) - centers(free), axis=0)[1] / (12 * STEP)
    assert gained == pytest.approx(force * 12 * STEP / MAN.mass, abs=2e-3)
    assert np.abs(pushed.torques).max() > 1 > np.abs(free.torques).max()  # the other joints had to be held against the push


@pytest.mark.parametrize("threads", [1, 2])
def test_pushes_in_rollouts_strike_the_points_that_pushes_by_hand_strike(make_world, threads):
    """To the last bit, also while the links turn under them."""
    (forearm, hand), (torso, chest) = struck(MAN, "hand.L"), struck(MAN, "chest")
    pushes = [Push(forearm, (60.0, 40.0, 0.0), hand, first=0, end=2), Push(torso, (0.0, 300.0, 0.0), chest, first=1, end=3)]
    targets = random_targets(MAN, 2, 4)
    with standing(make_world) as world:
        start = world.snapshot()
        free = world.rollouts(np.tile(start, (2, 1)), targets, 6, threads=threads)
        found = world.rollouts(np.tile(start, (2, 1)), targets, 6, threads=threads, pushes=pushes)
        world.resume(start)
        for segment in range(4):
            world.follow(targets[1, segment])
            for _ in range(6):
                for push in pushes:
                    if push.first <= segment < push.end:
                        world.push(push.link, push.force, push.point)
                world.step()
            np.testing.assert_array_equal(found.snapshots[1, segment], world.snapshot())
            world.resume(world.snapshot())
    assert np.abs(found.rotations - free.rotations)[:, 0].max() > 0.01


def test_legs_that_press_on_each_other_are_no_load_on_the_feet(make_world):
    targets = np.tile(zero(MAN), (1, 4, 1, 1))
    targets[..., link(MAN, "thigh.L"), :], targets[..., link(MAN, "thigh.R"), :] = rotation.exp([-0.35, 0, 0]), rotation.exp([0.35, 0, 0])
    gaps = {}
    for on in (False, True):
        with make_world(MAN, settings=WorldSettings(time_step=STEP, self_collision=on)) as world:
            set_servos(world)
            world.place((0, 0, 50), UPRIGHT, MAN.zero_joints())
            found = world.rollouts(world.snapshot()[None], targets, 24)
            world.follow(targets[0, -1])
            for _ in range(96):
                world.step()
            assert [foot.force[2] for foot in world.read().feet] == pytest.approx([0.0, 0.0], abs=1e-9)
        origins, _ = MAN.skeleton.forward_kinematics(found.positions[0], found.rotations[0])
        gaps[on] = np.ptp(origins[-1][[link(MAN, "foot.L"), link(MAN, "foot.R")], 1])
    assert abs(gaps[True] - gaps[False]) > 0.05  # with self-collision they did press


@pytest.mark.parametrize("place", [None, "hand.L"])
@pytest.mark.parametrize("bad", [math.nan, 1e200])
def test_a_sample_that_blows_up_is_reported_and_spoils_no_other(make_world, bad, place):
    targets, pushes = random_targets(MAN, 3, 2), []
    if place:
        number, point = struck(MAN, place)
        pushes = [Push(number, (20.0, 0.0, 0.0), point, first=0, end=2)]
    with standing(make_world) as world:
        starts = np.tile(world.snapshot(), (3, 1))
        fine = world.rollouts(starts, targets, 12, pushes=pushes)
        starts[1, -1] = bad
        found = world.rollouts(starts, targets, 12, pushes=pushes)
    assert found.ok.tolist() == [True, False, True] and fine.ok.all()
    assert np.isnan(found.positions[1, -1]).all() and np.isfinite(found.positions[[0, 2]]).all()
    np.testing.assert_array_equal(found.snapshots[[0, 2]], fine.snapshots[[0, 2]])


def test_a_world_that_blew_up_is_not_read_as_numbers(make_world):
    with make_world(MAN) as world:
        world.place((0, 0, 2), UPRIGHT, MAN.zero_joints(), velocity=(math.nan, 0, 0))
        world.step()
        with pytest.raises(SimulationError, match="blew up at 0.00 s; use a smaller time_step than 0.001 s"):
            world.read()


# -- grounds and things ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ground", [
    {"type": "steps", "height": 0.25, "start": -1.0},
    {"type": "mesh", "vertices": [[-2, -2, 0.25], [2, -2, 0.25], [2, 2, 0.25], [-2, 2, 0.25]], "faces": [[0, 1, 2], [0, 2, 3]]},
], ids=["slab", "mesh"])
def test_slabs_and_meshes_are_stood_on(make_world, ground):
    with standing(make_world, ground=ground, seconds=0.3) as world:
        state = world.read()
        assert world.ground_height(0, 0) == pytest.approx(0.25)
    assert state.position[2] == pytest.approx(0.25 + MAN.standing_height, abs=0.01)
    assert sum(foot.force[2] for foot in state.feet) == pytest.approx(MAN.mass * 9.81, rel=0.3)


def test_a_mesh_with_a_ramp_and_a_hole_has_their_heights(make_world):
    vertices = [[0, -1, 0], [2, -1, 1], [2, 1, 1], [0, 1, 0], [4, -1, 1], [4, 1, 1]]
    with make_world(MAN, {"type": "mesh", "vertices": vertices, "faces": [[0, 1, 2], [0, 2, 3], [1, 4, 2]]}) as world:
        found = [world.ground_height(x, y) for x, y in ((0.5, 0.3), (1.5, -0.3), (2.5, -0.5))]
        hole = world.ground_height(3.5, 0.7)
    assert found == pytest.approx([0.25, 0.75, 1.0], abs=1e-3) and hole < 0.5


@pytest.mark.parametrize("friction, slides", [(0.15, True), (0.4, False)])
def test_a_crate_slides_down_a_slope_where_friction_is_less_than_its_grade(make_world, friction, slides):
    angle = math.radians(14)  # a grade of 0.25
    under = -17.0 * math.tan(angle)
    boxes = [{"size": [0.4, 0.4, 0.1], "position": [-3.0, 0.0, under + 0.05 + 0.2 * math.tan(angle) + 0.01], "mass": 20.0}]
    if make_world.__name__ == "BulletWorld":
        friction = math.sqrt(friction)  # Bullet multiplies the frictions of two things
    slope = {"type": "slope", "degrees": -14.0, "start": -20.0, "length": 40.0}
    with make_world(MAN, slope, boxes, WorldSettings(time_step=0.002, friction=friction)) as world:
        world.place((30, 0, 5), UPRIGHT, MAN.zero_joints())
        assert world.ground_height(-3.0, 0.0) == pytest.approx(under)
        places = []
        for step in range(500):
            world.step()
            if step in (250, 499):
                places.append(world.object_poses()[0][0][0])
    way = (places[1] - places[0]) / math.cos(angle)
    assert way > 0.2 if slides else abs(way) < 0.01


def test_a_ball_thrown_in_midst_of_it_changes_nothing_else(make_world):
    with standing(make_world) as one, standing(make_world) as other:
        for world in (one, other):
            world.push(0, (2000.0, 0.0, 0.0))
            world.apply([0.0 if hinge else (5.0, 0.0, 0.0) for hinge in MAN.hinges], world.read())
        one.throw_ball("ball", 1.0, 0.1, (5.0, 5.0, 1.0), (0.0, 0.0, 3.0))
        for _ in range(20):
            one.step()
            other.step()
        seen, alone = one.read(), other.read()
        (_, _, z), _ = one.object_poses()[0]
        saved = one.save()
        for _ in range(20):
            one.step()
        later = one.read()
        one.restore(saved)
        for _ in range(20):
            one.step()
        assert one.read() == later
    assert seen.time == alone.time and seen.position == pytest.approx(alone.position, abs=1e-9)
    assert seen.joints[1] == pytest.approx(alone.joints[1], abs=1e-9)
    assert z == pytest.approx(1.0 + 3 * 20 * STEP - 0.5 * 9.81 * (20 * STEP) ** 2, abs=0.02)


# -- which engine ------------------------------------------------------------------------------------------------------


def test_both_engines_are_there_and_pybullet_is_the_first():
    assert physics.engines() == ["pybullet", "mujoco"]
    assert physics.choose_engine() == physics.choose_engine("auto") == "pybullet"
    assert physics.choose_engine("auto", ("mujoco", "pybullet")) == "mujoco"
    assert physics.world_class("mujoco").__name__ == "MujocoWorld"


def test_a_missing_engine_is_named_with_the_way_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "core.physics.bullet", None)  # importing it fails now
    assert physics.engines() == ["mujoco"] and physics.choose_engine() == "mujoco"
    with pytest.raises(SimulationError, match=r"cannot load the engine 'pybullet' \(.*\); install pybullet with pip, or use the engine 'auto'\.$"):
        physics.world_class("pybullet")
    monkeypatch.setitem(sys.modules, "core.physics.mujoco", None)
    assert physics.engines() == []
    with pytest.raises(SimulationError, match=r"no physics engine .*; install pybullet or mujoco-core with pip\.$"):
        physics.choose_engine()
    with pytest.raises(SimulationError, match="There is no engine 'havok'; known are pybullet, mujoco."):
        physics.world_class("havok")


def test_the_core_is_imported_without_an_engine():
    program = "import sys, core.jobs, core.session, core.commands.by_method\nassert not {'pybullet', 'mujoco'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).resolve().parents[2])


def test_a_job_says_its_engine(engine, monkeypatch):
    built, world_class = [], physics.world_class
    monkeypatch.setattr(physics, "world_class", lambda name: built.append(name) or world_class(name))
    result = run(make_job({"duration": 0.5, "engine": engine}))
    assert set(built) == {engine} and not result.outcome["fell"] and result.job["engine"] == engine
    with pytest.raises(JobError, match="engine is 'havok'; allowed are 'auto', 'pybullet', 'mujoco'."):
        make_job({"engine": "havok"})


def test_a_walk_is_a_walk_in_either_engine(engine):
    result = run(make_job({"gait": "walk", "duration": 3.0, "engine": engine}))
    assert not result.outcome["fell"] and 1.5 < result.outcome["end_position_m"][0] < 3.0 and result.outcome["steps"] >= 5
    assert result.penetrations.max() < 0.01
