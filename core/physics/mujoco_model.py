"""The MuJoCo model of a Body, a ground and things.

Links' frames are the Body's own. A ball joint's zero is the middle of its range, so that MuJoCo's limit, a cone about the zero, fits it;
``middles`` gives these. The character comes first, so that its numbers come first in MuJoCo's vectors whatever else is in the world.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from .. import ground as grounds
from .. import rotation
from ..body import Body, Shape
from ..others import Other
from .base import colliding_links
from .settings import WorldSettings
from .state import Quaternion, Vector

GROUND_GROUP = 1  # MuJoCo's geom group of the ground, so that a ray can look for it alone
# Two geoms collide where the type of one and the affinity of the other have a bit in common. So the character's links do not collide with each other.
SCENE, CHARACTER, OTHERS = {"contype": 1, "conaffinity": 3}, {"contype": 2, "conaffinity": 1}, {"contype": 0, "conaffinity": 2}
OTHER_MASS = 1e3  # kg, of each part of another character
# A contact is a critically damped spring with a time constant of 1/240 s, or of two steps, which is the least that MuJoCo allows: soles sink in by
# 3 to 4 mm in a walk, by 6 to 8 mm in a run, as in pybullet. The impedance (solimp) is a compromise: with 0.99 to 0.999 feet creep a fifth as fast
# (0.7 instead of 4 mm/s on a slope of 15° at 1/240 s), but the solver needs half as many iterations again. It must begin low and grow over a
# centimetre: where it begins at 0.95, the corners of a standing foot chatter, and what they carry jumps by half of the weight from step to step.
CONTACT_TIME = 1 / 240
IMPEDANCE = (0.5, 0.99, 0.01, 0.5, 2.0)
NO_SLIP = 3  # rounds in which friction is made to hold: a foot creeps 1 mm in a step of the walk instead of 13, and hardly less with 10 rounds
FIRM = (0.95, 0.99, 0.001, 0.5, 2.0)  # of the limits of joints
CONE_MARGIN, WIDEST_CONE = 0.1, 3.0  # rad: of a ball joint's cone limit beyond the farthest corner of its range; no cone is wider than this
MESH_CELL, MESH_NODES = 0.05, 400_000  # m between the nodes of a mesh ground's height field; the cells grow where there would be more nodes
PIT = 1.0  # m below the lowest point of a mesh ground: how deep its holes are
SLIPPERY = 0.005  # friction up to which a contact has none: with so flat a cone MuJoCo's solver blows up
# Legs that pass each other must slide: a foot that sticks to the other leg brings a walker down.
SLIDING, CLINGING = {"condim": 1}, {"condim": 3, "friction": (1.0, 1.0, 0.0, 0.0, 0.0)}
ROLLING = 0.002  # m, rolling friction of balls


@dataclass(frozen=True)
class Thing:
    """An obstacle or a ball.

    Attributes:
        shape: "box" or "ball". size: m, the half extents of a box, the radius of a ball.
        position, rotation: m, and w, x, y, z, where it starts. mass: kg; 0: it is fixed in place. friction: coefficient.
    """

    name: str
    shape: str
    size: tuple[float, ...]
    position: Vector
    rotation: Quaternion
    mass: float
    friction: float


def build(body: Body, inertias: np.ndarray, ground: dict[str, Any], things: list[Thing], settings: WorldSettings,
          others: Sequence[Other] = ()) -> mujoco.MjModel:
    """Arguments as for ``MujocoWorld``; inertias: (L, 3) kg·m² of the links as they are simulated."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    _set_options(spec, settings.time_step, settings.creeping)
    contact = {"solref": (max(CONTACT_TIME, 2 * settings.time_step), 1.0), "solimp": IMPEDANCE}
    _add_ground(spec, ground, settings.friction, contact)
    _add_character(spec, body, inertias, settings.sole_twist if settings.friction > SLIPPERY else 0.0,
                   settings.armature * body.mass * body.leg_length**2, contact)
    grip = SLIDING if settings.all_collide else CLINGING
    for a, b in sorted(colliding_links(body, settings)):
        spec.add_pair(geomname1=body.names[a], geomname2=body.names[b], **grip, **contact)
    for other in others:
        _add_other(spec, other, settings.friction, contact)
    for thing in things:
        _add_thing(spec, thing, contact)
    _add_servos(spec, body)
    return spec.compile()


def middles(body: Body) -> np.ndarray:
    """(L, 4) the rotation of each ball joint in the middle of its range; the identity for the pelvis and for hinges."""
    turns = rotation.identity((len(body.names),))
    for i, hinge in enumerate(body.hinges):
        if i and not hinge:
            turns[i] = rotation.from_euler(body.limits[i].mean(axis=1))
    return turns


def _set_options(spec: mujoco.MjSpec, time_step: float, creeping: bool) -> None:
    option = spec.option
    option.timestep = time_step
    option.gravity = (0.0, 0.0, -9.81)
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # A pyramid has less friction than the cone where it does not touch it: feet of fast walks slide in it that stay on the cone.
    option.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL if creeping else mujoco.mjtCone.mjCONE_ELLIPTIC
    option.noslip_iterations = 0 if creeping else NO_SLIP
    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    # Without warm start a step depends on nothing but the state; without reset a blow-up is seen instead of being hidden. A lone character is one
    # island of constraints: looking for more costs a tenth of a step.
    off = mujoco.mjtDisableBit
    option.disableflags = off.mjDSBL_WARMSTART | off.mjDSBL_AUTORESET | off.mjDSBL_ISLAND


def _add_ground(spec: mujoco.MjSpec, ground: dict[str, Any], friction: float, contact: dict[str, Any]) -> None:
    common = {**_grip(friction), "group": GROUND_GROUP, **SCENE, **contact}
    points = grounds.profile_points(ground)
    if points:
        for slab in grounds.slabs(points):
            spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=slab.half, pos=slab.center,
                                    quat=(math.cos(slab.pitch / 2), 0.0, math.sin(slab.pitch / 2), 0.0), **common)
    elif ground.get("type", "plane") == "mesh":
        _add_height_field(spec, *grounds.read_triangles(ground), common)
    else:
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=(0.0, 0.0, 1.0), **common)


def _grip(friction: float) -> dict[str, Any]:
    """Of two geoms MuJoCo takes the larger friction: the character has none of its own, so that the ground's and things' holds."""
    return {"friction": (friction, 0.0, 0.0), "condim": 3} if friction > SLIPPERY else {"friction": (0.0, 0.0, 0.0), "condim": 1}


def _add_height_field(spec: mujoco.MjSpec, vertices: np.ndarray, faces: np.ndarray, common: dict[str, Any]) -> None:
    """MuJoCo collides a mesh as its convex hull: the upper surface of a mesh ground becomes a height field."""
    low, high = vertices[faces].min(axis=(0, 1)), vertices[faces].max(axis=(0, 1))
    cell = max(MESH_CELL, math.sqrt((high[0] - low[0]) * (high[1] - low[1]) / MESH_NODES))
    columns, rows = (max(2, math.ceil((high[axis] - low[axis]) / cell) + 1) for axis in (0, 1))
    heights = grounds.heights(vertices, faces, np.linspace(low[0], high[0], columns), np.linspace(low[1], high[1], rows))
    heights = np.where(np.isnan(heights), low[2] - PIT, heights)
    bottom, rise = float(heights.min()), max(float(np.ptp(heights)), 1e-3)
    spec.add_hfield(name="ground", nrow=rows, ncol=columns, userdata=(heights - bottom).ravel(),
                    size=((high[0] - low[0]) / 2, (high[1] - low[1]) / 2, rise, grounds.THICKNESS))
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="ground",
                            pos=((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, bottom), **common)


def _add_character(spec: mujoco.MjSpec, body: Body, inertias: np.ndarray, sole_twist: float, armature: float, contact: dict[str, Any]) -> None:
    bodies: list[mujoco.MjsBody] = []
    turns = middles(body)
    joint = {"solref_limit": contact["solref"], "solimp_limit": FIRM, "armature": armature}
    for i, name in enumerate(body.names):
        parent = spec.worldbody if i == 0 else bodies[body.parents[i]]
        link = parent.add_body(name=name, pos=(0, 0, 0) if i == 0 else body.offsets[i], quat=turns[i], explicitinertial=True,
                               mass=body.masses[i], ipos=body.com_offsets[i], inertia=inertias[i])
        if i == 0:
            _add_base(link, body.planar)
        elif body.hinges[i]:
            link.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=(0, 1, 0), limited=True, range=body.limits[i, 1], **joint)
        else:
            link.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_BALL, limited=True, range=(0.0, _cone(body.limits[i])), **joint)
        twist = sole_twist if name.startswith(("foot", "toes")) else 0.0
        link.add_geom(name=name, friction=(0.0, twist, 0.0), condim=4 if twist else 1, **_geometry(body.shapes[i]), **CHARACTER, **contact)
        bodies.append(link)


def _add_base(link: mujoco.MjsBody, planar: bool) -> None:
    if not planar:
        link.add_freejoint()
        return
    for axis in ((1, 0, 0), (0, 0, 1)):
        link.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    link.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=(0, 1, 0))


def _cone(limits: np.ndarray) -> float:
    """Angle (rad) about the middle of a ball joint's range (3, 2) that holds all of it, with a margin."""
    corners = rotation.from_euler(np.array(list(itertools.product(*limits))))
    away = rotation.log(rotation.multiply(rotation.conjugate(rotation.from_euler(limits.mean(axis=1))), corners))
    return min(float(np.linalg.norm(away, axis=1).max()) + CONE_MARGIN, WIDEST_CONE)


def _geometry(shape: Shape) -> dict[str, Any]:
    kind = {"box": mujoco.mjtGeom.mjGEOM_BOX, "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE, "sphere": mujoco.mjtGeom.mjGEOM_SPHERE}[shape.kind]
    return {"type": kind, "size": (*shape.size, 0.0, 0.0)[:3], "pos": shape.center}


def _add_thing(spec: mujoco.MjSpec, thing: Thing, contact: dict[str, Any]) -> None:
    body = spec.worldbody.add_body(name=f"thing {thing.name}", pos=thing.position, quat=thing.rotation)
    if thing.mass:
        body.add_freejoint()
    ball = thing.shape == "ball"
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE if ball else mujoco.mjtGeom.mjGEOM_BOX, size=(*thing.size, 0.0, 0.0)[:3], mass=thing.mass,
                  **({"friction": (thing.friction, ROLLING, ROLLING), "condim": 6} if ball else _grip(thing.friction)), **SCENE, **contact)


def _add_other(spec: mujoco.MjSpec, other: Other, friction: float, contact: dict[str, Any]) -> None:
    """Another character: its parts are put to their places at every step, and are so heavy that nothing moves them in between. (MuJoCo's own bodies
    of that kind have no velocity: they would not push.)"""
    for number, (shape, place, turn) in enumerate(zip(other.shapes, *other.at(0.0)[:2], strict=True)):
        body = spec.worldbody.add_body(name=part_name(other, number), pos=place, quat=turn, gravcomp=1.0)
        body.add_freejoint()
        body.add_geom(name=part_name(other, number), mass=OTHER_MASS, **_geometry(shape), **_grip(friction), **OTHERS, **contact)


def part_name(other: Other, number: int) -> str:
    """Of a part of another character in the model."""
    return f"other {other.name} {number}"


def _add_servos(spec: mujoco.MjSpec, body: Body) -> None:
    """One a joint, without strength until ``MujocoWorld.set_servos``; of ball joints on the shortest arc, with a quaternion for a target."""
    for name, hinge in zip(body.names[1:], body.hinges[1:], strict=True):
        servo = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT, forcelimited=True,
                                  forcerange=(-1.0, 1.0) if hinge else (0.0, 1.0))
        if hinge:
            servo.set_to_position(kp=0.0, kv=0.0)
        else:
            servo.set_to_orientation(kp=0.0, kv=0.0, ctrlspec=mujoco.mjtCtrlChart.mjCHART_QUAT)
