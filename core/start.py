"""How a simulation begins: standing, in a pose, or in full stride."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from . import rotation as rotation_arrays
from .arrays import Quaternion, Vector
from .body import Body
from .control.gait import Style
from .control.simbicon import about_z
from .control.walker import Walker
from .errors import StrideError
from .physics import World, world_class
from .physics.state import PerJoint
from .quaternion import IDENTITY, hinge_angle, lean, multiply, rotate

FIRST_SHIFT = 1.0  # of the way from the middle to over the left hip, that the weight is shifted at a start from rest
CLEARANCE = 0.002  # m over the ground at the start: a pose that penetrates it would be thrown up
RUN_IN, LONGEST_RUN_IN = 5.0, 12.0  # s that a gait is given to find its stride, and until it must have begun a step on its left leg after that


def place(world: World, walker: Walker) -> None:
    """Put the body where the job wants it to start: in stride as it walks, else with its lowest sole point just above the ground."""
    body, joints = world.body, world.body.zero_joints()
    start: dict[str, Any]
    if isinstance(walker.start_as, dict):
        start = {"rotation": _take_pose(body, walker.start_as["rotations"], joints), "joints": joints}
    elif walker.start_as == "gait":
        start = _in_stride(body, walker)
    elif walker.start:
        start = _scaled(walker.start, (body.leg_length / walker.reference_leg) ** 0.5)
    else:
        if not body.planar and walker.law.gait.legs == "alternate":
            _stand_on_left(body, joints, walker.step_width, _pitch(world, walker.heading(0.0, (0.0, 0.0))))
        if walker.law.gait.style.acts:
            _hold_arms(body, joints, walker.law.gait.style, walker.law.command.arm_spread)
        elif walker.job.self_collision:
            _hold_arms_out(body, joints, walker.law.gait.style.arm_spread + walker.law.command.arm_spread)
        start = {"joints": joints}
    facing = walker.heading(0.0, (0.0, 0.0))
    start.setdefault("height", CLEARANCE + _least_height(world, _quaternion(start), start.get("joints", joints), facing))
    place_in(world, {"joints": joints, **start}, facing)


def place_in(world: World, start: dict[str, Any], facing: float = 0.0) -> None:
    """Put the body at the origin in a state: "height" of the pelvis over the ground, "joints", and perhaps "rotation", "velocity",
    "angular_velocity" and "joint_velocities", as in ``physics.State``, all turned by ``facing`` (rad)."""
    turn = (math.cos(facing / 2), 0.0, 0.0, math.sin(facing / 2))
    rotation = multiply(turn, _quaternion(start))
    velocity, spin = (rotate(turn, _vector(start, key)) for key in ("velocity", "angular_velocity"))
    position = (0.0, 0.0, world.ground_height(0.0, 0.0) + start["height"])
    world.place(position, rotation, start["joints"], velocity, spin, start.get("joint_velocities"))


def place_on_soles(world: World, start: dict[str, Any], facing: float = 0.0) -> None:
    """The same with the lowest point of the soles just over the ground, whatever the body's feet are like; a start has no "height" then."""
    place_in(world, start | {"height": CLEARANCE + _least_height(world, _quaternion(start), start["joints"], facing)}, facing)


def _quaternion(start: dict[str, Any]) -> Quaternion:
    """The rotation of a start's pelvis."""
    w, x, y, z = start.get("rotation", IDENTITY)
    return (w, x, y, z)


def _vector(start: dict[str, Any], key: str) -> Vector:
    x, y, z = start.get(key, (0.0, 0.0, 0.0))
    return (x, y, z)


def _in_stride(body: Body, walker: Walker) -> dict[str, Any]:
    """The state of this body in this gait on flat ground, at the beginning of a step on its left leg, on its way along +X."""
    job = walker.job
    # Nothing collides on the first steps out of standing, in which legs pass closely: the stride is the same.
    before = replace(job, ground={"type": "plane"}, obstacles=(), events=(), heading=None, path=None, speed=job.speed and ((0.0, job.speed[0][1]),),
                     self_collision=False)
    runner = walker.again(before)
    runner.start = runner.stride or runner.start
    with world_class(job.engine)(body, settings=runner.world_settings) as world:
        place(world, runner)
        steps = 0
        while world.time < LONGEST_RUN_IN:
            state = world.read()
            if runner.down(state, 0.0):
                raise StrideError(f"'{walker.gait_name}' fell before it found its stride on this body; start from rest, choose another gait, "
                                  "or fit it to this body.")
            torques = runner.torques(state)
            if world.time > RUN_IN and (runner.stands or (runner.steps > steps and runner.stance == 0)):
                break
            steps = runner.steps
            world.apply(torques, state)
            world.step()
    # It ran towards +X. How its hips are turned at this moment belongs to the stride.
    return {"height": state.position[2], "rotation": state.rotation, "joints": list(state.joints), "joint_velocities": list(state.joint_velocities),
            "velocity": state.velocity, "angular_velocity": state.angular_velocity}


def _scaled(start: dict[str, Any], pace: float) -> dict[str, Any]:
    """A preset's start for legs of another length. ``pace``: the root of their ratio; speeds grow with it, rates fall (dynamic similarity)."""
    scaled = {**start, "velocity": [v * pace for v in start["velocity"]]}
    if "angular_velocity" in start:
        scaled["angular_velocity"] = [v / pace for v in start["angular_velocity"]]
    if "joints" in start:
        scaled["joints"] = [tuple(joint) if isinstance(joint, list) else joint for joint in start["joints"]]
        scaled["joint_velocities"] = [tuple(r / pace for r in rate) if isinstance(rate, list) else rate and rate / pace
                                      for rate in start["joint_velocities"]]
    return scaled


def _pitch(world: World, facing: float) -> float:
    """rad that the ground goes up ahead of the origin, over a foot's length."""
    half = 0.5 * world.body.foot_length
    x, y = half * math.cos(facing), half * math.sin(facing)
    return math.atan2(world.ground_height(x, y) - world.ground_height(-x, -y), 2.0 * half)


def _stand_on_left(body: Body, joints: PerJoint, width: float | None, pitch: float) -> None:
    """Shift the weight over the left leg, which carries the first step: else the body falls sideways before the right foot is down. Legs that need
    more room than between the hips stand ``width`` m apart. The feet lie on ground that goes up ahead by ``pitch`` (rad)."""
    half = abs(body.offsets[body.names.index("thigh.L"), 1])
    apart = max(0.0, 0.5 * (width or 0.0) - half) / body.leg_length
    tilt = FIRST_SHIFT * half / body.leg_length + apart
    for side, outward in (("L", apart), ("R", -apart)):
        joints[body.names.index(f"thigh.{side}")] = lean(0.0, outward - tilt)
        joints[body.names.index(f"foot.{side}")] = lean(pitch, tilt - outward)


def _hold_arms(body: Body, joints: PerJoint, style: Style, spread: float) -> None:
    """Hold arms and head as the walk will: arms that are flung there on the first step would throw it off balance. ``spread``: rad, more outward."""
    joints[body.names.index("head")] = lean(-style.head_down, -style.head_aside)
    for side, out, arm in (("L", 1.0, style.left_arm), ("R", -1.0, style.right_arm)):
        upper = lean(arm.forward, (style.arm_spread + spread + arm.out) * out)
        joints[body.names.index(f"upper_arm.{side}")] = multiply(upper, about_z(-arm.turn * out))
        joints[body.names.index(f"forearm.{side}")] = -max(0.0, style.elbow + arm.bend)


def _hold_arms_out(body: Body, joints: PerJoint, spread: float) -> None:
    """Hold the arms as far out as the walk will (rad), so that they begin beside the trunk and not in it."""
    for side, outward in (("L", 1.0), ("R", -1.0)):
        if f"upper_arm.{side}" in body.names:
            joints[body.names.index(f"upper_arm.{side}")] = lean(0.0, spread * outward)


def _take_pose(body: Body, rotations: dict[str, Any], joints: PerJoint) -> Quaternion:
    """Set the joints to a pose: ``rotations`` by link; hinges take what turns about their axis. Returns the pelvis's rotation."""
    for index, name in enumerate(body.names):
        if index and name in rotations:
            w, x, y, z = map(float, rotations[name])
            joints[index] = hinge_angle((w, x, y, z)) if body.hinges[index] else (w, x, y, z)
    w, x, y, z = map(float, rotations.get("pelvis", IDENTITY))
    return (w, x, y, z)


def _least_height(world: World, rotation: Quaternion, joints: PerJoint, facing: float) -> float:
    """m of the pelvis's joint over the ground at the origin, at which no point of the soles is below the ground under it."""
    body = world.body
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (len(body.names), 1))
    rotations[0] = rotation
    for i, joint in enumerate(joints):
        if i:
            rotations[i] = joint if isinstance(joint, tuple) else (math.cos(joint / 2), 0.0, math.sin(joint / 2), 0.0)
    positions, orientations = body.skeleton.forward_kinematics(np.zeros(3), rotations)
    points = positions[body.sole_links] + rotation_arrays.rotate(orientations[body.sole_links], body.sole_points)
    turned = [(math.cos(facing) * x - math.sin(facing) * y, math.sin(facing) * x + math.cos(facing) * y, z) for x, y, z in points.tolist()]
    return max(world.ground_height(x, y) - z for x, y, z in turned) - world.ground_height(0.0, 0.0)
