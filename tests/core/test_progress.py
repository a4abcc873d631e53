"""Progress that means it: a bar that never goes back, a time left that can be relied on, what is being done, and no try that failed."""

import itertools
import time
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from core.bar import Bar
from core.context import Context, Seen
from core.jobs import make_job, run
from core.physics import State
from core.plan import follow
from core.plan.settings import PRESET
from tests.clips import path_of

SHORT_S = 2.0  # s: nobody minds a time left that is off by less
ONCE = pytest.mark.slow  # for those of a row that take long


def told(fractions):
    """What a bar shows after each fraction, which come a second apart."""
    bar = Bar(clock=itertools.count().__next__)
    for fraction in fractions:
        bar.tell(fraction)
        yield bar.shown, bar.left


def test_the_time_left_counts_from_where_the_work_began():
    """Getting ready for 10 s says nothing about how long the work takes."""
    shown = list(told([0.0] * 10 + [0.25, 0.5, 0.75, 1.0]))
    assert [left for _, left in shown[-3:]] == pytest.approx([2.0, 1.0, 0.0]) and shown[-1][0] == 1.0
    assert shown[9] == (0.0, None)


def test_work_that_goes_on_half_way_knows_how_fast_it_is():
    *_, (shown, left) = told([0.0, 0.6, 0.7, 0.8])
    assert shown == pytest.approx(0.8) and left == pytest.approx(2.0)


def test_bad_news_leave_the_bar_where_it_is_and_make_the_time_longer():
    shown = list(told([0.01, 0.2, 0.4, 0.1, 0.2, 0.9, 1.0]))
    bars, lefts = zip(*shown, strict=True)
    assert list(bars) == sorted(bars) and bars[2] == bars[3] < bars[4] < 0.5 and bars[-1] == 1.0
    assert lefts[3] > 3 * lefts[2]


def hit(clip, force, time=0.5, seconds=0.2, **more):
    push = {"type": "push", "time": time, "duration": seconds, "force": force, "part": "chest"}
    return {"method": "hit", "clips": [str(path_of(clip))], "fps": 30.0, "events": [push], **more}


WORK = {
    "gait": ({"duration": 8.0}, "Simulating 8 s of the gait 'walk'"),
    "track": ({"method": "track", "clips": [str(path_of("walk"))]}, "Following 'walk' under physics"),
    "imitate": ({"method": "imitate", "clips": [str(path_of("walk"))], "loop": True, "duration": 6.0}, "Walking like 'walk' under physics"),
    "flinch": (hit("walk", [0.0, 60.0, 0.0], 1.0, 0.05), "Letting what was hit give way and come back"),
    "fall": (hit("stand", [-600.0, 0.0, 0.0], response="fall"), "Letting it fall as a person does"),
    "stumble": (hit("walk", [0.0, -600.0, 0.0], 1.5, 0.1), "Trying 1 of 9 ways to keep walking"),
}


@pytest.mark.parametrize("name", [name if name in ("gait", "track") else pytest.param(name, marks=ONCE) for name in WORK])
def test_the_bar_rises_and_says_what_is_done_and_how_long_it_takes(name):
    job, doing = WORK[name]
    bar, seen = Bar(clock=time.process_time), []

    def progress(fraction, _, what):
        bar.tell(fraction)
        seen.append((time.process_time(), bar.shown, bar.left, what))

    run(make_job(job), Context(progress, workers=1))
    end = time.process_time()
    bars = [shown for _, shown, _, _ in seen]
    assert bars == sorted(bars) and doing in [what for *_, what in seen]
    for now, shown, left, _ in seen:
        if shown > 0.2 and end - now > SHORT_S:
            assert 0.5 * (end - now) < left < 2.0 * (end - now), f"{left:.1f} s were told at {shown:.0%}, and {end - now:.1f} s it took"


def test_a_clip_that_is_followed_to_its_end_ends_with_the_bar():
    """Its steps may wait for the feet, so it is given more time than it needs as a rule."""
    done = []
    result = run(make_job({"method": "track", "clips": [str(path_of("walk"))]}), Context(lambda fraction, *_: done.append(fraction)))
    assert not result.outcome["fell"] and done[-1] > 0.97


def test_a_standing_body_is_tried_to_be_kept_up_in_so_many_ways():
    bar, told, poses = Bar(clock=time.process_time), [], []

    def progress(fraction, seen, doing):
        bar.tell(fraction)
        told.append((time.process_time(), bar.shown, bar.left, doing))
        poses.append(seen)

    run(make_job(hit("stand", [60.0, 0.0, 0.0])), Context(progress, workers=1))
    end = time.process_time()
    assert "Trying 1 of 7 ways to keep its balance" in [doing for *_, doing in told]
    # Until one of them holds there is nothing to see, and never a body of which nobody knows whether it will.
    assert not any(isinstance(pose, State) for pose in poses)
    # A light hit is taken in the first way: as soon as the body is quiet, nobody expects others.
    lefts = [0.5 * (end - now) < left < 2.0 * (end - now) for now, shown, left, _ in told if shown > 0.2]
    assert sum(lefts) > 0.7 * len(lefts) > 5


@dataclass
class Planning:
    """A planner of 32 windows that has come so far, with the settings of the preset."""

    now: int
    tries: int
    trouble: int
    windows = 32
    quality = PRESET.quality("normal", "mujoco")
    stage = SimpleNamespace(blind=2, search=PRESET.search(False))

    @property
    def levels(self):
        return [None] * (self.now + 1)


def test_what_is_left_to_plan_is_what_can_be_expected_of_a_place_that_was_lost():
    def left(*so_far):
        return follow._left(Planning(*so_far))

    ahead = left(2, 0, 0)
    assert left(6, 0, 0) == pytest.approx(ahead - 4.0) and left(32, 0, 0) == 0.0
    # Once it is passed, all the rest follows, and the next windows are still searched harder.
    assert left(7, 2, 6) > left(7, 0, 6) > 20.0 and left(20, 0, 6) == left(20, 0, 0)
    # Whoever is lost at the same place again will more likely be lost there for good.
    assert left(2, 3, 6) < left(2, 1, 6) < left(7, 1, 6) + left(2, 2, 6)


def test_who_watches_tries_sees_the_best_so_far():
    walk = run(make_job({"duration": 1.0, "fps": 25}))
    seen = []
    context = Context(lambda _, pose, __: seen.append(pose)).showing(walk)
    run(make_job({"duration": 1.5, "fps": 25, "gait": "run"}), context)
    assert all(isinstance(pose, Seen) for pose in seen)
    assert (seen[10].root == walk.root_positions[10]).all() and (seen[-1].rotations == walk.rotations[-1]).all()
