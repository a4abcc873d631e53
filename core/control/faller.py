"""Faller: a body that cannot be saved, and falls like a person: arms reach for the ground, the head is kept off it, and what is tense lets go.

Servos hold it, as firmly as a tense person's muscles until it lies, then less and less.
"""

from __future__ import annotations

from math import cos, hypot, sin

import numpy as np

from .. import presets, rotation
from ..body import Body
from ..job import Job
from ..motion import Motion
from ..physics import World
from ..physics.state import State
from ..plan.settings import servos
from ..quaternion import heading
from .driver import Driver

TIME_STEP, EVERY = 0.002, 4  # s, and steps of simulation for one of control
_PRESET = presets.read_json(presets.FOLDER / "hits.json")["fall"]


class Faller(Driver):
    """Lets a body fall that does what ``motion`` does until it notices."""

    every = EVERY
    upright = False

    def __init__(self, body: Body, job: Job, motion: Motion, name: str, delay: float):
        """``delay``: s before the character reacts. ``name``: of the recording."""
        super().__init__(body, job)
        self._motion, self._name, self._delay = motion, name, delay
        self._names = {link: i for i, link in enumerate(body.names)}
        self._servos = servos(body, "human")
        self._time, self._lain, self._still = 0.0, None, None
        self._way: tuple[float, float] | None = None
        self.fell_at: float | None = None
        self.commanded_heading = job.heading[0][1]

    @property
    def gait_name(self) -> str:
        return self._name

    @property
    def stance(self) -> int:
        return 0

    @property
    def steps(self) -> int:
        return 0

    @property
    def finished(self) -> bool:
        return self._still is not None and self._time > self._still + _PRESET["rest_s"]

    def torques(self, state: State) -> None:
        """None: servos drive the body."""
        self._time = state.time
        rates = [abs(v) for rate in state.joint_velocities[1:] for v in (rate if isinstance(rate, tuple) else (rate,))]
        slow = max(*rates, *map(abs, state.angular_velocity)) < _PRESET["still_rad_s"] and max(map(abs, state.velocity)) < _PRESET["still_m_s"]
        self._still = (self._still if self._still is not None else state.time) if slow and self._lain is not None else None

    def act(self, world: World, torques: None, state: State) -> None:
        ground = world.ground_height(*state.position[:2])
        if self._lain is None and state.position[2] - ground < _PRESET["lies"] * self.body.standing_height:
            self._lain = self.fell_at = state.time
        stiffness, damping, strongest = self._servos
        tone = self._tone(state.time)
        # Damping falls less than stiffness: what is limp moves slowly, and stops.
        world.set_servos(tone * stiffness, tone**0.5 * damping, min(1.0, tone / _PRESET["tense"]) * strongest)
        world.follow(self._targets(state, ground))

    def _tone(self, time: float) -> float:
        """Of usual stiffness."""
        tone = _PRESET["tense"]
        if self._lain is not None:
            tone *= max(_PRESET["limp"], 0.5 ** ((time - self._lain) / _PRESET["half_s"]))
        return tone

    def _targets(self, state: State, ground: float) -> np.ndarray:
        """(L, 4): from the clip's pose to one that meets the ground, which is ``ground`` m high."""
        pose = self._motion.sample(state.time)[1]
        aware = min(max((state.time - self._delay) / _PRESET["reach_s"], 0.0), 1.0)
        if aware == 0.0:
            return pose
        if self._way is None or state.position[2] - ground > _PRESET["upright"] * self.body.standing_height:
            # Half way down a heading means little: it falls where it fell before.
            (vx, vy, _), yaw = state.velocity, heading(state.rotation)
            speed = max(hypot(vx, vy), 0.3)
            self._way = ((vx * cos(yaw) + vy * sin(yaw)) / speed, (vy * cos(yaw) - vx * sin(yaw)) / speed)
        goal = pose.copy()
        for link, turn in self._protected(*self._way).items():
            goal[self._names[link]] = rotation.exp(np.array(turn))
        return rotation.slerp(pose, goal, np.full(len(pose), aware))

    def _protected(self, forward: float, left: float) -> dict[str, tuple]:
        """rad about x, y, z of joints of a body that falls this way (1 forward, −1 backward; 1 left, −1 right); limbs go forward with −y."""
        ahead, back = max(forward, 0.0), max(-forward, 0.0)
        turns: dict[str, tuple] = {
            "torso": (0.0, 0.35 * back - 0.05 * ahead, 0.0), "head": (-0.3 * left, 0.5 * back - 0.5 * ahead, 0.0),
        }
        for side, way in (("L", 1.0), ("R", -1.0)):
            toward = max(0.0, way * left)  # the arm on the side that the body falls to reaches out
            turns[f"upper_arm.{side}"] = (way * (0.3 + 0.8 * toward), -1.3 * ahead - 0.5 * toward + 0.6 * back, 0.0)
            turns[f"forearm.{side}"] = (0.0, -0.5 - 0.3 * back, 0.0)
            turns[f"thigh.{side}"] = (0.0, -0.35 - 0.4 * back, 0.0)
            turns[f"shin.{side}"] = (0.0, 0.6 + 0.3 * back, 0.0)
        return turns

    def shown(self) -> np.ndarray:
        return self.body.skeleton.forward_kinematics(*self._motion.sample(self._time))[0]
