"""Driver: what a simulation asks of whatever leads a body through a Job — a gait, a recording, an imitation of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import acos
from types import MappingProxyType

from ..arrays import Array, Quaternion
from ..body import Body
from ..job import Job
from ..motion import Motion
from ..physics import World
from ..physics.state import PerJoint, State
from ..quaternion import heading as heading_of
from .steering import PathFollower, curve_value

FALLEN = 0.55  # of the standing height: a pelvis below this over the ground has fallen
POWER = 60.0  # W/kg, as people give in the highest jumps
TIPPED = 1.2  # rad: so has one that is tilted more than this
TIPPING = 0.7  # rad: one that is tilted more than this at the end will fall …
LOW, SINKING = 0.75, -0.7  # … and so will one that is below this, of the standing height, and sinks faster than this, m/s


def tilt(rotation: Quaternion) -> float:
    """rad, of a link's up direction from the world's."""
    _, x, y, _ = rotation
    return acos(max(-1.0, min(1.0, 1.0 - 2.0 * (x * x + y * y))))


class Driver:
    """Leads a body through a Job.

    Attributes:
        every: how many steps the engine makes from one moment of control to the next.
        commanded_speed: m/s, or None where nobody commands one.
        acts: what it does only once when it is told to, and what it does again after that, by their names.
        power: W/kg that muscles can give, for a moment. A body that gains more has gone wild.
    """

    every = 1
    acts: Mapping[str, str] = MappingProxyType({})
    power = POWER
    commanded_speed: float | None = None
    _commanded_heading: float

    def __init__(self, body: Body, job: Job):
        self.body, self.job = body, job
        self._path = PathFollower(job.path) if job.path else None

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do, though the job's time is not over."""
        return False

    @property
    def done(self) -> float | None:
        """Fraction of its work that is done, 0–1, by the time that the rest is expected to take; None where it goes on to the job's end."""
        return None

    @property
    def commanded_heading(self) -> float:
        """rad, where the body is to face now."""
        return self._commanded_heading

    @property
    def gait_name(self) -> str:
        """What is walked: a gait, or a clip."""
        raise NotImplementedError

    @property
    def stance(self) -> int:
        """The leg that carries: 0 left, 1 right."""
        raise NotImplementedError

    @property
    def state_index(self) -> int:
        """Which state of a gait, or which step of a clip, is on."""
        return 0

    @property
    def steps(self) -> int | None:
        """How many steps were made; None where nobody counts them."""
        return None

    def torques(self, state: State) -> PerJoint | None:
        """Joint torques as ``World.apply`` takes them; None where servos drive the body."""
        raise NotImplementedError

    def act(self, world: World, torques: PerJoint | None, state: State) -> None:
        """Let what ``torques`` returned move the body from now on."""
        if torques is not None:
            world.apply(torques, state)

    def look_around(self, world: World, state: State) -> None:
        """Take in what is around; called once an output frame."""

    def steer(self, heading: float, speed: float | None) -> None:
        """From now on face ``heading`` (rad), and go at ``speed`` (m/s), or as fast as it goes by itself (None): somebody plays it."""
        self.job = replace(self.job, heading=((0.0, heading),), speed=None if speed is None else ((0.0, speed),))

    def change(self, gait: str) -> None:
        """Go over into another gait: somebody plays it. Who has no gaits goes on."""

    def shown(self) -> Array | None:
        """(L, 3) m, world: the joints of the recording that is followed; None where none is."""
        return None

    def heading(self, time: float, position: Sequence[float]) -> float:
        """rad, where the job wants a body at ``position`` (x, y, … m) to face."""
        if self._path:
            return self._path.heading(position[0], position[1], time)
        return curve_value(self.job.heading, time) if self.job.heading else 0.0

    def faces(self, state: State) -> float:
        """rad, where the body faces, for what comes from a side of it: its pelvis, where nobody knows better."""
        return heading_of(state.rotation)

    def down(self, state: State, ground: float) -> bool:
        """Whether the body has fallen. ``ground``: m, its height under the pelvis."""
        return state.position[2] - ground < FALLEN * self.body.standing_height or tilt(state.rotation) > TIPPED

    def tipping(self, state: State, ground: float) -> bool:
        """Whether a body that is not down yet is on its way there, with nothing left to save it."""
        sinks = state.velocity[2] < SINKING and state.position[2] - ground < LOW * self.body.standing_height
        return self.down(state, ground) or sinks or tilt(state.rotation) > TIPPING

    def fell_because(self, time: float) -> str:
        """One sentence on a fall at ``time`` (s), with the way out."""
        return f"Fell at {time:.2f} s while in '{self.gait_name}'; try a weaker push, a slower speed or another gait."


class Beside(Driver):
    """Leads a body that no longer follows its recording step by step. The recording is ``motion``, from its first frame on, called ``name``."""

    def __init__(self, body: Body, job: Job, motion: Motion, name: str):
        super().__init__(body, job)
        self.motion, self._name, self._time = motion, name, 0.0
        self._commanded_heading = job.facing

    @property
    def gait_name(self) -> str:
        return self._name

    @property
    def stance(self) -> int:
        return 0

    def shown(self) -> Array:
        return self.body.skeleton.forward_kinematics(*self.motion.sample(self._time))[0]
