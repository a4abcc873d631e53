"""Flinch: a small hit on a clip (Yin 2007, chapter 5).

The muscles give the torques that the clip needs, computed by inverse dynamics. A soft feedback, which is stiffer where a muscle works, brings back
what the hit has moved. As in the paper the body does not balance: a force on the pelvis keeps it near the clip's path, and the feet stand where they
stood.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import feet, rotation
from ..arrays import Array, Bools, Vector
from ..body import Body
from ..context import Context
from ..dynamics import Dynamics
from ..feet import legs
from ..motion import Motion
from ..physics import State, WorldSettings, world_class
from ..physics.state import PerJoint
from ..places import chain, link_of, struck
from ..plan.settings import PRESET
from ..signals import smooth_step, softened
from .lead import Lead
from .settings import SOFTNESS
from .task import Manner

RATE = 480.0  # steps of the engine a second
SHOW = 16  # steps from one report of progress to the next
NOWHERE = {"type": "profile", "points": [[-1e3, -50.0], [1e3, -50.0]]}  # no floor: the pelvis is carried
ROOM = np.radians(3.0)  # rad that joints can bend further than they do in the clip


@dataclass(frozen=True)
class Hit:
    """A force (N, world) on a part of the body, from ``time`` (s of the clip) for ``seconds``."""

    time: float
    seconds: float
    part: str
    force: Vector

    @property
    def end(self) -> float:
        return self.time + self.seconds

    def speed(self, mass: float) -> float:
        """m/s that it gives a body of ``mass`` (kg) as a whole."""
        return float(np.linalg.norm(self.force)) * self.seconds / mass

    def event(self, begin: float = 0.0) -> dict[str, Any]:
        """The hit as a job's push, in a time that begins at ``begin`` (s of the clip)."""
        return {"type": "push", "time": self.time - begin, "duration": self.seconds, "force": list(self.force), "frame": "world", "part": self.part}


def flinched(body: Body, motion: Motion, contacts: Bools, hits: list[Hit], manner: Manner, engine: str,
             context: Context | None = None) -> Motion:
    """The motion, on body.skeleton, with hits on it. Before the first one, and when all are over, it is as it was.

    ``contacts``: (F, 2) whether the left and right foot stand.
    """
    first = min(hit.time for hit in hits)
    until = max(hit.end for hit in hits) + manner.back
    start, moved = _simulated(_believing(body, motion), motion, hits, manner, engine, first, until, context)
    return _standing(body, motion, _added(motion, start, moved, until), contacts)


def _believing(body: Body, motion: Motion) -> Body:
    """The body with joints that can bend as far as they do in the clip, also where the tables of joints do not say so."""
    own = 2.0 * np.arcsin(np.clip(motion.rotations[..., 1:] * np.copysign(1.0, motion.rotations[..., :1]), -1.0, 1.0))
    limits = body.limits.copy()
    limits[1:, :, 0] = np.minimum(limits[1:, :, 0], own[:, 1:].min(axis=0) - ROOM)
    limits[1:, :, 1] = np.maximum(limits[1:, :, 1], own[:, 1:].max(axis=0) + ROOM)
    locked = np.array(body.hinges[1:])[:, None] & np.array([True, False, True])
    limits[1:][locked] = body.limits[1:][locked]
    return replace(body, limits=limits)


def _simulated(body: Body, motion: Motion, hits: list[Hit], manner: Manner, engine: str, first: float, until: float,
               context: Context | None) -> tuple[float, Motion]:
    """When the simulation begins (s of the clip), and how far the hits move the body from then on: its pelvis (m), each joint in its own frame."""
    lead = Lead.of(motion, RATE)
    begin, end = int(first * RATE), min(int(np.ceil(until * RATE)), len(lead.roots) - 1)
    shifts, turns = [np.zeros(3)], [rotation.identity((len(body.names),))]
    with world_class(engine)(body, NOWHERE, settings=WorldSettings(time_step=1.0 / RATE)) as world:
        muscles = _Muscles(body, Dynamics(body, world.inertias), lead, hits, manner)
        world.place(**lead.start(body, begin))
        state = world.read()
        for step in range(begin, end):
            torques, force, moment = muscles.act(state, step)
            world.apply(torques, state)
            world.push(0, tuple(force))
            world.twist(0, tuple(moment))
            for hit in hits:
                if hit.time <= step / RATE < hit.end:
                    link, point = struck(body, hit.part)
                    world.push(link, hit.force, point)
            world.step()
            state = world.read()
            if context and step % SHOW == 0:
                context.tell((step - begin) / (end - begin), state, "Letting what was hit give way and come back")
            shifts.append(np.array(state.position) - lead.roots[step + 1])
            turns.append(rotation.multiply(rotation.conjugate(lead.rotations[step + 1]), muscles.rotations(state)))
    return begin / RATE, Motion(motion.skeleton, RATE, np.array(shifts), rotation.make_continuous(np.array(turns)))


class _Muscles:
    """Torques at each step: those that the clip's acceleration needs in the pose that the body is in, and a soft pull back to the clip."""

    def __init__(self, body: Body, dynamics: Dynamics, lead: Lead, hits: list[Hit], manner: Manner):
        self._body, self._dynamics, self._lead, self._manner = body, dynamics, lead, manner
        self._firm = manner.firm(body)
        self._hits = [(hit, chain(body, link_of(body, hit.part))) for hit in hits]
        self._usual = np.maximum(SOFTNESS.effort * PRESET.servos(body, "human")[2], 1e-6)
        self._legs = np.array([name.startswith(("thigh", "shin", "foot", "toes")) for name in body.names])
        self._tension = np.zeros(len(body.names))

    def rotations(self, state: State) -> Array:
        """(L, 4) of a state."""
        return self._dynamics.pose(state).rotations

    def act(self, state: State, step: int) -> tuple[PerJoint, Array, Array]:
        """Joint torques as ``World.apply`` takes them, and force and moment (3,) on the pelvis's centre of mass."""
        lead, dynamics = self._lead, self._dynamics
        pose = dynamics.pose(state)
        errors = rotation.log(rotation.multiply(rotation.conjugate(pose.rotations), lead.rotations[step]))
        stretched = 1.0 + (errors**2).sum(axis=1) / SOFTNESS.stretch**2
        rates = (self._rates(step / RATE) * stretched**0.5)[:, None]
        wanted = lead.changes[step] + rates**2 * errors + 2.0 * SOFTNESS.damping * rates * (lead.rates[step] - pose.rates)
        spins = (pose.frames @ wanted[:, :, None])[:, :, 0]
        root = self._manner.stiffness**0.5 * SOFTNESS.root
        lean = rotation.log(rotation.multiply(lead.rotations[step, 0], rotation.conjugate(pose.rotations[0])))
        spins[0] = lead.spin_changes[step] + root**2 * lean + 2.0 * SOFTNESS.damping * root * (lead.spins[step] - np.array(state.angular_velocity))
        pull = (lead.accelerations[step] + root**2 * (lead.roots[step] - np.array(state.position))
                + 2.0 * SOFTNESS.damping * root * (lead.velocities[step] - np.array(state.velocity)))
        forces = dynamics.motion_forces(pose, spins)
        lift = pull + (0.0, 0.0, 9.81)
        rows = dynamics.torques(pose, forces, lift, np.zeros(3), [])
        own = (pose.frames.transpose(0, 2, 1) @ rows[:, :, None])[:, :, 0]
        self._tension = np.minimum(1.0, np.linalg.norm(own, axis=1) / self._usual)
        force = forces.force + dynamics.mass * lift
        moment = rows[0] - np.cross(pose.centers[0] - pose.origins[0], force)
        joints = zip(self._body.hinges[1:], own[1:], strict=True)
        return [None, *(float(row[1]) if hinge else tuple(row.tolist()) for hinge, row in joints)], force, moment

    def _rates(self, time: float) -> Array:
        """(L,) rad/s with which each joint comes back."""
        manner = self._manner
        tense = SOFTNESS.slack + (SOFTNESS.tense - SOFTNESS.slack) * self._tension
        rates = (manner.stiffness * self._firm) ** 0.5 * np.where(self._legs, SOFTNESS.legs, tense)
        for hit, joints in self._hits:
            since = time - hit.time
            if since < 0.0:
                continue
            awake = SOFTNESS.numb + (1.0 - SOFTNESS.numb) * smooth_step(np.array((since - manner.delay) / SOFTNESS.react_s))
            firm = SOFTNESS.limp + (1.0 - SOFTNESS.limp) * smooth_step(np.array((since - hit.seconds - manner.soft) / SOFTNESS.react_s))
            rates = rates * np.where(joints, np.minimum(awake, firm), awake)
        return rates


def _added(motion: Motion, start: float, moved: Motion, until: float) -> Motion:
    """The motion with ``moved``, which begins at ``start`` (s), added to it; it fades out until ``until`` (s)."""
    times = np.arange(motion.frames) / motion.fps
    touched = np.flatnonzero((times > start) & (times <= start + moved.duration) & (times < until))
    weight = 1.0 - smooth_step((times[touched] - until + SOFTNESS.fade_s) / SOFTNESS.fade_s)[:, None]
    shifts, turns = moved.sample(times[touched] - start)
    roots, rotations = motion.root_positions.copy(), motion.rotations.copy()
    roots[touched] += weight * shifts
    rotations[touched] = rotation.multiply(rotations[touched], rotation.exp(weight[:, None] * rotation.log(turns)))
    return replace(motion, root_positions=roots, rotations=rotations)


def _standing(body: Body, clip: Motion, motion: Motion, contacts: Bools) -> Motion:
    """The motion, with each foot that stands in the clip in its place of the clip."""
    touched = np.abs(motion.rotations - clip.rotations).max(axis=(1, 2)) > 0.0
    ankles, toes = ([feet.link(body, name, foot) for foot in (0, 1)] for name in ("foot", "toes"))
    (places, turns), (own_places, own_turns) = motion.world(), clip.world()
    # A foot comes down where it comes down in the clip, and leaves from there.
    near = np.stack([softened(contacts[:, foot].astype(float), SOFTNESS.land_s * motion.fps) for foot in (0, 1)], axis=1)
    firm = np.maximum(contacts, near)[:, :, None]
    reached = legs.reaching(body, motion, places[:, ankles] + firm * (own_places - places)[:, ankles],
                            rotation.slerp(turns[:, ankles], own_turns[:, ankles], firm[..., 0]),
                            rotation.log(rotation.slerp(motion.rotations[:, toes], clip.rotations[:, toes], firm[..., 0]))[..., 1])
    rotations = motion.rotations.copy()
    rotations[touched] = reached.rotations[touched]
    return replace(motion, rotations=rotations)
