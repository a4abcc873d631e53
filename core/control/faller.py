"""Faller: a body that cannot be saved, and falls like a person: arms reach for the ground, the head is kept off it, and tense muscles let go.

Servos drive its joints, as firmly as a tense person's muscles until it lies, then less and less.
"""

from __future__ import annotations

from math import cos, dist, hypot, sin

import numpy as np

from .. import presets, rotation
from ..arrays import Array, Vector
from ..body import Body
from ..job import Job
from ..motion import Motion
from ..physics import World
from ..physics.state import PerJoint, State
from ..quaternion import heading
from .driver import Beside
from .falling import FALL
from .servos import servos

TIME_STEP, EVERY = 0.002, 4  # s of a step of the engine, and how many it makes from one moment of control to the next
FLIES_M_S = 0.3  # m/s, up or down: a thing that is faster flies; who lies waits for it
SLOWEST = 0.3  # m/s: a body that moves more slowly along the ground hardly falls to any side


class Faller(Beside):
    """Lets a body fall that does what ``motion`` does until it reacts. ``fell_at``: s, from when on it lies."""

    every = EVERY

    def __init__(self, body: Body, job: Job, motion: Motion, name: str, delay: float, waits: float = 0.0):
        """``delay``: s, in the world's time, at which the character reacts. ``name``: of the recording. ``waits``: s, for as long as which a body
        that lies still waits for what hits it next."""
        super().__init__(body, job, motion, name)
        self._delay = delay
        self._names = {link: i for i, link in enumerate(body.names)}
        self._stiffness, self._damping, self._strongest = servos(presets.read_json(presets.FOLDER / "plan.json"), body, "human", struck=True)
        # Arms that catch the body give way: stiff ones would throw it over.
        self._give = np.array([FALL.arms if link.startswith(("upper_arm", "forearm")) else 1.0 for link in body.names])
        self._legs = np.array([link.startswith(("thigh", "shin", "foot")) for link in body.names])
        self._flying = False
        self._waits, self._hits = waits, [(event["time"], event["time"] + event["duration"]) for event in job.events if event["type"] == "push"]
        self._heights: tuple[float, list[float]] = (0.0, [])  # s, and m of the things then
        self._lying: tuple[float, State] | None = None  # s, from when on the body lies more or less as it did then
        self._buckles: float | None = None  # s, from when on the legs give way of a body that still stands, or leans on something
        self._way: tuple[float, float] | None = None
        self.fell_at: float | None = None

    @property
    def finished(self) -> bool:
        if self._lying is None or self._time <= self._lying[0] + FALL.rest_s or self._flying:
            return False
        return not any(end > self._time and start <= self._lying[0] + self._waits for start, end in self._hits)

    def look_around(self, world: World, state: State) -> None:
        """See whether things still fly."""
        heights = [position[2] for position, _ in world.object_poses()]
        seen, heights_then = self._heights
        self._flying = any(abs(now - then) > FLIES_M_S * (state.time - seen) for now, then in zip(heights, heights_then, strict=False))
        self._heights = state.time, heights

    def down(self, state: State, ground: float) -> bool:
        """Never: the simulation is to go on until the body lies still."""
        return False

    def torques(self, state: State) -> None:
        """None: servos drive the body."""
        self._time = state.time
        if self.fell_at is not None and not (self._lying and _near(self._lying[1], state)):
            self._lying = state.time, state

    def act(self, world: World, torques: PerJoint | None, state: State) -> None:
        ground = world.ground_height(*state.position[:2])
        if self.fell_at is None and min(state.position[2], self._head(state)) - ground < FALL.lies * self.body.standing_height:
            self.fell_at = state.time
        if self._buckles is None and state.time > self._delay + FALL.gives_up_s and state.velocity[2] > FALL.stands_m_s:
            self._buckles = state.time
        tone = self._tone(state.time)
        # Damping falls less than stiffness, so that a limp limb moves slowly and stops.
        world.set_servos(tone * self._give * self._stiffness, tone**0.5 * self._damping, np.minimum(1.0, tone / FALL.tense) * self._strongest)
        world.follow(self._targets(state, ground))
        # No torques of its own: only the ligaments at the end of a joint's range push back.
        world.apply([None, *(0.0 if hinge else (0.0, 0.0, 0.0) for hinge in self.body.hinges[1:])], state)

    def _head(self, state: State) -> float:
        """m, height of the head's joint; of a body without one, of the pelvis."""
        if "head" not in self._names:
            return state.position[2]
        turn, torso, head = np.array(state.rotation), self._names["torso"], self._names["head"]
        upper = rotation.multiply(turn, np.array(state.joints[torso]))
        offsets = self.body.offsets
        return float(state.position[2] + (rotation.rotate(turn, offsets[torso]) + rotation.rotate(upper, offsets[head]))[2])

    def _tone(self, time: float) -> Array:
        """(L,) factor of the usual stiffness."""
        lets_go = self._buckles if self.fell_at is None else self.fell_at
        if lets_go is None:
            return np.full(len(self._legs), FALL.tense)
        loose = FALL.tense * max(FALL.limp, 0.5 ** ((time - lets_go) / FALL.half_s))
        return np.where(self._legs | (self.fell_at is not None), loose, FALL.tense)

    def _targets(self, state: State, ground: float) -> Array:
        """(L, 4) of the servos: from the clip's pose to one that meets the ground, which is ``ground`` m high."""
        pose = self.motion.sample(state.time)[1]
        aware = min(max((state.time - self._delay) / FALL.reach_s, 0.0), 1.0)
        if aware == 0.0:
            return pose
        if self._way is None or state.position[2] - ground > FALL.upright * self.body.standing_height:
            # Further down a heading means little: then it goes on falling to the same side.
            (vx, vy, _), yaw = state.velocity, heading(state.rotation)
            speed = max(hypot(vx, vy), SLOWEST)
            self._way = ((vx * cos(yaw) + vy * sin(yaw)) / speed, (vy * cos(yaw) - vx * sin(yaw)) / speed)
        goal = pose.copy()
        # Once the body lies, the arms have nothing to catch any more, and come down.
        lying = 0.0 if self.fell_at is None else min((state.time - self.fell_at) / FALL.reach_s, 1.0)
        for link, turn in self._protected(*self._way, catch=1.0 - lying).items():
            goal[self._names[link]] = rotation.exp(np.array(turn))
        return rotation.slerp(pose, goal, np.full(len(pose), aware))

    def _protected(self, forward: float, left: float, catch: float) -> dict[str, Vector]:
        """rad about x, y, z of joints, by link, of a body that falls this way (1 forward, −1 backward; 1 left, −1 right); limbs go forward with −y.
        ``catch``: 0–1, how much the arms do."""
        turns: dict[str, Vector] = {}
        for link in self._names:
            kind, _, side = link.partition(".")
            way = -1.0 if side == "R" else 1.0  # poses are written for the left side; those of the trunk, for a fall to the left
            weights = {"always": 1.0, "ahead": max(forward, 0.0), "back": max(-forward, 0.0), "toward": max(0.0, way * left) if side else left}
            if self._give[self._names[link]] < 1.0:
                weights = {when: weight if when == "always" else catch * weight for when, weight in weights.items()}
            if kind in FALL.pose:
                x, y, z = (sum(weights[when] * turn[axis] for when, turn in FALL.pose[kind].items()) for axis in range(3))
                turns[link] = (way * x, y, way * z)
        return turns


def _near(before: State, now: State) -> bool:
    """Whether a body lies as it did before: feet that quiver on the floor, or on each other, are still."""
    turns = [(before.rotation, now.rotation), *zip(before.joints[1:], now.joints[1:], strict=True)]
    least = cos(0.5 * FALL.still_rad)
    return dist(before.position, now.position) < FALL.still_m and all(
        abs(sum(a * b for a, b in zip(one, other, strict=True))) > least if isinstance(one, tuple) else abs(one - other) < FALL.still_rad
        for one, other in turns)
