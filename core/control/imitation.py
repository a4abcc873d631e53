"""Imitation: the SIMBICON law on the periodic motion of a recording (Yin, thesis section 7.5).

Every joint follows the recording, with its rates; pelvis, torso and swing thigh do so in the world. The swing hip is moved by how far the
hips are from where the recording has them over the stance foot, and how much faster they go; the stance hip gets what trunk and swing leg
need. A step begins at phase 0 (left) or at the phase of the right strike, whenever its foot lands.

Beyond the thesis: the torques that the recording needs by itself are given ahead of time (``foreseen``), so that feedback only corrects
what differs; and feedback goes by the difference from the recording, so that the speed is the recording's.

The gait has one state, whose angles are added to those of the recording: ``torso`` and ``swing_hip`` throughout, ``swing_knee`` and
``swing_ankle`` in the middle of the swing, to clear the ground.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sin

import numpy as np

from .. import rotation
from ..arrays import Array, Quaternion, Vector
from ..body import Body
from ..physics.state import PerJoint, State
from ..quaternion import hinge_angle, lean, multiply, offset, rotate, turned, unrotate
from .foreseen import foreseen_torques
from .gait import Gait, GaitPose
from .machine import Machine
from .pd import ball_torque, hinge_torque
from .periodic import Periodic
from .simbicon import HipsOverFoot, Simbicon, about_y, summed
from .steering import Pair

ROWS = 256  # of the table of a cycle, which is interpolated
LANDED = 0.08  # body weights on the swing foot, low-passed: it has landed …
EARLIEST = 0.4  # … if this fraction of the step is over; before that, it has only scuffed the ground
LIFTED = 0.85  # fraction of a step after which the extra lift of the swing foot is over
HIP_LIFT = 0.5  # rad that the hip bends for each rad of the knee's extra bend, so that the foot goes up and not back
THIGH_TWIST = 0.25  # of the swing hip's gains, about the thigh's own axis: leg and pelvis are light to twist, and would spin each other
GROWN = 0.3  # fraction of a step over which its feedback grows

Row = tuple[Array, Array, Array, tuple[Pair, Pair], Pair]  # of a cycle, see ``_table``


class PhaseMachine(Machine):
    """Goes through the phase of a gait cycle. A landing brings it to the beginning of the next step; until then it waits at its end.

    Attributes:
        done: 0–1, the fraction of the step that is over. waiting: whether all of it is over, but the foot has not landed.
        synchronised: whether it waits for the foot; else it goes by time alone.
    """

    def __init__(self, weight: float, time_step: float, period: float, right: float):
        super().__init__(weight, time_step)
        self._seconds = (right * period, (1.0 - right) * period)
        self._right = right
        self.synchronised = True

    def begin(self, stance: int, loads: list[float], done: float = 0.0) -> None:
        super().begin(stance, loads)
        self.done, self.waiting = done, False

    @property
    def phase(self) -> float:
        """0–1 of the cycle, from the strike of the left foot."""
        return self._right * self.done if self.stance == 0 else self._right + (1.0 - self._right) * self.done

    def advance(self, gait: Gait, state: State, facing: float) -> bool:
        """Take in one time step; True where it led into another step."""
        for side in (0, 1):
            self.loads[side] += self._smoothing * (state.feet[side].force[2] - self.loads[side])
        self.state_time += self.time_step
        self.step_time += self.time_step
        self.done += self.time_step / self._seconds[self.stance]
        over = self.done >= 1.0
        landed = self.done > EARLIEST and self.loads[self.swing] > LANDED * self.weight
        if landed if self.synchronised else over:
            self._next_state(gait)
            self.done, self.waiting = 0.0, False
            return True
        self.done, self.waiting = min(self.done, 1.0), over
        return False


class Imitation(Simbicon):
    """One character imitating one periodic motion, with the gains of ``gait``, which must already be scaled to the body."""

    machine: PhaseMachine

    def __init__(self, body: Body, gait: Gait, motion: Periodic, time_step: float, friction: float):
        super().__init__(body, gait, time_step)
        self.motion = motion
        self.machine = PhaseMachine(9.81 * body.mass, time_step, motion.period, motion.right)
        self._lift = 0.0  # 0–1, how much of the extra lift of the swing foot there is
        self.extra_speed = (0.0, 0.0)  # m/s, forward and left, wanted on top of the recording's
        self._hinges = body.hinges
        self._row = _table(motion, foreseen_torques(motion, friction))
        self._fade: Array | None = None  # (L, 3) rad by which the targets would have jumped when the step began
        self._begin_at: tuple[int, float] = (0, 0.0)

    def begin_at(self, stance: int, done: float) -> None:
        """Where in the cycle the body is when it is placed: the stance leg, and the fraction of its step that is over."""
        self._begin_at = (stance, done)

    def reset(self, state: State, stance: int = 0) -> None:
        super().reset(state, stance)
        stance, done = self._begin_at
        self.machine.begin(stance, [foot.force[2] for foot in state.feet], done)
        self._fade = None

    def torques(self, state: State) -> PerJoint:
        machine, gait = self.machine, self.gait
        phase_before = machine.phase
        if machine.advance(gait, state, self._facing):
            self._fade = self._jump(phase_before, machine.phase)
        if self.feedforward:
            self.feedforward.at(machine.stance, machine.step_time)
        self._turn(state)
        self._aim()
        self._stance_ankle = state.feet[machine.stance].position
        pose, side = machine.pose(gait), 1.0 if machine.stance == 0 else -1.0
        hips = self._hips_over_foot(state)
        self._lift = sin(pi * min(1.0, machine.done / LIFTED)) ** 2
        torques: PerJoint = [0.0] * self._links
        spin, carry = unrotate(state.rotation, state.angular_velocity), self._carry()
        rest = self._trunk(state, torques, pose, side, spin, sum(carry) > 0.0)
        self._hips(state, torques, pose, side, hips, spin, carry, rest)
        for leg in (0, 1):
            self._lower_leg(state, torques, leg, leg != machine.stance, pose, side, hips)
        self._swing_arms(state, torques)
        return torques

    # -- what it goes by -----------------------------------------------------------------------------------------------

    def _aim(self) -> None:
        """Read the recording off at this phase: targets and rates of all joints, relative to their parents, of the pelvis to the heading."""
        rotations, rates, foreseen, self._ahead, self._velocity = self._row(self.machine.phase)
        eased = self.machine.step_time / max(self.gait.style.ease, 1e-9)
        if self._fade is not None and eased < 1.0:
            rotations = rotation.multiply(rotations, rotation.exp((1.0 - eased * eased * (3.0 - 2.0 * eased)) * self._fade))
        if self.machine.waiting:
            rates = np.zeros_like(rates)
        self._targets: list[Quaternion] = [tuple(row) for row in rotations.tolist()]
        self._rates: list[Vector] = [tuple(row) for row in rates.tolist()]
        self._foreseen: list[Vector] = [tuple(row) for row in foreseen.tolist()]

    def _jump(self, before: float, after: float) -> Array:
        """(L, 3) rad by which the targets would jump from one phase to another."""
        return rotation.log(rotation.multiply(rotation.conjugate(self._row(after)[0]), self._row(before)[0]))

    def _hips_over_foot(self, state: State) -> HipsOverFoot:
        """Where the hips are over the stance foot and how fast they go, less where and how fast the recording has them."""
        real = super()._hips_over_foot(state)
        ahead, velocity, extra = self._ahead[self.machine.stance], self._velocity, self.extra_speed
        return HipsOverFoot((real.distance[0] - ahead[0], real.distance[1] - ahead[1]),
                            (real.velocity[0] - velocity[0] - extra[0], real.velocity[1] - velocity[1] - extra[1]))

    def followed(self) -> Array:
        """(L, 3) m, world: the joints of the recording at the present phase, its stance ankle on the body's."""
        _, rotations = self.motion.pose(self.machine.phase)
        rotations[0] = turned(self._facing, tuple(rotations[0].tolist()))
        positions, _ = self.motion.body.skeleton.forward_kinematics(np.zeros(3), rotations)
        return positions + (self._stance_ankle - positions[self._legs[self.machine.stance][2]])

    def _in_heading(self, *links: int) -> tuple[Quaternion, Vector]:
        """Target orientation in the heading frame and target rate (rad/s) in its own frame of the last of a chain of links below the pelvis."""
        turn, rate = self._targets[0], self._rates[0]
        for link in links:
            target, own = self._targets[link], self._rates[link]
            turn, rate = multiply(turn, target), summed(unrotate(target, rate), own)
        return turn, rate

    # -- what it does --------------------------------------------------------------------------------------------------

    def _trunk(self, state: State, torques: PerJoint, pose: GaitPose, side: float, spin: Vector, carried: bool) -> Vector:
        gains, style = self.gait.gains, self.gait.style
        sagittal = pose.torso[0] + self.command.lean - style.slope_torso * self.command.slope
        coronal = pose.torso[1] * side
        share = style.pelvis_share
        pelvis, pelvis_rate = self._in_heading()
        upright = turned(self._facing, multiply(lean(share * sagittal, share * coronal), pelvis))
        roll, pitch, twist = ball_torque(offset(state.rotation, upright), _less(spin, pelvis_rate), gains["pelvis"])
        # Twist is not learned: the feet slip before the pelvis gets all of it.
        wanted = (*self._learned("pelvis", (roll, pitch), gains["pelvis"]), twist)
        joint, rate = state.joints[self._torso], state.joint_velocities[self._torso]
        if carried:
            torso, torso_rate = self._in_heading(self._torso)
            error = offset(multiply(state.rotation, joint), turned(self._facing, multiply(lean(sagittal, coronal), torso)))
            rate = _less(summed(unrotate(joint, spin), rate), torso_rate)
        else:
            error = offset(joint, self._targets[self._torso])
            rate = _less(rate, self._rates[self._torso])
        back = self._learned("back", ball_torque(error, rate, gains["back"]), gains["back"])
        torques[self._head] = self._follow(state, self._head, "neck", "neck")
        torques[self._torso] = summed(back, self._foreseen[self._torso])
        reaction = rotate(joint, back)
        rest = (-wanted[0] - reaction[0], -wanted[1] - reaction[1], -wanted[2] - reaction[2])
        for thigh, *_ in self._legs:
            rest = summed(rest, rotate(self._targets[thigh], self._foreseen[thigh]))
        return rest

    def _follow(self, state: State, link: int, gain: str, channel: str | None = None) -> Vector | float:
        """Torque of a joint towards the recording, relative to its parent. ``channel``: under which torques are learned for it."""
        joint, rate, target, wanted = state.joints[link], state.joint_velocities[link], self._targets[link], self._rates[link]
        gains = self.gait.gains[gain]
        if self._hinges[link]:
            bend = hinge_torque(hinge_angle(target) - joint, rate - wanted[1], gains)
            return (self._learned(channel, bend, gains) if channel else bend) + self._foreseen[link][1]
        torque = ball_torque(offset(joint, target), _less(rate, wanted), gains)
        return summed(self._learned(channel, torque, gains) if channel else torque, self._foreseen[link])

    def _hips(self, state: State, torques: PerJoint, pose: GaitPose, side: float, hips: HipsOverFoot, spin: Vector, carry: tuple[float, float],
              rest: Vector) -> None:
        style, command, gain = self.gait.style, self.command, self.gait.gains["swing_hip"]
        (dx, dy), (vx, vy) = hips.distance, hips.velocity
        grown = min(1.0, self.machine.done / GROWN)
        forward, outward = command.swing_offset
        sagittal = grown * (pose.swing_hip[0] + pose.cd[0] * dx + pose.cv[0] * vx + forward + style.slope_hip * command.slope)
        sagittal -= HIP_LIFT * pose.swing_knee * self._lift
        coronal = grown * ((pose.swing_hip[1] - outward) * side + style.sideways + pose.cd[1] * dy + pose.cv[1] * vy)
        own: list[Vector] = [(0.0, 0.0, 0.0), (0.0, 0.0, 0.0)]
        for leg in (0, 1):
            if carry[leg] > 0.999:
                continue
            thigh, free = self._legs[leg][0], 1.0 - carry[leg]
            hip = state.joints[thigh]
            target, target_rate = self._in_heading(thigh)
            if leg != self.machine.stance:
                target = multiply(lean(sagittal, coronal), target)
            error = offset(multiply(state.rotation, hip), turned(self._facing, target))
            rate = _less(summed(unrotate(hip, spin), state.joint_velocities[thigh]), target_rate)
            x, y, z = ball_torque(error, rate, gain)
            torque = summed((x, y, THIGH_TWIST * z), self._foreseen[thigh])
            own[leg] = (torque[0] * free, torque[1] * free, torque[2] * free)
            reaction = rotate(hip, own[leg])
            rest = _less(rest, reaction)
        rest = self._gripped(state, rest)
        for leg in (0, 1):
            thigh = self._legs[leg][0]
            (x, y, z), (mx, my, mz), share = unrotate(state.joints[thigh], rest), own[leg], carry[leg]
            torques[thigh] = (mx + share * x, my + share * y, mz + share * z)

    def _lower_leg(self, state: State, torques: PerJoint, leg: int, as_swing: bool, pose: GaitPose, side: float, hips: HipsOverFoot) -> None:
        thigh, shin, foot, toes = self._legs[leg]
        joints, rates, gains, slope = state.joints, state.joint_velocities, self.gait.gains, self.command.slope
        role = "swing" if as_swing else "stance"
        knee = pose.swing_knee * self._lift - self.gait.style.slope_knee * slope if as_swing else pose.stance_knee
        bend = hinge_angle(self._targets[shin]) - knee
        knee_torque = hinge_torque(bend - joints[shin], rates[shin] - self._rates[shin][1], gains[f"{role}_knee"])
        torques[shin] = knee_torque + self._foreseen[shin][1]
        gain = gains[f"{role}_ankle"]
        if as_swing:
            lift = lean(pose.swing_ankle[0] * self._lift + slope, pose.swing_ankle[1] * side)
        else:
            (dx, dy), (vx, vy) = hips.distance, hips.velocity
            lift = lean(pose.stance_ankle[0] + slope - pose.ankle_cd[0] * dx - pose.ankle_cv[0] * vx,
                        pose.stance_ankle[1] * side - pose.ankle_cd[1] * dy - pose.ankle_cv[1] * vy)
        if as_swing and self.gait.style.world_ankle:
            above = multiply(multiply(state.rotation, joints[thigh]), about_y(joints[shin]))
            target, _ = self._in_heading(thigh, shin, foot)
            error = offset(multiply(above, joints[foot]), turned(self._facing, multiply(lift, target)))
        else:
            error = offset(joints[foot], multiply(lift, self._targets[foot]))
        torques[foot] = summed(ball_torque(error, _less(rates[foot], self._rates[foot]), gain), self._foreseen[foot])
        if toes is not None:
            torques[toes] = self._follow(state, toes, "toe")

    def _swing_arms(self, state: State, torques: PerJoint) -> None:
        spread = self.command.arm_spread
        for name, (upper, fore), out in zip("LR", self._arms, (1.0, -1.0), strict=True):
            if spread:
                self._targets[upper] = multiply(lean(0.0, spread * out), self._targets[upper])
            torques[upper] = self._follow(state, upper, "shoulder", f"shoulder.{name}")
            torques[fore] = self._follow(state, fore, "elbow", f"elbow.{name}")


def _table(motion: Periodic, foreseen: Array) -> Callable[[float], Row]:
    """A function of phase: rotations (L, 4), rates (L, 3) and foreseen torques (L, 3) of the links, and, as tuples in the heading frame, how
    far the hips are ahead of the left and the right ankle ((x, y), (x, y)) in m and how fast they go (x, y) in m/s."""
    phases = np.arange(ROWS + 1) / ROWS
    roots, rotations = motion.pose(phases)
    velocities, rates = motion.rates(phases)
    positions, _ = motion.body.skeleton.forward_kinematics(roots, rotations)
    ankles = [motion.body.names.index(f"foot.{side}") for side in "LR"]
    ahead = (roots[:, None] - positions[:, ankles])[..., :2]
    links = len(motion.body.names)
    around = np.concatenate([foreseen, foreseen[:1]]).reshape(len(foreseen) + 1, -1)
    torques = np.stack([np.interp(phases, np.linspace(0.0, 1.0, len(around)), column) for column in around.T], axis=1)
    rows = np.concatenate([column.reshape(ROWS + 1, -1) for column in (rotations, rates, torques, ahead, velocities[:, :2])], axis=1)

    def at(phase: float) -> Row:
        place = (phase % 1.0) * ROWS
        before = int(place)
        row = rows[before] + (place - before) * (rows[before + 1] - rows[before])
        turns, rates, torques, rest = np.split(row, (4 * links, 7 * links, 10 * links))
        lx, ly, rx, ry, vx, vy = rest.tolist()
        return turns.reshape(links, 4), rates.reshape(links, 3), torques.reshape(links, 3), ((lx, ly), (rx, ry)), (vx, vy)

    return at


def _less(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])
