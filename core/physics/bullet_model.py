"""A body as Bullet has it: its links, its joints, and which links touch each other."""

from __future__ import annotations

import itertools
from typing import Any

import pybullet

from ..arrays import Array
from ..body import Body, Shape

LEG = ("thigh", "shin", "foot", "toes")  # how the names of a leg's links begin
SHIELD_MASS = 1e-4  # kg, of a slippery copy of a link
RAIL_MASS = 0.01  # kg, of the two sliders that keep a planar body in its plane
RAILS = 3  # joints of a planar body that are none of its own: it slides along x and along z, and turns


def collision_shape(shape: Shape, client: int) -> int:
    """Bullet's number of a shape."""
    kind = {"box": pybullet.GEOM_BOX, "capsule": pybullet.GEOM_CAPSULE, "sphere": pybullet.GEOM_SPHERE}[shape.kind]
    size = ({"halfExtents": shape.size} if shape.kind == "box" else
            {"radius": shape.size[0], "height": 2 * shape.size[1]} if shape.kind == "capsule" else {"radius": shape.size[0]})
    return int(pybullet.createCollisionShape(kind, collisionFramePosition=shape.center, **size, physicsClientId=client))


def build_character(body: Body, inertias: Array, colliding: set[tuple[int, int]], all_collide: bool, client: int) -> tuple[int, list[int]]:
    """Bullet's number of the body, and its index of each of our links. No motor brakes, and hinges have their limits.

    Args:
        inertias: (L, 3) kg·m² of the links. colliding: pairs of links that collide with each other. all_collide: whether legs are among them.
    """
    on = {"physicsClientId": client}
    shapes = [collision_shape(shape, client) for shape in body.shapes]
    parts = _parts(body, shapes)
    shields = _add_shields(body, parts, shapes) if colliding and all_collide else {}
    count = len(parts["linkMasses"])
    flags = pybullet.URDF_USE_SELF_COLLISION | pybullet.URDF_USE_SELF_COLLISION_EXCLUDE_PARENT if colliding else 0
    character = int(pybullet.createMultiBody(
        linkOrientations=[(0, 0, 0, 1)] * count, linkInertialFrameOrientations=[(0, 0, 0, 1)] * count, flags=flags, **parts, **on))
    # Joints are numbered from 0 after the base.
    index = [i - 1 + (RAILS if body.planar else 0) for i in range(len(body.names))]
    for i, link in enumerate(index):
        pybullet.changeDynamics(character, link, localInertiaDiagonal=inertias[i].tolist(), lateralFriction=1.0, restitution=0.0,
                                linearDamping=0.0, angularDamping=0.0, jointDamping=0.0, **on)
    for joint in range(count - len(shields)):
        if pybullet.getJointInfo(character, joint, **on)[2] == pybullet.JOINT_SPHERICAL:
            pybullet.setJointMotorControlMultiDof(character, joint, pybullet.POSITION_CONTROL, targetPosition=[0, 0, 0, 1],
                                                  positionGain=0, velocityGain=0, force=[0, 0, 0], **on)
        else:
            pybullet.setJointMotorControl2(character, joint, pybullet.VELOCITY_CONTROL, force=0, **on)
    for i in range(1, len(index)):
        if body.hinges[i]:
            pybullet.changeDynamics(character, index[i], jointLowerLimit=float(body.limits[i, 1, 0]), jointUpperLimit=float(body.limits[i, 1, 1]),
                                    **on)
    if colliding:
        _let_collide(body, character, index, colliding, shields, client)
    return character, index


def _parts(body: Body, shapes: list[int]) -> dict[str, Any]:
    """What ``createMultiBody`` is given of a body."""
    axes = [(0, 1, 0)] * len(body.names)
    types = [pybullet.JOINT_REVOLUTE if hinge else pybullet.JOINT_SPHERICAL for hinge in body.hinges]
    if body.planar:
        # A fixed base, a slider along x, a slider along z, and then the trunk on a hinge.
        return {
            "baseMass": 0, "linkMasses": [RAIL_MASS] * 2 + list(body.masses),
            "linkCollisionShapeIndices": [-1, -1, *shapes], "linkVisualShapeIndices": [-1] * (len(body.names) + 2),
            "linkPositions": [(0, 0, 0)] * 3 + body.offsets[1:].tolist(),
            "linkInertialFramePositions": [(0, 0, 0)] * 2 + body.com_offsets.tolist(),
            "linkParentIndices": [0, 1, 2] + [int(parent) + RAILS for parent in body.parents[1:]],
            "linkJointTypes": [pybullet.JOINT_PRISMATIC] * 2 + types, "linkJointAxis": [(1, 0, 0), (0, 0, 1), *axes]}
    return {
        "baseMass": body.masses[0], "baseCollisionShapeIndex": shapes[0], "baseInertialFramePosition": body.com_offsets[0].tolist(),
        "linkMasses": list(body.masses[1:]), "linkCollisionShapeIndices": shapes[1:], "linkVisualShapeIndices": [-1] * (len(body.names) - 1),
        "linkPositions": body.offsets[1:].tolist(), "linkInertialFramePositions": body.com_offsets[1:].tolist(),
        "linkParentIndices": [int(parent) for parent in body.parents[1:]], "linkJointTypes": types[1:], "linkJointAxis": axes[1:]}


def _add_shields(body: Body, parts: dict[str, Any], shapes: list[int]) -> dict[int, int]:
    """Legs that pass each other must slide: a foot that sticks to the other leg brings a walker down. But Bullet knows only how much friction a
    link has with everything. So each link of the right leg gets a slippery copy of itself, which the left leg touches in its place. Adds these to
    what the character is made of; returns {our link: Bullet's index of its copy}."""
    shields = {}
    for i, name in enumerate(body.names):
        if name.startswith(LEG) and name.endswith("R"):
            shields[i] = len(parts["linkMasses"])
            parent = i + (RAILS if body.planar else 0)  # createMultiBody counts from the base, which is 0
            for key, value in (("linkMasses", SHIELD_MASS), ("linkCollisionShapeIndices", shapes[i]), ("linkVisualShapeIndices", -1),
                               ("linkPositions", (0, 0, 0)), ("linkInertialFramePositions", (0, 0, 0)), ("linkParentIndices", parent),
                               ("linkJointTypes", pybullet.JOINT_FIXED), ("linkJointAxis", (0, 0, 1))):
                parts[key].append(value)
    return shields


def _let_collide(body: Body, character: int, index: list[int], colliding: set[tuple[int, int]], shields: dict[int, int], client: int) -> None:
    """Let these pairs of links collide, and no others."""
    on = {"physicsClientId": client}
    for a, b in itertools.combinations(range(len(index)), 2):
        shielded = a if a in shields else b if b in shields else None
        legs = shielded is not None and body.names[b if shielded == a else a].startswith(LEG)
        pybullet.setCollisionFilterPair(character, character, index[a], index[b], int((a, b) in colliding and not legs), **on)
    for i, shield in shields.items():
        pybullet.changeDynamics(character, shield, lateralFriction=0.0, restitution=0.0, linearDamping=0.0, angularDamping=0.0, **on)
        pybullet.setCollisionFilterGroupMask(character, shield, 0, 0, **on)
        for other in [*range(-1, index[-1] + 1), *shields.values()]:
            if other != shield:
                ours = index.index(other) if other in index else None
                touches = ours is not None and (min(i, ours), max(i, ours)) in colliding and body.names[ours].startswith(LEG)
                pybullet.setCollisionFilterPair(character, character, shield, other, int(touches), **on)
