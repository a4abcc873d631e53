"""Tours: controllers of the planar biped that practise their changes together."""

import numpy as np

from core.dynamics import Dynamics
from core.learned import planar, tour
from core.learned.refine import Samples
from core.learned.repertoire import load_repertoire
from core.learned.teachers import PlanarStander, PlanarStopper, PlanarWalker

STAND = "planar_stand"


def guide(ground) -> tour.Guide:
    return tour.Guide(ground.body, Dynamics(ground.body, ground.world.inertias), ground.following, planar.teachers_job(), {"planar_run": 0.09})


def test_the_teacher_of_a_tour_is_in_the_gait_that_is_led_to():
    with planar.school(planar.GAINS) as ground:
        teacher = guide(ground)
        teacher.follow(STAND, STAND, arrived=True)
        assert isinstance(teacher.teacher, PlanarStander)
        teacher.follow("planar_walk", STAND, arrived=False)
        walker = teacher.teacher
        assert isinstance(walker, PlanarWalker) and walker.walker.gait_name == "planar_walk"
        teacher.follow("planar_walk", STAND, arrived=True)
        teacher.follow("planar_run", STAND, arrived=False)
        assert teacher.teacher is walker and walker.walker.gait_name == "planar_walk"  # it waits for the next step
        teacher.follow("planar_run", STAND, arrived=True)
        assert walker.walker.gait_name == "planar_run"
        teacher.follow(STAND, STAND, arrived=False)
        assert isinstance(teacher.teacher, PlanarStopper)
        teacher.follow(STAND, STAND, arrived=True)
        assert isinstance(teacher.teacher, PlanarStander)


def test_a_tour_says_how_it_went_and_is_the_same_again():
    repertoire = load_repertoire("planar").after(0)
    with planar.school(planar.GAINS) as ground:
        beginning = ground.world.snapshot()
        once, again = (tour.tour(ground, repertoire, guide(ground), beginning, STAND, tour.Outing(6.0, 0.0, 3)) for _ in range(2))
    assert once.end in (tour.FELL, tour.ABNORMAL) and 0.5 < once.seconds < 6.0  # the base regression of a gait falls within seconds
    assert (once.seconds, once.end, once.last) == (again.seconds, again.end, again.last)
    assert once.lessons and once.lessons.keys() == again.lessons.keys()
    for name, lesson in once.lessons.items():
        np.testing.assert_array_equal(lesson.states, again.lessons[name].states)


def test_a_tour_that_ends_before_anyone_led_teaches_nothing():
    assert tour._toured([], 0.0, None, 0.01, 0, tour.FELL) == tour.Toured(0.0, tour.FELL, 0, "", {})


def test_those_who_led_the_body_learn_what_went_wrong():
    repertoire = load_repertoire("planar").after(0)
    walk = repertoire.controllers["walk"]
    rng = np.random.default_rng(1)
    states = walk.states[:40] + rng.normal(0.0, 0.5, walk.states[:40].shape)
    lesson = Samples(list(states), list(walk.choices[:40] + 0.5), walk.sorts[:40].tolist(), [0.0] * 40)
    kept, told = [], []

    def make_tours(_repertoire, outings):
        return [tour.Toured(2.0, tour.FELL, 0, walk.name, {walk.name: lesson}) for _ in outings]

    found = tour.practised(repertoire, make_tours, rounds=1, beside=2, seed=1, enough=4, patience=60.0, keep=kept.append, say=told.append)
    assert kept == [found] and len(told) == 2
    assert found.controllers["walk"].refinements == 1  # what the second tour teaches is known from the first one
    assert found.controllers["walk"].states.shape[0] > len(walk.states)
    assert [one.name for one, was in zip(found.whole, repertoire.whole, strict=True) if one is not was] == ["planar_walk"]
