"""World over pybullet: one character, a ground, obstacles; torques in, State out.

What Bullet wants different lives here: x, y, z, w quaternions, positions of centres of mass instead of joints, torques that last
one step, motors that brake unless disabled, ball joints without limits.
"""

from __future__ import annotations

import math

import numpy as np
import pybullet

from .. import ground as grounds
from ..body import Body, Shape
from ..errors import SimulationError
from ..quaternion import rotate
from .state import Foot, State

# Ball joints have no limits in Bullet: beyond the range a spring-damper pushes back, as ligaments do (N·m/rad, N·m·s/rad per kg
# of body mass).
LIMIT_STIFFNESS, LIMIT_DAMPING = 6.0, 0.10
# Bullet integrates torques explicitly, which is stable only while damping · step < 2 · inertia. Toes and hands are so light that
# their moments are raised to this floor (kg·m² per kg of body mass and m² of leg length); a distortion, but a small one.
INERTIA_FLOOR = 6e-5
GROUND_GROUP = 64  # Bullet's collision group of the ground, so that a ray can look for it alone
RAIL_MASS = 0.01  # kg, of the two sliders that keep a planar body in its plane


class BulletWorld:
    """A world with one Body in it. ``step()`` advances ``time_step`` seconds under the torques and pushes given since the last."""

    def __init__(self, body: Body, ground: dict | None = None, obstacles: list[dict] | None = None, *, time_step: float = 0.001,
                 friction: float = 0.8, self_collision: bool = False, inertia_floor: float = INERTIA_FLOOR, sole_twist: float = 0.0,
                 iterations: int = 20):
        """``inertia_floor``: kg·m² per kg of body mass and m² of leg length, the least moment of inertia of a link. ``sole_twist``: m, friction
        of a sole
        against turning on the spot, over its load. ``iterations``: of the solver of contacts."""
        self.body, self.time_step, self.time = body, time_step, 0.0
        self.inertias = np.maximum(body.inertias, inertia_floor * body.mass * body.leg_length**2)
        self._client = pybullet.connect(pybullet.DIRECT)
        if self._client < 0:
            raise SimulationError("pybullet could not start a physics server; close other simulations and try again.")
        self._set = {"physicsClientId": self._client}
        pybullet.setGravity(0, 0, -9.81, **self._set)
        pybullet.setPhysicsEngineParameter(fixedTimeStep=time_step, numSolverIterations=iterations, deterministicOverlappingPairs=1,
                                           **self._set)
        self._ground_ids = self._build_ground(ground or {"type": "plane"}, friction)
        self.objects: dict[str, int] = {}
        for number, box in enumerate(obstacles or [], 1):
            self.add_box(box.get("name", f"box {number}"), box["size"], box["position"], box.get("mass", 0.0), box.get("yaw", 0.0), friction)
        self._build_character(self_collision)
        if sole_twist:
            for link in self._foot_links:
                pybullet.changeDynamics(self._character, link, spinningFriction=sole_twist, **self._set)
        self.torques: list = [0.0] * len(body.names)

    # -- building ------------------------------------------------------------------------------------------------------

    def _build_ground(self, ground: dict, friction: float) -> list[int]:
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

    def add_box(self, name: str, size: tuple, position: tuple, mass: float, yaw: float, friction: float) -> None:
        """A box of full ``size`` (m) centred at ``position``; mass 0 fixes it in place."""
        shape = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=[s / 2 for s in size], **self._set)
        turn = (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))
        self._add_object(name, shape, mass, position, turn, friction)

    def throw_ball(self, name: str, mass: float, radius: float, position: tuple, velocity: tuple) -> None:
        """A ball of ``mass`` kg and ``radius`` m that starts at ``position`` with ``velocity`` m/s (world)."""
        shape = pybullet.createCollisionShape(pybullet.GEOM_SPHERE, radius=radius, **self._set)
        self._add_object(name, shape, mass, position, (0, 0, 0, 1), 0.5)
        pybullet.resetBaseVelocity(self.objects[name], velocity, (0, 0, 0), **self._set)

    def _add_object(self, name: str, shape: int, mass: float, position: tuple, turn: tuple, friction: float) -> None:
        identity = pybullet.createMultiBody(mass, shape, basePosition=position, baseOrientation=turn, **self._set)
        pybullet.changeDynamics(identity, -1, lateralFriction=friction, rollingFriction=0.002, linearDamping=0.0, angularDamping=0.0, **self._set)
        self.objects[name] = identity

    def _collision_shape(self, shape: Shape) -> int:
        kind = {"box": pybullet.GEOM_BOX, "capsule": pybullet.GEOM_CAPSULE, "sphere": pybullet.GEOM_SPHERE}[shape.kind]
        size = ({"halfExtents": shape.size} if shape.kind == "box" else
                {"radius": shape.size[0], "height": 2 * shape.size[1]} if shape.kind == "capsule" else {"radius": shape.size[0]})
        return pybullet.createCollisionShape(kind, collisionFramePosition=shape.center, **size, **self._set)

    def _build_character(self, self_collision: bool) -> None:
        body = self.body
        links = list(range(len(body.names)))
        self._hinge = body.hinges
        hinge_axes = [(0, 1, 0)] * len(links)
        types = [pybullet.JOINT_REVOLUTE if hinge else pybullet.JOINT_SPHERICAL for hinge in self._hinge]
        shapes = [self._collision_shape(shape) for shape in body.shapes]
        if body.planar:
            # A fixed base, a slider along x, a slider along z, and then the trunk on a hinge: three rails, link indices shift by 3.
            self._shift = 3
            common = dict(baseMass=0, linkMasses=[RAIL_MASS] * 2 + list(body.masses),
                          linkCollisionShapeIndices=[-1, -1] + shapes, linkVisualShapeIndices=[-1] * (len(links) + 2),
                          linkPositions=[(0, 0, 0)] * 3 + body.offsets[1:].tolist(),
                          linkInertialFramePositions=[(0, 0, 0)] * 2 + body.com_offsets.tolist(),
                          linkParentIndices=[0, 1, 2] + [int(parent) + 3 for parent in body.parents[1:]],
                          linkJointTypes=[pybullet.JOINT_PRISMATIC] * 2 + types, linkJointAxis=[(1, 0, 0), (0, 0, 1)] + hinge_axes)
        else:
            self._shift = 0
            common = dict(baseMass=body.masses[0], baseCollisionShapeIndex=shapes[0], baseInertialFramePosition=body.com_offsets[0].tolist(),
                          linkMasses=list(body.masses[1:]), linkCollisionShapeIndices=shapes[1:], linkVisualShapeIndices=[-1] * (len(links) - 1),
                          linkPositions=body.offsets[1:].tolist(), linkInertialFramePositions=body.com_offsets[1:].tolist(),
                          linkParentIndices=[int(parent) for parent in body.parents[1:]],
                          linkJointTypes=types[1:], linkJointAxis=hinge_axes[1:])
        count = len(common["linkMasses"])
        flags = pybullet.URDF_USE_SELF_COLLISION | pybullet.URDF_USE_SELF_COLLISION_EXCLUDE_PARENT if self_collision else 0
        self._character = pybullet.createMultiBody(
            linkOrientations=[(0, 0, 0, 1)] * count, linkInertialFrameOrientations=[(0, 0, 0, 1)] * count, flags=flags, **common, **self._set)
        # Bullet's index of our link i: joints are numbered from 0 after the base.
        self._index = [i - 1 + self._shift for i in links] if not body.planar else [i + 2 for i in links]
        for i in links:
            pybullet.changeDynamics(self._character, self._index[i], localInertiaDiagonal=self.inertias[i].tolist(),
                                    lateralFriction=1.0, restitution=0.0, linearDamping=0.0, angularDamping=0.0, jointDamping=0.0, **self._set)
        for joint in range(count):
            if pybullet.getJointInfo(self._character, joint, **self._set)[2] == pybullet.JOINT_SPHERICAL:
                pybullet.setJointMotorControlMultiDof(self._character, joint, pybullet.POSITION_CONTROL, targetPosition=[0, 0, 0, 1],
                                                      positionGain=0, velocityGain=0, force=[0, 0, 0], **self._set)
            else:
                pybullet.setJointMotorControl2(self._character, joint, pybullet.VELOCITY_CONTROL, force=0, **self._set)
        self._prepare_limits()
        if self_collision:
            self._only_legs_collide()
        self._actuated = [i for i in links if i > 0]
        self._joint_indices = [self._index[i] for i in self._actuated]
        self._foot_links = {self._index[i]: (0 if name.endswith("L") else 1) for i, name in enumerate(body.names)
                            if name.startswith(("foot", "toes"))}
        self._ankles = [self._index[body.names.index(f"foot.{side}")] for side in "LR"]
        self._com = tuple(body.com_offsets[0].tolist())

    def _prepare_limits(self) -> None:
        """Hinges get the engine's own stops; for ball joints keep the bounds as quaternion components, sin(angle / 2)."""
        self._ball_limits = []
        for i in range(1, len(self.body.names)):
            bounds = self.body.limits[i]
            if self._hinge[i]:
                pybullet.changeDynamics(self._character, self._index[i], jointLowerLimit=float(bounds[1, 0]),
                                        jointUpperLimit=float(bounds[1, 1]), **self._set)
            else:
                low, high = np.sin(bounds / 2).T
                self._ball_limits.append((i, *low.tolist(), *high.tolist()))
        self._limit_stiffness = 2 * LIMIT_STIFFNESS * self.body.mass
        self._limit_damping = LIMIT_DAMPING * self.body.mass

    def _only_legs_collide(self) -> None:
        """Self-collision is for legs that would pass through each other; arms and trunk overlap in ordinary poses."""
        names = self.body.names
        leg = ("thigh", "shin", "foot", "toes")
        for a in range(len(names)):
            for b in range(a + 1, len(names)):
                opposite = names[a].startswith(leg) and names[b].startswith(leg) and names[a][-1] != names[b][-1]
                both_thighs = names[a].startswith("thigh") and names[b].startswith("thigh")
                pybullet.setCollisionFilterPair(self._character, self._character, self._index[a], self._index[b],
                                                1 if opposite and not both_thighs else 0, **self._set)

    # -- state ---------------------------------------------------------------------------------------------------------

    def place(self, position: tuple, rotation: tuple, joints: list, velocity: tuple = (0, 0, 0), angular_velocity: tuple = (0, 0, 0),
              joint_velocities: list | None = None) -> None:
        """Put the character into a pose: arguments as in ``State``."""
        body, character = self.body, self._character
        if body.planar:
            pitch = 2 * math.atan2(rotation[2], rotation[0])
            for joint, (value, rate) in enumerate(((position[0], velocity[0]), (position[2], velocity[2]), (pitch, angular_velocity[1]))):
                pybullet.resetJointState(character, joint, value, rate, **self._set)
        else:
            offset = rotate(rotation, self._com)
            center = [position[k] + offset[k] for k in range(3)]
            pybullet.resetBasePositionAndOrientation(character, center, (*rotation[1:], rotation[0]), **self._set)
            drift = _cross(angular_velocity, offset)
            pybullet.resetBaseVelocity(character, [velocity[k] + drift[k] for k in range(3)], angular_velocity, **self._set)
        for i in self._actuated:
            rate = joint_velocities[i] if joint_velocities else None
            if self._hinge[i]:
                pybullet.resetJointState(character, self._index[i], joints[i], rate or 0.0, **self._set)
            else:
                w, x, y, z = joints[i]
                pybullet.resetJointStateMultiDof(character, self._index[i], (x, y, z, w), rate or (0, 0, 0), **self._set)

    def read(self) -> State:
        character, client = self._character, self._client
        states = pybullet.getJointStatesMultiDof(character, self._joint_indices, client)
        joints, rates = [None], [None]
        for hinge, state in zip(self._hinge[1:], states):
            angle, rate = state[0], state[1]
            if hinge:
                joints.append(angle[0])
                rates.append(rate[0])
            else:
                joints.append((angle[3], angle[0], angle[1], angle[2]))
                rates.append(rate)
        if self.body.planar:
            (x, vx, *_), (z, vz, *_), (pitch, spin, *_) = pybullet.getJointStates(character, (0, 1, 2), client)
            position, velocity, angular = (x, 0.0, z), (vx, 0.0, vz), (0.0, spin, 0.0)
            rotation = (math.cos(pitch / 2), 0.0, math.sin(pitch / 2), 0.0)
        else:
            center, (qx, qy, qz, qw) = pybullet.getBasePositionAndOrientation(character, client)
            velocity, angular = pybullet.getBaseVelocity(character, client)
            rotation = (qw, qx, qy, qz)
            offset = rotate(rotation, self._com)
            drift = _cross(angular, offset)
            position = (center[0] - offset[0], center[1] - offset[1], center[2] - offset[2])
            velocity = (velocity[0] - drift[0], velocity[1] - drift[1], velocity[2] - drift[2])
        return State(self.time, position, rotation, velocity, angular, joints, rates, self._read_feet())

    def _read_feet(self) -> tuple[Foot, Foot]:
        # fx, fy, fz, then the load moment, then the depth, then the push, for each foot.
        sums = [[0.0] * 10, [0.0] * 10]
        foot_links, character = self._foot_links, self._character
        for contact in pybullet.getContactPoints(character, physicsClientId=self._client):
            side = foot_links.get(contact[3])
            push = contact[9]
            if side is None or push == 0.0 or contact[2] == character:
                continue
            (nx, ny, nz), (ax, ay, az), (bx, by, bz) = contact[7], contact[11], contact[13]
            along, across = contact[10], contact[12]
            up = nz * push + az * along + bz * across
            x, y, z = contact[5]
            total = sums[side]
            total[0] += nx * push + ax * along + bx * across
            total[1] += ny * push + ay * along + by * across
            total[2] += up
            total[3] += up * x
            total[4] += up * y
            total[5] += up * z
            total[7] += nx * push
            total[8] += ny * push
            total[9] += nz * push
            if -contact[8] > total[6]:
                total[6] = -contact[8]
        ankles = pybullet.getLinkStates(character, self._ankles, computeForwardKinematics=1, physicsClientId=self._client)
        return tuple(Foot(ankle[4], tuple(total[:3]), tuple(total[3:6]), total[6], tuple(total[7:])) for ankle, total in zip(ankles, sums))

    def contacts(self) -> list[tuple[int, tuple, tuple, float]]:
        """Every loaded contact of the character: (link index, point, force on the character, depth ≥ 0), world, m and N."""
        found = []
        by_bullet = {index: i for i, index in enumerate(self._index)}
        for contact in pybullet.getContactPoints(self._character, **self._set):
            if contact[9] > 0.0 and contact[2] != self._character:
                force = tuple(contact[7][k] * contact[9] + contact[11][k] * contact[10] + contact[13][k] * contact[12] for k in range(3))
                found.append((by_bullet[contact[3]], contact[5], force, max(0.0, -contact[8])))
        return found

    def ground_height(self, x: float, y: float) -> float:
        """Height of the ground (not of obstacles) under a point, metres."""
        identity, _, _, hit, _ = pybullet.rayTestBatch([(x, y, 2e3)], [(x, y, -2e3)], collisionFilterMask=GROUND_GROUP, **self._set)[0]
        return hit[2] if identity >= 0 else 0.0

    def object_poses(self) -> list[tuple[tuple, tuple]]:
        """Position and rotation (w first) of every obstacle and ball, in the order they were added."""
        poses = []
        for identity in self.objects.values():
            position, (x, y, z, w) = pybullet.getBasePositionAndOrientation(identity, **self._set)
            poses.append((position, (w, x, y, z)))
        return poses

    # -- acting --------------------------------------------------------------------------------------------------------

    def apply(self, torques: list, state: State) -> None:
        """Joint torques for the next step: for a ball joint (3,) N·m in the link's own frame, for a hinge N·m about y."""
        joints, rates = state.joints, state.joint_velocities
        for i, lx, ly, lz, hx, hy, hz in self._ball_limits:
            w, x, y, z = joints[i]
            if w < 0:
                x, y, z = -x, -y, -z
            if lx <= x <= hx and ly <= y <= hy and lz <= z <= hz:
                continue
            torques[i] = self._push_back(torques[i], (x, y, z), (lx, ly, lz), (hx, hy, hz), rates[i])
        self.torques = torques
        pybullet.setJointMotorControlMultiDofArray(
            self._character, self._joint_indices, pybullet.TORQUE_CONTROL,
            forces=[[torque] if hinge else torque for hinge, torque in zip(self._hinge[1:], torques[1:])], physicsClientId=self._client)

    def _push_back(self, torque: tuple, angle: tuple, low: tuple, high: tuple, rate: tuple) -> tuple:
        pushed = list(torque)
        for axis in range(3):
            beyond = min(0.0, angle[axis] - low[axis]) + max(0.0, angle[axis] - high[axis])
            if beyond:
                pushed[axis] -= self._limit_stiffness * beyond + self._limit_damping * rate[axis]
        return tuple(pushed)

    def push(self, link: int, force: tuple) -> None:
        """A world-frame force (N) on the centre of mass of a link during the next step."""
        state = (pybullet.getLinkState(self._character, self._index[link], computeForwardKinematics=1, **self._set) if self._index[link] >= 0 else
                 pybullet.getBasePositionAndOrientation(self._character, **self._set))
        pybullet.applyExternalForce(self._character, self._index[link], force, state[0], pybullet.WORLD_FRAME, **self._set)

    def step(self) -> None:
        pybullet.stepSimulation(self._client)
        self.time += self.time_step

    def save(self) -> tuple[int, float]:
        return pybullet.saveState(**self._set), self.time

    def restore(self, saved: tuple[int, float]) -> None:
        pybullet.restoreState(saved[0], **self._set)
        self.time = saved[1]

    def close(self) -> None:
        if self._client >= 0:
            pybullet.disconnect(self._client)
            self._client = -1

    def __enter__(self) -> BulletWorld:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _cross(a: tuple, b: tuple) -> tuple:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
