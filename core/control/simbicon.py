"""SIMBICON (Yin, thesis chapter 7; Yin, Loken, van de Panne 2007): a pose for each state, torso and swing hip in the world frame,
swing-hip feedback on the distance and velocity of the hips, stance hip from what torso and swing leg need.

Beyond the thesis: the torque on the root is shared between both hips by the load that their feet carry, trunk and pelvis are held
in the world separately, the swing foot can be held against the ground, arms swing against the legs.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, exp, pi, sin

from ..body import Body
from ..physics.state import State
from .feedforward import Feedforward
from .gait import Gait, Pose
from .quaternion import IDENTITY, heading, lean, multiply, offset, rotate, turned, unrotate

LOAD_FILTER = 0.015  # s, low-pass on the feet's forces before they decide who carries the trunk
STRIKE = 0.06  # body weights on the swing foot that count as a strike
FASTEST_TURN = 1.5  # rad/s that the facing target may move
FARTHEST_TURN = 0.6  # rad that the facing target may run ahead of the body
GRIP = 0.04  # m: the moment about the vertical that a planted foot holds, per newton on it, before it would spin on the ground


@dataclass
class Command:
    """What is asked of the walker now.

    Attributes:
        heading: rad, world. swing_offset: rad (sagittal, coronal) added to the swing hip; coronal is outward.
        lean: rad added to the torso's sagittal lean. slope: rad, rise of the ground ahead that it shall adapt to.
    """

    heading: float = 0.0
    swing_offset: tuple[float, float] = (0.0, 0.0)
    lean: float = 0.0
    slope: float = 0.0


class Simbicon:
    """One character walking with one gait. ``gait`` must already be scaled to the body."""

    def __init__(self, body: Body, gait: Gait, time_step: float):
        self.body, self.time_step = body, time_step
        self.command = Command()
        index = {name: i for i, name in enumerate(body.names)}
        self._legs = tuple((index[f"thigh.{s}"], index[f"shin.{s}"], index[f"foot.{s}"], index.get(f"toes.{s}")) for s in "LR")
        self._arms = tuple((index[f"upper_arm.{s}"], index[f"forearm.{s}"]) for s in "LR") if "forearm.L" in index else ()
        self._torso, self._head = index.get("torso"), index.get("head")
        self._weight = 9.81 * body.mass
        self._smoothing = 1.0 - exp(-time_step / LOAD_FILTER)
        self._links = len(body.names)
        self.gait = gait
        self.stance, self.state_index, self.state_time = 0, 0, 0.0
        self.steps = 0
        self.step_time, self.last_step_time = 0.0, 0.0
        self.feedforward: Feedforward | None = None
        self._aims = [0.0, 0.0, 0.0]  # swing hip (sagittal) and knees (left, right) that are aimed at now
        self._aims_before = list(self._aims)
        self._loads = [0.5 * self._weight] * 2
        self._facing = 0.0

    def reset(self, state: State, stance: int = 0) -> None:
        """Begin the first state of the machine with the given stance leg (0 left, 1 right)."""
        self.stance, self.state_index, self.state_time, self.steps = stance, 0, 0.0, 0
        self._aims = [0.0] + [-state.joints[leg[1]] for leg in self._legs]
        self._aims_before = list(self._aims)
        self._loads = [foot.force[2] for foot in state.feet]
        if sum(self._loads) < 0.05 * self._weight:
            self._loads = [0.5 * self._weight] * 2
        self._facing = heading(state.rotation)

    def change(self, gait: Gait) -> None:
        """Go on with other parameters, at a change of step."""
        self.gait = gait
        self.state_index = min(self.state_index, len(gait.states) - 1)

    # -- the machine ---------------------------------------------------------------------------------------------------

    def _advance(self, state: State) -> None:
        """Filter the feet's loads, count time, change state."""
        for side in (0, 1):
            self._loads[side] += self._smoothing * (state.feet[side].force[2] - self._loads[side])
        self.state_time += self.time_step
        self.step_time += self.time_step
        pose = self.gait.states[self.state_index]
        if pose.duration is not None:
            done = self.state_time >= pose.duration - 1e-9
        elif self.gait.legs == "together":
            done = sum(foot.force[2] for foot in state.feet) > STRIKE * self._weight
        else:
            done = state.feet[1 - self.stance].force[2] > STRIKE * self._weight
        if done:
            self._next_state(state)

    def _next_state(self, state: State) -> None:
        self.state_time = 0.0
        self._aims_before = list(self._aims)
        self.state_index += 1
        if self.state_index == len(self.gait.states):
            self.state_index = 0
            self.steps += 1
            self.last_step_time, self.step_time = self.step_time, 0.0
            if self.gait.legs == "alternate":
                self.stance = 1 - self.stance
                # The new swing leg starts from where it is.
                self._aims_before[0] = self._thigh_angle(state, 1 - self.stance)

    def _thigh_angle(self, state: State, leg: int) -> float:
        """Sagittal angle of a thigh in the world, forward positive (rad)."""
        joint = state.joints[self._legs[leg][0]]
        down = rotate(state.rotation, rotate(joint if type(joint) is tuple else _about_y(joint), (0.0, 0.0, -1.0)))
        yaw = heading(state.rotation)
        return atan2(down[0] * cos(yaw) + down[1] * sin(yaw), -down[2])

    def _eased(self, which: int, aim: float) -> float:
        """Fade a new state's aim in over the style's ``ease``: a jump in the target is a jolt in the motion."""
        ease = self.gait.style.ease
        if self.state_time < ease:
            before = self._aims_before[which]
            aim = before + (aim - before) * (self.state_time / ease)
        self._aims[which] = aim
        return aim

    # -- the law -------------------------------------------------------------------------------------------------------

    def torques(self, state: State) -> list:
        """Joint torques by link, as ``World.apply`` takes them."""
        self._advance(state)
        gait = self.gait
        pose, gains, style = gait.states[self.state_index], gait.gains, gait.style
        stance, swing = self.stance, 1 - self.stance
        side = 1.0 if stance == 0 else -1.0  # coronal angles are written for a left stance
        facing = self._turn(state)
        ahead = self.feedforward
        if ahead:
            ahead.at(stance, self.step_time / self.last_step_time if self.last_step_time else 0.0)
        torques: list = [0.0] * self._links

        cos_yaw, sin_yaw = cos(facing), sin(facing)
        px, py, _ = state.position
        if gait.legs == "together":
            ax = 0.5 * (state.feet[0].position[0] + state.feet[1].position[0])
            ay = 0.5 * (state.feet[0].position[1] + state.feet[1].position[1])
        else:
            ax, ay, _ = state.feet[stance].position
        vx, vy, _ = state.velocity
        distance = ((px - ax) * cos_yaw + (py - ay) * sin_yaw, (py - ay) * cos_yaw - (px - ax) * sin_yaw)
        velocity = (vx * cos_yaw + vy * sin_yaw, vy * cos_yaw - vx * sin_yaw)

        # Trunk in the world; torques here are in the pelvis frame.
        spin = unrotate(state.rotation, state.angular_velocity)
        command = self.command
        sagittal, coronal = pose.torso
        sagittal += command.lean - style.slope_torso * command.slope
        share = style.pelvis_share if self._torso is not None else 1.0
        upright = turned(facing, lean(share * sagittal, share * coronal * side))
        wanted = _pd(offset(state.rotation, upright), spin, gains["pelvis"])
        if ahead:
            wanted = ahead.add("pelvis", wanted, gains["pelvis"][0])
        rest = [-wanted[0], -wanted[1], -wanted[2]]  # what the hips together must put on the pelvis's parts
        if self._torso is not None:
            reaction = self._trunk(state, torques, spin, turned(facing, lean(sagittal, coronal * side)), gains)
            rest = [rest[k] - reaction[k] for k in range(3)]

        # Hips: each follows its own target as far as its foot is free, and carries the rest as far as it is loaded.
        loads = self._loads
        total = loads[0] + loads[1]
        if gait.legs == "alternate" and not style.share_load:
            carry = [1.0 - stance, float(stance)]
        elif total > 0.05 * self._weight:
            carry = [max(0.0, loads[0] / total), max(0.0, loads[1] / total)]
        elif gait.legs == "together":
            carry = [0.0, 0.0]
        else:
            carry = [1.0 - stance, float(stance)]
        offset_s, outward = command.swing_offset
        offset_s += style.slope_hip * command.slope
        swing_s = self._eased(0, pose.swing_hip[0] + pose.cd[0] * distance[0] + pose.cv[0] * velocity[0] + offset_s)
        swing_c = (pose.swing_hip[1] - outward) * side + style.sideways + pose.cd[1] * distance[1] + pose.cv[1] * velocity[1]
        free = [0.0, 0.0, 0.0]
        hip_pd = [None, None]
        for leg in (0, 1):
            if carry[leg] > 0.999:
                continue
            thigh = self._legs[leg][0]
            joint = state.joints[thigh]
            world = multiply(state.rotation, joint) if type(joint) is tuple else multiply(state.rotation, _about_y(joint))
            # Legs together: the coronal target is written for the right leg (the swing leg of a left stance); mirror it.
            out = swing_c if gait.legs == "alternate" or leg == 1 else swing_c - 2 * (pose.swing_hip[1] - outward) * side
            target = turned(facing, lean(swing_s, out))
            rate = state.joint_velocities[thigh]
            if type(joint) is tuple:
                local = unrotate(joint, spin)
                torque = _pd(offset(world, target), (local[0] + rate[0], local[1] + rate[1], local[2] + rate[2]), gains["swing_hip"])
                free_part = rotate(joint, torque)
            else:
                error = offset(world, target)[1]
                torque = free_part = (0.0, _clip(gains["swing_hip"], error, rate + spin[1]), 0.0)
            open_ = 1.0 - carry[leg]
            hip_pd[leg] = (torque[0] * open_, torque[1] * open_, torque[2] * open_)
            free = [free[k] + open_ * free_part[k] for k in range(3)]
        rest = self._gripped(state, (rest[0] - free[0], rest[1] - free[1], rest[2] - free[2]), total)
        for leg in (0, 1):
            thigh = self._legs[leg][0]
            joint = state.joints[thigh]
            part = carry[leg]
            if type(joint) is tuple:
                local = unrotate(joint, rest)
                extra = hip_pd[leg] or (0.0, 0.0, 0.0)
                torques[thigh] = (extra[0] + part * local[0], extra[1] + part * local[1], extra[2] + part * local[2])
            else:
                torques[thigh] = (hip_pd[leg][1] if hip_pd[leg] else 0.0) + part * rest[1]

        for leg in (0, 1):
            as_swing = pose.airborne if gait.legs == "together" else leg == swing
            self._lower_leg(state, torques, leg, as_swing, pose, side, facing, distance, velocity, gains)
        if self._arms:
            self._arm_swing(state, torques, gains)
        return torques

    def _gripped(self, state: State, torque: tuple, load: float) -> tuple:
        """Limit the vertical part of what the hips carry to what the feet can hold without spinning on the ground (pelvis frame)."""
        up = unrotate(state.rotation, (0.0, 0.0, 1.0))
        twist = torque[0] * up[0] + torque[1] * up[1] + torque[2] * up[2]
        most = GRIP * load * self.body.leg_length / 0.86
        excess = twist - max(-most, min(most, twist))
        return (torque[0] - excess * up[0], torque[1] - excess * up[1], torque[2] - excess * up[2])

    def _turn(self, state: State) -> float:
        """Move the facing target towards the commanded heading, neither faster nor farther than a step can turn."""
        error = _wrap(self.command.heading - self._facing)
        most = FASTEST_TURN * self.time_step
        self._facing += max(-most, min(most, error))
        actual = heading(state.rotation)
        ahead = _wrap(self._facing - actual)
        if abs(ahead) > FARTHEST_TURN:
            self._facing = actual + max(-FARTHEST_TURN, min(FARTHEST_TURN, ahead))
        return self._facing

    def _trunk(self, state: State, torques: list, spin: tuple, upright: tuple, gains: dict) -> tuple:
        """Torso held in the world, head held on the torso. Returns the back's torque in the pelvis frame."""
        torso, head = self._torso, self._head
        joint, rate = state.joints[torso], state.joint_velocities[torso]
        world = multiply(state.rotation, joint)
        local = unrotate(joint, spin)
        torque = _pd(offset(world, upright), (local[0] + rate[0], local[1] + rate[1], local[2] + rate[2]), gains["back"])
        nod = _pd(offset(state.joints[head], IDENTITY), state.joint_velocities[head], gains["neck"])
        if self.feedforward:
            torque = self.feedforward.add("back", torque, gains["back"][0])
            nod = self.feedforward.add("neck", nod, gains["neck"][0])
        torques[torso], torques[head] = torque, nod
        return rotate(joint, torque)

    def _lower_leg(self, state: State, torques: list, leg: int, as_swing: bool, pose: Pose, side: float, facing: float,
                   distance: tuple, velocity: tuple, gains: dict) -> None:
        thigh, shin, foot, toes = self._legs[leg]
        joints, rates = state.joints, state.joint_velocities
        knee = self._eased(1 + leg, pose.swing_knee if as_swing else pose.stance_knee)
        torques[shin] = _clip(gains["swing_knee" if as_swing else "stance_knee"], -knee - joints[shin], rates[shin])
        sagittal, coronal = pose.swing_ankle if as_swing else pose.stance_ankle
        coronal *= side
        gain = gains["swing_ankle" if as_swing else "stance_ankle"]
        if not as_swing:
            # Press the toes, or the outer edge, down against a drift.
            sagittal -= pose.ankle_cd[0] * distance[0] + pose.ankle_cv[0] * (velocity[0] - self.gait.speed)
            coronal -= pose.ankle_cd[1] * distance[1] + pose.ankle_cv[1] * velocity[1]
            sagittal += self.command.slope
        if type(joints[foot]) is not tuple:
            torques[foot] = _clip(gain, -sagittal - joints[foot], rates[foot])
            return
        if as_swing and self.gait.style.world_ankle:
            above = multiply(multiply(state.rotation, joints[thigh]), _about_y(joints[shin]))
            error = offset(multiply(above, joints[foot]), turned(facing, lean(sagittal + self.command.slope, coronal)))
        else:
            error = offset(joints[foot], lean(sagittal, coronal))
        torques[foot] = _pd(error, rates[foot], gain)
        if toes is not None:
            toe = pose.swing_toe if as_swing else pose.stance_toe
            torques[toes] = _clip(gains["toe"], -toe - joints[toes], rates[toes])

    def _arm_swing(self, state: State, torques: list, gains: dict) -> None:
        style, joints, rates = self.gait.style, state.joints, state.joint_velocities
        left, right = (-2.0 * atan2(joints[legs[0]][2], joints[legs[0]][0]) for legs in self._legs)
        for (upper, fore), swing, out in zip(self._arms, (right - left, left - right), (1.0, -1.0)):
            target = lean(style.arm_swing * swing, style.arm_spread * out)
            torques[upper] = _pd(offset(joints[upper], target), rates[upper], gains["shoulder"])
            torques[fore] = _clip(gains["elbow"], -style.elbow - joints[fore], rates[fore])
            if self.feedforward:
                name = "L" if out > 0 else "R"
                torques[upper] = self.feedforward.add(f"shoulder.{name}", torques[upper], gains["shoulder"][0])
                torques[fore] = self.feedforward.add(f"elbow.{name}", torques[fore], gains["elbow"][0])


def _pd(error: tuple, rate: tuple, gain: tuple) -> tuple:
    kp, kd, limit = gain
    x, y, z = kp * error[0] - kd * rate[0], kp * error[1] - kd * rate[1], kp * error[2] - kd * rate[2]
    size = x * x + y * y + z * z
    if size > limit * limit:
        cut = limit / size**0.5
        return (x * cut, y * cut, z * cut)
    return (x, y, z)


def _clip(gain: tuple, error: float, rate: float) -> float:
    kp, kd, limit = gain
    torque = kp * error - kd * rate
    return -limit if torque < -limit else limit if torque > limit else torque


def _about_y(angle: float) -> tuple:
    return lean(-angle, 0.0)


def _wrap(angle: float) -> float:
    return (angle + pi) % (2 * pi) - pi
