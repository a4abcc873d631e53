"""The World obeys mechanics, whatever the engine: frames, momentum, contacts, limits, and replays.

``momenta`` computes what the engine should conserve from a State and the Body alone, so that a wrong frame or sign in what
the World reads shows as momentum out of nowhere.
"""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core import rotation
from core.body import make_body, planar_biped
from core.physics import State, World, WorldSettings
from core.places import struck

MAN = make_body({"height": 1.75, "mass": 73.0})
PLANAR = planar_biped()
BOTH = pytest.mark.parametrize("body", [MAN, PLANAR], ids=["man", "planar"])
GRAVITY = np.array([0, 0, -9.81])
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
HIGH = (0.0, 0.0, 5.0)


def link(body, name: str) -> int:
    return body.names.index(name)


def quaternion(*log: float) -> tuple:
    """The rotation by a rotation vector, radians."""
    return tuple(rotation.exp(np.array(log)).tolist())


def no_torques(body) -> list:
    return [0.0 if hinge else (0.0, 0.0, 0.0) for hinge in body.hinges]


def local_rotations(body, state: State) -> np.ndarray:
    return np.array([state.rotation, *(joint if isinstance(joint, tuple) else quaternion(0, joint, 0) for joint in state.joints[1:])])


def momenta(body, state: State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Linear momentum (3,), angular momentum about the centre of mass (3,) and centre of mass (3,), world."""
    origins, turns = body.skeleton.forward_kinematics(state.position, local_rotations(body, state))
    spins, speeds = [np.array(state.angular_velocity)], [np.array(state.velocity)]
    for i in range(1, len(body.names)):
        parent, rate = body.parents[i], state.joint_velocities[i]
        rate = rate if isinstance(rate, tuple) else (0.0, rate, 0.0)
        spins.append(spins[parent] + rotation.rotate(turns[i], np.array(rate)))
        speeds.append(speeds[parent] + np.cross(spins[parent], origins[i] - origins[parent]))
    arms = rotation.rotate(turns, body.com_offsets)
    centers, velocities = origins + arms, np.array(speeds) + np.cross(spins, arms)
    whole = np.average(centers, axis=0, weights=body.masses)
    inertias = np.maximum(body.inertias, WorldSettings().inertia_floor * body.mass * body.leg_length**2)
    momentum = body.masses @ velocities
    spin = np.cross(centers - whole, body.masses[:, None] * velocities).sum(axis=0)
    for turn, inertia, rate in zip(turns, inertias, spins, strict=True):
        spin = spin + rotation.rotate(turn, inertia * rotation.rotate(rotation.conjugate(turn), rate))
    return momentum, spin, whole


def random_pose(body, seed: int = 3) -> tuple[list, list]:
    """Joints well inside their limits, with velocities."""
    rng = np.random.default_rng(seed)
    joints, rates = [None], [None]
    for i, hinge in enumerate(body.hinges[1:], 1):
        low, high = body.limits[i].T
        angles = rng.uniform(0.3 * low, 0.3 * high)
        joints.append(float(angles[1]) if hinge else quaternion(*angles))
        rates.append(float(rng.normal()) if hinge else tuple(rng.normal(size=3).tolist()))
    return joints, rates


def pose_torques(body, state: State, scale: float = 1.0) -> list:
    """A stiff hold of the zero pose, for bodies of about 70 kg."""
    gains = {"torso": (800, 25), "head": (60, 2), "upper_arm": (60, 2), "forearm": (40, 1), "thigh": (800, 25), "shin": (800, 20),
             "foot": (500, 4), "toes": (60, 0.5)}
    torques = no_torques(body)
    for i in range(1, len(body.names)):
        kp, kd = gains[body.names[i].partition(".")[0]]
        joint, rate = state.joints[i], state.joint_velocities[i]
        if body.hinges[i]:
            torques[i] = scale * (-kp * joint - kd * rate)
        else:
            torques[i] = tuple(scale * (-kp * 2 * math.copysign(1, joint[0]) * joint[k + 1] - kd * rate[k]) for k in range(3))
    return torques


def run(world: World, seconds: float, torques=None, each=None) -> State:
    """Step under torques(state), calling each(state) before every step."""
    for _ in range(round(seconds / world.time_step)):
        state = world.read()
        if each:
            each(state)
        world.apply(torques(state) if torques else no_torques(world.body), state)
        world.step()
    return world.read()


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


# -- contacts ----------------------------------------------------------------------------------------------------------


@BOTH
def test_ground_forces_carry_the_weight_and_the_push(make_world, body):
    """Standing with a push on a shin: the change of momentum is all that gravity, push and measured foot forces give."""
    dt, push = 1e-3, np.array([60.0, 0.0 if body.planar else 40.0, 0.0])
    with make_world(body, settings=WorldSettings(time_step=dt)) as world:
        world.place((0, 0, body.standing_height + 1e-3), UPRIGHT, body.zero_joints())
        run(world, 0.2, lambda state: pose_torques(body, state))
        start, impulse, forces = momenta(body, world.read())[0], np.zeros(3), []
        for _ in range(200):
            state = world.read()
            world.push(link(body, "shin.L"), tuple(push))
            world.apply(pose_torques(body, state), state)
            world.step()
            feet = world.read().feet
            forces.append(np.array(feet[0].force) + feet[1].force)
            impulse += (forces[-1] + push + body.mass * GRAVITY) * dt
        end = momenta(body, world.read())[0]
    forces = np.mean(forces, axis=0)
    assert forces[2] == pytest.approx(body.mass * 9.81, rel=0.03)
    assert forces[0] < -30  # the ground holds against the push
    seen = [0, 2] if body.planar else [0, 1, 2]
    np.testing.assert_allclose((end - start)[seen], impulse[seen], atol=0.25)


@BOTH
def test_contacts_lie_under_the_soles_and_sum_to_the_foot_forces(make_world, body):
    with make_world(body) as world:
        world.place((0.5, 0, body.standing_height + 1e-3), UPRIGHT, body.zero_joints())
        state = run(world, 0.2, lambda state: pose_torques(body, state))
        contacts = world.contacts()
    assert {body.names[i][:-2] for i, *_ in contacts} <= {"foot", "toes"} and len(contacts) >= 4
    origins, turns = body.skeleton.forward_kinematics(state.position, local_rotations(body, state))
    corners = origins[body.sole_links] + rotation.rotate(turns[body.sole_links], body.sole_points)
    for row, side in enumerate("LR"):
        own = np.array([name.endswith(f".{side}") for name in body.names])
        low, high = corners[own[body.sole_links]].min(axis=0) - 0.01, corners[own[body.sole_links]].max(axis=0) + 0.01
        mine = [contact for contact in contacts if own[contact[0]]]
        total = sum(np.array(force) for _, _, force, _ in mine)
        for _, point, force, depth in mine:
            assert (low[:2] < point[:2]).all() and (point[:2] < high[:2]).all()
            assert abs(point[2]) < 0.01 and 0 <= depth < 0.01 and force[2] > 0
        np.testing.assert_allclose(total, state.feet[row].force, atol=1e-6)
        pressure = sum(force[2] * np.array(point) for _, point, force, _ in mine) / total[2]
        np.testing.assert_allclose(np.array(state.feet[row].load_moment) / total[2], pressure, atol=1e-9)
        assert state.feet[row].depth == pytest.approx(max(depth for *_, depth in mine))
        # Standing upright the pressure is near the line through the body's centre of mass, between heel and toes.
        assert low[0] < pressure[0] < high[0] and abs(pressure[0] - momenta(body, state)[2][0]) < 0.08


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_friction_bounds_the_tangential_force(make_world, friction):
    largest, shins = [], [link(MAN, "shin.L"), link(MAN, "shin.R")]

    def measure(state):
        for shin in shins:
            world.push(shin, (250.0, 0.0, 0.0))
        largest.extend(math.hypot(*foot.force[:2]) / foot.force[2] for foot in state.feet if foot.force[2] > 50)

    with make_world(MAN, settings=WorldSettings(friction=friction)) as world:
        world.place((0, 0, MAN.standing_height + 1e-3), UPRIGHT, MAN.zero_joints())
        run(world, 0.2, lambda state: pose_torques(MAN, state), measure)
    assert len(largest) > 50
    if friction == 0:
        assert max(largest) < 1e-6
    else:
        # Bullet bounds the two tangential directions one by one: up to the diagonal of a square. MuJoCo bounds their sum.
        assert 0.8 * friction < max(largest) < 1.42 * friction


def test_a_flying_foot_and_a_standing_one_are_told_apart(make_world):
    joints = MAN.zero_joints()
    joints[link(MAN, "thigh.R")], joints[link(MAN, "shin.R")] = quaternion(0, -1.0, 0), 1.0
    with make_world(MAN) as world:
        world.place((0, 0, MAN.standing_height + 1e-3), UPRIGHT, joints)
        state = run(world, 0.05)
        left, right = state.feet
    assert left.force[2] > 50 and right.force == (0, 0, 0)


@pytest.mark.parametrize("on", [False, True])
def test_self_collision_keeps_the_shins_from_passing_through_each_other(make_world, on):
    hips = [link(MAN, "thigh.L"), link(MAN, "thigh.R")]
    torques = no_torques(MAN)
    torques[hips[0]], torques[hips[1]] = (-40.0, 0.0, 0.0), (40.0, 0.0, 0.0)  # both legs inward
    gaps = []
    with make_world(MAN, settings=WorldSettings(self_collision=on)) as world:
        world.place(HIGH, UPRIGHT, MAN.zero_joints())
        run(world, 0.3, lambda _: list(torques), lambda state: gaps.append(state.feet[0].position[1] - state.feet[1].position[1]))
    assert gaps[0] > 0.1
    if on:
        assert min(gaps) > 0.02
    else:
        assert min(gaps) < -0.05


@pytest.mark.parametrize("on", [False, True])
def test_arms_do_not_go_into_the_trunk(make_world, on):
    torques = no_torques(MAN)
    for side, inward in (("L", -15.0), ("R", 15.0)):
        torques[link(MAN, f"upper_arm.{side}")] = (inward, 0.0, 0.0)
    with make_world(MAN, settings=WorldSettings(self_collision=on, all_collide=on)) as world:
        world.place(HIGH, UPRIGHT, MAN.zero_joints())
        state = run(world, 0.3, lambda _: list(torques))
    inward = 2 * math.asin(state.joints[link(MAN, "upper_arm.R")][1])  # positive to the left
    assert inward < 0.1 if on else inward > 0.4


def test_legs_slide_past_each_other(make_world):
    """Pressed together, a leg that swings loses little speed to the other one: it slides."""
    hips = [link(MAN, "thigh.L"), link(MAN, "thigh.R")]
    turned = []
    for slides in (False, True):
        torques = no_torques(MAN)
        torques[hips[0]], torques[hips[1]] = (-20.0, 0.0, 0.0), (20.0, -10.0, 0.0)
        with make_world(MAN, settings=WorldSettings(self_collision=True, all_collide=slides)) as world:
            world.place(HIGH, UPRIGHT, MAN.zero_joints())
            state = run(world, 0.4, lambda _, torques=torques: list(torques))
        turned.append(2 * math.asin(state.joints[hips[0]][2] - state.joints[hips[1]][2]) / 2)
    assert abs(turned[1]) > 1.2 * abs(turned[0])


# -- things ------------------------------------------------------------------------------------------------------------


def test_a_fixed_box_stays_and_a_movable_one_falls_to_the_ground(make_world):
    boxes = [{"size": [0.4, 0.2, 0.2], "position": [3, 0, 1.0], "yaw": 0.5, "name": "shelf"},
             {"size": [0.2, 0.4, 0.6], "position": [5, 0, 0.4], "mass": 2.0, "yaw": 0.5}]
    with make_world(MAN, None, boxes) as world:
        world.place(HIGH, UPRIGHT, MAN.zero_joints())
        assert list(world.objects) == ["shelf", "box 2"]
        for _ in range(400):
            world.step()
        (shelf, turn), (crate, crate_turn) = world.object_poses()
    assert shelf == (3, 0, 1) and turn == pytest.approx(quaternion(0, 0, 0.5))
    assert crate == pytest.approx((5, 0, 0.3), abs=0.005) and crate_turn == pytest.approx(quaternion(0, 0, 0.5), abs=0.02)


def test_a_fixed_box_is_stood_on(make_world):
    with make_world(MAN, None, [{"size": [2, 2, 0.4], "position": [0, 0, 0.2]}]) as world:
        world.place((0, 0, 0.4 + MAN.standing_height + 1e-3), UPRIGHT, MAN.zero_joints())
        state = run(world, 0.2, lambda state: pose_torques(MAN, state))
        assert state.position[2] == pytest.approx(0.4 + MAN.standing_height, abs=0.02)
        assert state.feet[0].force[2] > 100 and all(abs(point[2] - 0.4) < 0.01 for _, point, _, _ in world.contacts())


def test_a_thrown_ball_flies_on_a_parabola(make_world):
    with make_world(MAN) as world:
        world.place(HIGH, UPRIGHT, MAN.zero_joints())
        world.throw_ball("ball", 1.0, 0.1, (0.0, 3.0, 2.0), (10.0, -2.0, 1.0))
        for _ in range(200):
            world.step()
        position, _ = world.object_poses()[0]
    assert position == pytest.approx((2.0, 2.6, 2.0 + 0.2 - 0.5 * 9.81 * 0.04), abs=0.005)


def test_a_thrown_ball_hands_its_momentum_to_the_body_it_hits(make_world):
    dt, places, gained = 5e-4, [], []
    with make_world(MAN, settings=WorldSettings(time_step=dt)) as world:
        world.place(HIGH, UPRIGHT, MAN.zero_joints())
        world.throw_ball("ball", 3.0, 0.1, (0.5, 0.0, 5.35), (-10.0, 0.0, 0.0))

        def watch(state):
            places.append(world.object_poses()[0][0])
            gained.append(momenta(MAN, state)[0])

        run(world, 0.08, each=watch)
    speeds = np.diff(np.array(places), axis=0) / dt
    hit = int(np.argmax(np.abs(np.diff(speeds[:, 0]))))
    given = 3.0 * (speeds[hit - 1] - speeds[hit + 10])
    assert speeds[hit - 1][0] == pytest.approx(-10, abs=0.5) and given[0] < -15  # it was stopped, if not thrown back
    assert gained[hit - 1][0] == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(gained[hit + 11][:2], given[:2], atol=0.3)


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
