"""World over pybullet.

What Bullet does in its own way is dealt with here and in ``bullet_model``: quaternions are x, y, z, w, positions are those of centres of mass
instead of joints, torques last one step, motors brake unless they are switched off, and ball joints have no limits.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
import pybullet

from .. import ground as grounds
from .. import others
from .. import rotation as turning
from ..body import Body, Shape
from ..errors import SimulationError
from ..quaternion import IDENTITY, rotate
from . import bullet_model
from .base import NO_LOAD, BallLimits, arm, blown_up, check_snapshot, colliding_links, cross, feet_and_toes, foot, held_inertias, simulated_inertias
from .rollouts import Push, Rollouts
from .settings import USUAL, WorldSettings
from .state import Foot, PerJoint, Quaternion, State, Vector

GROUND_GROUP = 64  # Bullet's collision group of the ground, so that a ray can look for it alone
LOOSE_GROUP, OTHER_GROUP = 1, 128  # of what moves freely, and of other characters: these touch nothing but that
OTHER_MASS = 1e3  # kg, of each part of another character
FAR = 1e3  # m, where nothing touches anything
BALL_SERVO = 0.2  # of the way to its target that Bullet's motor of a ball joint takes in a step, with a gain of 1


class BulletWorld:
    """The World of pybullet; see ``World`` for what its methods do. Here they say only what is Bullet's own."""

    engine = "pybullet"

    def __init__(self, body: Body, ground: dict[str, Any] | None = None, obstacles: Sequence[dict[str, Any]] | None = None,
                 settings: WorldSettings = USUAL):
        self.body, self.settings, self.time_step, self.time = body, settings, settings.time_step, 0.0
        self.inertias = simulated_inertias(body, settings.inertia_floor)
        self._limits = BallLimits(body, settings.limit_firmness)
        self._moved = held_inertias(body, self.inertias)
        self.torques: PerJoint = [0.0] * len(body.names)
        self._forces: list[Any] = []
        self._ground, self._obstacles = ground or {"type": "plane"}, obstacles or []
        self._added: list[tuple[Any, ...]] = []  # what came later: a function and its arguments
        self._build()
        self.set_servos(*np.zeros((3, len(body.names))))

    # -- building ------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        settings = self.settings
        self._client = pybullet.connect(pybullet.DIRECT)
        if self._client < 0:
            raise SimulationError("pybullet could not start a physics server; close other simulations and try again.")
        self._set = {"physicsClientId": self._client}
        pybullet.setGravity(0, 0, -9.81, **self._set)
        pybullet.setPhysicsEngineParameter(fixedTimeStep=settings.time_step, numSolverIterations=settings.iterations,
                                           deterministicOverlappingPairs=1, **self._set)
        self._ground_ids = self._build_ground(self._ground, settings.friction)
        self.objects: dict[str, int] = {}
        self._others = [(other, [self._put_part(shape) for shape in other.shapes]) for other in others.others(self._obstacles)]
        self._move_others()
        for number, box in enumerate(others.boxes(self._obstacles), 1):
            self._put_box(box.get("name", f"box {number}"), box["size"], box["position"], box.get("mass", 0.0), box.get("yaw", 0.0),
                          settings.friction)
        self._build_character()
        if settings.sole_twist:
            for link in self._foot_links:
                pybullet.changeDynamics(self._character, link, spinningFriction=settings.sole_twist, **self._set)
        for add, *arguments in self._added:
            add(*arguments)

    def _build_ground(self, ground: dict[str, Any], friction: float) -> list[int]:
        points = grounds.profile_points(ground)
        if points:
            ids = []
            for slab in grounds.slabs(points):
                shape = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=slab.half, **self._set)
                turn = (0.0, math.sin(slab.pitch / 2), 0.0, math.cos(slab.pitch / 2))
                ids.append(pybullet.createMultiBody(0, shape, basePosition=slab.center, baseOrientation=turn, **self._set))
        elif ground.get("type", "plane") == "mesh":
            vertices, faces = grounds.read_triangles(ground)
            shape = pybullet.createCollisionShape(pybullet.GEOM_MESH, vertices=vertices.tolist(), indices=faces.ravel().tolist(),
                                                  flags=pybullet.GEOM_FORCE_CONCAVE_TRIMESH, **self._set)
            ids = [pybullet.createMultiBody(0, shape, **self._set)]
        else:
            ids = [pybullet.createMultiBody(0, pybullet.createCollisionShape(pybullet.GEOM_PLANE, **self._set), **self._set)]
        for identity in ids:
            pybullet.changeDynamics(identity, -1, lateralFriction=friction, restitution=0.0, **self._set)
            pybullet.setCollisionFilterGroupMask(identity, -1, GROUND_GROUP | 2, -1, **self._set)
        return ids

    def add_box(self, name: str, size: Vector, position: Vector, mass: float, yaw: float, friction: float) -> None:
        self._added.append((self._put_box, name, size, position, mass, yaw, friction))
        self._put_box(name, size, position, mass, yaw, friction)

    def _put_box(self, name: str, size: Vector, position: Vector, mass: float, yaw: float, friction: float) -> None:
        shape = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=[s / 2 for s in size], **self._set)
        turn = (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))
        self._add_object(name, shape, mass, position, turn, friction)

    def _put_part(self, shape: Shape) -> int:
        """A part of another character: it is put to its place at every step, and is so heavy that nothing moves it in between. (Bullet's own bodies
        of that kind have no velocity: they would not push.)"""
        identity = pybullet.createMultiBody(OTHER_MASS, bullet_model.collision_shape(shape, self._client), **self._set)
        pybullet.changeDynamics(identity, -1, lateralFriction=self.settings.friction, restitution=0.0, **self._set)
        pybullet.setCollisionFilterGroupMask(identity, -1, OTHER_GROUP, LOOSE_GROUP, **self._set)
        return identity

    def _move_others(self) -> None:
        """Put the other characters to where they are now."""
        for other, parts in self._others:
            for part, place, turn, velocity, spin in zip(parts, *(rows.tolist() for rows in other.at(self.time)), strict=True):
                pybullet.resetBasePositionAndOrientation(part, place, (*turn[1:], turn[0]), **self._set)
                pybullet.resetBaseVelocity(part, velocity, spin, **self._set)

    def throw_ball(self, name: str, mass: float, radius: float, position: Vector, velocity: Vector) -> None:
        self._added.append((self._put_ball, name, mass, radius, position, velocity))
        self._put_ball(name, mass, radius, position, velocity)

    def _put_ball(self, name: str, mass: float, radius: float, position: Vector, velocity: Vector) -> None:
        shape = pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=radius, **self._set)
        self._add_object(name, shape, mass, position, (0, 0, 0, 1), 0.5)
        pybullet.resetBaseVelocity(self.objects[name], velocity, (0, 0, 0), **self._set)

    def _add_object(self, name: str, shape: int, mass: float, position: Vector, turn: tuple[float, float, float, float], friction: float) -> None:
        identity = pybullet.createMultiBody(mass, shape, basePosition=position, baseOrientation=turn, **self._set)
        pybullet.changeDynamics(identity, -1, lateralFriction=friction, rollingFriction=0.002, linearDamping=0.0, angularDamping=0.0, **self._set)
        self.objects[name] = identity

    def _build_character(self) -> None:
        body = self.body
        self._hinge = body.hinges
        self._character, self._index = bullet_model.build_character(body, self.inertias, colliding_links(body, self.settings),
                                                                    self.settings.all_collide, self._client)
        self._actuated = list(range(1, len(body.names)))
        self._joint_indices = [self._index[i] for i in self._actuated]
        self._foot_links = {self._index[i]: side for i, side in feet_and_toes(body).items()}
        self._ankles = [self._index[body.names.index(f"foot.{side}")] for side in "LR"]
        self._centers = [tuple(center) for center in body.com_offsets.tolist()]

    # -- state ---------------------------------------------------------------------------------------------------------

    def place(self, position: Vector, rotation: Quaternion, joints: PerJoint, velocity: Vector = (0, 0, 0), angular_velocity: Vector = (0, 0, 0),
              joint_velocities: PerJoint | None = None) -> None:
        body, character = self.body, self._character
        self._forces = []
        if body.planar:
            pitch = 2 * math.atan2(rotation[2], rotation[0])
            rails = ((position[0], velocity[0]), (position[2], velocity[2]), (pitch, angular_velocity[1]))
            for joint, (value, speed) in enumerate(rails):
                pybullet.resetJointState(character, joint, value, speed, **self._set)
        else:
            offset = rotate(rotation, self._centers[0])
            center = [position[k] + offset[k] for k in range(3)]
            pybullet.resetBasePositionAndOrientation(character, center, (*rotation[1:], rotation[0]), **self._set)
            drift = cross(angular_velocity, offset)
            pybullet.resetBaseVelocity(character, [velocity[k] + drift[k] for k in range(3)], angular_velocity, **self._set)
        for i in self._actuated:
            rate = joint_velocities[i] if joint_velocities else None
            if self._hinge[i]:
                pybullet.resetJointState(character, self._index[i], joints[i], rate or 0.0, **self._set)
            else:
                w, x, y, z = joints[i]
                pybullet.resetJointStateMultiDof(character, self._index[i], (x, y, z, w), rate or (0, 0, 0), **self._set)

    def read(self) -> State:
        states = pybullet.getJointStatesMultiDof(self._character, self._joint_indices, self._client)
        # Of a hinge Bullet tells one number, of a ball joint x, y, z, w.
        joints = [None, *[(angle[3], angle[0], angle[1], angle[2]) if len(angle) == 4 else angle[0] for angle, _, _, _ in states]]
        rates = [None, *[rate if len(rate) == 3 else rate[0] for _, rate, _, _ in states]]
        return State(self.time, *self._read_pelvis(), joints, rates, self._read_feet())

    def _read_pelvis(self) -> tuple[Vector, Quaternion, Vector, Vector]:
        """Position of its joint origin, rotation (w first), velocity and angular velocity, world."""
        character, client = self._character, self._client
        if self.body.planar:
            (x, vx, *_), (z, vz, *_), (pitch, spin, *_) = pybullet.getJointStates(character, (0, 1, 2), client)
            position, velocity, angular = (x, 0.0, z), (vx, 0.0, vz), (0.0, spin, 0.0)
            rotation = (math.cos(pitch / 2), 0.0, math.sin(pitch / 2), 0.0)
        else:
            center, (qx, qy, qz, qw) = pybullet.getBasePositionAndOrientation(character, client)
            velocity, angular = pybullet.getBaseVelocity(character, client)
            rotation = (qw, qx, qy, qz)
            offset = rotate(rotation, self._centers[0])
            drift = cross(angular, offset)
            position = (center[0] - offset[0], center[1] - offset[1], center[2] - offset[2])
            velocity = (velocity[0] - drift[0], velocity[1] - drift[1], velocity[2] - drift[2])
        if not math.isfinite(sum(position) + sum(velocity)):
            raise blown_up(self.time, self.time_step)
        return position, rotation, velocity, angular

    def _read_feet(self) -> tuple[Foot, Foot]:
        sums = [NO_LOAD, NO_LOAD]
        foot_links, character = self._foot_links, self._character
        # By position, since names cost 2 µs a call: of any other body, all links of both.
        contacts = pybullet.getContactPoints(character, -1, -2, -2, self._client)
        for _, _, other, link, _, (x, y, z), _, (nx, ny, nz), gap, push, along, (ax, ay, az), across, (bx, by, bz) in contacts:
            side = foot_links.get(link)
            if side is None or push == 0.0 or other == character:
                continue
            # Where Bullet has the other body first, it tells the normal on the foot, but the friction on the other body.
            turned = nx * (ay * bz - az * by) + ny * (az * bx - ax * bz) + nz * (ax * by - ay * bx) < 0.0
            first, second = (-along, -across) if turned else (along, across)
            up = nz * push + az * first + bz * second
            fx, fy, fz, mx, my, mz, depth, px, py, pz = sums[side]
            sums[side] = (fx + (nx * push + ax * first + bx * second), fy + (ny * push + ay * first + by * second), fz + up,
                          mx + up * x, my + up * y, mz + up * z, max(depth, -gap), px + nx * push, py + ny * push, pz + nz * push)
        left, right = pybullet.getLinkStates(character, self._ankles, 0, 1, self._client)  # no velocities, with forward kinematics
        return foot(left[4], sums[0]), foot(right[4], sums[1])

    def contacts(self) -> list[tuple[int, Vector, Vector, float]]:
        found = []
        by_bullet = {index: i for i, index in enumerate(self._index)}
        for contact in pybullet.getContactPoints(self._character, **self._set):
            if contact[9] > 0.0 and contact[2] != self._character:
                way = math.copysign(1.0, sum(map(operator.mul, contact[7], cross(contact[11], contact[13]))))  # as in _read_feet
                force = tuple(contact[7][k] * contact[9] + way * (contact[11][k] * contact[10] + contact[13][k] * contact[12]) for k in range(3))
                found.append((by_bullet[contact[3]], contact[5], force, max(0.0, -contact[8])))
        return found

    def bumped(self) -> list[str]:
        if not self._others:
            return []
        touching = {contact[2] for contact in pybullet.getContactPoints(self._character, **self._set) if contact[9] > 0.0}
        return [other.name for other, parts in self._others if touching & set(parts)]

    def ground_height(self, x: float, y: float) -> float:
        identity, _, _, hit, _ = pybullet.rayTestBatch([(x, y, 2e3)], [(x, y, -2e3)], collisionFilterMask=GROUND_GROUP, **self._set)[0]
        return hit[2] if identity >= 0 else 0.0

    def object_poses(self) -> list[tuple[Vector, Quaternion]]:
        poses = []
        for identity in self.objects.values():
            position, (x, y, z, w) = pybullet.getBasePositionAndOrientation(identity, **self._set)
            poses.append((position, (w, x, y, z)))
        return poses

    # -- acting --------------------------------------------------------------------------------------------------------

    def apply(self, torques: PerJoint, state: State) -> None:
        self._limits.push_back(torques, state.joints, state.joint_velocities)
        self.torques = torques
        self._forces = [[torque] if hinge else torque for hinge, torque in zip(self._hinge[1:], torques[1:], strict=True)]

    def push(self, link: int, force: Vector, point: Vector | None = None) -> None:
        index = self._index[link]
        state = (pybullet.getLinkState(self._character, index, computeForwardKinematics=1, **self._set) if index >= 0 else
                 pybullet.getBasePositionAndOrientation(self._character, **self._set))
        where = state[0]
        if point is not None:
            x, y, z, w = state[1]
            away = arm(self._centers[link], point, (w, x, y, z))
            where = (where[0] + away[0], where[1] + away[1], where[2] + away[2])
        pybullet.applyExternalForce(self._character, index, force, where, pybullet.WORLD_FRAME, **self._set)

    def twist(self, link: int, torque: Vector) -> None:
        pybullet.applyExternalTorque(self._character, self._index[link], torque, pybullet.WORLD_FRAME, **self._set)

    def step(self) -> None:
        if self._forces:  # Bullet's torques last one step
            pybullet.setJointMotorControlMultiDofArray(self._character, self._joint_indices, pybullet.TORQUE_CONTROL, forces=self._forces,
                                                       physicsClientId=self._client)
        if self._others:
            self._move_others()
        pybullet.stepSimulation(self._client)
        self.time += self.time_step

    def save(self) -> tuple[int, float, list[Any]]:
        return pybullet.saveState(**self._set), self.time, self._forces

    def restore(self, saved: tuple[int, float, list[Any]]) -> None:
        number, self.time, self._forces = saved
        pybullet.restoreState(number, **self._set)

    def close(self) -> None:
        if self._client >= 0:
            pybullet.disconnect(self._client)
            self._client = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- servos and rollouts -------------------------------------------------------------------------------------------

    def set_servos(self, stiffness: np.ndarray, damping: np.ndarray, strongest: np.ndarray) -> None:
        """They act from the next ``follow`` on; ``strongest`` is, of a ball joint, about each axis.

        Bullet's motors are constraints: they ask for an acceleration, and give whatever torque it takes up to ``strongest``. They cannot be made to
        mean N·m/rad. Their gains are set to those of a spring and damper, integrated implicitly, on the inertia that the joint moves while the body
        floats and its other joints are held. Where a joint moves more than that, as an ankle that carries the body does, its motor asks for as much
        more; but what it gets depends on how far the solver comes in its ``iterations``. With 20 of them and steps of 1/240 s the ankles of a
        standing man, of 400 N·m/rad, give way by 4° in 2 s; with steps of 1/480 s by 1°.
        """
        moved = self._moved
        self._servos = []
        for i in self._actuated:
            spring, damper = self.time_step**2 * stiffness[i], self.time_step * damping[i] + self.time_step**2 * stiffness[i]
            whole = damper + (moved[i, 1] if self._hinge[i] else np.median(moved[i]))
            self._servos.append((float(spring / whole), float(damper / whole), float(strongest[i])))

    def follow(self, targets: np.ndarray) -> None:
        self._drive(*_servo_targets(targets))

    def _drive(self, angles: np.ndarray, turns: np.ndarray) -> None:
        """``follow``, with targets as ``_servo_targets`` has them."""
        angles, turns = angles.tolist(), turns.tolist()
        for i, (spring, damper, strongest) in zip(self._actuated, self._servos, strict=True):
            if self._hinge[i]:
                pybullet.setJointMotorControl2(self._character, self._index[i], pybullet.POSITION_CONTROL, targetPosition=angles[i],
                                               positionGain=spring, velocityGain=damper, force=strongest, physicsClientId=self._client)
            else:
                # Of a ball joint Bullet ignores the velocity gain, but has a damping that means the same.
                pybullet.setJointMotorControlMultiDof(self._character, self._index[i], pybullet.POSITION_CONTROL, targetPosition=turns[i],
                                                      positionGain=spring / BALL_SERVO, damping=damper, force=[strongest] * 3,
                                                      physicsClientId=self._client)

    def snapshot(self) -> np.ndarray:
        numbers = [self.time]
        if not self.body.planar:
            numbers += _movement(self._character, self._client)
        joints = [0, 1, 2] * self.body.planar + self._joint_indices
        for place, rate, *_ in pybullet.getJointStatesMultiDof(self._character, joints, self._client):
            numbers += place + rate
        for identity in self.objects.values():
            numbers += _movement(identity, self._client)
        return np.array(numbers)

    def _snapshot_size(self) -> int:
        """The time; 13 numbers of whatever moves freely; of each hinge and slider its place and its rate; 4 and 3 numbers of each ball joint."""
        free, single = (0, 3) if self.body.planar else (1, 0)
        single += sum(self._hinge[1:])
        return 1 + 13 * (free + len(self.objects)) + 2 * single + 7 * self._hinge[1:].count(False)

    def resume(self, snapshot: np.ndarray) -> None:
        check_snapshot(snapshot, self._snapshot_size())
        numbers = iter(np.asarray(snapshot, dtype=float).tolist())
        self._forget_contacts()
        self._forces, self.time = [], next(numbers)
        if not self.body.planar:
            _move(self._character, numbers, self._client)
        for joint, hinge in zip([0, 1, 2] * self.body.planar + self._joint_indices, [True] * 3 * self.body.planar + self._hinge[1:], strict=True):
            place, rate = _take(numbers, 1 if hinge else 4), _take(numbers, 1 if hinge else 3)
            pybullet.resetJointStateMultiDof(self._character, joint, place, rate, **self._set)
        for identity in self.objects.values():
            _move(identity, numbers, self._client)

    def _forget_contacts(self) -> None:
        """Contacts that Bullet remembers have a say in the next step; they go in a step with everything that moves high in the air. (Restoring a
        saved state without contacts leaves some of them.)"""
        self.place((0.0, 0.0, FAR), IDENTITY, self.body.zero_joints())
        for number, identity in enumerate(self.objects.values(), 1):
            if pybullet.getDynamicsInfo(identity, -1, **self._set)[0]:
                pybullet.resetBasePositionAndOrientation(identity, (FAR * number, FAR, FAR), (0, 0, 0, 1), **self._set)
        pybullet.stepSimulation(self._client)

    def rollouts(self, starts: np.ndarray, targets: np.ndarray, steps: int, *, every: int = 1, threads: int = 1,
                 pushes: Sequence[Push] = ()) -> Rollouts:
        """The world itself does the work, one sample after the other, whatever ``threads`` says, and is left at the end of the last. After each
        ``every`` segments it resumes its own snapshot. Where a sample blows up, the world is built anew: what was saved before cannot be restored.
        """
        samples, segments = np.shape(targets)[:2]
        found = Rollouts.empty(samples, segments, len(self.body.names), np.shape(starts)[1])
        angles, turns = _servo_targets(targets)
        for sample in range(samples):
            self.resume(starts[sample])
            for segment in range(segments):
                self._drive(angles[sample, segment], turns[sample, segment])
                acting = [push for push in pushes if push.first <= segment < push.end]
                for _ in range(steps):
                    for push in acting:
                        self.push(push.link, push.force, push.point)
                    self.step()
                try:
                    self._record(found, sample, segment)
                except SimulationError:
                    found.ok[sample] = False
                    # What is no number stays on in Bullet's motors, wherever the body is put.
                    self.close()
                    self._build()
                    break
                if (segment + 1) % every == 0:
                    self.resume(found.snapshots[sample, segment])
        return found

    def _record(self, found: Rollouts, sample: int, segment: int) -> None:
        at = (sample, segment)
        found.positions[at], turn, _, found.angular_velocities[at] = self._read_pelvis()
        turns, torques = [turn], [(0.0, 0.0, 0.0)]
        states = pybullet.getJointStatesMultiDof(self._character, self._joint_indices, self._client)
        for hinge, (place, _, _, torque) in zip(self._hinge[1:], states, strict=True):
            if hinge:
                turns.append((math.cos(place[0] / 2), 0.0, math.sin(place[0] / 2), 0.0))
                torques.append((0.0, torque[0], 0.0))
            else:
                x, y, z, w = place
                turns.append((w, x, y, z))
                torques.append(torque)
        found.rotations[at], found.torques[at] = turns, torques
        found.snapshots[at] = self.snapshot()


def _servo_targets(targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(..., L) rad about y, for hinges, and (..., L, 4) rotations as Bullet has them, w last, of rotations (..., L, 4)."""
    return turning.log(targets)[..., 1], np.asarray(targets, dtype=float)[..., [1, 2, 3, 0]]


def _movement(identity: int, client: int) -> tuple[float, ...]:
    """Position, rotation (x, y, z, w), velocity and angular velocity of a thing's or character's base, 13 numbers."""
    position, turn = pybullet.getBasePositionAndOrientation(identity, client)
    velocity, angular = pybullet.getBaseVelocity(identity, client)
    return position + turn + velocity + angular


def _move(identity: int, numbers: Iterator[float], client: int) -> None:
    """The reverse of ``_movement``."""
    pybullet.resetBasePositionAndOrientation(identity, _take(numbers, 3), _take(numbers, 4), physicsClientId=client)
    pybullet.resetBaseVelocity(identity, _take(numbers, 3), _take(numbers, 3), physicsClientId=client)


def _take(numbers: Iterator[float], count: int) -> list[float]:
    return list(itertools.islice(numbers, count))
