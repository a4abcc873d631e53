"""Teachers: feedback laws that know the way out of a state, from which a controller learns. It runs without them afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from math import atan2, sqrt
from typing import Protocol

from ..arrays import Array
from ..body import Body
from ..control.machine import STRIKE
from ..control.walker import Walker
from ..dynamics import Dynamics
from ..job import Job
from ..physics import World
from ..physics.state import PerJoint, State
from ..start import place
from .following import ByServos

STANDS = -1  # the sort of the samples of a stand
WITHIN = 0.01  # m from the ends of a sole, within which a stand presses on it
AGAINST = 1.0  # m beyond the capture point that a stand presses, for each metre that this is from the middle of the feet
TRUNK, HANG, KNEE, ANKLE = (600.0, 60.0), (300.0, 30.0), (600.0, 40.0), 10.0  # N·m/rad and N·m·s/rad of a stand, about trunk, free hip, knee; ankle
BENT = 0.1  # rad of the knees of a stand
TOUCHES = 0.05  # body weights on the feet, below which both are taken to bear alike
ALOFT_S = 0.03  # s in the air, after which who touches the ground lands
STEPS_IN = 4  # steps in a gait after which a change into it is over, if the last stride was
NEARLY, STANDSTILL = 0.1, 0.1  # as fast as the gait's own: off by so much of its speed, or by so many m/s
MARCH = "planar_in_place"  # the gait by way of which a walk comes to a stand
SLOW, TOGETHER = 0.35, 0.35  # m/s of the centre of mass, and m from foot to foot, up to which a march becomes a stand


class Teacher(Protocol):
    """It sees every state, also while somebody else leads the body, and can be copied at any moment.

    Attributes:
        sort: of the sample that its choice is, see ``Controller``. facing: rad, world, where it wants the body to face. arrived: whether it is where
            it leads.
    """

    @property
    def sort(self) -> int: ...

    @property
    def facing(self) -> float: ...

    @property
    def arrived(self) -> bool: ...

    def torques(self, state: State) -> PerJoint:
        """What it would do now; called at every step of the engine."""

    def choice(self, state: State, torques: PerJoint) -> Array:
        """The same as a controller's choice, see ``Following``. ``torques``: what it has just said."""


class PlanarWalker:
    """A gait of the planar biped, by SIMBICON; or the change from one into another.

    A run changes legs by the clock alone. Who only watches would soon be in another stride than the body is, and teach it that: so whenever the body
    lands out of the air, its clock is put to where that usually happens.
    """

    facing = 0.0

    def __init__(self, body: Body, job: Job, following: ByServos, gait: str, lands: Mapping[str, float] | None = None):
        """``lands``: s into its stance at which a foot usually lands, of gaits that change legs by the clock."""
        self.walker, self._following, self._lands = Walker(body, job, gait), following, lands or {}
        self._to, self._since = gait, 0
        self._strides: list[tuple[float, float]] = []  # s and m along the way, of the last changes of step
        self._aloft = [0.0, 0.0]  # s for which each foot has not touched the ground
        self.landed: list[float] = []  # s into its stance, of each landing

    def begin(self, world: World) -> None:
        """Put the body where the gait begins."""
        place(world, self.walker)

    def change(self, gait: str, at_once: bool = False) -> None:
        """Go on in another gait from the next step on, or ``at_once``."""
        self._to = gait
        if at_once and gait != self.walker.gait_name:
            self._become()

    def _become(self) -> None:
        self._since = self.walker.steps
        self.walker.become(self._to)

    def torques(self, state: State) -> PerJoint:
        steps = self.walker.steps
        torques = self.walker.torques(state)
        self._keep_time(state)
        if self.walker.steps != steps:
            self._strides = [*self._strides[-2:], (state.time, state.position[0])]
            if self.walker.gait_name != self._to:
                self._become()
        return torques

    def _keep_time(self, state: State) -> None:
        machine = self.walker.law.machine
        for foot, load in enumerate(foot.force[2] for foot in state.feet):
            if load < STRIKE * machine.weight:
                self._aloft[foot] += machine.time_step
                continue
            if self._aloft[foot] > ALOFT_S:
                self._land(foot)
            self._aloft[foot] = 0.0

    def _land(self, foot: int) -> None:
        """A foot has landed: that of a run, or the first one of a walk that comes out of a run, which began its stance in the air."""
        machine, runs = self.walker.law.machine, self.walker.gait_name in self._lands
        if foot == machine.stance:
            self.landed.append(machine.state_time)
        if runs or (self._lands and foot == machine.stance and machine.state_index == 0 and machine.state_time > ALOFT_S):
            machine.land(foot, self._lands.get(self.walker.gait_name, max(self._lands.values())))

    def choice(self, state: State, torques: PerJoint) -> Array:
        return self._following.choice(state, torques)

    @property
    def sort(self) -> int:
        return self.walker.stance + 2 * self.walker.state_index

    @property
    def arrived(self) -> bool:
        if self.walker.gait_name != self._to or self.walker.steps < self._since + STEPS_IN:
            return False
        (began, here), (ended, there), usual = self._strides[0], self._strides[-1], self.walker.law.gait.speed
        return abs((there - here) / (ended - began) - usual) < max(NEARLY * abs(usual), STANDSTILL)


class PlanarStander:
    """Stands on the feet where they are: the trunk upright by the hips, and the pressure under the feet where it turns the body back (the capture
    point is pushed towards the middle of the feet)."""

    facing, sort, arrived = 0.0, STANDS, True

    def __init__(self, body: Body, dynamics: Dynamics, following: ByServos):
        self._dynamics, self._following = dynamics, following
        names = body.names
        self._legs = [[names.index(f"{link}.{side}") for link in ("thigh", "shin", "foot")] for side in "LR"]
        foot = body.sole_points[body.sole_links == self._legs[0][2], 0]
        self._heel, self._toe = float(foot.min()) + WITHIN, float(foot.max()) - WITHIN
        self._weight, self._count = 9.81 * body.mass, len(names)

    def torques(self, state: State) -> PerJoint:
        pose = self._dynamics.pose(state)
        ankles = [foot.position[0] for foot in state.feet]
        middle = 0.5 * sum(ankles) + 0.5 * (self._heel + self._toe)
        caught = float(pose.com[0] + pose.com_velocity[0] * sqrt(pose.com[2] / 9.81))
        pressed = caught + AGAINST * (caught - middle)
        pitch = 2.0 * atan2(state.rotation[2], state.rotation[0])
        upright = TRUNK[0] * -pitch - TRUNK[1] * state.angular_velocity[1]
        loads = [max(foot.force[2], 0.0) for foot in state.feet]
        borne = sum(loads)
        shares = [load / borne for load in loads] if borne > TOUCHES * self._weight else [0.5, 0.5]
        torques: PerJoint = [0.0] * self._count
        for (thigh, shin, foot), ankle, share in zip(self._legs, ankles, shares, strict=True):
            angles, rates = state.joints, state.joint_velocities
            torques[thigh] = -share * upright + (1.0 - share) * (HANG[0] * -angles[thigh] - HANG[1] * rates[thigh])
            torques[shin] = KNEE[0] * (BENT - angles[shin]) - KNEE[1] * rates[shin]
            torques[foot] = share * self._weight * min(max(pressed - ankle, self._heel), self._toe) - ANKLE * rates[foot]
        return torques

    def choice(self, state: State, torques: PerJoint) -> Array:
        return self._following.choice(state, torques)


class PlanarStopper:
    """Stops a walk of the planar biped: it marches on the spot, and stands when it is slow enough."""

    facing = 0.0

    def __init__(self, walker: PlanarWalker, stander: PlanarStander, dynamics: Dynamics):
        self._walker, self._stander, self._dynamics = walker, stander, dynamics
        self.arrived = False
        walker.change(MARCH)

    def torques(self, state: State) -> PerJoint:
        both = all(foot.force[2] > 0.0 for foot in state.feet)
        velocity = float(self._dynamics.pose(state).com_velocity[0]) if both else SLOW
        slow = both and abs(velocity) < SLOW and abs(state.feet[0].position[0] - state.feet[1].position[0]) < TOGETHER
        self.arrived = self.arrived or (slow and self._walker.walker.gait_name == MARCH)
        walking = self._walker.torques(state)
        return self._stander.torques(state) if self.arrived else walking

    def choice(self, state: State, torques: PerJoint) -> Array:
        return self._walker.choice(state, torques)

    @property
    def sort(self) -> int:
        return self._stander.sort if self.arrived else self._walker.sort
