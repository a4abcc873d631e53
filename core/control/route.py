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
from .steering import PathFollower, curve_value

MOST_TURN = 0.3  # rad that a step is turned on top of what the clip does
TURN_PART = 0.45  # of what is missing in heading that a step makes up for
SPEED_GAIN = 0.2  # of the speed that the last stride lost, that is won back with each step
MOST_LOST = 0.06  # of a step's length, that is won back at most
STANDING_SPEED = 0.15  # m/s: who is asked to go slower is asked to stand
FORESIGHT = 3  # steps that are planned ahead
# What a plan costs: a metre of seam, a m/s off the wanted speed, a radian off the wanted heading, a radian turned beyond the clips, a step.
SEAM, SPEED, HEADING, TURN, STEP = 8.0, 1.0, 2.0, 0.3, 0.1
CATCH_UP = 5  # times half a metre that a step may be on along a path: so far does the path's follower look at a time
LOOK_AHEAD, STEER = 1.4, 0.4  # m ahead on a path, rad per metre off it: steered once a step, a walker must not aim too near
STAND_S = 0.6  # s of a stand that are acted out before a start

StepMaker = Callable[[Reference], list[Step]]


class Steered:
    """What routes that go on for ever have in common: heading and speed as the job wants them."""

    over = False
    least_stretch, most_stretch = 0.75, 1.3

    def __init__(self, job: Job):
        self._job = job
        self._path = PathFollower(job.path, LOOK_AHEAD, STEER) if job.path else None
        self._steered = bool(job.path or job.heading)
        self.turn, self.stretch, self.tempo = 0.0, 1.0, 1.0
        self._lost, self._ratio = 0.0, 1.0
        self._marks: list[tuple[float, float, float, float]] = []

    def wanted_speed(self, time: float) -> float | None:
        """m/s; None where nobody says: as the clip goes."""
        return None if self._job.speed is None else curve_value(self._job.speed, time)

    def missing(self, follower: Follower, state: State) -> float:
        """rad to turn until the wanted heading, ±π; 0 where nobody says."""
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
            self.turn = min(max(TURN_PART * missing - own, -MOST_TURN), MOST_TURN)

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
            self._lost = min(max(self._lost + SPEED_GAIN * (meant - pace) / max(meant, 0.3), -MOST_LOST), MOST_LOST)
        self._ratio = 1.0 if wanted is None else min(max(wanted / usual, self.least_stretch), self.most_stretch)
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
        self.over = False

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

    least_stretch, most_stretch = 0.85, 1.1

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
        """Whether a stand is the end of one before a start."""
        return any(step.end == start.end and step.reference is start.reference for start in self._starts)

    def _walk_on(self, step: Step, missing: float, wanted: float | None) -> Step:
        """The first step of the best plan of the next few."""
        node = self._node_of.get(id(step))
        if node is None:  # cut off by the end of its clip, or a stand before a start: goes on as its clip does
            return self._following(step)
        plans = [(0.0, 0.0, (node,))]
        for _ in range(FORESIGHT):
            plans = [(cost + SEAM * seam + self._off_speed(other, wanted), turned + self._turns[other], (*way, other))
                     for cost, turned, way in plans for other, seam in self._graph.edges[way[-1]]
                     if other in self._alive and not self._nodes[other].standing]
            plans = sorted(plans, key=lambda plan: plan[0] + self._off_course(missing, plan[1], len(plan[2]) - 1))[:40]
        if not plans:
            return self._following(step)
        return self._nodes[plans[0][2][1]]

    def _off_speed(self, node: int, wanted: float | None) -> float:
        """What the speed of one step of a plan costs."""
        return 0.0 if wanted is None else SPEED * abs(self._graph.nodes[node].speed - wanted) / FORESIGHT

    def _off_course(self, missing: float, turned: float, steps: int) -> float:
        """What the heading of a plan costs: clips turn for nothing, more than that bends them, and that only so far."""
        if not self._steered:
            return HEADING * abs(turned) * 0.2
        rest = abs(min(max(missing, -1.2), 1.2) - turned)
        bent = min(rest, steps * TURN_PART * MOST_TURN)
        return TURN * bent + HEADING * (rest - bent)

    def _way_to_stand(self, step: Step) -> list[Step]:
        """The steps to the nearest stand, and the stand."""
        begin = self._node_of.get(id(step))
        order, seen, waiting = count(), set(), [(0.0, 0, begin, ())] if begin is not None else []
        while waiting:
            cost, _, node, way = heapq.heappop(waiting)
            if node in self._stops:
                return [*(self._nodes[number] for number in way), self._following(self._nodes[node])]
            if node in seen:
                continue
            seen.add(node)
            for other, seam in self._graph.edges[node]:
                heapq.heappush(waiting, (cost + SEAM * seam + STEP, next(order), other, (*way, other)))
        return [self._following(step)]

    def _stand_before_start(self, stand: Step | None) -> Step:
        """The end of the stand before a start that is most like the stand one is in."""
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
