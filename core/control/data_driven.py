"""Data-driven control: a body follows a reference motion on its own feet (after Lee, Kim and Lee 2010).

The reference is bent so that it can be followed: the swing foot lands where it catches the body (eq. 3), at the right height (eq. 5), and the
stance leg keeps the pelvis as it should be in the world (eq. 2). Torques come from inverse dynamics on a planned contact force: the force that the
body would need is cut down to what the ground can give to the soles, the motion that this allows is solved again, and only then are torques computed.
Without that the light pelvis spins as soon as the ground does not give what was asked of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import acos, cos, pi, sin
from typing import Any

import numpy as np

from ..arrays import Array, Quaternion, Vector
from ..body import Body
from ..dynamics import Dynamics, Pose, differences, products
from ..physics.state import PerJoint, State
from ..quaternion import multiply, offset, rotate
from .course import Sample
from .footing import Footing
from .pd import within_strength

STRAIGHT = 0.998  # leg lengths from hip to ankle, at most, of a leg that is bent to move its foot
SETTLE = 0.5  # m that the body comes down for each metre that a late foot is lowered
STRETCHED = 0.985  # leg lengths from hip to ankle, at most, in a step that is made longer
PASSED = 0.15  # leg lengths that a swing foot must be ahead of the other one before it may cross its way
FARTHEST_BESIDE = 0.3  # leg lengths that a swing foot is moved aside at most, so that it does not meet the other leg
FARTHEST = 0.6  # leg lengths that feedback moves a landing, at most
LOWEST, HIGHEST = -0.05, 0.15  # m that feedback lowers and lifts a swing foot, at most
FEEL = 0.08  # fraction of a change of slope under the feet that is taken in at each moment of control
LEVEL, STEEPEST = 0.01, 0.4  # rise over run: ground that rises less counts as level, ground that rises more as an edge
LOADED = 0.03  # body weights on a foot, from which on it tells where the ground is
BOTH = 2  # the feet that swing in a jump
# What is 0 where feedback is left out, by the feedback's name.
OFF: dict[str, dict[str, Any]] = {
    "stance hip": {"pelvis": (0.0, 0.0)}, "swing hip": {"swing_velocity": (0.0, 0.0), "swing_distance": (0.0, 0.0)},
    "stance ankle": {"com": (0.0, 0.0), "ankle": (0.0, 0.0)}, "swing height": {"swing_height": (0.0, 0.0), "clearance": 0.0}}


Turn = Callable[[Array], Vector]  # of a vector (3,) of the clip into the world


@dataclass(frozen=True)
class Gains:
    """Feedback of the tracking controller. Of two numbers the first is a stiffness, 1/s² (acceleration for a radian or metre), the second a
    damping, 1/s.

    Attributes:
        joint, swing: of the joints, and of those of the swing leg. pelvis: of pelvis and torso in the world.
        com: of the centre of mass over the stance foot, horizontally; height: vertically.
        swing_velocity, swing_distance: (sagittal, coronal) how many metres further the swing foot lands for each m/s that the body is too fast, and
            for each metre that it is too far ahead, for a leg of 1 m (c1 and c2).
        swing_height: m that the swing foot is moved for each metre that it is too low (c5), and for each m/s that it rises too slowly (c6).
        knee, ankle: N·m/rad and N·m·s/rad for each kg of body mass, servos of the stance leg beside the planned torques.
        clearance: m that the swing foot is lifted over the reference in the middle of its swing.
        warp: fraction of a fragment over which the pose of the body at its beginning turns into the fragment's (eq. 6).
        lowering: m/s at which a foot that is late goes down to look for the ground.
    """

    joint: tuple[float, float]
    swing: tuple[float, float]
    pelvis: tuple[float, float]
    com: tuple[float, float]
    height: tuple[float, float]
    swing_velocity: tuple[float, float]
    swing_distance: tuple[float, float]
    swing_height: tuple[float, float]
    knee: tuple[float, float]
    ankle: tuple[float, float]
    clearance: float
    warp: float
    lowering: float

    def blended(self, other: Gains, fraction: float) -> Gains:
        """These gains at a fraction of 0, the other ones at 1."""
        if self is other or self == other:
            return self
        mixed: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            one, two = getattr(self, name), getattr(other, name)
            pair = isinstance(one, tuple)
            mixed[name] = tuple(a + fraction * (b - a) for a, b in zip(one, two, strict=True)) if pair else one + fraction * (two - one)
        return Gains(**mixed)


@dataclass(slots=True)
class Shift:
    """How far each joint is turned away from a sample (eq. 6), in the link's frame: (L, 3) rad, and how fast that changes, (L, 3) rad/s."""

    turn: Array
    rate: Array


@dataclass(slots=True)
class TrackingAim:
    """What to follow at this moment.

    Attributes:
        sample: of the reference. yaw: radians by which the clip is turned in the world; way: the same for the way that the body goes.
        shift: away from the sample, or None.
        stance: the foot over which the body is to be, swing: the one that is to land next; 0 left, 1 right, swing also ``BOTH``.
        swinging: 0–1, how much that one swings. phase: 0–1 of its swing.
        shares: the largest share of the weight on the left and right foot.
        drop: m that the swing foot is lowered, to find the ground.
        late: s by which the end of the sample's fragment has passed.
        stretch: factor of all lengths along the way that the body goes. tempo: factor of the pace at which the clip is played.
    """

    sample: Sample
    yaw: float
    way: float
    shift: Shift | None
    stance: int
    swing: int
    swinging: float
    phase: float
    shares: tuple[float, float]
    drop: float = 0.0
    late: float = 0.0
    stretch: float = 1.0
    tempo: float = 1.0


class DataDriven:
    """The control law for one body. At every moment of control ``see`` the state and ask for ``torques``; ``bend`` the reference now and then.

    Attributes:
        pose: the body as ``see`` has seen it. target: (L, 4) the pose that is followed, as ``bend`` has made it, the pelvis in the world.
        aim: what ``bend`` was given. torso: index of that link.
        aware: 0–1, how much it does about being out of balance.
        beside: m that a swing foot keeps beside the other leg until it has passed it; 0 where legs may go through each other.
        firm: (L, 1) fraction of its usual rate at which each joint goes where it should; of the legs 1.
    """

    pose: Pose
    target: Array
    aim: TrackingAim

    def __init__(self, body: Body, dynamics: Dynamics, gains: Gains, friction: float, spread: float = 0.0):
        """``spread``: m that each foot is set further out than in the recording."""
        self.body, self.dynamics, self.spread = body, dynamics, spread
        self.footing = Footing(body, friction)
        names = body.names
        self.torso = names.index("torso")
        self._legs = [[names.index(f"{link}.{side}") for link in ("thigh", "shin", "foot", "toes")] for side in "LR"]
        self._masks = np.zeros((3, len(names), 1))
        for foot, leg in enumerate(self._legs):
            self._masks[foot, leg] = self._masks[BOTH, leg] = 1.0
        self._loaded = LOADED * 9.81 * body.mass
        self._ground, self._on = 0.0, [0.0, 0.0, 0.0]  # m, height of the ground under the foot that stood last, and where its ankle was
        self._felt = self._slope = (0.0, 0.0)  # rise of the ground along x and y: as felt, and as it is taken to be
        self.gains, self.aware, self.beside = gains, 1.0, 0.0
        self.firm = np.ones((len(names), 1))

    def see(self, state: State) -> None:
        """Take in where the body is, before ``bend`` and ``torques``."""
        self.pose = self.dynamics.pose(state)
        self._soles = self.footing.soles(self.pose)
        loaded = [foot.force[2] > self._loaded for foot in state.feet]
        self._feel_slope(state)
        ankles = [self.pose.origins[leg[2]].tolist() for leg in self._legs]
        # On a slope, heights are measured as if it were turned level about the ankle.
        sx, sy = self._slope
        lows = [min(z - sx * (x - ankle[0]) - sy * (y - ankle[1]) for x, y, z in sole) for sole, ankle in zip(self._soles, ankles, strict=True)]
        # The ground under a foot that stands is where its sole is. A foot in the air is over the ground of the other foot, or of the last step.
        if loaded[0] or loaded[1]:
            self._ground, self._on = min((low, ankle) for low, ankle, load in zip(lows, ankles, loaded, strict=True) if load)
        under = [self._ground + sx * (x - self._on[0]) + sy * (y - self._on[1]) for x, y, _ in ankles]
        self._lows = lows
        self._grounds = [low if load else ground for low, load, ground in zip(lows, loaded, under, strict=True)]

    def _feel_slope(self, state: State) -> None:
        """Take in how the ground rises where the feet press on it."""
        px, py, pz = (a + b for a, b in zip(state.feet[0].push, state.feet[1].push, strict=True))
        if pz > 3.0 * self._loaded:
            fx, fy = self._felt
            self._felt = x, y = fx + FEEL * (-px / pz - fx), fy + FEEL * (-py / pz - fy)
            size = (x * x + y * y) ** 0.5
            cut = min(1.0, STEEPEST / size) if size > LEVEL else 0.0
            self._slope = (cut * x, cut * y)

    # -- the reference, bent ----------------------------------------------------------------------------------------------

    def bend(self, aim: TrackingAim) -> None:
        """Make the pose to follow from the reference and from where the body is."""
        self.aim, sample = aim, aim.sample
        c, s = cos(aim.yaw), sin(aim.yaw)

        def turn(vector: Array) -> Vector:
            x, y, z = vector.tolist()
            return (c * x - s * y, s * x + c * y, z)

        target = sample.rotations.copy() if aim.shift is None else products(sample.rotations, _exp(aim.shift.turn))
        pelvis = multiply((cos(0.5 * aim.yaw), 0.0, 0.0, sin(0.5 * aim.yaw)), tuple(target[0].tolist()))
        target[0] = pelvis
        self.target = target
        # While the foot looks for the ground, the body goes on and the joints wait.
        still = 0.0 if aim.late else aim.tempo
        self._rates = still * (sample.rates if aim.shift is None else sample.rates + aim.shift.rate)
        self._accelerations = (still * still) * sample.accelerations
        stance = aim.stance
        vx, vy, vz = (aim.tempo * sample.com_velocity).tolist()
        wc, ws = cos(aim.way), sin(aim.way)
        vx, vy = wc * vx - ws * vy, ws * vx + wc * vy
        ax, ay, _ = turn(sample.com - sample.balls[stance])
        more = (aim.stretch - 1.0, *_direction(vx, vy))
        vx, vy = _stretched(vx, vy, more)
        ax, ay = _stretched(ax, ay, more)
        # Longer steps need lower hips.
        sink = max(self._out_of_reach(target, pelvis, side, more) for side in (0, 1)) if aim.stretch > 1.0 else 0.0
        sx, sy = self._slope
        ball_x, ball_y, _ = turn(sample.balls[stance] - sample.ankles[stance])
        height = float(sample.com[2] - sample.lows[stance]) - sink - SETTLE * aim.drop + sx * (ax + ball_x) + sy * (ay + ball_y)
        out = self._outward(turn, stance)
        self._ahead = (ax - out[0] + aim.late * vx, ay - out[1] + aim.late * vy, height)
        self._velocity = (vx, vy, (0.0 if aim.late else vz) + sx * vx + sy * vy)
        self._acceleration = turn((still * still) * sample.com_acceleration)
        self._world = [(0, pelvis, 0), (self.torso, multiply(pelvis, tuple(target[self.torso].tolist())), 1)]
        if aim.swing != BOTH and (aim.stretch != 1.0 or self._slope != (0.0, 0.0) or self.spread):
            self._move_foot(target, pelvis, stance, more, *out, sink)
        if aim.swing == BOTH:
            forward, left, c, s = self._landing(turn)
            dx, dy = c * forward - s * left, s * forward + c * left
            for side in (0, 1):
                out = self._outward(turn, side)
                self._world.append((self._legs[side][0], self._move_foot(target, pelvis, side, more, dx + out[0], dy + out[1], 0.0), 2 + side))
        elif aim.swinging > 0.0:
            dx, dy, dz = self._catch(turn)
            thigh = self._move_foot(target, pelvis, aim.swing, more, dx, dy, dz + sink)
            self._world.append((self._legs[aim.swing][0], thigh, 2 + aim.swing))
        self._turning = [turn(still * sample.turning[row]) for _, _, row in self._world]
        self._turned = [turn((still * still) * sample.turned[row]) for _, _, row in self._world]
        gains = self.gains
        self._stiffness = self.firm**2 * (gains.joint[0] + (aim.swinging * (gains.swing[0] - gains.joint[0])) * self._masks[aim.swing])
        self._damping = self.firm * (gains.joint[1] + (aim.swinging * (gains.swing[1] - gains.joint[1])) * self._masks[aim.swing])

    def reference_rotations(self) -> Array:
        """(L, 4) of the reference at this moment, turned as it is in the world, before it is bent."""
        aim = self.aim
        rotations = aim.sample.rotations / np.linalg.norm(aim.sample.rotations, axis=1, keepdims=True)
        rotations[0] = multiply((cos(0.5 * aim.yaw), 0.0, 0.0, sin(0.5 * aim.yaw)), tuple(rotations[0].tolist()))
        return rotations

    def reference_joints(self) -> Array:
        """(L, 3) m, world: the joints of that, put where its stance foot meets the body's."""
        positions = self.dynamics.joints(self.reference_rotations())
        toes = self._legs[self.aim.stance][3]
        return positions + (self.pose.origins[toes] - positions[toes])

    def _errors(self) -> tuple[Vector, Vector]:
        """How far the centre of mass is behind where the reference has it over the stance foot (m), and how much too slow (m/s); world."""
        pose, stance = self.pose, self.aim.stance
        (x, y, z), (vx, vy, vz) = pose.com.tolist(), pose.com_velocity.tolist()
        bx, by, _ = pose.origins[self._legs[stance][3]].tolist()
        (ax, ay, az), (rx, ry, rz) = self._ahead, self._velocity
        aware = self.aware
        return ((aware * (ax - x + bx), aware * (ay - y + by), aware * (az - z + self._grounds[stance])),
                (aware * (rx - vx), aware * (ry - vy), aware * (rz - vz)))

    def _landing(self, turn: Turn) -> tuple[float, float, float, float]:
        """m, forward and left, that a landing is moved from where the reference has it to where it catches the body (eq. 3); and where the body
        faces, (x, y)."""
        gains, leg = self.gains, self.body.leg_length
        w, x, y, z = self.aim.sample.rotations[0].tolist()
        facing = turn(np.array([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 0.0]))
        c, s = _direction(facing[0], facing[1])
        behind, slower = self._errors()
        # Too fast or too far ahead: land farther on.
        forward = -leg * (gains.swing_velocity[0] * (c * slower[0] + s * slower[1]) + gains.swing_distance[0] * (c * behind[0] + s * behind[1]))
        left = -leg * (gains.swing_velocity[1] * (c * slower[1] - s * slower[0]) + gains.swing_distance[1] * (c * behind[1] - s * behind[0]))
        size, most = (forward * forward + left * left) ** 0.5, FARTHEST * leg
        if size > most:
            forward, left = forward * most / size, left * most / size
        return forward, left, c, s

    def _catch(self, turn: Turn) -> Vector:
        """m, world, that the swing foot is moved from where the reference has it: to where it catches the body (eq. 3), and to its height (eq. 5)."""
        gains, aim = self.gains, self.aim
        sample, foot = aim.sample, self._legs[aim.swing][2]
        forward, left, c, s = self._landing(turn)
        if self.beside:
            left = self._past_other(turn, c, s, left)
        rise = float(sample.lows[aim.swing]) - (self._lows[aim.swing] - self._grounds[aim.swing])
        rate = float(aim.tempo * sample.lifts[aim.swing] - self.pose.velocities[foot, 2])
        lift = min(max(gains.swing_height[0] * rise + gains.swing_height[1] * rate, LOWEST), HIGHEST)
        lift += gains.clearance * sin(pi * min(max(aim.phase, 0.0), 1.0))
        weight = aim.swinging
        out = self._outward(turn, aim.swing)
        return weight * (c * forward - s * left) + out[0], weight * (s * forward + c * left) + out[1], weight * lift - aim.drop

    def _past_other(self, turn: Turn, c: float, s: float, left: float) -> float:
        """m that the swing foot is moved to the left: ``left``, or so far that it passes the other leg. (c, s): where the body faces."""
        aim, sample, leg = self.aim, self.aim.sample, self.body.leg_length
        stance, swing = (self.pose.origins[self._legs[side][2]].tolist() for side in (1 - aim.swing, aim.swing))
        if c * (swing[0] - stance[0]) + s * (swing[1] - stance[1]) > PASSED * leg:
            return left
        x, y, _ = turn(sample.ankles[aim.swing] - sample.root)
        px, py, _ = self.pose.origins[0].tolist()
        out = 1.0 if aim.swing == 0 else -1.0
        apart = self.spread + out * (c * (y + py - stance[1]) - s * (x + px - stance[0]))
        return out * max(out * left, min(self.beside - apart, FARTHEST_BESIDE * leg))

    def _outward(self, turn: Turn, side: int) -> tuple[float, float]:
        """How far a foot is set out, m, world."""
        if not self.spread:
            return (0.0, 0.0)
        w, x, y, z = self.aim.sample.rotations[0].tolist()
        c, s, _ = turn(np.array([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 0.0]))
        out = self.spread if side == 0 else -self.spread
        return (-s * out, c * out)

    def _out_of_reach(self, target: Array, pelvis: Quaternion, side: int, more: Vector) -> float:
        """m by which the hips must come down further for a leg to reach its stretched step than for the recorded one."""
        thigh, shin, foot, _ = self._legs[side]
        upper = multiply(pelvis, tuple(target[thigh].tolist()))
        (x, y, z), (x2, y2, z2) = (rotate(q, tuple(self.body.offsets[link].tolist())) for q, link in
                                   ((upper, shin), (multiply(upper, tuple(target[shin].tolist())), foot)))
        x, y, z = x + x2, y + y2, z + z2
        longest = STRETCHED * self.body.leg_length
        lowest, recorded = (max(longest * longest - a * a - b * b, 0.0) ** 0.5 for a, b in (_stretched(x, y, more), (x, y)))
        return max(0.0, -z - lowest) - max(0.0, -z - recorded)

    def _move_foot(self, target: Array, pelvis: Quaternion, side: int, more: Vector, dx: float, dy: float, dz: float) -> Quaternion:
        """Bend a leg of the target so that its ankle moves by (dx, dy, dz) m in the world and the foot keeps its angle to the ground; before
        that, the way from hip to ankle is stretched (see ``_stretched``). Returns the thigh's orientation in the world."""
        body = self.body
        thigh, shin, foot, _ = self._legs[side]
        upper = multiply(pelvis, tuple(target[thigh].tolist()))
        lower = multiply(upper, tuple(target[shin].tolist()))
        foot_world = multiply(lower, tuple(target[foot].tolist()))
        first, second = tuple(body.offsets[shin].tolist()), tuple(body.offsets[foot].tolist())
        (x, y, z), (x2, y2, z2) = rotate(upper, first), rotate(lower, second)
        x, y = _stretched(x + x2, y + y2, more)
        x, y, z = x + dx, y + dy, z + z2 + dz
        if self._slope != (0.0, 0.0):
            sx, sy = self._slope
            z += sx * x + sy * y
            foot_world = multiply(_between((0.0, 0.0, 1.0), (-sx, -sy, 1.0)), foot_world)
        # First the knee is bent for the new distance, then the thigh is turned so that the ankle lies in the new direction.
        a, b = -first[2], -second[2]
        distance = min(max((x * x + y * y + z * z) ** 0.5, abs(a - b) + 0.02 * body.leg_length), STRAIGHT * (a + b))
        knee = pi - acos(min(max((a * a + b * b - distance * distance) / (2 * a * b), -1.0), 1.0))
        bent = (cos(0.5 * knee), 0.0, sin(0.5 * knee), 0.0)
        (nx, ny, nz), (mx, my, mz) = rotate(upper, first), rotate(multiply(upper, bent), second)
        upper = multiply(_between((nx + mx, ny + my, nz + mz), (x, y, z)), upper)
        target[shin] = bent
        target[thigh] = multiply(_inverse(pelvis), upper)
        target[foot] = multiply(_inverse(multiply(upper, bent)), foot_world)
        return upper

    # -- torques -----------------------------------------------------------------------------------------------------------

    def torques(self, state: State) -> PerJoint:
        """Joint torques as ``World.apply`` takes them."""
        gains, dynamics, pose, aim = self.gains, self.dynamics, self.pose, self.aim
        errors = differences(pose.rotations, self.target)
        slips = self._rates - pose.rates
        wanted = (pose.frames @ (self._stiffness * errors + self._damping * slips + self._accelerations)[:, :, None])[:, :, 0]
        self._servo_in_world(state, wanted)
        forces = dynamics.motion_forces(pose, wanted)
        behind, slower = self._errors()
        ax, ay, az = self._acceleration
        mass = dynamics.mass
        wanted_force = (mass * (ax + gains.com[0] * behind[0] + gains.com[1] * slower[0]),
                        mass * (ay + gains.com[0] * behind[1] + gains.com[1] * slower[1]),
                        mass * (az + gains.height[0] * behind[2] + gains.height[1] * slower[2] + 9.81))
        moment: Vector = tuple(forces.moment.tolist())
        force, about, ground = self.footing.plan(pose, self._soles, self._grounds, self._slope, aim.shares, wanted_force, moment)
        # What the feet cannot give goes into the motion of the whole body.
        spin = np.array(_solve(forces.inertia.tolist(), (about[0] - moment[0], about[1] - moment[1], about[2] - moment[2])))
        fx, fy, fz = forces.force.tolist()
        acceleration = np.array(((force[0] - fx) / mass, (force[1] - fy) / mass, (force[2] - fz) / mass))
        torques = dynamics.torques(pose, forces, acceleration, spin, ground)
        local = (pose.frames.transpose(0, 2, 1) @ torques[:, :, None])[:, :, 0]
        _, shin, foot, _ = self._legs[aim.stance]
        local[shin, 1] += mass * (gains.knee[0] * errors[shin, 1] + gains.knee[1] * slips[shin, 1])
        local[foot] += mass * (gains.ankle[0] * errors[foot] + gains.ankle[1] * slips[foot])
        return within_strength(local, dynamics.hinges, mass)

    def _servo_in_world(self, state: State, wanted: Array) -> None:
        """Pelvis, torso and the swinging thigh follow the reference in the world: set in ``wanted`` what their joints must do for that."""
        pose, gains = self.pose, self.gains
        for (link, goal, _), turning, turned in zip(self._world, self._turning, self._turned, strict=True):
            now = state.rotation if link == 0 else multiply(state.rotation, state.joints[link])
            error = rotate(now, offset(now, goal))
            stiffness, damping = gains.pelvis if link in (0, self.torso) else gains.swing
            if link == self.torso:
                firm = float(self.firm[link, 0])
                stiffness, damping = firm * firm * stiffness, firm * damping
            rates = pose.carried[len(wanted) + link].tolist()
            free = np.array([stiffness * e + damping * (w - v) + a for e, w, v, a in zip(error, turning, rates, turned, strict=True)])
            if link == 0:
                wanted[0] = free
            else:
                weight = 1.0 if link == self.torso else self.aim.swinging
                wanted[link] += weight * (free - wanted[0] - pose.bias[link] - wanted[link])


def _exp(turns: Array) -> Array:
    """(N, 4) rotations by (N, 3) rad."""
    half = 0.5 * turns
    angle = np.sqrt((half * half).sum(axis=1))
    rotations = np.empty((len(half), 4))
    rotations[:, 0] = np.cos(angle)
    rotations[:, 1:] = half * (np.sin(angle) / np.maximum(angle, 1e-12))[:, None]
    return rotations


def _direction(x: float, y: float) -> tuple[float, float]:
    """The direction of (x, y), of length 1; that of x where both are 0."""
    size = (x * x + y * y) ** 0.5
    return (x / size, y / size) if size > 1e-6 else (1.0, 0.0)


def _stretched(x: float, y: float, more: Vector) -> tuple[float, float]:
    """(x, y) made longer along a direction. ``more``: by which fraction, and the direction (x, y)."""
    fraction, c, s = more
    along = fraction * (x * c + y * s)
    return x + along * c, y + along * s


def _inverse(q: Quaternion) -> Quaternion:
    return (q[0], -q[1], -q[2], -q[3])


def _between(a: Vector, b: Vector) -> Quaternion:
    """The shortest turn from direction a to direction b, of any length."""
    (ax, ay, az), (bx, by, bz) = a, b
    w = ax * bx + ay * by + az * bz + ((ax * ax + ay * ay + az * az) * (bx * bx + by * by + bz * bz)) ** 0.5
    x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    size = (w * w + x * x + y * y + z * z) ** 0.5
    return (w / size, x / size, y / size, z / size) if size > 1e-12 else (1.0, 0.0, 0.0, 0.0)


def _solve(m: list[list[float]], v: Vector) -> Vector:
    """x with m·x = v, for a 3 × 3 matrix."""
    (a, b, c), (d, e, f), (g, h, i) = m
    p, q, r = e * i - f * h, f * g - d * i, d * h - e * g
    scale = 1.0 / (a * p + b * q + c * r)
    return (scale * (p * v[0] + (c * h - b * i) * v[1] + (b * f - c * e) * v[2]),
            scale * (q * v[0] + (a * i - c * g) * v[1] + (c * d - a * f) * v[2]),
            scale * (r * v[0] + (b * g - a * h) * v[1] + (a * e - b * d) * v[2]))
