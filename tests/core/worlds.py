"""Bodies in a world, and what mechanics says of them.

``momenta`` computes what the engine should conserve from a State and the Body alone, so that a wrong frame or sign in what
the World reads shows as momentum out of nowhere.
"""

import math

import numpy as np
import pytest

from core import rotation
from core.body import make_body, planar_biped
from core.physics import State, World, WorldSettings

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
