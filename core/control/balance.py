"""Standing balance (Yin 2007, chapter 6): ankles, hips, and steps to where the body can be caught.

The capture point is the point on the ground over which the body would come to rest. The body is asked to drive it back over its feet, and to stay
upright. While the soles can give the force for that, it is the ankles that work. At the edge of the soles the trunk gives way and the hips help.
Where that is not enough, the leg that the push has unloaded steps to where the capture point will be, and then the other leg, until the capture point
is between the feet. A body that is pushed from the side may turn into the push, so that it steps forward.
"""

from __future__ import annotations

from math import asin, atan2, cos, hypot, sin

import numpy as np

from ..arrays import Array, Quaternion, Vector
from ..balance_styles import BalanceStyle
from ..body import Body
from ..dynamics import Dynamics, Pose, differences
from ..footholds import foothold, growth, stepping, turning
from ..hull import Point
from ..physics.state import PerJoint, State
from ..quaternion import IDENTITY, from_euler, heading, multiply, nearest_euler, offset, rotate, turned
from ..rotation import wrap
from .footing import Footing, Sole
from .pd import within_strength
from .step import Swing, nearest
from .whole_body import WholeBody

LOADED = 0.05  # body weights on a swinging foot, from which on it stands
NEAR = 0.015  # m: corners of a sole no higher than this over the ground can carry
INSIDE = 0.85  # fraction of the sole's length and width in which the ground can press: at the edge itself a foot tips over
STRETCHED = 0.985  # leg lengths from hip to ankle, at most, of a leg that stands
FASTEST_DROP = 4.0  # m/s² that the body is asked to rise or drop at most: in a faster drop the feet have no weight left to push with
FASTEST_SWING = 80.0  # m/s² that a foot is asked for, at most
LATEST_S = 0.1  # s after the end of a step, from when on its foot comes down where it is
LEAVING_M_S = 0.3  # m/s of the hips away from a foot, from which on they leave it behind
AHEAD = 0.1  # m that the centre of mass is ahead of an ankle, from which on that foot may lift its heel
BENT = 0.15  # rad: a knee that is bent less is kept from its stop …
STOP = (400.0, 40.0)  # … with this stiffness and damping, 1/s² and 1/s
PLANTED, PLANTED_WEIGHT, TOES_WEIGHT = (100.0, 20.0), 10.0, 3.0  # of feet that stand: stiffness and damping, 1/s² and 1/s, and weights of the tasks
BORNE = 0.85  # of the weight on one foot, from which on the other may be lifted
QUIET_S = 0.25  # s that a body is slow before it counts as quiet


class StandingBalance:
    """The control law of one body that stands.

    Attributes:
        target: (L, 4) the pose to stand in, the pelvis in the world; it may change.
        steps: how many were made to catch the body. swing: the step that is on. awake: s, from when on it may step.
        lean: rad, the most that the trunk has leant.
        quiet_since: s, or None while the body moves.
        bearing: the foot (0 left, 1 right) that the weight is to be shifted over while both stand; None: it is shared.
    """

    def __init__(self, body: Body, dynamics: Dynamics, style: BalanceStyle, friction: float, target: Array, awake: float = 0.0,
                 firm: Array | None = None):
        self.body, self.style, self.target, self.awake = body, style, target, awake
        self._dynamics, self._solver, self._footing = dynamics, WholeBody(body, dynamics, friction), Footing(body, friction)
        names = body.names
        self._torso = names.index("torso")
        self._firm = np.ones(len(names)) if firm is None else firm
        self._knees, self._feet, self._toes = ([names.index(f"{link}.{side}") for side in "LR"] for link in ("shin", "foot", "toes"))
        self._balls = [(i, body.limits[i].tolist()) for i in range(1, len(names)) if not body.hinges[i]]
        self._soles = [[i for i, link in enumerate(body.sole_links) if names[link].endswith(side)] for side in "LR"]
        self._ankle = -float(body.sole_points[:, 2].min())  # m, height over the sole
        along = body.sole_points[:, 0] + np.where(np.isin(body.sole_links, self._toes), body.offsets[self._toes[0], 0], 0.0)
        self._ahead = 0.5 * float(along.min() + along.max())  # m from the ankle to the middle of the sole
        self._weights = np.array([0.1 * style.w_joint if name.startswith(("thigh", "shin", "foot")) else style.w_joint for name in names])
        self._planted: list[tuple[Vector, float]] = []  # of each foot as it stands, or stood last: m of the ankle, rad of where it points
        self._landed = self._moved = -1.0
        self.swing: Swing | None = None
        self._stands = (0.0, 0.0)  # m (forward, left) of the centre of mass from the middle between the feet, as the body stood at first
        self._turns = (0.0, 0.0)  # rad that the body is turned from the target before the present step, and after it
        self._face(0.0)
        self.steps, self.lean = 0, 0.0
        self.quiet_since: float | None = None
        self.bearing: int | None = None

    def torques(self, state: State) -> PerJoint:
        """Joint torques as ``World.apply`` takes them."""
        style, solver = self.style, self._solver
        pose = self._dynamics.pose(state)
        soles = self._footing.soles(pose)
        ground = min(point[2] for foot in self._standing() for point in soles[foot])
        if not self._planted:
            self._begin(state, pose, ground)
        self._face(state.time)
        com, velocity = pose.com.tolist(), pose.com_velocity.tolist()
        pace = (9.81 / max(com[2] - ground, 0.2 * self.body.leg_length)) ** 0.5
        caught = (com[0] + velocity[0] / pace, com[1] + velocity[1] / pace)
        over = self._decide(state, pose, soles, ground, caught, pace, hypot(*velocity[:2]))
        solver.begin(pose)
        middle, gain, swings = self._middle(), 1.0 + style.capture / pace, self.swing is not None
        if not over and self.steps:
            # The capture point is between feet that may be far apart: the body goes to their middle without haste.
            slow = min(1.0, style.still / style.capture / max(hypot(caught[0] - middle[0], caught[1] - middle[1]), 1e-9))
            middle = (caught[0] + slow * (middle[0] - caught[0]), caught[1] + slow * (middle[1] - caught[1]))
        push = np.array([pace**2 * (com[k] - middle[k] - gain * (caught[k] - middle[k])) for k in (0, 1)])
        # In a step it is the foot that catches the body, and the trunk is to be upright when it lands.
        solver.add(solver.com[:2], push - solver.com_swung[:2], style.w_falling if swings else style.w_com)
        rise = style.height[0] * (self._hips_over(state) - state.position[2] + ground) - style.height[1] * velocity[2]
        solver.add(solver.com[2:], min(max(rise, -FASTEST_DROP), FASTEST_DROP) - solver.com_swung[2:], style.w_height)
        self._hold_trunk(state, pose, style.w_upright if swings else style.w_trunk)
        for foot in (0, 1):
            self._place_foot(foot, state, pose)
        self._bend_knees(state)
        if style.careful:
            self._keep_in_range(state, pose)
        errors, firm = differences(pose.rotations, self.target), self._firm[:, None]
        goals = (pose.frames @ (style.joint[0] * firm * errors - style.joint[1] * firm**0.5 * pose.rates)[:, :, None])[:, :, 0]
        local = solver.torques(self._corners(soles, ground), goals, self._weights)
        return within_strength(local, self._dynamics.hinges, self._dynamics.mass)

    def _begin(self, state: State, pose: Pose, ground: float) -> None:
        """Take in how the body stands: it is to come back to that."""
        for foot in (0, 1):
            self._planted.append(self._place_of(foot, pose, ground))
        self._height = min(state.position[2] - ground, STRETCHED * self.body.leg_length + self._ankle)
        yaw = heading(state.rotation)
        c, s = cos(yaw), sin(yaw)
        self._turned_out = [turn - yaw for _, turn in self._planted]
        x, y, _ = pose.com.tolist()
        middle = self._middle()
        self._stands = ((x - middle[0]) * c + (y - middle[1]) * s, (y - middle[1]) * c - (x - middle[0]) * s)

    def _face(self, time: float) -> None:
        """Set where the pelvis is to face: with the step that is on it turns to where the body falls."""
        before, after = self._turns
        self._root = turned(before + (self.swing.fraction(time) if self.swing else 1.0) * (after - before), tuple(self.target[0].tolist()))
        self._yaw = heading(self._root)

    # -- what it is asked to do ------------------------------------------------------------------------------------------

    def _hold_trunk(self, state: State, pose: Pose, weight: float) -> None:
        """Ask pelvis and torso to be as the target has them in the world, the more firmly the further they lean."""
        goal = self._root
        for link in (0, self._torso):
            now = state.rotation if link == 0 else multiply(state.rotation, state.joints[link])
            goal = goal if link == 0 else multiply(goal, tuple(self.target[link].tolist()))
            error = offset(now, goal)
            lean = (error[0] ** 2 + error[1] ** 2) ** 0.5
            firm = self._firm[link]
            wanted = self.style.trunk[0] * firm * np.array(rotate(now, error)) - self.style.trunk[1] * firm**0.5 * pose.turning[link]
            self._solver.add(self._solver.turning(link), wanted - self._solver.turned[link], weight * (1.0 + (lean / self.style.lean) ** 4))
        self.lean = max(self.lean, 2.0 * asin(min(0.5 * lean, 1.0)))

    def _place_foot(self, foot: int, state: State, pose: Pose) -> None:
        """Ask a foot to stand where it stands, or to swing."""
        solver, link, (stand, yaw) = self._solver, self._feet[foot], self._planted[foot]
        place, gains, weight = pose.origins[link], PLANTED, PLANTED_WEIGHT
        if self.swing and self.swing.foot == foot:
            goal, speed, change = (np.array(values) for values in self.swing.at(state.time))
            gains, weight, yaw = self.style.swing, self.style.w_swing, self.swing.yaw(state.time)
            wanted = gains[0] * (goal - place) + gains[1] * (speed - pose.velocities[link]) + change
            wanted *= min(1.0, FASTEST_SWING / max(float(np.linalg.norm(wanted)), 1e-9))
        elif self.swing and state.joints[self._knees[foot]] < 2.0 * BENT and float((pose.com - place) @ pose.frames[link][:, 0]) > AHEAD:
            # A leg that is stretched out behind the body stands on its toes.
            link = self._toes[foot]
            solver.add(solver.moving(link, pose.origins[link]), -PLANTED[1] * pose.velocities[link] - solver.swung[link], TOES_WEIGHT)
            solver.add(solver.turning(link), -PLANTED[1] * pose.turning[link] - solver.turned[link], 0.3 * TOES_WEIGHT)
            return
        else:
            wanted = gains[0] * (np.array(stand) - place) - gains[1] * pose.velocities[link]
        now = _quaternion(pose.frames[link])
        turn = gains[0] * np.array(rotate(now, offset(now, turned(yaw, IDENTITY)))) - gains[1] * pose.turning[link]
        solver.add(solver.moving(link, place), wanted - solver.swung[link], weight)
        solver.add(solver.turning(link), turn - solver.turned[link], 0.3 * weight)

    def _bend_knees(self, state: State) -> None:
        """Ask knees that are nearly straight to bend: at its stop a joint gives torques that the equations do not know."""
        for knee in self._knees:
            near = BENT - state.joints[knee]
            if near > 0.0:
                wanted = np.array([STOP[0] * near - STOP[1] * state.joint_velocities[knee]])
                self._solver.add(self._solver.joint(knee), wanted, PLANTED_WEIGHT * min(1.0, 2.0 * near / BENT))

    def _keep_in_range(self, state: State, pose: Pose) -> None:
        """Ask balls that are beyond their range, and beyond where the target has them, to come back."""
        for link, limits in self._balls:
            joint = state.joints[link]
            now = nearest_euler(joint, limits)
            if all(low <= angle <= high for angle, (low, high) in zip(now, limits, strict=True)):
                continue
            target = nearest_euler(tuple(self.target[link].tolist()), limits)
            x, y, z = (min(max(angle, min(low, own)), max(high, own)) for angle, own, (low, high) in zip(now, target, limits, strict=True))
            back = np.array(offset(joint, from_euler((x, y, z))))
            far = float(np.linalg.norm(back))
            if far > 0.0:
                way, rate = pose.frames[link] @ (back / far), float(back @ state.joint_velocities[link]) / far
                self._solver.add(way[None] @ self._solver.joint(link), STOP[0] * far - STOP[1] * rate, PLANTED_WEIGHT * min(1.0, far / BENT))

    def _hips_over(self, state: State) -> float:
        """m, height of the pelvis over the ground that is wanted: as at first, or so low that the legs reach the feet that it comes to."""
        longest, (px, py, _), (vx, vy, _) = STRETCHED * self.body.leg_length, state.position, state.velocity
        height, swing = self._height, self.swing
        for foot in (0, 1):
            (x, y, _), ahead = self._planted[foot][0], 0.0
            if swing and swing.foot == foot:
                (x, y, _), ahead = swing.goal, max(0.0, swing.end - state.time)
            elif swing or (hypot(vx, vy) > LEAVING_M_S and (x - px) * vx + (y - py) * vy < 0.0):
                continue  # a foot that is left behind may lift its heel
            dx, dy = x - px - ahead * vx, y - py - ahead * vy
            height = min(height, self._ankle + max(longest * longest - dx * dx - dy * dy, 0.5 * longest * longest) ** 0.5)
        return height

    def _corners(self, soles: tuple[Sole, Sole], ground: float) -> list[tuple[int, Vector]]:
        """Link and point of each corner that carries, a little inside of the sole."""
        corners = []
        for foot in self._standing():
            mx, my = (sum(point[k] for point in soles[foot]) / len(soles[foot]) for k in (0, 1))
            corners += [(int(self.body.sole_links[i]), (mx + INSIDE * (x - mx), my + INSIDE * (y - my), z))
                        for (x, y, z), i in zip(soles[foot], self._soles[foot], strict=True) if z < ground + NEAR]
        return corners

    def bears(self, state: State) -> bool:
        """Whether nearly all of the weight is on the foot ``bearing``."""
        left, right = (foot.force[2] for foot in state.feet)
        return self.bearing is not None and (left, right)[self.bearing] > BORNE * (left + right) > 0.0

    # -- where it stands -------------------------------------------------------------------------------------------------

    def _standing(self) -> list[int]:
        return [foot for foot in (0, 1) if not self.swing or self.swing.foot != foot]

    def _place_of(self, foot: int, pose: Pose, ground: float) -> tuple[Vector, float]:
        """m of the ankle of a foot flat on the ground, and rad of where it points."""
        frame, (x, y, _) = pose.frames[self._feet[foot]], pose.origins[self._feet[foot]].tolist()
        return (x, y, ground + self._ankle), atan2(float(frame[1, 0]), float(frame[0, 0]))

    def _sole(self, foot: int) -> tuple[float, float]:
        """m, the middle of the sole of a foot that stands."""
        (x, y, _), yaw = self._planted[foot]
        return x + self._ahead * cos(yaw), y + self._ahead * sin(yaw)

    def _middle(self) -> tuple[float, float]:
        """m, (x, y) over which the centre of mass is to be."""
        feet = self._standing()
        if self.bearing is not None and len(feet) == 2:
            return self._sole(self.bearing)
        x, y = (sum(self._sole(foot)[k] for foot in feet) / len(feet) for k in (0, 1))
        if len(feet) == 2:
            c, s = cos(self._yaw), sin(self._yaw)
            x, y = x + c * self._stands[0] - s * self._stands[1], y + s * self._stands[0] + c * self._stands[1]
        return x, y

    # -- steps -----------------------------------------------------------------------------------------------------------

    def _decide(self, state: State, pose: Pose, soles: tuple[Sole, Sole], ground: float, caught: Point, pace: float, speed: float) -> float:
        """Land, go on with a step, or begin one. Returns how far (m) the capture point is beyond the feet that stand.

        ``caught``: the capture point. ``pace``: 1/s, at which a falling body departs from it. ``speed``: m/s of the centre of mass."""
        style, time, swing = self.style, state.time, self.swing
        near = nearest([point for _, point in self._corners(soles, float("inf"))], caught)
        over = hypot(caught[0] - near[0], caught[1] - near[1])
        if speed > style.still or over > 0.0 or swing:
            self._moved, self.quiet_since = time, None
        if swing:
            left = swing.end - time
            if left < 0.5 * swing.seconds and state.feet[swing.foot].force[2] > LOADED * 9.81 * self.body.mass:
                self._planted[swing.foot] = self._place_of(swing.foot, pose, ground)
                self.steps += 1
                self.swing, self._landed = None, time
            elif left < -LATEST_S:
                # Something is in the way: the foot comes down where it is.
                x, y, _ = pose.origins[self._feet[swing.foot]].tolist()
                swing.goal = (x, y, swing.goal[2])
            elif left > 0.25 * swing.seconds:
                swing.goal = self._foothold(swing.foot, caught, near, pace, left, ground)
        elif time < self.awake or time < self._landed + style.land_s:
            pass
        elif over > style.late:
            foot = stepping(self._sole(0), self._sole(1), caught, self.style.sidestep and not self.steps)
            self._turn_to(caught, over)
            self._step(foot, pose, time, self._foothold(foot, caught, self._sole(1 - foot), pace, style.swing_s, ground))
        elif time > self._moved + QUIET_S and self.quiet_since is None:
            self.quiet_since = time
        return over

    def _turn_to(self, caught: Point, over: float) -> None:
        """Have the step that begins turn the body to where it falls; ``over``: m that the capture point is beyond the feet."""
        turn = turning(self.style, self.body.leg_length, self._middle(), caught, over, self._yaw)
        self._turns = (self._turns[1], self._turns[1] + turn)

    def _step(self, foot: int, pose: Pose, time: float, goal: Vector) -> None:
        before, (begun, ended) = self._planted[foot][1], self._turns
        yaws = (before, before + wrap(self._yaw + ended - begun + self._turned_out[foot] - before))
        self.swing = Swing(foot, time, self.style.swing_s, tuple(pose.origins[self._feet[foot]].tolist()), goal, self.style.lift, yaws)
        self.swing.avoid(self._planted[1 - foot][0], self._yaw, self.style.bow)

    def _foothold(self, foot: int, caught: Point, near: Point, pace: float, left: float, ground: float) -> Vector:
        """m, where the ankle of a foot lands in ``left`` s: where the capture point will be then. A step that crosses the other foot ahead of it, or
        behind it, keeps to that. ``near``: the point of the feet that stand from which the capture point runs away."""
        c, s = cos(self._yaw), sin(self._yaw)
        way = self.swing.bow[0] * c + self.swing.bow[1] * s if self.swing else abs(self._turns[1] - self._turns[0])
        x, y = foothold(self.style, self.body.leg_length, foot, caught, near, growth(pace, left), self._planted[1 - foot][0][:2], self._yaw,
                        self._ahead, way)
        return x, y, ground + self._ankle


def _quaternion(m: Array) -> Quaternion:
    """The rotation of a matrix (3, 3) that turns by less than half a circle."""
    w = 0.5 * max(1.0 + float(m[0, 0] + m[1, 1] + m[2, 2]), 1e-6) ** 0.5
    return (w, float(m[2, 1] - m[1, 2]) / (4 * w), float(m[0, 2] - m[2, 0]) / (4 * w), float(m[1, 0] - m[0, 1]) / (4 * w))
