"""World over MuJoCo. Its servos and rollouts run without Python, which makes it the engine for planning.

What MuJoCo does in its own way is dealt with here and in ``mujoco_model``: the base turns in its own frame, ball joints count from the middle of
their range, and contacts and their forces are those of the beginning of the last step.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from typing import Any, Self

import mujoco
import numpy as np
from mujoco.batch import Batch
from mujoco.batch import SimulationError as BatchError

from .. import others
from .. import rotation as turning
from ..body import Body
from ..quaternion import IDENTITY, multiply, rotate, unrotate
from . import mujoco_model
from .base import NO_LOAD, BallLimits, arm, blown_up, check_snapshot, cross, feet_and_toes, foot, free_inertias, simulated_inertias
from .rollouts import Push, Rollouts
from .settings import USUAL, WorldSettings
from .state import Foot, PerJoint, Quaternion, State, Vector

# A blow-up is reported as an error of ``read`` or in ``Rollouts.ok``; MuJoCo would write a log into the working folder.
mujoco.set_mju_user_warning(lambda _: None)

STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS  # time, positions, velocities: all that a step depends on, beside controls
FROM_ABOVE = 2e3  # m, where the ray that looks for the ground starts
GROUND_ONLY = np.array([group == mujoco_model.GROUND_GROUP for group in range(6)], dtype=np.uint8)


class MujocoWorld:
    """The World of MuJoCo; see ``World`` for what its methods do. Here they say only what is MuJoCo's own.

    A step is a pure function of the snapshot and of what acts: torques, servos, pushes and twists."""

    engine = "mujoco"

    def __init__(self, body: Body, ground: dict[str, Any] | None = None, obstacles: Sequence[dict[str, Any]] | None = None,
                 settings: WorldSettings = USUAL):
        self.body, self.settings, self.time_step, self.time = body, settings, settings.time_step, 0.0
        self.inertias = simulated_inertias(body, settings.inertia_floor)
        self.torques: PerJoint = [0.0] * len(body.names)
        self.objects: dict[str, int] = {}
        self._limits = BallLimits(body, settings.limit_firmness)
        self._lightest = free_inertias(body, self.inertias).min(axis=1)
        self._middles = mujoco_model.middles(body)
        self._feet = feet_and_toes(body)
        self._centers = [tuple(center) for center in body.com_offsets.tolist()]
        self._things: list[mujoco_model.Thing] = []
        self._ground = ground or {"type": "plane"}
        self._servos = np.zeros((3, len(body.names)))
        self._six = np.zeros(6)  # force and moment of a contact, in its own axes
        self._model: Any = None
        self._data: Any = None
        self._others = others.others(obstacles or [])
        for number, box in enumerate(others.boxes(obstacles or []), 1):
            self._note(_box(box.get("name", f"box {number}"), box["size"], box["position"], box.get("mass", 0.0), box.get("yaw", 0.0),
                            settings.friction))
        self._compile()

    # -- building ------------------------------------------------------------------------------------------------------

    def _note(self, thing: mujoco_model.Thing) -> None:
        """Remember a thing, for the next ``_compile``."""
        self.objects[thing.name] = len(self._things)
        self._things.append(thing)

    def _compile(self) -> None:
        """A new model of everything there is; what was there before keeps its state."""
        old = self._data
        self._model = mujoco_model.build(self.body, self.inertias, self._ground, self._things, self.settings, self._others)
        self._data = mujoco.MjData(self._model)
        self._batch: Batch | None = None
        self._number()
        self._write_servos()
        if old is not None:
            # Things come last: what was there before is at the beginning of each vector.
            for name in ("qpos", "qvel", "ctrl", "qfrc_applied", "xfrc_applied"):
                before = getattr(old, name)
                getattr(self._data, name)[:len(before)] = before
            self._data.time = old.time
        self._touching = False
        mujoco.mj_kinematics(self._model, self._data)

    def _number(self) -> None:
        """Find out where everything is in MuJoCo's vectors."""
        model, names, hinges = self._model, self.body.names, self.body.hinges
        self._bodies = np.array([model.body(name).id for name in names])
        self._link_of_geom = {model.geom(name).id: i for i, name in enumerate(names)}
        self._ankles = [model.body(f"foot.{side}").id for side in "LR"]
        joints = [(i, model.joint(name)) for i, name in enumerate(names) if i]
        self._at = [(i, hinges[i], int(joint.qposadr[0]), int(joint.dofadr[0])) for i, joint in joints]
        # Torques of the joints: MuJoCo numbers them as the body does, one after the other.
        self._driven = slice(self._at[0][3], self._at[-1][3] + (1 if self._at[-1][1] else 3))
        self._balls = np.array([i for i, hinge, *_ in self._at if not hinge], dtype=int)
        self._hinges = np.array([i for i, hinge, *_ in self._at if hinge], dtype=int)
        place, rate = ({i: entry[which] for i, *entry in self._at} for which in (1, 2))
        self._ball_places = _ranges([place[i] for i in self._balls], 4)
        self._ball_rates = _ranges([rate[i] for i in self._balls], 3)
        self._hinge_places = np.array([place[i] for i in self._hinges], dtype=int)
        self._hinge_rates = np.array([rate[i] for i in self._hinges], dtype=int)
        servo = [-1] + [model.actuator(name).id for name in names[1:]]
        self._servo_of = np.array(servo)
        controls = model.actuator_ctrladr
        self._ball_controls = _ranges([controls[servo[i]] for i in self._balls], 4)
        self._hinge_controls = np.array([controls[servo[i]] for i in self._hinges], dtype=int)
        parts = [[mujoco_model.part_name(other, number) for number in range(len(other.shapes))] for other in self._others]
        self._parts = [{model.geom(name).id for name in names_of} for names_of in parts]
        starts = [[model.body(name).jntadr[0] for name in names_of] for names_of in parts]
        self._others_at = [_ranges([model.jnt_qposadr[joint] for joint in row], 7) for row in starts]
        self._others_rates = [_ranges([model.jnt_dofadr[joint] for joint in row], 6) for row in starts]
        self._size = mujoco.mj_stateSize(model, STATE)
        self._middle_tuples = [tuple(turn) for turn in self._middles.tolist()]
        self._back_from_middles = turning.conjugate(self._middles[self._balls])

    def _settle(self) -> None:
        """After a change of state: work out where everything is, and forget what touches and what acts."""
        mujoco.mj_kinematics(self._model, self._data)
        self._data.qfrc_applied[:] = 0.0
        self._data.xfrc_applied[:] = 0.0
        self._touching = False

    def add_box(self, name: str, size: Vector, position: Vector, mass: float, yaw: float, friction: float) -> None:
        self._note(_box(name, size, position, mass, yaw, friction))
        self._compile()

    def throw_ball(self, name: str, mass: float, radius: float, position: Vector, velocity: Vector) -> None:
        x, y, z = position
        self._note(mujoco_model.Thing(name, "ball", (radius,), (x, y, z), IDENTITY, mass, 0.5))
        self._compile()
        self._data.qvel[-6:-3] = velocity

    # -- state ---------------------------------------------------------------------------------------------------------

    def place(self, position: Vector, rotation: Quaternion, joints: PerJoint, velocity: Vector = (0, 0, 0), angular_velocity: Vector = (0, 0, 0),
              joint_velocities: PerJoint | None = None) -> None:
        places, rates = self._data.qpos, self._data.qvel
        if self.body.planar:
            places[:3] = position[0], position[2], 2 * math.atan2(rotation[2], rotation[0])
            rates[:3] = velocity[0], velocity[2], angular_velocity[1]
        else:
            places[:7] = *position, *rotation
            rates[:6] = *velocity, *unrotate(rotation, angular_velocity)
        for i, hinge, at, rate_at in self._at:
            rate = joint_velocities[i] if joint_velocities else None
            if hinge:
                places[at], rates[rate_at] = joints[i], rate or 0.0
            else:
                w, x, y, z = self._middle_tuples[i]
                places[at:at + 4], rates[rate_at:rate_at + 3] = multiply((w, -x, -y, -z), joints[i]), rate or (0.0, 0.0, 0.0)
        self._settle()

    def read(self) -> State:
        places, rates = self._data.qpos.tolist(), self._data.qvel.tolist()
        if not math.isfinite(sum(places) + sum(rates)):
            raise blown_up(self.time, self.time_step)
        joints: PerJoint = [None]
        spins: PerJoint = [None]
        for i, hinge, at, rate_at in self._at:
            if hinge:
                joints.append(places[at])
                spins.append(rates[rate_at])
            else:
                joints.append(multiply(self._middle_tuples[i], tuple(places[at:at + 4])))
                spins.append(tuple(rates[rate_at:rate_at + 3]))
        if self.body.planar:
            (x, z, pitch), (vx, vz, spin) = places[:3], rates[:3]
            position, velocity, angular = (x, 0.0, z), (vx, 0.0, vz), (0.0, spin, 0.0)
            rotation = (math.cos(pitch / 2), 0.0, math.sin(pitch / 2), 0.0)
        else:
            position, rotation, velocity = tuple(places[:3]), tuple(places[3:7]), tuple(rates[:3])
            angular = rotate(rotation, tuple(rates[3:6]))
        return State(self.time, position, rotation, velocity, angular, joints, spins, self._read_feet())

    def _read_feet(self) -> tuple[Foot, Foot]:
        sums = [NO_LOAD, NO_LOAD]
        for link, (x, y, z), (ax, ay, az), depth, (bx, by, bz) in self._touches():
            side = self._feet.get(link)
            if side is not None:
                fx, fy, fz, mx, my, mz, deepest, px, py, pz = sums[side]
                sums[side] = (fx + ax, fy + ay, fz + az, mx + az * x, my + az * y, mz + az * z, max(deepest, depth),
                              px + bx, py + by, pz + bz)
        places = self._data.xpos
        left, right = (places[ankle].tolist() for ankle in self._ankles)
        return foot(tuple(left), sums[0]), foot(tuple(right), sums[1])

    def _touches(self) -> list[tuple[int, Vector, Vector, float, Vector]]:
        """Loaded contacts of the character with ground and things: link, point, force on it, depth, and the part of the force across the surface."""
        found: list[tuple[int, Vector, Vector, float, Vector]] = []
        if not self._touching:
            return found
        contacts, six, link_of = self._data.contact, self._six, self._link_of_geom
        rows = zip(contacts.geom.tolist(), contacts.frame.tolist(), contacts.pos.tolist(), contacts.dist.tolist(), strict=True)
        for number, ((first, second), frame, point, gap) in enumerate(rows):
            a, b = link_of.get(first, -1), link_of.get(second, -1)
            if (a < 0) == (b < 0):
                continue
            mujoco.mj_contactForce(self._model, self._data, number, six)
            push, along, across, _, _, _ = six.tolist()
            if push <= 0.0:
                continue
            link = b
            if b < 0:  # the force is the one on the second
                link, push, along, across = a, -push, -along, -across
            nx, ny, nz, ax, ay, az, bx, by, bz = frame
            force = (push * nx + along * ax + across * bx, push * ny + along * ay + across * by, push * nz + along * az + across * bz)
            found.append((link, tuple(point), force, -gap if gap < 0.0 else 0.0, (push * nx, push * ny, push * nz)))
        return found

    def contacts(self) -> list[tuple[int, Vector, Vector, float]]:
        return [contact[:4] for contact in self._touches()]

    def bumped(self) -> list[str]:
        found = []
        if self._others and self._touching:
            pairs = self._data.contact.geom[self._data.contact.dist < 0.0].tolist()
            touching = {geom for pair in pairs for geom in pair}
            found = [other.name for other, geoms in zip(self._others, self._parts, strict=True) if touching & geoms]
        return found

    def _move_others(self) -> None:
        """Put the other characters to where they are now."""
        places, rates = self._data.qpos, self._data.qvel
        for other, at, rate_at in zip(self._others, self._others_at, self._others_rates, strict=True):
            positions, turns, velocities, spins = other.at(self._data.time)
            places[at] = np.concatenate([positions, turns], axis=1).reshape(-1)
            rates[rate_at] = np.concatenate([velocities, turning.rotate(turning.conjugate(turns), spins)], axis=1).reshape(-1)

    def ground_height(self, x: float, y: float) -> float:
        away = mujoco.mj_ray(self._model, self._data, np.array([x, y, FROM_ABOVE]), np.array([0.0, 0.0, -1.0]), GROUND_ONLY, True, -1, None)
        return FROM_ABOVE - away if away >= 0 else 0.0

    def object_poses(self) -> list[tuple[Vector, Quaternion]]:
        bodies = [self._model.body(f"thing {name}").id for name in self.objects]
        return [(tuple(self._data.xpos[i].tolist()), tuple(self._data.xquat[i].tolist())) for i in bodies]

    # -- acting --------------------------------------------------------------------------------------------------------

    def apply(self, torques: PerJoint, state: State) -> None:
        self._limits.push_back(torques, state.joints, state.joint_velocities)
        self.torques = torques
        self._data.qfrc_applied[self._driven] = [value for i, hinge, _, _ in self._at for value in ((torques[i],) if hinge else torques[i])]

    def push(self, link: int, force: Vector, point: Vector | None = None) -> None:
        self._data.xfrc_applied[self._bodies[link], :3] += force
        if point is not None:
            self.twist(link, self._moment(link, force, point, self._data.xquat[self._bodies[link]].tolist()))

    def _moment(self, link: int, force: Vector, point: Vector, rotation: Quaternion) -> Vector:
        """N·m, world, about a link's centre of mass, of a force on a point of it; ``rotation``: of the link in the world."""
        return cross(arm(self._centers[link], point, rotation), force)

    def twist(self, link: int, torque: Vector) -> None:
        self._data.xfrc_applied[self._bodies[link], 3:] += torque

    def step(self) -> None:
        data = self._data
        if self._others:
            self._move_others()
        mujoco.mj_step(self._model, data)
        mujoco.mj_kinematics(self._model, data)
        data.xfrc_applied[:] = 0.0
        self._touching = True
        self.time = data.time

    def save(self) -> tuple[Any, ...]:
        return self._model, copy.copy(self._data), list(self._things), dict(self.objects), self._touching, self._servos

    def restore(self, saved: tuple[Any, ...]) -> None:
        model, data, things, objects, self._touching, servos = saved
        self._things, self.objects, self.time = list(things), dict(objects), data.time
        if model is not self._model:
            self._model, self._data = model, mujoco.MjData(model)
            self._number()
        mujoco.mj_copyData(self._data, model, data)
        self.set_servos(*servos)

    def close(self) -> None:
        self._batch = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- servos and rollouts -------------------------------------------------------------------------------------------

    def set_servos(self, stiffness: np.ndarray, damping: np.ndarray, strongest: np.ndarray) -> None:
        """A servo turns its joint along the shortest arc: torque = stiffness · angle − damping · rate. It gives no more than ``strongest``, which is
        the length of a ball joint's torque.

        Damping is integrated implicitly, except where the servo gives all it can. A light link would chatter there: up to half of its damping
        therefore acts beside the servo, without a bound. Beyond the range of a ball joint only MuJoCo's cone stops it: the springs of ``BallLimits``
        push back only in ``apply``.
        """
        self._servos = np.array([stiffness, damping, strongest], dtype=float)
        self._write_servos()
        self._batch = None

    def _write_servos(self) -> None:
        model, links = self._model, np.arange(1, len(self.body.names))
        servos = self._servo_of[links]
        stiffness, damping, strongest = self._servos[:, links]
        # Explicit damping is stable without overshoot while damping · step < inertia, here with the implicit part as additional inertia.
        beside = np.maximum(0.0, (damping - self._lightest[links] / self.time_step) / 2)
        model.actuator_gainprm[servos, 0] = stiffness
        model.actuator_biasprm[servos, 1] = -stiffness
        model.actuator_biasprm[servos, 2] = beside - damping
        model.actuator_forcerange[servos, 1] = strongest
        model.actuator_forcerange[self._servo_of[self._hinges], 0] = -self._servos[2, self._hinges]
        for (_, hinge, _, at), amount in zip(self._at, beside, strict=True):
            model.dof_damping[at:at + (1 if hinge else 3)] = amount

    def follow(self, targets: np.ndarray) -> None:
        self._data.ctrl[:] = self._controls(np.asarray(targets, dtype=float))

    def _controls(self, targets: np.ndarray) -> np.ndarray:
        """(..., controls) of targets (..., L, 4)."""
        controls = np.zeros((*targets.shape[:-2], self._model.nu))
        controls[..., self._ball_controls] = turning.multiply(self._back_from_middles, targets[..., self._balls, :]).reshape(
            *targets.shape[:-2], self._ball_controls.size)
        controls[..., self._hinge_controls] = turning.log(targets[..., self._hinges, :])[..., 1]
        return controls

    def snapshot(self) -> np.ndarray:
        vector = np.empty(self._size)
        mujoco.mj_getState(self._model, self._data, vector, STATE)
        return vector

    def resume(self, snapshot: np.ndarray) -> None:
        check_snapshot(snapshot, self._size)
        mujoco.mj_setState(self._model, self._data, snapshot, STATE)
        self.time = self._data.time
        self._settle()

    def rollouts(self, starts: np.ndarray, targets: np.ndarray, steps: int, *, every: int = 1, threads: int = 1,
                 pushes: Sequence[Push] = ()) -> Rollouts:
        """The world itself stays as it is. Any snapshot can be gone on from, whatever ``every`` says, and the result is the same bits for any number
        of ``threads``, and for a sample alone. A segment with a push beside a centre of mass costs half as much again.
        """
        starts, targets = np.asarray(starts, dtype=float), np.asarray(targets, dtype=float)
        check_snapshot(starts, self._size)
        samples, segments = targets.shape[:2]
        found = Rollouts.empty(samples, segments, len(self.body.names), self._size)
        batch = self._samples(samples, threads)
        rows = batch.state
        rows[:, self._size:] = 0.0
        rows[:, :self._size] = starts
        controls = self._controls(targets)
        driven, damped = (batch.bind(name) for name in ("qfrc_actuator", "qfrc_damper"))
        torques = np.empty((samples, segments, self._model.nv))
        for segment in range(segments):
            batch.bind("ctrl")[:] = controls[:, segment]
            self._advance(batch, np.flatnonzero(found.ok), steps, [push for push in pushes if push.first <= segment < push.end])
            found.ok &= np.isfinite(rows[:, :self._size]).all(axis=1)
            if not found.ok.any():
                break
            found.snapshots[found.ok, segment] = rows[found.ok, :self._size]
            torques[:, segment] = driven + damped
        self._record(found, torques)
        return found

    def _samples(self, samples: int, threads: int) -> Batch:
        if self._batch is None or (self._batch.nsim, self._batch.nthread) != (samples, threads):
            self._batch = Batch(self._model, samples, threads)
        return self._batch

    def _advance(self, batch: Batch, alive: np.ndarray, steps: int, pushes: list[Push]) -> None:
        """Let the samples in ``alive`` make some steps under pushes that last all the while; what goes wild becomes NaN."""
        applied = batch.bind("xfrc_applied")
        applied[:] = 0.0
        for push in pushes:
            applied[:, self._bodies[push.link], :3] += push.force
        aside = [(push, push.point) for push in pushes if push.point is not None and push.point != self._centers[push.link]]
        if not aside:
            _survivors(batch, batch.step, alive, steps)
            return
        # The links turn under a force that keeps its direction: its moment is another one in every step.
        turns = batch.bind("xquat")
        for _ in range(steps):
            alive = _survivors(batch, batch.forward, alive, mujoco.mjtStage.mjSTAGE_POS)
            self._set_moments(applied, turns, alive, aside)
            alive = _survivors(batch, batch.step, alive, 1)

    def _set_moments(self, applied: np.ndarray, turns: np.ndarray, alive: np.ndarray, pushes: list[tuple[Push, Vector]]) -> None:
        """Moments of pushes on points beside centres of mass. ``applied``: (N, bodies, 6) forces and moments. ``turns``: (N, bodies, 4) rotations."""
        applied[:, :, 3:] = 0.0
        for push, point in pushes:
            body = self._bodies[push.link]
            for sample in alive.tolist():
                applied[sample, body, 3:] += self._moment(push.link, push.force, point, turns[sample, body].tolist())

    def _record(self, found: Rollouts, torques: np.ndarray) -> None:
        """Fill in the rest of what has snapshots, with servo torques (N, S, freedoms). All at once: numpy is slow on small arrays."""
        alive = np.isfinite(found.snapshots).all(axis=-1)
        rows, forces = found.snapshots[alive], torques[alive]
        places, rates = rows[:, 1:1 + self._model.nq], rows[:, 1 + self._model.nq:]
        count, links = len(rows), len(self.body.names)
        turns, own = turning.identity((count, links)), np.zeros((count, links, 3))
        if len(self._balls):
            turns[:, self._balls] = turning.multiply(self._middles[self._balls], places[:, self._ball_places].reshape(count, len(self._balls), 4))
            own[:, self._balls] = forces[:, self._ball_rates].reshape(count, len(self._balls), 3)
        turns[:, self._hinges, 0], turns[:, self._hinges, 2] = _half_turns(places[:, self._hinge_places])
        own[:, self._hinges, 1] = forces[:, self._hinge_rates]
        position, angular = np.zeros((count, 3)), np.zeros((count, 3))
        if self.body.planar:
            position[:, [0, 2]], angular[:, 1] = places[:, :2], rates[:, 2]
            turns[:, 0, 0], turns[:, 0, 2] = _half_turns(places[:, 2])
        else:
            position[:], turns[:, 0] = places[:, :3], places[:, 3:7]
            angular[:] = turning.rotate(turns[:, 0], rates[:, 3:6])
        found.positions[alive], found.angular_velocities[alive], found.rotations[alive], found.torques[alive] = position, angular, turns, own


def _survivors(batch: Batch, work: Callable[[np.ndarray, int], None], alive: np.ndarray, amount: int) -> np.ndarray:
    """Let the samples ``alive`` do some work of their batch. Returns those that did not go wild; the state of the others becomes NaN."""
    if not len(alive):
        return alive
    try:
        work(alive, amount)
    except BatchError as error:
        batch.state[error.ids] = np.nan
        return np.setdiff1d(alive, error.ids)
    return alive


def _box(name: str, size: Vector, position: Vector, mass: float, yaw: float, friction: float) -> mujoco_model.Thing:
    x, y, z = position
    turn = (math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2))
    return mujoco_model.Thing(name, "box", tuple(side / 2 for side in size), (x, y, z), turn, mass, friction)


def _ranges(starts: list[int], length: int) -> np.ndarray:
    """The numbers start … start + length − 1 of every start, in one row."""
    return (np.array(starts, dtype=int)[:, None] + np.arange(length)).reshape(-1)


def _half_turns(angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cosine and sine of half the angles: w and y of turns about y."""
    return np.cos(angles / 2), np.sin(angles / 2)
