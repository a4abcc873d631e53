"""SIMBICON (Yin, thesis chapter 7; Yin, Loken, van de Panne 2007): a pose for each state, torso and swing hip in the world frame,
swing-hip feedback on the distance and velocity of the hips, stance hip from what torso and swing leg need.

Beyond the thesis: the torque on the root is shared between both hips by the load that their feet carry; trunk and pelvis are each
kept upright in the world; the swing foot can keep its angle to the ground; poses are faded in; the feet are not asked to hold more
twist than the ground gives; arms swing against the legs.

Angles follow ``gait``: sagittal is positive forward for a limb, coronal to the left. Torques are N·m in each link's own frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, exp, hypot, sin

from ..arrays import Quaternion, Vector
from ..body import Body
from ..physics.state import PerJoint, State
from ..quaternion import IDENTITY, heading, hinge_angle, lean, multiply, offset, rotate, turned, unrotate
from ..rotation import wrap
from .feedforward import Feedforward, Torque
from .gait import Gait, GaitPose, Style
from .machine import Machine
from .pd import Gain, ball_torque, hinge_torque, times
from .steering import FACING
from .wander import Wander

GRIP = 0.04  # N·m about the vertical that a planted foot holds, per newton on it, before it would spin on the ground (0.86 m leg)
HASTE, HELD = 1.0, (0.1, 0.3)  # rad that a swing leg goes further ahead for each rad, between these, that it is kept from crossing over: there it may
CROSSING = 2.0  # m that a swing foot may go across for each metre that it is ahead of the other foot's tip
STEADY = Style().unsteady  # of all gaits that do not wander
FELT = 0.3  # s in which a change of slope under the feet is taken in (0.86 m leg)
PRESSED, STEEPEST = 0.3, 0.2  # body weights on the feet from which on they feel the slope of the ground, and rad of the steepest that is believed
AIRBORNE = 0.05  # body weights on both feet together, below which no leg carries the trunk


@dataclass
class Command:
    """What is asked of the walker now.

    Attributes:
        heading: rad, world. swing_offset: rad (sagittal, coronal) added to the swing hip; coronal is outward.
        lean: rad added to the torso's sagittal lean. slope: rad, rise of the ground ahead that it is to adapt to.
        arm_spread: rad added to both shoulders, outward.
        aside: rad added to the swing hip towards the left, whichever leg swings: drives the body to the right.
        clearance: m from ankle to ankle, across, that a leg keeps while it passes the other; None: it need not.
        toes_up: rad added to the swing ankle.
    """

    heading: float = 0.0
    swing_offset: tuple[float, float] = (0.0, 0.0)
    lean: float = 0.0
    slope: float = 0.0
    arm_spread: float = 0.0
    aside: float = 0.0
    clearance: float | None = None
    toes_up: float = 0.0


@dataclass(slots=True)
class HipsOverFoot:
    """Where the hips are, seen from the stance foot, and how fast they go: m and m/s, (forward, left) in the facing frame."""

    distance: tuple[float, float]
    velocity: tuple[float, float]


class Simbicon:
    """One character walking with one gait. ``gait`` must already be scaled to the body."""

    def __init__(self, body: Body, gait: Gait, time_step: float, seed: int = 0):
        """``seed``: of what is left to chance, where the gait is unsteady."""
        self.gait = gait
        self.command = Command()
        self.feedforward: Feedforward | None = None
        self.machine = Machine(9.81 * body.mass, time_step)
        index = {name: i for i, name in enumerate(body.names)}
        self._legs = [(index[f"thigh.{s}"], index[f"shin.{s}"], index[f"foot.{s}"], index.get(f"toes.{s}")) for s in "LR"]
        self._arms = [(index[f"upper_arm.{s}"], index[f"forearm.{s}"]) for s in "LR"] if "forearm.L" in index else []
        # The planar biped has no torso and no head: then these are 0, the pelvis.
        self._torso, self._head = index.get("torso", 0), index.get("head", 0)
        self._links, self._planar = len(body.names), body.planar
        self._grip = GRIP * body.leg_length / 0.86
        self._leg_length, self._half_hips = body.leg_length, abs(float(body.offsets[index["thigh.L"], 1]))
        self._foot_length, self._poise = body.foot_length, body.poise
        self._facing = 0.0
        self._wander = Wander(seed)
        self._slope = 0.0  # rad that the ground goes up, as it is seen or felt
        self._feeling = 1.0 - exp(-time_step / (FELT * (body.leg_length / 0.86) ** 0.5))
        self._aims = [0.0] * 5  # rad of the swing hip (sagittal), left and right knee and ankle (sagittal) that are aimed at now …
        self._aims_before = [0.0] * 5  # … and that were aimed at when the state began

    def reset(self, state: State, stance: int = 0) -> None:
        """Begin the first state of the machine with the given stance leg (0 left, 1 right)."""
        self.machine.begin(stance, [foot.force[2] for foot in state.feet])
        self._aims = [self._thigh_angle(state, self.machine.swing)] + [-state.joints[leg[1]] for leg in self._legs] + self._ankles(state)
        self._aims_before = list(self._aims)
        self._facing = heading(state.rotation)

    def change(self, gait: Gait) -> None:
        """Go on with other parameters: of a gait with other states in the one in which it would be at this time of a step."""
        if len(gait.states) != len(self.gait.states):
            self.machine.find_state(gait)
        self.gait = gait
        if gait.style.unsteady is STEADY:
            self._wander.at(0.0, STEADY)
            self.machine.pace = 1.0

    def torques(self, state: State) -> PerJoint:
        """Joint torques by link, as ``World.apply`` takes them."""
        machine, gait = self.machine, self.gait
        if gait.style.unsteady is not STEADY:
            self._wander.at(state.time, gait.style.unsteady)
            machine.pace = 1.0 + self._wander.pace
        stance_before = machine.stance
        if machine.advance(gait, state, self._facing):
            self._aims_before = list(self._aims)
            if machine.stance != stance_before:
                # The new swing leg starts from where it is, and so do ankles, which go by the ground in swing and by the shin in stance.
                self._aims_before[0] = self._thigh_angle(state, machine.swing)
                self._aims_before[3:] = self._ankles(state)
        if self.feedforward:
            self.feedforward.at(machine.stance, machine.step_time)
        self._turn(state)
        self._feel(state)
        pose, side = machine.pose(gait), 1.0 if machine.stance == 0 else -1.0  # coronal angles are written for a left stance
        hips = self._hips_over_foot(state)
        spin, carry = unrotate(state.rotation, state.angular_velocity), self._carry()
        torques: PerJoint = [0.0] * self._links
        rest = self._trunk(state, torques, pose, side, spin, sum(carry) > 0.0)
        self._hips(state, torques, pose, side, hips, spin, carry, rest)
        for leg in (0, 1):
            as_swing = pose.airborne if gait.legs == "together" else leg != machine.stance
            self._lower_leg(state, torques, leg, as_swing, pose, side, hips)
        if self._arms:
            self._swing_arms(state, torques)
        return torques

    # -- what it goes by -----------------------------------------------------------------------------------------------

    def _turn(self, state: State) -> None:
        """Move the facing target towards the commanded heading, neither faster nor farther than a step can turn."""
        error = wrap(self.command.heading + self._wander.course - self._facing)
        most = FACING.fastest * self.machine.time_step
        self._facing += max(-most, min(most, error))
        actual = heading(state.rotation)
        ahead = wrap(self._facing - actual)
        if abs(ahead) > FACING.furthest:
            self._facing = actual + max(-FACING.furthest, min(FACING.furthest, ahead))

    def _feel(self, state: State) -> None:
        """Take in how the ground rises: what is seen of it ahead or, where nothing is, what the feet feel of it as they press on it."""
        seen, share = self.command.slope, self.gait.style.feels_slope
        if seen or not share:
            self._slope = seen
            return
        x, y, up = (left + right for left, right in zip(state.feet[0].push, state.feet[1].push, strict=True))
        if up > PRESSED * self.machine.weight:
            rise = -atan2(x * cos(self._facing) + y * sin(self._facing), up)
            self._slope += self._feeling * (share * max(-STEEPEST, min(STEEPEST, rise)) - self._slope)

    def _hips_over_foot(self, state: State) -> HipsOverFoot:
        cos_yaw, sin_yaw = cos(self._facing), sin(self._facing)
        px, py, _ = state.position
        if self.gait.legs == "together":
            (lx, ly, _), (rx, ry, _) = state.feet[0].position, state.feet[1].position
            ax, ay = 0.5 * (lx + rx), 0.5 * (ly + ry)
        else:
            ax, ay, _ = state.feet[self.machine.stance].position
        vx, vy, _ = state.velocity
        return HipsOverFoot(((px - ax) * cos_yaw + (py - ay) * sin_yaw, (py - ay) * cos_yaw - (px - ax) * sin_yaw),
                            (vx * cos_yaw + vy * sin_yaw, vy * cos_yaw - vx * sin_yaw))

    @property
    def facing(self) -> float:
        """rad, world: where it is to face now, on its way to the commanded heading."""
        return self._facing

    def feet_apart(self, state: State) -> float:
        """m from ankle to ankle, across: below 0 where the legs cross."""
        (lx, ly, _), (rx, ry, _) = state.feet[0].position, state.feet[1].position
        return (ly - ry) * cos(self._facing) - (lx - rx) * sin(self._facing)

    def _thigh_angle(self, state: State, leg: int) -> float:
        """Sagittal angle of a thigh in the world, forward positive (rad)."""
        down = rotate(state.rotation, rotate(self._hip(state, leg), (0.0, 0.0, -1.0)))
        yaw = heading(state.rotation)
        return atan2(down[0] * cos(yaw) + down[1] * sin(yaw), -down[2])

    def _hip(self, state: State, leg: int) -> Quaternion:
        """Rotation of a thigh relative to the pelvis, as a quaternion also where the hip is a hinge."""
        joint = state.joints[self._legs[leg][0]]
        return about_y(joint) if self._planar else joint

    def _ankles(self, state: State) -> list[float]:
        """Sagittal angles of the ankles, left and right, toes up positive (rad): of the swing leg to the ground where the gait has it so, else to
        the shin."""
        angles = []
        for leg, (thigh, shin, foot, _) in enumerate(self._legs):
            joint = state.joints[foot]
            if self._planar:
                angles.append(-joint)
                continue
            if leg != self.machine.stance and self.gait.style.world_ankle:
                joint = multiply(multiply(multiply(state.rotation, state.joints[thigh]), about_y(state.joints[shin])), joint)
            x, y, z = rotate(joint, (1.0, 0.0, 0.0))
            angles.append(atan2(z, hypot(x, y)))
        return angles

    def _eased(self, which: int, aim: float, ease: float) -> float:
        """Fade a new state's aim in over ``ease`` s: a jump in the target is a jolt in the motion."""
        since = self.machine.state_time
        if since < ease:
            before = self._aims_before[which]
            aim = before + (aim - before) * (since / ease)
        self._aims[which] = aim
        return aim

    def _learned(self, channel: str, feedback: Torque, gain: Gain) -> Torque:
        """Feedback of a joint with the torque that was learned for it."""
        return self.feedforward.add(channel, feedback, gain[2]) if self.feedforward else feedback

    # -- what it does --------------------------------------------------------------------------------------------------

    def _trunk(self, state: State, torques: PerJoint, pose: GaitPose, side: float, spin: Vector, carried: bool) -> Vector:
        """Keep pelvis and torso upright in the world and the head on the torso. Returns what is left for the hips: the torque (N·m, pelvis
        frame) that they must put on the thighs, so that the thighs' reaction gives the pelvis the torque that it needs.

        ``spin``: rad/s of the pelvis in its own frame. ``carried``: whether a foot carries the trunk."""
        gains, style, command = self.gait.gains, self.gait.style, self.command
        sagittal, coronal = pose.torso
        sagittal += command.lean - style.slope_torso * self._slope + self._poise
        sagittal, coronal = sagittal + self._wander.sway[0], coronal * side + self._wander.sway[1]
        share = style.pelvis_share if self._torso else 1.0
        upright = turned(self._facing + side * pose.turn[0], lean(share * sagittal, share * coronal + side * pose.drop))
        roll, pitch, twist = ball_torque(offset(state.rotation, upright), spin, gains["pelvis"])
        # Twist is not learned: the feet slip before the pelvis gets all of it.
        wanted = (*self._learned("pelvis", (roll, pitch), gains["pelvis"]), twist)
        if not self._torso:
            return (-wanted[0], -wanted[1], -wanted[2])
        joint, rate = state.joints[self._torso], state.joint_velocities[self._torso]
        if carried:
            error = offset(multiply(state.rotation, joint), turned(self._facing + side * pose.turn[1], lean(sagittal, coronal)))
            rate = summed(unrotate(joint, spin), rate)
        else:  # in the air: keep torso and pelvis in one line, so that both together take the legs' reaction, and not the pelvis alone
            error = offset(joint, lean((1.0 - share) * sagittal, (1.0 - share) * coronal))
        back = self._learned("back", ball_torque(error, rate, gains["back"]), gains["back"])
        level = lean(-style.level_head * sagittal - style.head_down, -style.head_aside - self._wander.sway[1])
        nod = ball_torque(offset(state.joints[self._head], level), state.joint_velocities[self._head], gains["neck"])
        torques[self._torso], torques[self._head] = back, self._learned("neck", nod, gains["neck"])
        reaction = rotate(joint, back)
        return (-wanted[0] - reaction[0], -wanted[1] - reaction[1], -wanted[2] - reaction[2])

    def _carry(self) -> tuple[float, float]:
        """The share of the trunk's torque that each hip carries, by the load on its foot."""
        (left, right), stance = self.machine.loads, self.machine.stance
        together = self.gait.legs == "together"
        loaded = left + right > AIRBORNE * self.machine.weight
        if loaded and (together or self.gait.style.share_load):
            return (max(0.0, left / (left + right)), max(0.0, right / (left + right)))
        return (0.0, 0.0) if together else (1.0 - stance, float(stance))

    def _hips(self, state: State, torques: PerJoint, pose: GaitPose, side: float, hips: HipsOverFoot, spin: Vector, carry: tuple[float, float],
              rest: Vector) -> None:
        """Each hip follows the swing target as far as its foot is free, and carries the rest as far as it is loaded (eq. 7.1, 7.3.2).

        ``spin``: as in ``_trunk``. ``rest``: what ``_trunk`` has left for the hips. ``carry``: the share of it that each hip carries."""
        style, command, gain = self.gait.style, self.command, times(self.gait.gains["swing_hip"], pose.swing_hip_gain)
        (dx, dy), (vx, vy) = hips.distance, hips.velocity
        forward, outward = command.swing_offset[0] + self._wander.place[0], command.swing_offset[1] + self._wander.place[1]
        sagittal = self._eased(0, pose.swing_hip[0] + pose.cd[0] * dx + pose.cv[0] * vx + (forward + style.slope_hip * self._slope), style.ease)
        width = (pose.swing_hip[1] - outward) * side
        aside = command.aside
        if command.clearance is not None:
            # A leg that may not pass close to the other one cannot be set inward: the other one does all of it.
            aside = 2.0 * aside if side * aside < 0.0 else 0.0
        coronal = width + style.sideways + aside + pose.cd[1] * dy + pose.cv[1] * vy
        if command.clearance is not None and self.gait.legs == "alternate":
            most = self._inmost(state, side * dy, command.clearance)
            held = side * coronal - most
            if held > 0.0:
                coronal = side * most
                sagittal += HASTE * max(0.0, min(held, HELD[1]) - HELD[0])
        own: list[Vector] = [(0.0, 0.0, 0.0), (0.0, 0.0, 0.0)]
        for leg in (0, 1):
            if carry[leg] > 0.999:
                continue
            hip, free = self._hip(state, leg), 1.0 - carry[leg]
            # Legs together: the coronal target is written for the right leg (the swing leg of a left stance); mirror it.
            out = coronal - 2 * width if self.gait.legs == "together" and leg == 0 else coronal
            target = turned(self._facing, lean(sagittal, out))
            if style.toe_out and not self._planar:
                target = multiply(target, about_z(style.toe_out * (1.0 - 2.0 * leg)))
            error = offset(multiply(state.rotation, hip), target)
            rate = state.joint_velocities[self._legs[leg][0]]
            if self._planar:
                torque = (0.0, hinge_torque(error[1], rate + spin[1], gain), 0.0)
            else:
                torque = ball_torque(error, summed(unrotate(hip, spin), rate), gain)
            own[leg] = (torque[0] * free, torque[1] * free, torque[2] * free)
            reaction = rotate(hip, own[leg])
            rest = (rest[0] - reaction[0], rest[1] - reaction[1], rest[2] - reaction[2])
        gripped = self._gripped(state, rest)
        if style.counter_turn and self._torso:
            self._turn_against(state, torques, (rest[0] - gripped[0], rest[1] - gripped[1], rest[2] - gripped[2]))
        rest = gripped
        for leg in (0, 1):
            (x, y, z), (mx, my, mz), share = unrotate(self._hip(state, leg), rest), own[leg], carry[leg]
            torques[self._legs[leg][0]] = my + share * y if self._planar else (mx + share * x, my + share * y, mz + share * z)

    def _inmost(self, state: State, over: float, clearance: float) -> float:
        """rad, inward: how far the swing leg may go towards the stance leg, so that the ankles stay ``clearance`` m apart. Where the foot is ahead of
        the other one it may cross over. ``over``: m that the hips are outward of the stance ankle, on its own side."""
        (sx, sy, _), (tx, ty, _) = state.feet[self.machine.stance].position, state.feet[self.machine.swing].position
        ahead = (tx - sx) * cos(self._facing) + (ty - sy) * sin(self._facing)
        return (self._half_hips - over - clearance + CROSSING * max(0.0, ahead - self._foot_length)) / self._leg_length

    def _gripped(self, state: State, torque: Vector) -> Vector:
        """Limit the twist about the vertical in what the hips carry to what the feet can hold without spinning on the ground (pelvis frame)."""
        up = unrotate(state.rotation, (0.0, 0.0, 1.0))
        twist = torque[0] * up[0] + torque[1] * up[1] + torque[2] * up[2]
        most = self._grip * sum(self.machine.loads)
        excess = twist - max(-most, min(most, twist))
        return (torque[0] - excess * up[0], torque[1] - excess * up[1], torque[2] - excess * up[2])

    def _turn_against(self, state: State, torques: PerJoint, twist: Vector) -> None:
        """Let the torso take the twist (N·m, pelvis frame) that the feet cannot hold, so that the pelvis does not spin while it flies."""
        share, most, joint = self.gait.style.counter_turn, self.gait.gains["back"][2], state.joints[self._torso]
        size = hypot(*twist)
        share *= min(1.0, most / size) if size else 0.0
        torques[self._torso] = summed(torques[self._torso], unrotate(joint, (share * twist[0], share * twist[1], share * twist[2])))

    def _lower_leg(self, state: State, torques: PerJoint, leg: int, as_swing: bool, pose: GaitPose, side: float, hips: HipsOverFoot) -> None:
        """Knee, ankle and toes of a leg, as those of the swing leg or of the stance leg."""
        thigh, shin, foot, toes = self._legs[leg]
        joints, rates, gains, slope = state.joints, state.joint_velocities, self.gait.gains, self._slope
        role = "swing" if as_swing else "stance"
        bend = pose.swing_knee - self.gait.style.slope_knee * slope if as_swing else pose.stance_knee
        knee = self._eased(1 + leg, bend, self.gait.style.ease)
        stiffer = pose.swing_knee_gain if as_swing else pose.stance_knee_gain
        torques[shin] = hinge_torque(-knee - joints[shin], rates[shin], times(gains[f"{role}_knee"], stiffer))
        sagittal, coronal = pose.swing_ankle if as_swing else pose.stance_ankle
        sagittal, coronal = sagittal + slope, coronal * side
        gain = times(gains[f"{role}_ankle"], pose.swing_ankle_gain if as_swing else pose.stance_ankle_gain)
        if as_swing:
            sagittal += self.command.toes_up
        else:
            # Press the toes, or the outer edge, down against a drift.
            (dx, dy), (vx, vy) = hips.distance, hips.velocity
            sagittal -= pose.ankle_cd[0] * dx + pose.ankle_cv[0] * (vx - self.gait.speed)
            coronal -= pose.ankle_cd[1] * dy + pose.ankle_cv[1] * vy
        if self.gait.style.ankle_ease:
            sagittal = self._eased(3 + leg, sagittal, self.gait.style.ankle_ease)
        if self._planar:
            torques[foot] = hinge_torque(-sagittal - joints[foot], rates[foot], gain)
            return
        if as_swing and self.gait.style.world_ankle:
            above = multiply(multiply(state.rotation, joints[thigh]), about_y(joints[shin]))
            out = self.gait.style.toe_out * (1.0 - 2.0 * leg)
            error = offset(multiply(above, joints[foot]), turned(self._facing + out, lean(sagittal, coronal)))
        else:
            error = offset(joints[foot], lean(sagittal, coronal))
        torques[foot] = ball_torque(error, rates[foot], gain)
        if toes is not None:
            toe = pose.swing_toe if as_swing else pose.stance_toe
            torques[toes] = hinge_torque(-toe - joints[toes], rates[toes], times(gains["toe"], pose.toe_gain))

    def _swing_arms(self, state: State, torques: PerJoint) -> None:
        """Each arm swings with the opposite leg (Wang 2009, eq. 2)."""
        style, gains, joints, rates = self.gait.style, self.gait.gains, state.joints, state.joint_velocities
        left, right = (-hinge_angle(joints[legs[0]]) for legs in self._legs)
        swings = (("L", right - left, 1.0, style.left_arm), ("R", left - right, -1.0, style.right_arm))
        for (upper, fore), (name, apart, out, arm) in zip(self._arms, swings, strict=True):
            swing = (style.arm_swing + arm.swing) * apart
            target = lean(swing + arm.forward, (style.arm_spread + self.command.arm_spread + arm.out) * out)
            if arm.turn:
                target = multiply(target, about_z(-arm.turn * out))
            shoulder = ball_torque(offset(joints[upper], target), rates[upper], gains["shoulder"])
            bend = style.elbow + arm.bend + style.elbow_swing * swing
            elbow = hinge_torque(-max(0.0, bend) - joints[fore], rates[fore], gains["elbow"])
            torques[upper] = self._learned(f"shoulder.{name}", shoulder, gains["shoulder"])
            torques[fore] = self._learned(f"elbow.{name}", elbow, gains["elbow"])


def summed(a: Vector, b: Vector) -> Vector:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def about_z(angle: float) -> Quaternion:
    """The rotation of a limb about itself, as it hangs."""
    return turned(angle, IDENTITY)


def about_y(angle: float) -> Quaternion:
    """The rotation of a hinge."""
    return lean(-angle, 0.0)
