"""What touches in a World obeys mechanics, whatever the engine: feet and ground, limbs, and things."""

import math

import numpy as np
import pytest

from core import rotation
from core.physics import WorldSettings
from tests.core.worlds import BOTH, GRAVITY, HIGH, MAN, UPRIGHT, link, local_rotations, momenta, no_torques, pose_torques, quaternion, run

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
