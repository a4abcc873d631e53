"""A walker that is thrown off its stride goes on in a sturdier gait, and comes back into its own; it sets off in the sturdier one too."""

from itertools import product

import numpy as np
import pytest

from benchmarks.walking import WANG_BEST
from core.control.gait import load_gait
from core.control.simbicon import Simbicon
from core.jobs import make_job
from core.methods.gait import walk
from core.optimize.pushes import DIRECTIONS, PUBLISHED, push_job, still_walking
from core.physics import ENGINES
from tests.cases import quick


def pushed(newtons, seconds=11.0, **changes):
    push = {"type": "push", "time": 5.0, "duration": 0.4, "part": "torso", "force": [0.0, newtons, 0.0]}
    job = {"gait": "walk", "duration": seconds, "events": [push] if newtons else [], "engine": "pybullet", "start": "gait"}
    return walk(make_job(job | changes))


def names(result):
    return [result.gait_names[number] for number in result.gaits]


def test_who_is_pushed_too_hard_catches_itself_and_walks_on_as_before():
    assert pushed(-200.0, catches_itself=False).outcome["fell"]
    result = pushed(-200.0)
    told = names(result)
    assert not result.outcome["fell"] and told[0] == told[-1] == "walk" and "sturdy_walk" in told
    first = told.index("sturdy_walk") / result.fps
    assert 5.0 < first < 5.4, "it is caught while it is pushed, and not a step later"


@pytest.mark.slow
def test_who_is_not_pushed_stays_in_its_gait():
    with_refuge, without = pushed(0.0, 8.0), pushed(0.0, 8.0, catches_itself=False)
    assert set(names(with_refuge)) == {"walk"}
    assert np.array_equal(with_refuge.rotations, without.rotations)


@pytest.mark.parametrize(("catches_itself", "engine"), quick(product((True, False), ENGINES), (True, "pybullet"), (False, "mujoco")))
def test_who_stands_sets_off_in_the_sturdier_gait(catches_itself, engine):
    result = walk(make_job({"gait": "walk", "start": "rest", "duration": 4.0, "engine": engine, "catches_itself": catches_itself}))
    told = names(result)
    own = told.index("walk")
    assert not result.outcome["fell"] and set(told[:own]) == {"sturdy_walk"} and set(told[own:]) == {"walk"}
    assert 1.0 < own / result.fps < 2.0
    assert np.abs(result.root_positions[:, 1]).max() < 0.06, "it goes straight ahead"


@pytest.mark.parametrize(("gait", "lifts"), (("sturdy_walk", False), ("walk", True)))
def test_toes_are_lifted_by_who_comes_out_of_a_refuge(gait, lifts, monkeypatch):
    lifted, change = [], Simbicon.change
    monkeypatch.setattr(Simbicon, "change", lambda law, *given: lifted.append(law.command.toes_up) or change(law, *given))
    walk(make_job({"gait": gait, "start": "rest", "duration": 3.0, "engine": "pybullet"}))
    assert any(lifted) == lifts


def test_who_is_nudged_stays_in_its_gait():
    assert set(names(pushed(15.0, 8.0))) == {"walk"}


@pytest.mark.slow
@pytest.mark.parametrize(("direction", "newtons"), list(zip(DIRECTIONS, PUBLISHED["repeated"], strict=True)), ids=str)
def test_repeated_pushes_of_the_published_size_are_taken(direction, newtons, engine):
    if newtons == 225 or (newtons, engine) == (150, "pybullet"):
        pytest.xfail("not reached: it falls at the first of these pushes from behind")
    assert takes(direction, newtons, engine=engine)


@pytest.mark.slow
@pytest.mark.xfail(reason="not reached: the walk alone takes one of the eight with pybullet and two with MuJoCo")
@pytest.mark.parametrize(("direction", "newtons"), list(zip(DIRECTIONS, WANG_BEST, strict=True)), ids=str)
def test_alone_it_takes_as_much_as_the_best_of_wangs_controllers(direction, newtons, engine):
    assert takes(direction, newtons, engine=engine, catches_itself=False)


def takes(direction, newtons, **settings):
    result = walk(make_job(push_job("walk", direction, newtons, "repeated") | settings))
    return still_walking(result, load_gait("walk"))


def test_a_refuge_is_scaled_to_the_body_with_its_gait():
    gait = load_gait("walk")
    assert gait.refuge is not None and gait.refuge.name == "sturdy_walk" and gait.refuge.refuge is None
    scaled = gait.scaled(20.0, 0.5)
    assert scaled.refuge == load_gait("sturdy_walk").scaled(20.0, 0.5)
