"""The World obeys mechanics, whatever the engine: frames, momentum, limits, and replays."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core import rotation
from core.physics import State, World, WorldSettings
from core.places import struck
from tests.core.worlds import (
    BOTH,
    GRAVITY,
    HIGH,
    MAN,
    PLANAR,
    UPRIGHT,
    link,
    local_rotations,
    momenta,
    no_torques,
    pose_torques,
    quaternion,
    random_pose,
    run,
)

# -- falling, placing, reading -----------------------------------------------------------------------------------------


@BOTH
def test_free_fall_is_gravity_and_changes_no_pose(make_world, body):
    with make_world(body) as world:
        world.place(HIGH, UPRIGHT, body.zero_joints(), velocity=(1.0, 0.0, 2.0))
        state = run(world, 0.3)
        assert state.time == pytest.approx(0.3)
        assert state.velocity == pytest.approx((1.0, 0.0, 2.0 - 9.81 * 0.3), abs=1e-5)
        assert state.position == pytest.approx((0.3, 0.0, 5 + 2 * 0.3 - 0.5 * 9.81 * 0.3**2), abs=2e-3)
        np.testing.assert_allclose(local_rotations(body, state), rotation.identity((len(body.names),)), atol=1e-6)
        assert state.feet[0].force == state.feet[1].force == (0, 0, 0)


def test_a_yawed_leaning_moving_body_is_read_as_it_was_placed(make_world):
    joints, rates = random_pose(MAN)
    turn = tuple(rotation.multiply(np.array(quaternion(0, 0, 2.0)), np.array(quaternion(0.2, 0.4, 0))).tolist())
    with make_world(MAN) as world:
        world.place((1, -2, 3), turn, joints, (0.5, -0.7, 0.9), (1.0, 2.0, -3.0), rates)
        state = world.read()
    assert state.position == pytest.approx((1, -2, 3)) and state.velocity == pytest.approx((0.5, -0.7, 0.9))
    assert state.angular_velocity == pytest.approx((1.0, 2.0, -3.0))
    assert np.abs(np.dot(state.rotation, turn)) == pytest.approx(1)
    for i in range(1, len(MAN.names)):
        assert state.joints[i] == pytest.approx(joints[i]), MAN.names[i]
        assert state.joint_velocities[i] == pytest.approx(rates[i]), MAN.names[i]


def test_a_leaning_moving_planar_body_is_read_as_it_was_placed(make_world):
    joints, rates = random_pose(PLANAR)
    with make_world(PLANAR) as world:
        world.place((1, 0, 3), quaternion(0, 0.4, 0), joints, (0.5, 0, 0.9), (0, -2.0, 0), rates)
        state = world.read()
    assert state.position == pytest.approx((1, 0, 3)) and state.velocity == pytest.approx((0.5, 0, 0.9))
    assert state.rotation == pytest.approx(quaternion(0, 0.4, 0)) and state.angular_velocity == pytest.approx((0, -2, 0))
    assert state.joints[1:] == pytest.approx(joints[1:]) and state.joint_velocities[1:] == pytest.approx(rates[1:])


@BOTH
@pytest.mark.parametrize("steps", [0, 5])
def test_ankles_are_where_kinematics_puts_them(make_world, body, steps):
    joints, rates = random_pose(body)
    with make_world(body) as world:
        world.place((1, 0, 3), quaternion(0, 0.4, 0), joints, (1, 0, 0), (0, 2, 0), rates)
        state = run(world, steps * world.time_step)
        origins, _ = body.skeleton.forward_kinematics(state.position, local_rotations(body, state))
        for foot, side in zip(state.feet, "LR", strict=True):
            assert foot.position == pytest.approx(origins[link(body, f"foot.{side}")], abs=1e-6)


@BOTH
def test_velocities_are_the_change_of_positions(make_world, body):
    """Pelvis: velocity of the joint origin, spin in the world. Ball joints: rates in the link's own frame."""
    joints, rates = random_pose(body)
    turn = quaternion(0, 0.5, 0) if body.planar else quaternion(0.3, 0.5, 1.0)
    with make_world(body, settings=WorldSettings(time_step=1e-4)) as world:
        world.place(HIGH, turn, joints, (1, 0, 2), (0, 3, 0) if body.planar else (3, -2, 4), rates)
        old = world.read()
        world.step()
        new = world.read()
    dt = 1e-4
    assert (np.array(new.position) - old.position) / dt == pytest.approx(np.array(new.velocity), abs=0.02)
    change = rotation.multiply(np.array(new.rotation), rotation.conjugate(np.array(old.rotation)))
    assert rotation.log(change) / dt == pytest.approx(np.array(new.angular_velocity), abs=0.02)
    before, after = local_rotations(body, old), local_rotations(body, new)
    for i in range(1, len(body.names)):
        inside = rotation.log(rotation.multiply(rotation.conjugate(before[i]), after[i])) / dt
        rate = new.joint_velocities[i]
        assert inside == pytest.approx(rate if isinstance(rate, tuple) else (0, rate, 0), abs=0.03), body.names[i]


# -- torques and pushes ------------------------------------------------------------------------------------------------


def test_a_ball_joint_torque_acts_in_the_links_own_frame(make_world):
    """An arm raised sideways points along +y: its own z is the world's −y. A torque about its own x lifts it further."""
    arm = link(MAN, "upper_arm.L")
    for axis, own in enumerate(np.eye(3)):
        joints = MAN.zero_joints()
        joints[arm] = quaternion(math.pi / 2, 0, 0)
        with make_world(MAN) as world:
            world.place(HIGH, UPRIGHT, joints)
            torques = no_torques(MAN)
            torques[arm] = tuple((5.0 * own).tolist())
            state = run(world, 0.01, lambda _, torques=torques: list(torques))
        rate = np.array(state.joint_velocities[arm])
        assert rate[axis] > 0.1 and np.argmax(np.abs(rate)) == axis


@pytest.mark.parametrize("name, torque", [
    ("thigh.L", (20.0, -30.0, 10.0)), ("torso", (-20.0, 30.0, 15.0)), ("upper_arm.R", (3.0, 5.0, -1.0)), ("shin.R", 20.0),
    ("foot.L", (2.0, -3.0, 1.0))])
def test_joint_torques_make_no_momentum_out_of_nothing(make_world, name, torque):
    joints, rates = random_pose(MAN)
    # Bullet integrates to first order: what it makes or loses shrinks with the step.
    with make_world(MAN, settings=WorldSettings(time_step=1e-4)) as world:
        world.place(HIGH, quaternion(0.2, 0.3, 1.0), joints, (1, 0, 0), (0.5, -1, 0.7), rates)
        torques = no_torques(MAN)
        torques[link(MAN, name)] = torque
        before = momenta(MAN, world.read())
        after = momenta(MAN, run(world, 0.03, lambda _: list(torques)))
    np.testing.assert_allclose(after[0], before[0] + MAN.mass * GRAVITY * 0.03, atol=0.05)
    np.testing.assert_allclose(after[1], before[1], atol=0.03)


def test_a_planar_hinge_torque_makes_no_momentum_out_of_nothing(make_world):
    joints, rates = random_pose(PLANAR)
    with make_world(PLANAR, settings=WorldSettings(time_step=2e-4)) as world:
        world.place(HIGH, quaternion(0, 0.3, 0), joints, (1, 0, 0), (0, -1, 0), rates)
        torques = no_torques(PLANAR)
        torques[link(PLANAR, "thigh.L")] = 40.0
        before = momenta(PLANAR, world.read())
        state = run(world, 0.06, lambda _: list(torques))
        after = momenta(PLANAR, state)
    np.testing.assert_allclose(after[0][[0, 2]], (before[0] + PLANAR.mass * GRAVITY * 0.06)[[0, 2]], atol=0.1)
    assert after[1][1] == pytest.approx(before[1][1], abs=0.05)
    assert state.joint_velocities[link(PLANAR, "thigh.L")] > rates[link(PLANAR, "thigh.L")] + 1  # positive is about +y


def test_torques_last_until_the_next_ones(make_world):
    knee, rates = link(MAN, "shin.L"), []
    with make_world(MAN) as world:
        world.place(HIGH, UPRIGHT, MAN.zero_joints())
        for torque in (20.0, None, 0.0):
            torques = no_torques(MAN)
            torques[knee] = torque
            if torque is not None:
                world.apply(torques, world.read())
            world.step()
            rates.append(world.read().joint_velocities[knee])
    assert rates[0] > 0.1 and rates[1] == pytest.approx(2 * rates[0], rel=0.1) and rates[2] == pytest.approx(rates[1], rel=0.1)


@BOTH
@pytest.mark.parametrize("name", ["pelvis", "shin.R"])
def test_a_push_changes_momentum_by_force_times_time(make_world, body, name):
    """The difference to the same flight without the push: F·t of momentum, and r × F·t about the centre of mass."""
    force = np.array([300.0, 0.0, -200.0]) if body.planar else np.array([200.0, -150.0, 100.0])
    ends = []
    for pushed in (False, True):
        with make_world(body, settings=WorldSettings(time_step=5e-4)) as world:
            world.place(HIGH, UPRIGHT, body.zero_joints())
            start = world.read()
            for _ in range(20):
                if pushed:
                    world.push(link(body, name), tuple(force))
                world.step()
            ends.append(momenta(body, world.read()))
            world.step()
            np.testing.assert_allclose(momenta(body, world.read())[0], ends[-1][0] + body.mass * GRAVITY * 5e-4, atol=0.02)
    impulse = force * 0.01
    np.testing.assert_allclose(ends[1][0] - ends[0][0], impulse, atol=0.02)
    origins, _ = body.skeleton.forward_kinematics(start.position, local_rotations(body, start))
    arm = origins[link(body, name)] + body.com_offsets[link(body, name)] - momenta(body, start)[2]
    expected = np.cross(arm, impulse) if not body.planar else np.cross(arm, impulse) * [0, 1, 0]
    np.testing.assert_allclose((ends[1][1] - ends[0][1]) * ([0, 1, 0] if body.planar else 1), expected, atol=0.03)


def random_flight(world: World) -> State:
    """A body high in the air that turns and moves its joints."""
    joints, rates = random_pose(world.body)
    world.place(HIGH, quaternion(0.4, 0.5, 1.2), joints, (1, 0, 2), (3, -2, 4), rates)
    return world.read()


@pytest.mark.parametrize("place", ["hand.L", "chest", "pelvis"])
def test_a_push_acts_on_the_point_that_it_names(make_world, place):
    """As a push on the link's centre of mass does together with the twist that its arm to the point makes."""
    force = np.array([200.0, -150.0, 100.0])
    (struck_link, point), ends = struck(MAN, place), []
    if place == "pelvis":
        point = (0.1, -0.2, 0.3)
    for at_point in (True, False):
        with make_world(MAN) as world:
            state = random_flight(world)
            _, turns = MAN.skeleton.forward_kinematics(state.position, local_rotations(MAN, state))
            if at_point:
                world.push(struck_link, tuple(force), point)
            else:
                world.push(struck_link, tuple(force))
                world.twist(struck_link, tuple(np.cross(rotation.rotate(turns[struck_link], point - MAN.com_offsets[struck_link]), force)))
            world.step()
            after = world.read()
            ends.append(np.hstack([after.velocity, after.angular_velocity, *after.joint_velocities[1:]]))
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


def test_a_push_on_the_hand_turns_the_body_by_the_hands_arm(make_world):
    """In one step: F·t of momentum, and r × F·t of angular momentum, with r from the body's centre of mass to the hand."""
    force, step = np.array([200.0, -150.0, 100.0]), 1e-5
    (forearm, hand), ends = struck(MAN, "hand.L"), []
    for pushed in (False, True):
        with make_world(MAN, settings=WorldSettings(time_step=step)) as world:
            state = random_flight(world)
            if pushed:
                world.push(forearm, tuple(force), hand)
            world.step()
            ends.append(momenta(MAN, world.read()))
    origins, turns = MAN.skeleton.forward_kinematics(state.position, local_rotations(MAN, state))
    arm = origins[forearm] + rotation.rotate(turns[forearm], hand) - momenta(MAN, state)[2]
    np.testing.assert_allclose(ends[1][0] - ends[0][0], force * step, rtol=1e-3)
    np.testing.assert_allclose(ends[1][1] - ends[0][1], np.cross(arm, force) * step, rtol=1e-2)


def test_pushes_add_up_and_last_one_step(make_world):
    spins = []
    for parts in (["hand.L"], ["chest"], ["hand.L", "chest"]):
        with make_world(MAN) as world:
            world.place(HIGH, UPRIGHT, MAN.zero_joints())
            for part in parts:
                number, point = struck(MAN, part)
                world.push(number, (0.0, 500.0, 0.0), point)
            world.step()
            first = momenta(MAN, world.read())[1]
            world.step()
            spins.append(first)
            np.testing.assert_allclose(momenta(MAN, world.read())[1], first, atol=0.01 * np.linalg.norm(first))
    np.testing.assert_allclose(spins[2], spins[0] + spins[1], atol=1e-3 * np.linalg.norm(spins[2]))
    assert np.linalg.norm(spins[0]) > 0.1 and np.linalg.norm(spins[1]) > 0.1


@pytest.mark.parametrize("name", ["pelvis", "torso", "shin.R"])
def test_a_twist_changes_angular_momentum_by_torque_times_time(make_world, name):
    """In the world's axes, whichever way the link lies."""
    with make_world(MAN, settings=WorldSettings(time_step=5e-4)) as world:
        world.place(HIGH, quaternion(0.4, 0.5, 1.2), MAN.zero_joints())
        for _ in range(20):
            world.twist(link(MAN, name), (30.0, -20.0, 10.0))
            world.step()
        moved, spun, _ = momenta(MAN, world.read())
    np.testing.assert_allclose(spun, np.array([30.0, -20.0, 10.0]) * 0.01, atol=0.01)
    np.testing.assert_allclose(moved, MAN.mass * GRAVITY * 0.01, atol=0.05)


def test_the_planar_body_stays_in_its_plane(make_world):
    with make_world(PLANAR) as world:
        world.place(HIGH, UPRIGHT, PLANAR.zero_joints())
        state = run(world, 0.1, each=lambda _: world.push(0, (0.0, 500.0, 0.0)))
        assert [foot.position[1] for foot in state.feet] == pytest.approx([0.08, -0.08], abs=1e-6)
        assert state.position[0] == pytest.approx(0, abs=1e-6) and state.rotation == pytest.approx(UPRIGHT, abs=1e-6)


# -- limits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, axis, sign", [
    ("thigh.L", 0, 1), ("thigh.L", 0, -1), ("thigh.R", 0, 1), ("thigh.R", 1, -1), ("head", 2, 1), ("torso", 1, 1),
    ("upper_arm.R", 0, 1)])
def test_a_ball_joint_beyond_its_limit_is_pushed_back(make_world, name, axis, sign):
    joint = link(MAN, name)
    bound = MAN.limits[joint, axis, 0 if sign < 0 else 1]
    turn, joints = np.zeros(3), MAN.zero_joints()
    for beyond in (-0.1, 0.2):  # radians past the limit
        turn[axis] = bound + sign * beyond
        joints[joint] = quaternion(*turn)
        with make_world(MAN) as world:
            world.place(HIGH, UPRIGHT, joints)
            state = world.read()
            world.apply(no_torques(MAN), state)
            torque = np.array(world.torques[joint])
            world.step()
            rate = np.array(world.read().joint_velocities[joint])
        if beyond < 0:
            assert (torque == 0).all()
        else:
            assert torque[axis] * sign < -10 and (np.delete(torque, axis) == 0).all()
            assert rate[axis] * sign < 0


def test_a_ball_joint_driven_against_its_limit_stops_near_it(make_world):
    hip = link(MAN, "thigh.L")
    torques = no_torques(MAN)
    torques[hip] = (60.0, 0.0, 0.0)  # outward, about the joint's own x
    with make_world(MAN) as world:
        world.place(HIGH, UPRIGHT, MAN.zero_joints())
        furthest = []
        run(world, 0.8, lambda _: list(torques), lambda state: furthest.append(2 * math.asin(state.joints[hip][1])))
    bound = MAN.limits[hip, 0, 1]
    assert bound < max(furthest) < bound + 0.4


@BOTH
@pytest.mark.parametrize("torque", [40.0, -40.0])
def test_a_knee_stops_at_its_hinge_limits(make_world, body, torque):
    knee = link(body, "shin.L")
    torques = no_torques(body)
    torques[knee] = torque
    with make_world(body) as world:
        world.place(HIGH, UPRIGHT, body.zero_joints())
        angle = run(world, 0.7, lambda _: list(torques)).joints[knee]
    low, high = body.limits[knee, 1]
    assert angle == pytest.approx(high if torque > 0 else low, abs=0.05)


# -- replaying ---------------------------------------------------------------------------------------------------------


def wiggle(world: World, steps: int) -> list[State]:
    """Steps on the ground under torques that vary with the state and the time."""
    states = []
    for _ in range(steps):
        state = world.read()
        torques = pose_torques(world.body, state, 0.5 + 0.3 * math.sin(40 * state.time))
        world.apply(torques, state)
        world.step()
        states.append(state)
    return states


@BOTH
def test_a_restored_world_replays_bit_by_bit(make_world, body):
    with make_world(body) as world:
        world.place((0, 0, body.standing_height + 1e-3), UPRIGHT, body.zero_joints())
        wiggle(world, 60)
        saved = world.save()
        first = wiggle(world, 80)
        world.restore(saved)
        second = wiggle(world, 80)
        assert first[0].time == second[0].time and first == second
        assert first[-1] != first[0]


def test_two_worlds_side_by_side_do_not_disturb_each_other(make_world):
    with make_world(MAN) as one, make_world(PLANAR) as other:
        for world in (one, other):
            world.place((0, 0, world.body.standing_height + 1e-3), UPRIGHT, world.body.zero_joints())
        mixed = [(wiggle(one, 1)[0], wiggle(other, 1)[0]) for _ in range(30)]
    for number, body in enumerate((MAN, PLANAR)):
        with make_world(body) as world:
            world.place((0, 0, body.standing_height + 1e-3), UPRIGHT, body.zero_joints())
            assert wiggle(world, 30) == [pair[number] for pair in mixed]


def test_two_processes_give_bit_identical_states(engine):
    repository, here = Path(__file__).resolve().parents[2], Path(__file__).resolve().parent
    program = (f"import sys; sys.path[:0] = [{str(repository)!r}, {str(here)!r}]\n"
               "from core.physics import world_class\nfrom test_world import *\n"
               f"with world_class({engine!r})(MAN, None, [{{'size': [.2, .2, .2], 'position': [0, 0, 2.5], 'mass': 5.0}}]) as world:\n"
               "    world.place((0, 0, MAN.standing_height + 1e-3), UPRIGHT, MAN.zero_joints())\n"
               "    print(repr(wiggle(world, 250)[-1]))\n")
    texts = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=repository).stdout
             for _ in range(2)]
    assert "State(" in texts[0] and texts[0] == texts[1]


def test_a_world_can_be_closed_twice_and_its_place_reused(make_world):
    for _ in range(30):  # pybullet holds a limited number of servers
        world = make_world(PLANAR)
        world.close()
        world.close()
