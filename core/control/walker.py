"""Walker: decides from step to step what the SIMBICON law is to do — which gait, how fast, which way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import atan2, cos, hypot, inf, sin
from typing import Any

import numpy as np

from ..arrays import Array
from ..balance_styles import BalanceStyle, known_styles, scaled
from ..body import Body
from ..dynamics import Dynamics
from ..job import Job
from ..physics import World
from ..physics.base import simulated_inertias
from ..physics.settings import BALANCING, USUAL
from ..physics.state import PerJoint, State
from ..quaternion import IDENTITY, lean, turned
from ..quaternion import heading as heading_of
from ..rotation import wrap
from .balance import StandingBalance
from .driver import Driver
from .feedforward import Feedforward, learned_torques
from .gait import Gait, blend, can_blend, load_gait, lowered
from .refuge import Stride
from .simbicon import Simbicon
from .steering import GAIT_STEERING, REFUGE, PathFollower, curve_value
from .transitions import route

HOLD_S = 0.004  # s that the torques of a stand are held: they cost ten times as much as those of a gait
REST_HOLD_S, RESTS = 0.016, 0.005  # s that those of a body which rests are held while it is played, and m/s and rad/s up to which it does
STAND = "stand"  # the gait in which a walk ends that is to stop
SAME_PLACE = 0.01  # m: feet that differ less in their distance from the hips stand alike
WIDER = 2.5  # m that steps become wider, per metre of leg, for each rad that the swing hips go outward
USUAL_WIDTH = 0.5  # of the distance between the hips: the width of the gaits' own steps, about
WIDTH_GAIN, WIDTH_OFF = 0.3, 0.05  # of the error of the step width that is put right with each step; m, the largest one that is believed
WIDEST = 0.25  # rad that the swing hips go outward, or inward, for the step width
DRIFT_GAIN, MOST_DRIFT = 0.1, 0.1  # rad that the swing hips go against a drift of 1 m/s, more with each step; and at most
PASSING = 0.01  # m between legs that collide, while one passes the other
SEEN = (-0.1, 0.5)  # m ahead of the pelvis, between which the slope of the ground is seen: from just behind to a step ahead


class Walker(Driver):
    """Drives a body through a Job. The controller that acts is ``law``; ``step_width`` is what it was made with."""

    def __init__(self, body: Body, job: Job, gait: str, gaits: dict[str, Gait] | None = None, *, start: str | dict[str, Any] | None = None,
                 stance_width: float = 0.0, step_width: float | None = None, arm_spread: float = 0.0, slope_adaptation: bool = False,
                 feedback_gain: float | None = None, style: BalanceStyle | None = None, stops: bool = False, refuge: bool = True,
                 setting_off: Gait | None = None):
        """
        Args:
            gait: the name of the first one. gaits: replace presets of the same name.
            start: as in ``methods.gait``; None: as the gait's preset has it.
            stance_width: rad added to both swing hips, outward. arm_spread: rad added to both shoulders, outward.
            step_width: m from ankle to ankle, across, that steps of alternating legs are brought to; None: as the gait has it.
            slope_adaptation: lean and lift for the slope of the ground ahead.
            feedback_gain: share of the trunk's feedback gains that is kept beside the torques learned for this gait; None: without these.
            style: in which it keeps its balance where it stands, before it is scaled to the body; None: the first of the known ones.
            stops: whether it stands at the end of its path.
            refuge: whether it takes refuge in a sturdier gait, where the gait has one, while it is thrown off its stride.
            setting_off: the gait of the first steps, out of which it comes into its own; for one in which it is hard to set off.
        """
        super().__init__(body, job)
        self._own, self._slope_adaptation = gaits or {}, slope_adaptation
        self._stance_width, self.step_width, self._arm_spread = stance_width, step_width, arm_spread
        self.start_as, self._first = start, gait
        self._switches = sorted((event["time"], event["gait"]) for event in job.events if event["type"] == "gait")
        written = self._written(gait)
        self.start = written.start if start is None else None
        self.stride = written.stride
        self.reference_leg = written.reference["leg_length"]
        # Who stands and wants to run walks first: a gait that a stand cannot become at once is reached by way of those that it can.
        from_standing = start == "rest" or isinstance(start, dict)
        first, *then = (route(STAND, gait) if from_standing else []) or [gait]
        self._goal = self._gait(first)
        self._from: Gait | None = self._goal if then else None  # the gait before this one
        self._plan: list[str] = then  # gaits to go through
        self._mixed = 0  # steps until nothing of the gait before is left
        self._dwelt = 0  # steps in this gait since then
        self._blend, self._dwell = GAIT_STEERING.blend_steps, GAIT_STEERING.dwell_steps  # as there, for the change that goes on
        self._waited = 0  # steps since the next gait was wanted
        self._setting_off = setting_off
        if setting_off:
            self._from, self._mixed = setting_off.scaled(body.mass, body.leg_length), self._blend + 1
        if job.path:
            self._path = PathFollower(job.path, speed=abs(self._goal.speed) if start == "gait" else 0.0)
        self.law = Simbicon(body, self._goal, job.time_step, job.seed)
        self._takes_refuge, self._stride = refuge, Stride(body)
        if self.start is None and start != "gait":
            self._stride.set_off()
        self._widened = 0.0  # rad, of the swing hips, that bring about the step width
        self._drift = 0.0  # rad, of the swing hips, that keep it from drifting
        self._widths: list[float] = []  # m, of the last steps
        if step_width is not None:
            self._widen(step_width - USUAL_WIDTH * self._hip_spacing)
        self.law.command.swing_offset = (0.0, stance_width + self._widened)
        self.law.command.arm_spread = arm_spread
        if job.self_collision:
            self.law.command.clearance = body.legs_thick + PASSING
        if feedback_gain is not None:
            self.law.feedforward = Feedforward.from_dict(learned_torques(gait))
            self.soften(feedback_gain)
        stays = written.balance and not self._switches and not job.played
        self.world_settings = replace(BALANCING if stays else USUAL, time_step=job.time_step, friction=job.friction,
                                      self_collision=job.self_collision or stays, all_collide=job.self_collision)
        self.style = style or known_styles()[0]  # in which it keeps its balance
        self._standing: StandingBalance | None = None  # who has the body while it stands
        self._stepped = 0  # steps that were made to keep the balance, in stands that are over
        self._held: PerJoint = []  # torques of a stand, which are held for a moment
        self._held_at = -inf  # s, since when
        self._commanded_heading = self.heading(0.0, (0.0, 0.0))
        self._stops = stops and job.path is not None
        self._correction = 0.0  # m/s
        self._seen_steps = -1
        self._marks: list[tuple[float, float, float, float]] = []  # time, x, y and commanded heading at the last step changes
        self._turns = bool(job.path or job.played or (job.heading and len(job.heading) > 1))

    def again(self, job: Job) -> Walker:
        """Another walker of the same gait and widths, for another job. It starts as the gait's preset has it. Who goes in the refuge of its gait
        because its legs collide goes in that also where they do not."""
        own = {**self._own, self._first: self._written(self._first)}
        return Walker(self.body, job, self._first, own, stance_width=self._stance_width, step_width=self.step_width,
                      arm_spread=self._arm_spread, refuge=self._takes_refuge, setting_off=self._setting_off)

    def heading(self, time: float, position: Sequence[float]) -> float:
        """On a path a gait that goes backward, or to a side, faces so that it goes along the path."""
        return super().heading(time, position) - (self._goal.way if self._path else 0.0)

    def faces(self, state: State) -> float:
        """Where it is to face: in each step the pelvis turns to and fro around that."""
        return super().faces(state) if self._standing else self.law.facing

    def _written(self, name: str) -> Gait:
        """A gait as it is written, for the body that its preset names: its refuge where legs collide, because these need more room between the feet
        than it leaves."""
        gait = self._own.get(name) or load_gait(name)
        return gait.refuge if gait.refuge and self.job.self_collision else gait

    def _gait(self, name: str) -> Gait:
        """A gait on this body."""
        return self._written(name).scaled(self.body.mass, self.body.leg_length)

    @property
    def gait_name(self) -> str:
        return self.law.gait.name

    @property
    def _sturdier(self) -> Gait | None:
        """The gait in which it may take refuge."""
        return self._goal.refuge if self._takes_refuge else None

    @property
    def _refuge(self) -> Gait | None:
        """The sturdier gait that it is in, because it sets off or was thrown off its stride."""
        return self._goal.refuge if self._stride.fled is not None else None

    @property
    def stance(self) -> int:
        swing = self._standing.swing if self._standing else None
        return 1 - swing.foot if swing else self.law.machine.stance

    @property
    def state_index(self) -> int:
        return self.law.machine.state_index

    @property
    def steps(self) -> int:
        return self.law.machine.steps + self._stepped + (self._standing.steps if self._standing else 0)

    @property
    def stands(self) -> bool:
        """Whether it stands, by keeping its balance."""
        return self._standing is not None

    def torques(self, state: State) -> PerJoint:
        if self._seen_steps < 0:
            self.law.reset(state, stance=self._first_stance(state))
        if self._standing and self._may_go(state):
            self._go(state, self._standing)
        elif self.law.machine.steps != self._seen_steps:
            self._seen_steps = self.law.machine.steps
            self._at_step(state)
            self._standing = self._stand(state) if self.law.gait.balance else None
        self._commanded_heading = self.heading(state.time, state.position)
        if self._standing:
            return self._keep_balance(state, self._standing)
        self.law.command.heading = self.commanded_heading
        if self._sturdier and self._stride.thrown(state, self.law.facing, self.law.machine):
            self.law.change(self._sturdier)
        return self.law.torques(state)

    # -- standing --------------------------------------------------------------------------------------------------------

    def _stand(self, state: State) -> StandingBalance:
        """Begin to stand where the feet are."""
        dynamics = Dynamics(self.body, simulated_inertias(self.body, self.world_settings.inertia_floor))
        self._held_at = -inf
        return StandingBalance(self.body, dynamics, scaled(self.style, self.body), self.job.friction, self._upright(heading_of(state.rotation)))

    def _upright(self, yaw: float) -> Array:
        """(L, 4) the pose in which it stands, facing ``yaw`` (rad)."""
        pose, style = np.tile(IDENTITY, (len(self.body.names), 1)), self._goal.style
        pose[0] = turned(yaw, IDENTITY)
        for side, out in (("L", 1.0), ("R", -1.0)):
            pose[self.body.names.index(f"upper_arm.{side}")] = lean(0.0, (style.arm_spread + self._arm_spread) * out)
            pose[self.body.names.index(f"forearm.{side}")] = lean(style.elbow, 0.0)
        return pose

    def _keep_balance(self, state: State, standing: StandingBalance) -> PerJoint:
        rests = self.job.played and standing.quiet_since is not None and standing.bearing is None and _rests(state)
        if state.time >= self._held_at + (REST_HOLD_S if rests else HOLD_S) - 1e-9:
            self._held, self._held_at = standing.torques(state), state.time
        return list(self._held)  # the world adds to them what the limits of joints give

    def _may_go(self, state: State) -> bool:
        """Whether another gait is wanted, and the weight is on the left leg, which carries the first step."""
        standing, wanted = self._standing, bool(self._plan or (self._switches and self._switches[0][0] <= state.time))
        if standing is None or not wanted or standing.swing:
            return False
        standing.bearing = 0
        return standing.bears(state)

    def _go(self, state: State, standing: StandingBalance) -> None:
        """Leave a stand for the next gait."""
        self._stepped += standing.steps + self.law.machine.steps
        self._standing, self._dwelt = None, GAIT_STEERING.dwell_steps
        self.law.reset(state, stance=0)
        self._stride.set_off()
        self._seen_steps = self.law.machine.steps
        self._at_step(state)
        self._marks = []

    def look_around(self, world: World, state: State) -> None:
        if self._slope_adaptation:
            (x, y, _), yaw = state.position, heading_of(state.rotation)
            behind, ahead = (world.ground_height(x + far * cos(yaw), y + far * sin(yaw)) for far in SEEN)
            self.law.command.slope = atan2(ahead - behind, SEEN[1] - SEEN[0])

    def _first_stance(self, state: State) -> int:
        """The leg that the gait's start stands on; in a pose, the one that is more under the hips."""
        if isinstance(self.start_as, dict):
            away = [hypot(foot.position[0] - state.position[0], foot.position[1] - state.position[1]) for foot in state.feet]
            return int(away[1] < away[0] - SAME_PLACE)
        return int((self.start or {}).get("stance", 0))

    def soften(self, factor: float) -> None:
        """From the next step on, use only this fraction of the feedback gains of the trunk."""
        self._goal = lowered(self._goal, factor)

    def change(self, gait: str) -> None:
        self._switches = [(0.0, gait)]
        if self._standing and gait == self._goal.name:  # it has thought better of it
            self._switches, self._plan = [], []

    def go_through(self, gaits: list[str]) -> None:
        """Change into these gaits one after the other, each at a change of step."""
        self._plan = list(gaits)

    def become(self, gait: str) -> None:
        """Go on in another gait from now on, as it is: this one does not slow down for it, nor fade into it."""
        self._goal, self._from, self._plan, self._mixed, self._dwelt = self._gait(gait), None, [], 0, 0
        self.law.change(self._goal)

    def _at_step(self, state: State) -> None:
        """A step has ended: go on towards the wanted gait and the wanted speed."""
        while self._switches and self._switches[0][0] <= state.time:
            self.go_through(route(self._goal.name, self._switches.pop(0)[1]))
        slowing = GAIT_STEERING.refuge_stop_s if self._goal.refuge else GAIT_STEERING.stop_s
        way = (GAIT_STEERING.run_stop_s if self._goal.speed > self._running else slowing) * abs(self._goal.speed)
        if self._stops and self._path and self._path.left < way:
            self._stops = False
            self.go_through(route(self._goal.name, STAND))
        if self.job.played and self._mixed == 0:
            self._take_time()
        if self._plan and self._mixed == 0 and self._dwelt >= (self._dwell if self._from else 0) and self._may_leave():
            self._from, self._goal = self._goal, self._gait(self._plan.pop(0))
            self._mixed = self._blend if can_blend(self._from, self._goal) else 1
            self._dwelt = self._waited = 0
        if self.step_width is not None and self._goal.legs == "alternate" and self.steps:
            self._keep_width(state, self.step_width)
        if self.law.machine.steps:
            self._stride.landed(1 - self.law.machine.stance, self._slip(state))
        gait = self._aim(state)
        if self._mixed and self._from:
            self._mixed -= 1
            if can_blend(self._from, gait):
                gait = blend(gait, self._from, self._mixed / self._blend)
        else:
            self._dwelt += 1
        self.law.command.toes_up = self._stride.toes_up if self._goal.refuge else 0.0
        self.law.change(self._refuge or gait)

    def _take_time(self) -> None:
        """Choose how long the next change takes of a body that is played: it stops at once, out of a walk; between walk and run it takes its time."""
        steering = GAIT_STEERING
        if self._plan[-1:] == [STAND] and abs(self._goal.speed) < self._running and self._has_slowed():
            self._blend, self._dwell = steering.stopping_blend_steps, steering.stopping_dwell_steps
        elif self._plan and self._other_kind(self._gait(self._plan[0])):
            self._blend, self._dwell = steering.running_blend_steps, steering.running_dwell_steps
        else:
            self._blend, self._dwell = steering.blend_steps, steering.dwell_steps

    def _has_slowed(self) -> bool:
        """Whether it goes no faster than its gait does by itself: who has just come out of a run does, for a few steps."""
        if len(self._marks) < 3 or not self._goal.speed:
            return True
        seconds, x, y = self._last_stride()
        return hypot(x, y) / seconds < GAIT_STEERING.slowed * abs(self._goal.speed)

    @property
    def _running(self) -> float:
        """m/s from which on a body of this size runs."""
        return float((GAIT_STEERING.running * 9.81 * self.body.leg_length) ** 0.5)

    def _other_kind(self, other: Gait) -> bool:
        """Whether of this gait and another one is a walk and the other a run: these do not become each other in full stride."""
        slower, faster = sorted((abs(other.speed), abs(self._goal.speed)))
        return slower < self._running < faster

    def _may_leave(self) -> bool:
        """Whether the last stride was as fast as is needed for the next gait: nobody runs out of a slow walk, nor walks out of a fast run."""
        coming = self._gait(self._plan[0])
        self._waited += 1
        if len(self._marks) < 3 or not self._other_kind(coming) or self._waited > GAIT_STEERING.patience:
            return True
        seconds, x, y = self._last_stride()
        speed, nearly = hypot(x, y) / seconds, GAIT_STEERING.nearly
        return speed > nearly * abs(self._goal.speed) if abs(coming.speed) > abs(self._goal.speed) else speed < self._running / nearly

    def _last_stride(self) -> tuple[float, float, float]:
        """s that the last stride took, and m along x and y that it went."""
        (t0, x0, y0, _), (t1, x1, y1, _) = self._marks[0], self._marks[-1]
        return max(t1 - t0, 1e-6), x1 - x0, y1 - y0

    def _slip(self, state: State) -> float:
        """m/s to the left of where it is to face, in the step that has just ended."""
        if not self._marks:
            return 0.0
        t, x, y, _ = self._marks[-1]
        facing = self.commanded_heading
        return ((state.position[1] - y) * cos(facing) - (state.position[0] - x) * sin(facing)) / max(state.time - t, 1e-6)

    def _changing_speed(self) -> float | None:
        """m/s that it aims at while it changes between walk and run: as slow as it can in a run that just began, and that of the walk before it; else
        None."""
        slowest = min(gait.speed for gait in (self._goal, *self._goal.variants))
        if self._plan and self._goal.speed > self._running and self._other_kind(coming := self._gait(self._plan[0])):
            return abs(coming.speed)
        began = self._from and self._from.speed < self._running < self._goal.speed and self._dwelt < GAIT_STEERING.dwell_steps
        return slowest if began else None

    def _turns_sharply(self) -> bool:
        """Whether the heading that was commanded has turned faster, over the last stride, than a natural gait can follow."""
        (t0, _, _, before), (t1, _, _, now) = self._marks[0], self._marks[-1]
        return abs(wrap(now - before)) > REFUGE.sharp * (t1 - t0) > 0.0

    def _keep_course(self) -> None:
        """Set the feet out to the side that the last stride has slipped to, off where it faced: so a body that turns goes where it faces, and so does
        one whose legs go around each other, which may happen on one side alone."""
        collides = self.law.command.clearance is not None
        if len(self._marks) == 3 and (self._turns or collides) and not self._goal.style.sideways:
            (t0, x0, y0, before), _, (t1, x1, y1, now) = self._marks
            facing = before + 0.5 * wrap(now - before)
            slip = ((y1 - y0) * cos(facing) - (x1 - x0) * sin(facing)) / max(t1 - t0, 1e-6)
            most = GAIT_STEERING.most_aside
            if collides:
                self._drift = max(-MOST_DRIFT, min(MOST_DRIFT, self._drift + DRIFT_GAIN * slip))
            self.law.command.aside = self._drift + (max(-most, min(most, GAIT_STEERING.course * slip)) if self._turns else 0.0)

    @property
    def _hip_spacing(self) -> float:
        """m between the hip joints."""
        left, right = (float(self.body.offsets[self.body.names.index(f"thigh.{side}"), 1]) for side in "LR")
        return left - right

    def _keep_width(self, state: State, wanted: float) -> None:
        """A foot has landed: set the next ones further out, or in. A stumble is not answered at once. Of the last two steps the mean counts; where
        legs collide the narrower one, in which they would."""
        command = self.law.command
        self._widths = [*self._widths[-1:], self.law.feet_apart(state)]
        width = sum(self._widths) / len(self._widths) if command.clearance is None else min(self._widths)
        self._widen(WIDTH_GAIN * max(-WIDTH_OFF, min(WIDTH_OFF, wanted - width)))
        command.swing_offset = (command.swing_offset[0], self._stance_width + self._widened)

    def _widen(self, metres: float) -> None:
        """Have steps that are wider by some metres."""
        self._widened = max(-WIDEST, min(WIDEST, self._widened + metres / (WIDER * self.body.leg_length)))

    def _aim(self, state: State) -> Gait:
        """The wanted gait at the speed that brings about the commanded one, as the last stride went."""
        x, y, _ = state.position
        self._marks = [*self._marks[-2:], (state.time, x, y, self.commanded_heading)]
        self._keep_course()
        gait = self._sturdier if self._sturdier and self._turns_sharply() else self._goal
        if self.job.speed is None and not (self.job.played and self._goal.speed > self._running):
            self.commanded_speed = None
            return self._hurried(gait, self._changing_speed() or self._setting_out(gait.speed))
        # Who is played changes into a run at any moment: nobody has tried whether it comes to its own speed by itself.
        wanted = curve_value(self.job.speed, state.time) if self.job.speed else self._goal.speed
        starting = self.law.machine.steps <= GAIT_STEERING.starting_steps
        if wanted != self.commanded_speed:
            self.commanded_speed = wanted
        elif len(self._marks) == 3 and not starting:
            seconds, along_x, along_y = self._last_stride()
            speed = (along_x * cos(self.commanded_heading) + along_y * sin(self.commanded_heading)) / seconds
            self._correction += GAIT_STEERING.speed_gain * (wanted - speed)
            self._correction = max(-GAIT_STEERING.most_correction, min(GAIT_STEERING.most_correction, self._correction))
        if self._sturdier and wanted < self._goal.slowest:
            gait = self._sturdier
        return self._hurried(gait, self._changing_speed() or self._setting_out(wanted + self._correction))

    def _setting_out(self, aim: float) -> float:
        """m/s to aim at: in the first steps out of standing no faster than the gait goes by itself."""
        stood = self.start is None and self.start_as != "gait"
        return min(aim, max(self._goal.speed, 0.0)) if stood and self.law.machine.steps <= GAIT_STEERING.starting_steps else aim

    def _hurried(self, gait: Gait, speed: float) -> Gait:
        """A gait at a speed. To go faster or slower than its variants do, it steps shorter and leans more, or longer and less."""
        if speed != gait.speed:
            gait = gait.at_speed(speed)
        extra, command = speed - gait.speed, self.law.command
        command.swing_offset = (-GAIT_STEERING.swing * extra, command.swing_offset[1])
        command.lean = -GAIT_STEERING.lean * extra
        return gait


def _rests(state: State) -> bool:
    """Whether the pelvis is all but still."""
    return max(map(abs, (*state.velocity, *state.angular_velocity))) < RESTS
