"""Routes: which step of which clip comes next — the clip as it is, a loop of it, or steps spliced from many clips to go where one is told."""

from __future__ import annotations

import copy
import heapq
from collections.abc import Callable
from itertools import count

import numpy as np

from ..errors import JobError
from ..job import Job
from ..physics.state import State
from ..reference import MotionGraph, Reference, find_cycle, looped, mirrored
from ..reference.poses import features
from ..rotation import wrap
from .follower import Follower, Step
from .steering import TRACKING_STEERING, Pair, PathFollower, curve_value

STANDING_SPEED = 0.15  # m/s: a body that is asked to go slower is asked to stand
CATCH_UP = 5  # times that the path's follower is asked for the way in each step: it looks half a metre on at a time, and a step may go further
STAND_S = 0.6  # s of a clip's stand that are shown before it starts to walk
WIDEST_PLAN = 40  # plans that are kept from one step of planning to the next
FURTHEST_TURN = 1.2  # rad that the steps of a plan are to turn, at most, however much is missing
DRIFT = 0.2  # of the cost of a wrong heading that a turn costs where nobody says where to go

StepMaker = Callable[[Reference], list[Step]]


class Steered:
    """What all routes have in common: heading and speed as the job wants them."""

    first: Step
    speeds: Pair = TRACKING_STEERING.loop_speeds  # the lowest and the highest, over the clip's own

    def __init__(self, job: Job):
        self._job = job
        self._path = PathFollower(job.path, TRACKING_STEERING.path) if job.path else None
        self._steered = bool(job.path or job.heading)
        self.over = False
        self.turn, self.stretch, self.tempo = 0.0, 1.0, 1.0
        self._lost = 0.0  # fraction of a step's length that is added to win speed back
        self._ratio = 1.0  # speed that the last step was to have, over the clip's
        self._marks: list[tuple[float, float, float, float]] = []  # s, x and y (m), and that ratio, at the last changes of step

    def lead(self, job: Job) -> None:
        """Go where another job wants it from now on: somebody plays it."""
        self._job, self._steered = job, True

    def wanted_speed(self, time: float) -> float | None:
        """m/s; None where nobody says: as the clip goes."""
        return None if self._job.speed is None else curve_value(self._job.speed, time)

    def missing(self, follower: Follower, state: State) -> float:
        """rad (±π) that are missing to the wanted heading; 0 where nobody says."""
        if not self._steered:
            return 0.0
        x, y, _ = state.position
        if self._path:
            for _ in range(CATCH_UP):
                wanted = self._path.heading(x, y)
        else:
            wanted = curve_value(self._job.heading or ((0.0, 0.0),), state.time)
        step = follower.step
        facing = follower.turned + step.course.facing(min(follower.frame, step.end))
        return wrap(wanted - facing)

    def _turn_in(self, step: Step, missing: float) -> None:
        """Choose how much ``step`` turns on top of its clip."""
        if self._steered:
            own = step.course.facing(step.end) - step.course.facing(step.start)
            self.turn = min(max(TRACKING_STEERING.turn_gain * missing - own, -TRACKING_STEERING.most_turn), TRACKING_STEERING.most_turn)

    def _keep_speed(self, state: State, gone: list[Step], coming: Step) -> None:
        """Choose the stretch of the coming step: for the wanted speed, and for what was lost in the stride of the steps ``gone``."""
        x, y, _ = state.position
        self._marks = [*self._marks[-2:], (state.time, x, y, self._ratio)]
        wanted, usual = self.wanted_speed(state.time), _pace([*gone[-1:], coming])
        if usual < STANDING_SPEED:
            return
        if len(self._marks) == 3:
            (t0, x0, y0, _), (_, _, _, first), (t1, x1, y1, second) = self._marks
            pace = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5 / max(t1 - t0, 1e-6)
            meant = 0.5 * (first + second) * _pace(gone)
            most = TRACKING_STEERING.most_lost
            self._lost = min(max(self._lost + TRACKING_STEERING.speed_gain * (meant - pace) / max(meant, 0.3), -most), most)
        slowest, fastest = self.speeds
        self._ratio = 1.0 if wanted is None else min(max(wanted / usual, slowest), fastest)
        # As people do, half of a change of speed is in the steps' length and half in their pace.
        self.tempo = self._ratio**0.5
        self.stretch = self._ratio**0.5 + self._lost


class AsRecorded(Steered):
    """The clip from the step at ``begin`` (s) to its last, at its own speed and heading."""

    def __init__(self, job: Job, steps: list[Step], begin: float = 0.0):
        super().__init__(job)
        frame = begin * steps[0].course.fps
        self._number = max(number for number, step in enumerate(steps) if step.start <= frame or number == 0)
        self._steps, self.first = steps, steps[self._number]

    def wanted_speed(self, time: float) -> None:
        """As the clip goes."""

    def next(self, follower: Follower, state: State) -> Step | None:
        self._number += 1
        if self._number >= len(self._steps):
            self.over = True
            return None
        step = self._steps[self._number]
        if step.standing:
            self._marks, self._lost, self.stretch = [], 0.0, 1.0
        else:
            self._keep_speed(state, self._steps[max(0, self._number - 2):self._number], step)
        return step


class Loop(Steered):
    """The steps of one clip that repeat best, for ever."""

    def __init__(self, job: Job, reference: Reference, steps_of: StepMaker):
        super().__init__(job)
        best = find_cycle(reference)
        # The middle one of three has a seamless end and a seamless start.
        steps = steps_of(looped(reference, best, 3))
        length = best.end - best.start
        self._steps = [step for step in steps if length - 1 <= step.start < 2 * length - 1]
        self._number, self.first = 0, self._steps[0]

    def next(self, follower: Follower, state: State) -> Step:
        self._number += 1
        count = len(self._steps)
        step, gone = self._steps[self._number % count], [self._steps[(self._number - back) % count] for back in (2, 1)]
        self._turn_in(step, self.missing(follower, state))
        self._keep_speed(state, gone, step)
        return step


class Spliced(Steered):
    """Steps from a motion graph of several clips and their mirror images: to walk on, turn, speed up, stop and start."""

    speeds = TRACKING_STEERING.spliced_speeds

    def __init__(self, job: Job, references: list[Reference], steps_of: StepMaker):
        super().__init__(job)
        self._graph = MotionGraph(references)
        clips = {(index, flip): mirrored(reference) if flip else reference for index, reference in enumerate(references) for flip in (False, True)}
        steps = {key: steps_of(clip) for key, clip in clips.items()}
        # A Reference is known by its identity: each clip and each mirror image is one object.
        self._steps = {id(clip): steps[key] for key, clip in clips.items()}
        self._features = {id(clip): features(clip.body, clip.motion) for clip in clips.values()}
        by_start = {(key, step.start): step for key, clip in steps.items() for step in clip}
        self._nodes = [by_start[(node.reference, node.mirrored), node.fragment.start] for node in self._graph.nodes]
        self._node_of = {id(step): number for number, step in enumerate(self._nodes)}
        self._turns = [step.course.facing(step.end) - step.course.facing(step.start) for step in self._nodes]
        self._alive = self._graph.endless()
        self._stops = {number for number, step in enumerate(self._nodes) if not step.standing and self._following(step).standing}
        self._starts = [step for clip in steps.values() for step in clip if step.standing and not step.last]
        self._plan: list[Step] = []
        self._before: Step | None = None
        wanted = self.wanted_speed(0.0)
        self.first = self._stand_before_start(None) if wanted is not None and wanted < STANDING_SPEED else self._stride(references[0])

    def _stride(self, reference: Reference) -> Step:
        """The first step of the first clip's best loop."""
        best, steps = find_cycle(reference), self._steps[id(reference)]
        return next((step for step in steps if step.start == best.start), steps[0])

    def _following(self, step: Step) -> Step:
        return self._steps[id(step.reference)][step.number + 1]

    def next(self, follower: Follower, state: State) -> Step | None:
        step = follower.step
        wanted = self.wanted_speed(state.time)
        stand = wanted is not None and wanted < STANDING_SPEED
        self.turn = 0.0
        if step.standing:
            if stand:
                self._marks, self._before, self._lost, self.stretch, self.tempo = [], None, 0.0, 1.0, 1.0
                return None
            if step.last or not self._acted(step):
                return self._stand_before_start(step)
            return self._following(step)
        if stand and not self._plan:
            self._plan = self._way_to_stand(step)
        if not stand:
            self._plan = []
        missing = self.missing(follower, state)
        following = self._plan.pop(0) if self._plan else self._walk_on(step, missing, wanted)
        if not following.standing:
            self._turn_in(following, missing)
            self._keep_speed(state, [self._before or step, step], following)
        self._before = step
        return following

    def _acted(self, step: Step) -> bool:
        """Whether a stand is one from which a clip starts to walk."""
        return any(step.end == start.end and step.reference is start.reference for start in self._starts)

    def _walk_on(self, step: Step, missing: float, wanted: float | None) -> Step:
        """The first step of the best plan of the next few."""
        node = self._node_of.get(id(step))
        if node is None:  # cut off by the end of its clip, or a stand before a start: goes on as its clip does
            return self._following(step)
        # What they cost so far, rad that they turn, and their steps.
        plans: list[tuple[float, float, tuple[int, ...]]] = [(0.0, 0.0, (node,))]
        for _ in range(TRACKING_STEERING.foresight):
            plans = [(cost + TRACKING_STEERING.costs.seam * seam + self._off_speed(other, wanted), turned + self._turns[other], (*way, other))
                     for cost, turned, way in plans for other, seam in self._graph.edges[way[-1]]
                     if other in self._alive and not self._nodes[other].standing]
            plans = sorted(plans, key=lambda plan: plan[0] + self._off_course(missing, plan[1], len(plan[2]) - 1))[:WIDEST_PLAN]
        if not plans:
            return self._following(step)
        return self._nodes[plans[0][2][1]]

    def _off_speed(self, node: int, wanted: float | None) -> float:
        """What the speed of one step of a plan costs."""
        return 0.0 if wanted is None else TRACKING_STEERING.costs.speed * abs(self._graph.nodes[node].speed - wanted) / TRACKING_STEERING.foresight

    def _off_course(self, missing: float, turned: float, steps: int) -> float:
        """What the heading of a plan costs. What the clips turn by themselves costs nothing; what is missing bends them, but only so far."""
        costs = TRACKING_STEERING.costs
        if not self._steered:
            return costs.heading * abs(turned) * DRIFT
        rest = abs(min(max(missing, -FURTHEST_TURN), FURTHEST_TURN) - turned)
        bent = min(rest, steps * TRACKING_STEERING.turn_gain * TRACKING_STEERING.most_turn)
        return costs.turn * bent + costs.heading * (rest - bent)

    def _way_to_stand(self, step: Step) -> list[Step]:
        """The steps to the nearest stand, and the stand."""
        begin = self._node_of.get(id(step))
        # What the way costs, a number that keeps equal costs in order, the last node, and the way to it.
        waiting: list[tuple[float, int, int, tuple[int, ...]]] = [(0.0, 0, begin, ())] if begin is not None else []
        order, seen = count(), set[int]()
        while waiting:
            cost, _, node, way = heapq.heappop(waiting)
            if node in self._stops:
                return [*(self._nodes[number] for number in way), self._following(self._nodes[node])]
            if node in seen:
                continue
            seen.add(node)
            for other, seam in self._graph.edges[node]:
                further = cost + TRACKING_STEERING.costs.seam * seam + TRACKING_STEERING.costs.step
                heapq.heappush(waiting, (further, next(order), other, (*way, other)))
        return [self._following(step)]

    def _stand_before_start(self, stand: Step | None) -> Step:
        """The end of a stand before a start: of all such stands the one that is most like the present one."""
        if not self._starts:
            raise JobError("speed asks to start from standing, but no clip has a start: add one that stands still before it walks.")

        def begins(start: Step) -> int:
            return max(start.start, start.end - round(STAND_S * start.course.fps))

        def unlike(start: Step) -> float:
            if stand is None:
                return 0.0
            now = self._features[id(stand.reference)][stand.end - 1]
            return float(np.linalg.norm(self._features[id(start.reference)][begins(start)] - now))

        best = copy.copy(min(self._starts, key=unlike))
        best.start = begins(best)
        return best


def _pace(steps: list[Step]) -> float:
    """m/s of the pelvis from the beginning to the end of some steps, one after the other."""
    way = seconds = 0.0
    for step in steps:
        gone = step.course.at(step.end).root - step.course.at(step.start).root
        way += float((gone[0] ** 2 + gone[1] ** 2) ** 0.5)
        seconds += (step.end - step.start) / step.course.fps
    return way / seconds
