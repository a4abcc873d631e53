"""The equations of motion against the engine: torques that are given come out of inverse dynamics again."""

import numpy as np
import pytest

from core import presets, rotation
from core.dynamics import Dynamics, cross, matrices, products
from core.physics import WorldSettings
from core.physics.bullet import BulletWorld as World


@pytest.fixture
def moving():
    """A body in the air, in a random pose and motion, before and after a tiny step under random torques."""
    rng = np.random.default_rng(3)
    body = presets.body("average_man")
    step = 1e-5
    joints, rates, torques = [None], [None], [(0.0, 0.0, 0.0)]
    for name, hinge in zip(body.names[1:], body.hinges[1:], strict=True):
        if hinge:
            joints.append(float(rng.uniform(0.2, 0.8)) * (-1 if name.startswith("forearm") else 0.3 if name.startswith("toes") else 1))
            rates.append(float(rng.normal()))
            torques.append(float(5 * rng.normal()))
        else:
            joints.append(tuple(rotation.normalize([1.0, *(0.1 * rng.normal(size=3))]).tolist()))
            rates.append(tuple(rng.normal(size=3).tolist()))
            torques.append(tuple((5 * rng.normal(size=3)).tolist()))
    with World(body, settings=WorldSettings(time_step=step)) as world:
        world.place((0.0, 0.0, 3.0), tuple(rotation.normalize(rng.normal(size=4)).tolist()), joints, (1.0, 2.0, 0.5), (0.3, -0.4, 0.7), rates)
        before = world.read()
        world.apply(list(torques), before)
        world.step()
        yield body, Dynamics(body, world.inertias), step, before, world.read(), torques


def test_torques_come_back(moving):
    body, dynamics, step, before, after, torques = moving
    pose, later = dynamics.pose(before), dynamics.pose(after)
    rates = (later.rates - pose.rates) / step
    wanted = (pose.frames @ rates[:, :, None])[:, :, 0]
    wanted[0] = (np.array(after.angular_velocity) - before.angular_velocity) / step
    forces = dynamics.motion_forces(pose, wanted)
    acceleration = (later.com_velocity - pose.com_velocity) / step
    assert acceleration == pytest.approx([0.0, 0.0, -9.81], abs=0.01)
    found = dynamics.torques(pose, forces, acceleration - forces.force / dynamics.mass + [0.0, 0.0, 9.81], np.zeros(3), [])
    local = (pose.frames.transpose(0, 2, 1) @ found[:, :, None])[:, :, 0]
    assert local[0] == pytest.approx(np.zeros(3), abs=0.02)  # nothing holds the pelvis
    for link in range(1, len(body.names)):
        if body.hinges[link]:
            assert local[link, 1] == pytest.approx(torques[link], abs=0.02)
        else:
            assert local[link] == pytest.approx(torques[link], abs=0.02)


def test_a_force_on_the_foot_is_carried_by_the_leg(moving):
    body, dynamics, _, before, _, _ = moving
    pose = dynamics.pose(before)
    forces = dynamics.motion_forces(pose, np.zeros((len(body.names), 3)))
    foot = body.names.index("foot.L")
    point, force = (pose.origins[foot] + [0.1, 0.0, -0.1]).tolist(), (30.0, -20.0, 700.0)
    free, held = (dynamics.torques(pose, forces, np.zeros(3), np.zeros(3), ground) for ground in ([], [(foot, point, force, (0.0, 0.0, 5.0))]))
    for name in ("foot.L", "shin.L", "thigh.L"):
        link = body.names.index(name)
        expected = -np.cross(np.array(point) - pose.origins[link], force) - [0.0, 0.0, 5.0]
        assert held[link] - free[link] == pytest.approx(expected, abs=1e-9)
    for name in ("thigh.R", "torso", "toes.L"):
        link = body.names.index(name)
        assert held[link] == pytest.approx(free[link])


def test_positions_and_velocities_are_those_of_the_skeleton(moving):
    body, dynamics, step, before, after, _ = moving
    pose, later = dynamics.pose(before), dynamics.pose(after)
    positions, _ = body.skeleton.forward_kinematics(before.position, pose.rotations)
    assert pose.origins == pytest.approx(positions, abs=1e-12)
    assert dynamics.joints(pose.rotations) == pytest.approx(positions - positions[0], abs=1e-12)
    assert pose.velocities == pytest.approx((later.origins - pose.origins) / step, abs=2e-3)


def test_small_algebra():
    rng = np.random.default_rng(1)
    a, b = (rotation.normalize(rng.normal(size=(5, 4))) for _ in range(2))
    assert products(a, b) == pytest.approx(rotation.multiply(a, b))
    assert matrices(a) == pytest.approx(rotation.to_matrix(a))
    u, v = rng.normal(size=(2, 5, 3))
    assert cross(u, v) == pytest.approx(np.cross(u, v))
