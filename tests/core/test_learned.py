"""Learned controllers: what they see, what they choose, how they give way to each other, and that what is shipped holds."""

import copy
import json
import math
import shlex
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import fields, replace
from types import SimpleNamespace

import numpy as np
import pytest

from core import jobs, presets
from core.__main__ import main
from core.context import Context
from core.dynamics import Dynamics
from core.errors import FormatError, JobError
from core.jobs import make_job
from core.kinematics import sole_positions
from core.learned import planar
from core.learned.balanced import ByBalance
from core.learned.controller import STATIONARY, TRANSITION, Controller, load
from core.learned.driver import Learned
from core.learned.following import ByServos
from core.learned.lesson import learned
from core.learned.planar import BODY, GAINS, STIFF, TIME_STEP
from core.learned.refine import Attempt, Held, Samples, Trial, demonstrate, refined, taught, way_out
from core.learned.repertoire import Act, Repertoire, load_repertoire
from core.learned.senses import Senses, Weights
from core.learned.teachers import PlanarStander, PlanarWalker
from core.physics import world_class
from core.physics.settings import USUAL
from core.quaternion import multiply
from core.result import Result
from core.workers import on_this_machine
from presets import find_controllers
from tests.clips import path_of

FOLDER = presets.FOLDER / "controllers"
JUMPED = 0.05  # m that both feet are over the ground
LARGEST = 2_000_000  # bytes of a file


def controller(states, choices, sorts=None, **given) -> Controller:
    """A controller of a few samples."""
    count = len(states)
    whole = {"name": "some", "kind": STATIONARY, "body": BODY, "moments": np.zeros((0, 0)), "times": np.zeros(count),
             "sizes": np.array([count]), "neighbours": 2,
             "weights": Weights(), "every": 0.01, "time_step": TIME_STEP, "far": 1.0, "following": {"gains": GAINS}, "start": {}}
    return Controller(states=np.array(states, float), choices=np.array(choices, float),
                      sorts=np.zeros(count, int) if sorts is None else np.array(sorts), **{**whole, **given})


# -- what it chooses ------------------------------------------------------------------------------------------------------


def test_the_nearest_samples_count_by_one_over_their_distance():
    known = controller([[0.0, 0.0], [3.0, 0.0], [50.0, 0.0]], [[0.0], [1.0], [100.0]])
    choice, distance = known.choose(np.array([1.0, 0.0]))
    assert choice == pytest.approx([1.0 / 3.0], abs=1e-5) and distance == pytest.approx(1.0, abs=1e-5)
    choice, distance = known.choose(np.array([3.0, 0.0]))
    assert choice == pytest.approx([1.0]) and distance == pytest.approx(0.0, abs=1e-3)


def test_samples_of_different_sorts_are_not_mixed():
    known = controller([[0.0], [3.0]], [[0.0], [1.0]], sorts=[0, 1])
    assert known.choose(np.array([1.0]))[0] == pytest.approx([0.0]) and known.choose(np.array([2.0]))[0] == pytest.approx([1.0])


def test_a_choice_begins_with_the_moment_that_it_names():
    known = controller([[0.0], [1.0]], [[1, 7.0], [0, 9.0]], moments=np.array([[5.0, 6.0], [1.0, 2.0]]))
    assert known.choose(np.array([0.0]))[0] == pytest.approx([1.0, 2.0, 7.0], abs=1e-3)
    assert known.choose(np.array([0.5]))[0] == pytest.approx([3.0, 4.0, 8.0])


def test_a_change_goes_on_where_its_states_hardly_differ():
    change = controller([[0.0], [0.01], [0.02]], [[0.0], [1.0], [2.0]], times=np.array([0.0, 1.0, 2.0]), neighbours=1, kind=TRANSITION)
    assert [change.choose(np.array([0.0]), seconds)[0].item() for seconds in (0.0, 1.0, 2.0, 9.0)] == [0.0, 1.0, 2.0, 2.0]
    assert change.entry(np.array([0.012])) == pytest.approx((0.002, 1.0), abs=1e-5) and change.lasts == 2.0


def test_a_controller_is_what_it_was_after_any_refinement():
    base = controller([[0.0], [1.0]], [[0.0], [1.0]])
    more = base.refined(np.array([[2.0]]), np.array([[5.0]]), np.array([0]), np.array([0.0]), base.moments)
    assert more.refinements == 1 and more.choose(np.array([2.0]))[0] == pytest.approx([5.0])
    assert more.after(0).choose(np.array([2.0]))[0] == pytest.approx(base.choose(np.array([2.0]))[0])


def test_a_file_gives_the_controller_back(tmp_path):
    known = controller([[0.25, 1.0], [3.0, -2.0]], [[0.5], [1.0]], made_by="by hand")
    known.save(tmp_path / "one.npz")
    again = load(tmp_path / "one.npz")
    np.testing.assert_array_equal(again.states, known.states)
    assert (again.weights, again.following, again.made_by, again.far) == (known.weights, known.following, "by hand", 1.0)


def test_a_damaged_file_is_refused_with_a_sentence(tmp_path):
    (tmp_path / "half.npz").write_bytes(b"PK\x03\x04half")
    with pytest.raises(FormatError, match=r"half\.npz' is not a learned controller.*learn it again"):
        load(tmp_path / "half.npz")
    replace(controller([[0.0]], [[math.nan]])).save(tmp_path / "nan.npz")
    with pytest.raises(FormatError, match="is not a learned controller"):
        load(tmp_path / "nan.npz")


# -- what it sees and does ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["average_man", BODY])
def test_it_does_not_matter_where_a_body_is_nor_where_it_faces(name):
    body = presets.body(name)
    senses = Senses(body, Weights())
    with world_class("pybullet")(body) as world:
        dynamics, rows = Dynamics(body, world.inertias), []
        for yaw, x in ((0.0, 0.0), (0.0 if body.planar else 2.0, 5.0)):
            turn = (math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2))
            lean = (math.cos(0.1), 0.0, math.sin(0.1), 0.0)
            world.place((x, 0.0, 1.0), multiply(turn, lean), body.zero_joints(), (math.cos(yaw), math.sin(yaw), 0.3), (0.0, 0.0, 0.0))
            state = world.read()
            rows.append(senses.row(state, dynamics.pose(state), 0.0))
    assert rows[0].shape == (senses.size,) and np.linalg.norm(rows[0]) > 1.0
    np.testing.assert_allclose(rows[1], rows[0], atol=1e-6)


def test_a_choice_of_servos_gives_the_torques_that_it_was_made_of():
    body = presets.body(BODY)
    with world_class("pybullet")(body) as world:
        servos = ByServos(body, Dynamics(body, world.inertias), GAINS)
        world.place((0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0), body.zero_joints(), joint_velocities=[None, *[0.3] * (len(body.names) - 1)])
        state, wanted = world.read(), [0.0, 20.0, -30.0, 5.0, 0.0, 40.0, -1.0]
        servos.take(servos.choice(state, wanted), 0.0)
        assert servos.torques(state) == pytest.approx(wanted)


def test_the_teacher_of_a_stand_stands_and_takes_a_push():
    body = presets.body(BODY)
    with world_class("pybullet")(body, settings=replace(USUAL, time_step=TIME_STEP)) as world:
        dynamics = Dynamics(body, world.inertias)
        teacher = PlanarStander(body, dynamics, ByServos(body, dynamics, GAINS))
        world.place((0.0, 0.0, body.standing_height + 0.002), (1.0, 0.0, 0.0, 0.0), body.zero_joints())
        while world.time < 4.0:
            state = world.read()
            world.apply(teacher.torques(state), state)
            if 1.0 < world.time < 1.2:
                world.push(0, (60.0, 0.0, 0.0))
            world.step()
        assert world.read().position[2] > 0.98 * body.standing_height and abs(world.read().velocity[0]) < 0.02


def test_the_teacher_of_a_run_puts_its_clock_right_when_the_body_lands():
    """A run changes legs by the clock; who watches it must not get into another stride than the body is in."""
    with planar.school(GAINS) as ground:
        lands = planar.landings(ground, ["planar_walk", "planar_run"])
        assert list(lands) == ["planar_run"] and 0.07 < lands["planar_run"] < 0.11
        teacher = PlanarWalker(ground.body, planar.teachers_job(), ground.following, "planar_run", lands)
        ground.world.time = 0.0
        teacher.begin(ground.world)
        demonstrate(ground, teacher, 0.1, 3.9)
        watching = copy.deepcopy(teacher)
        watching.walker.law.machine.state_time += 0.05
        apart = []
        for _ in range(1000):
            state = ground.world.read()
            watching.torques(state)
            ground.world.apply(teacher.torques(state), state)
            ground.world.step()
            one, other = teacher.walker.law.machine, watching.walker.law.machine
            apart.append(one.stance != other.stance or abs(one.state_time - other.state_time) > 0.005)
        assert apart[0] and not any(apart[-500:])


def test_a_foot_lands_when_it_usually_does_in_that_gait():
    with planar.school(GAINS) as ground:
        teacher = PlanarWalker(ground.body, planar.teachers_job(), ground.following, "planar_fast_run", {"planar_run": 0.09, "planar_fast_run": 0.05})
        teacher.begin(ground.world)
        while not teacher.landed:
            state = ground.world.read()
            ground.world.apply(teacher.torques(state), state)
            ground.world.step()
        assert teacher.walker.law.machine.state_time == 0.05


def test_a_gait_that_never_lands_on_the_leg_that_stands_has_no_landing(monkeypatch):
    monkeypatch.setattr(planar, "demonstrate", lambda *_: None)
    with planar.school(GAINS) as ground:
        assert planar.landings(ground, ["planar_run"]) == {}


def test_of_a_fall_that_comes_at_once_there_is_nothing_to_learn():
    assert way_out(600, 0.01, 5.0, 3.0, fell=True) == range(183, 470) and way_out(600, 0.01, 5.0, 3.0, fell=False) == range(183, 600)
    assert not way_out(20, 0.01, 0.2, 3.0, fell=True) and not way_out(0, 0.01, 0.0, 3.0, fell=False)


@pytest.fixture
def shorter(monkeypatch):
    """Less is shown in lessons; processes that begin anew, and do not go on from this one, show all of it."""
    for name, value in (("SETTLED_S", 1.0), ("SHOWN_S", 1.0), ("STARTS", 2)):
        monkeypatch.setattr(planar, name, value)


@contextmanager
def says_when_closed(path):
    yield
    path.write_text("closed")


def open_in_worker(path) -> None:
    planar.kept_open(says_when_closed(path))


def test_what_a_worker_keeps_open_is_closed_at_its_end(tmp_path):
    with on_this_machine(1) as (team, _):
        team.submit(open_in_worker, tmp_path / "said").result()
    assert (tmp_path / "said").read_text() == "closed"


def test_two_processes_make_the_same_of_a_round_as_one(shorter):
    known, found = load(FOLDER / "planar_walk.npz").after(0), []
    attempts = [Attempt(number, Trial(0.8, (1.0, 3.0), (300.0, 0.0), 0.5), number) for number in range(2)]
    for count in (1, 2):
        with on_this_machine(count) as (team, _):
            found.append(list(planar.practise_beside(team, "planar_walk", None)(known, attempts)))
    for one, other in zip(*found, strict=True):
        assert (one.seconds, one.whole) == (other.seconds, other.whole) and len(one.lesson)
        for part in fields(Samples):
            np.testing.assert_array_equal(getattr(one.lesson, part.name), getattr(other.lesson, part.name))


def test_trials_side_by_side_teach_what_one_after_the_other_do(shorter):
    with planar.lesson("walk", "planar_walk", None) as (ground, lesson), ThreadPoolExecutor(1) as team:
        found = [learned(ground, lesson, rounds=1, seed=1, made_by="a test", context=Context(), keep=lambda one: None, beside=2, practise=practise)
                 for practise in (None, planar.practise_beside(team, "planar_walk", None))]
        (here, held), (beside, held_beside) = found
        assert here.refinements == 2 and held == held_beside
        np.testing.assert_array_equal(here.states, beside.states)
        np.testing.assert_array_equal(here.choices, beside.choices)
        # Of what was shown only that was learned which it did not know.
        more = taught(ground, here, Samples(list(here.states), list(here.choices), here.sorts.tolist(), here.times.tolist()), (np.zeros((0, 0)), []))
        assert more is here


def test_refinement_that_makes_it_worse_is_given_up():
    ground = SimpleNamespace(following=SimpleNamespace(differs=lambda one, other: True))
    tried, kept = [], []

    def practise(known, attempts):
        tried.append(known)
        good = len(tried) <= 8 or known is tried[7]
        return [Held(9.0 if good else 1.0, False, Samples([np.array([float(len(tried))])], [np.array([1.0])], [0], [0.0]))]

    def after(rounds):
        tried.clear(), kept.clear()
        return refined(ground, controller([[0.0]], [[0.0]]), practise, 1, lambda number, in_a_row: Trial(10.0), rounds, 1, 99, Context(), kept.append,
                       (np.zeros((0, 0)), []), 60.0)[0]

    assert after(10) is tried[7] is not kept[-1]  # told of a worse one last, but the best one comes back
    after(13)
    # Four that hold a tenth are enough: it goes on from the best one, and learns again.
    assert kept[11] is tried[12] is tried[7] and kept[-1].refinements == tried[7].refinements + 1


def test_a_preset_is_the_controller_that_held_best(tmp_path, monkeypatch):
    best, worse = controller([[1.0]], [[0.0]]), controller([[2.0]], [[0.0]])
    lesson = SimpleNamespace(kind=STATIONARY, left_out=[])
    monkeypatch.setattr(find_controllers, "lesson_of", lambda name: nullcontext((None, lesson)))
    monkeypatch.setattr(find_controllers, "learned", lambda *_, keep, **__: (keep(worse), (best, [9.0]))[1])
    find_controllers.find("walk", tmp_path, 1, 1, 1, 60.0)
    assert load(tmp_path / "walk.npz").states == best.states and [path.name for path in tmp_path.iterdir()] == ["walk.npz"]


def test_unfinished_work_is_gone_on_with_only_where_it_began_with_the_same(tmp_path):
    base = controller([[0.1], [1.0]], [[0.0], [1.0]], following={"gains": {"thigh": (1.0, 2.0)}})
    base.refined(np.array([[2.0]]), np.array([[5.0]]), np.array([0]), np.array([0.0]), base.moments).save(tmp_path / "one.npz")
    known = load(tmp_path / "one.npz")
    assert known.began_as(base)
    for other in (replace(base, kind=TRANSITION), replace(base, following={}), replace(base, body="tall"), replace(base, states=base.states + 0.1),
                  controller([[0.1]], [[0.0]], following=base.following)):
        assert not known.began_as(other)


# -- how they give way to each other --------------------------------------------------------------------------------------


def test_the_way_from_one_controller_to_another_is_the_shortest():
    one = controller([[0.0]], [[0.0]])
    known = Repertoire("some", BODY, "stand", {"stand": one, "walk": one, "run": one}, {("stand", "walk"): one, ("walk", "run"): None})
    assert known.way("stand", "run") == ["walk", "run"] and not known.way("stand", "stand")
    with pytest.raises(JobError, match="no way from 'run' to 'stand'"):
        known.way("run", "stand")


def test_an_act_is_done_from_where_it_begins_and_leads_back_there():
    one, jump = controller([[0.0]], [[0.0]]), controller([[0.0], [0.0]], [[1.0], [2.0]], kind=TRANSITION, times=np.array([0.0, 1.0]))
    known = Repertoire("some", BODY, "walk", {"stand": one, "walk": one}, {("walk", "stand"): None}, acts={"jump": Act("stand", jump, 0.2)})
    assert known.way("walk", "jump") == ["stand", "jump"] and known.names == ["stand", "walk", "jump"]
    with pytest.raises(JobError, match="no way from 'stand' to 'walk'; it has stand, walk, jump"):
        known.way("stand", "walk")


def test_a_repertoire_that_names_what_is_not_there_is_refused(tmp_path):
    controller([[0.0]], [[0.0]]).save(tmp_path / "one.npz")
    data = {"body": BODY, "first": "walk", "controllers": {"walk": "one.npz"}, "transitions": [{"from": "walk", "to": "fly"}]}
    (tmp_path / "some.json").write_text(json.dumps(data))
    with pytest.raises(FormatError, match="name 'fly', which is not among them"):
        load_repertoire(str(tmp_path / "some.json"))
    (tmp_path / "some.json").write_text(json.dumps({**data, "body": "average_man", "transitions": []}))
    with pytest.raises(FormatError, match="are not all of the body 'average_man'"):
        load_repertoire(str(tmp_path / "some.json"))


@pytest.mark.parametrize(("wrong", "words"), [
    ({"transitions": [{"from": "walk", "to": "stand", "over": 0}]}, r"transitions\[0\]\.over of the controllers '.*some\.json' is 0; allowed"),
    ({"transitions": [{"from": "walk", "to": "stand", "over": "quick"}]}, r"transitions\[0\]\.over .* is 'quick'"),
    ({"transitions": [{"from": "walk", "to": "stand", "begins": None, "ends": 1}]}, r"transitions\[0\]\.begins .* is None"),
    ({"transitions": [{"from": "walk", "to": "stand", "begins": 1}]}, "lack 'ends'"),
    ({"acts": {"jump": {"at": "stand", "by": "change.npz", "over": 0}}}, r"acts\.jump\.over .* is 0"),
    ({"acts": {"jump": {"at": "stand", "by": "one.npz", "over": 1}}}, "change by 'some', which goes on for ever"),
    ({"acts": {"jump": {"at": "stand", "by": "stiff.npz", "over": 1}}}, "let .stand. fade into .jump., which is followed in another"),
    ({"rescues": [{"from": "stand", "to": "walk", "towards": "left", "beyond": 1, "over": 1, "lasts": 1}]}, r"rescues\[0\]\.towards .* is 'left'"),
    ({"rescues": [{"from": "stand", "to": "walk", "towards": 0, "beyond": 1, "over": 1, "lasts": 1}]}, "save .stand., but no"),
])
def test_a_broken_repertoire_is_refused_with_a_sentence_that_names_the_field(tmp_path, wrong, words):
    controller([[0.0]], [[0.0]]).save(tmp_path / "one.npz")
    controller([[0.0]], [[0.0]], kind=TRANSITION).save(tmp_path / "change.npz")
    controller([[0.0]], [[0.0]], kind=TRANSITION, following={"gains": STIFF}).save(tmp_path / "stiff.npz")
    data = {"made_by": "by hand", "body": BODY, "first": "walk", "controllers": {"walk": "one.npz", "stand": "one.npz"}}
    (tmp_path / "some.json").write_text(json.dumps({**data, **wrong}))
    with pytest.raises((FormatError, JobError), match=words):
        load_repertoire(str(tmp_path / "some.json"))


def test_what_it_is_told_can_be_reached_from_where_it_will_be_then():
    body = presets.body(BODY)
    size = Senses(body, Weights()).size
    one, change = (controller(np.zeros((1, size)), np.zeros((1, len(body.names) - 1)), far=1e9, kind=kind) for kind in (STATIONARY, TRANSITION))
    known = Repertoire("some", BODY, "stand", {"stand": one, "walk": one, "run": one},
                       {("stand", "walk"): change, ("stand", "run"): None, ("run", "stand"): None})
    told = [{"type": "gait", "time": time, "gait": gait} for time, gait in ((1.0, "run"), (2.0, "walk"))]
    with world_class("pybullet")(body) as world:
        Learned(body, replace(planar.teachers_job(), events=tuple(told)), known, world.inertias)
        with pytest.raises(JobError, match="no way from 'walk' to 'run'"):
            Learned(body, replace(planar.teachers_job(), events=(*told, {**told[0], "time": 3.0})), known, world.inertias)
        driver, state = Learned(body, planar.teachers_job(), known, world.inertias), world.read()
        driver.change("walk")
        driver.torques(state)
        assert driver.controller is change and driver.leads_to == "walk"
        driver.change("run")  # there is no way to it from where this change leads
        for moment in (1.0, 2.0):
            driver.torques(replace(state, time=moment))
        assert driver.arrived and driver.leads_to == "walk"


def test_a_fade_goes_from_one_choice_to_the_other_but_stays_in_one_step():
    body = presets.body("average_man")
    with world_class("pybullet")(body) as world:
        law = ByBalance(body, world.inertias, {}, 0.8)
    choice, other = np.zeros(20), np.full(20, 2.0)
    choice[-9:-6] = other[-9:-6] = (0.0, 1.0, 1.0)  # stance, swing, how much that one swings
    assert law.between(choice, other, 0.25)[0] == 0.5
    other[-9:-7] = (1.0, 0.0)
    assert law.between(choice, other, 0.4) is choice and law.between(choice, other, 0.6) is other


def test_a_fade_between_controllers_that_are_followed_otherwise_is_refused(tmp_path):
    for name, gains in (("one", GAINS), ("other", STIFF)):
        controller([[0.0]], [[0.0]], following={"gains": gains}).save(tmp_path / f"{name}.npz")
    data = {"body": BODY, "first": "one", "controllers": {"one": "one.npz", "other": "other.npz"},
            "transitions": [{"from": "one", "to": "other", "over": 1.0}]}
    (tmp_path / "some.json").write_text(json.dumps(data))
    with pytest.raises(FormatError, match="let 'one' fade into 'other', which is followed in another way"):
        load_repertoire(str(tmp_path / "some.json"))


@pytest.mark.parametrize(("one", "other", "speeds"), [("walk", "fast_walk", (1.4, 1.9)), ("jog", "run", (2.3, 2.8))])
def test_a_walk_and_a_jog_fade_into_quicker_ones(one, other, speeds):
    told = {"type": "gait", "time": 1.5, "gait": other}
    result = jobs.run(make_job({"method": "learned", "first": one, "events": [told], "duration": 5.0, "fps": 30.0}))
    gone = np.linalg.norm(result.root_positions[-1, :2] - result.root_positions[-31, :2])
    assert not result.outcome["fell"] and speeds[0] < gone < speeds[1]


# -- what is shipped ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.npz")), ids=lambda path: path.stem)
def test_a_shipped_controller_is_small_and_says_how_it_was_made(path):
    assert path.stat().st_size <= LARGEST
    first, *others = load(path).made_by.split("; python ")
    assert first.startswith("python ")
    for number, command in enumerate([first.removeprefix("python "), *others]):
        script, *words = shlex.split(command, comments=True)
        assert script == "presets/find_controllers.py"
        options = find_controllers.arguments().parse_args(words)  # ends with an error where there is no such option
        assert options.together if number else options.name == [path.stem]


def test_every_shipped_repertoire_is_whole():
    for name in presets.names("controllers"):
        known = load_repertoire(name)
        assert all(known.after(0).controllers[key].refinements == 0 for key in known.controllers)


@pytest.mark.parametrize("name", ["walk", "run"])
def test_refinement_is_what_holds_the_planar_gaits(name):
    """The base regression falls within seconds, as in Figure 6 of the paper."""
    job = {"method": "learned", "controllers": "planar", "first": name}
    assert jobs.run(make_job({**job, "refinements": 0, "duration": 6})).outcome["fell_at"] < 4.0
    assert not jobs.run(make_job({**job, "duration": 12})).outcome["fell"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "metres"), [("walk", 300.0), ("run", 700.0), ("stand", 0.0)])
def test_the_planar_controllers_hold_five_minutes_each(name, metres):
    result = jobs.run(make_job({"method": "learned", "controllers": "planar", "first": name, "duration": 300}))
    assert not result.outcome["fell"] and result.root_positions[-1, 0] > metres - 0.1


def test_the_average_man_walks_and_comes_to_a_stand():
    told = {"type": "gait", "time": 2.0, "gait": "stand"}
    result = jobs.run(make_job({"method": "learned", "first": "walk", "events": [told], "duration": 11.0}))
    assert not result.outcome["fell"]
    assert np.ptp(result.root_positions[:60, 0]) > 1.5 and np.linalg.norm(np.ptp(result.root_positions[-30:], axis=0)) < 0.02


def test_who_is_told_to_jump_jumps_once_and_stands_again():
    told = [{"type": "gait", "time": 1.0, "gait": "jump"}, {"type": "gait", "time": 5.0, "gait": "jump"}]
    result = jobs.run(make_job({"method": "learned", "first": "stand", "events": told, "duration": 10.0, "fps": 60.0}))
    up = sole_positions(result)[..., 2].min(axis=1)
    assert not result.outcome["fell"] and all(up[60 * second:60 * second + 240].max() > JUMPED for second in (1, 5))
    assert np.count_nonzero(np.diff((up > JUMPED).astype(int)) == 1) == 2
    assert np.linalg.norm(np.ptp(result.root_positions[-30:], axis=0)) < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("name", presets.load("controllers", "average_man")["controllers"])
def test_every_controller_of_the_average_man_holds_a_minute(name):
    assert not jobs.run(make_job({"method": "learned", "first": name, "duration": 60})).outcome["fell"]


def test_who_is_pushed_from_behind_saves_himself_by_walking_and_stands_again():
    result = pushed("stand", 120.0, 0.0)
    assert not result.outcome["fell"] and result.root_positions[-1, 0] > 1.0
    assert np.linalg.norm(np.ptp(result.root_positions[-30:], axis=0)) < 0.02


@pytest.mark.slow
@pytest.mark.parametrize(("name", "newtons", "side"),
                         [*(("walk", 60.0, side) for side in range(0, 8, 2)), *(("stand", 120.0, side) for side in range(8))])
def test_pushes_from_the_sides_and_between_them_are_taken(name, newtons, side):
    assert not pushed(name, newtons, 0.25 * math.pi * side).outcome["fell"]


@pytest.mark.slow
@pytest.mark.parametrize("stops", [2.0, 2.3, 2.9])
def test_who_has_stopped_with_one_foot_ahead_sets_off_again(stops):
    told = [{"type": "gait", "time": stops, "gait": "stand"}, {"type": "gait", "time": stops + 9.0, "gait": "walk"}]
    result = jobs.run(make_job({"method": "learned", "first": "walk", "events": told, "duration": stops + 14.0}))
    assert not result.outcome["fell"] and np.linalg.norm(result.root_positions[-1, :2] - result.root_positions[-31, :2]) > 0.9


def pushed(name: str, newtons: float, angle: float) -> Result:
    """The average man, pushed for 0.4 s after 2 s."""
    push = {"type": "push", "time": 2.0, "duration": 0.4, "part": "torso", "force": [newtons * math.cos(angle), newtons * math.sin(angle), 0.0]}
    return jobs.run(make_job({"method": "learned", "first": name, "events": [push], "duration": 14}))


def test_a_job_for_another_body_or_an_unknown_controller_is_refused():
    with pytest.raises(JobError, match="were learned on the body 'planar_biped'"):
        make_job({"method": "learned", "controllers": "planar", "body": "average_man"})
    with pytest.raises(JobError, match="first is 'fly'; the controllers 'planar' are walk"):
        make_job({"method": "learned", "controllers": "planar", "first": "fly"})
    with pytest.raises(JobError, match=r"events\[0\]\.gait is 'swim'"):
        make_job({"method": "learned", "events": [{"type": "gait", "time": 1.0, "gait": "swim"}]})


def test_a_controller_is_learned_by_one_command_and_runs(tmp_path, capsys):
    output, unfinished = tmp_path / "walk.npz", tmp_path / "walk.part.npz"
    controller([[0.0]], [[0.0]], name="walk").save(unfinished)  # of another lesson
    assert main(["learn-controller", "walk", "--gait", "planar_walk", "--rounds", "1", "-o", str(output)]) == 0
    said = capsys.readouterr()
    assert "is of another lesson: it begins anew" in said.err and not unfinished.exists()
    told = json.loads(said.out)
    assert told["refinements"] == 1 and told["samples"] == len(load(output).states) > 1200 and 0.3 < told["held_s"][0] < 20.0
    result = jobs.run(make_job({"method": "learned", "file": str(output), "duration": 0.5}))
    assert not result.outcome["fell"] and result.root_positions[-1, 0] > 0.3


def test_a_controller_is_learned_from_the_clips_of_a_job(tmp_path, capsys):
    job, output = tmp_path / "job.json", tmp_path / "walk.npz"
    job.write_text(json.dumps({"method": "track", "clips": [str(path_of("walk"))], "body": "average_woman", "loop": True}))
    assert main(["learn-controller", "stroll", "--job", str(job), "--rounds", "0", "-o", str(output)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["refinements"], told["left_out"]) == (0, []) and load(output).body == "average_woman"
    assert not jobs.run(make_job({"method": "learned", "file": str(output), "duration": 2})).outcome["fell"]
    job.write_text(json.dumps({"gait": "walk"}))
    assert main(["learn-controller", "stroll", "--job", str(job), "-o", str(output)]) == 2
    assert "follows no clips" in capsys.readouterr().err


def test_a_controller_needs_clips_or_a_gait(tmp_path, capsys):
    assert main(["learn-controller", "walk", "-o", str(tmp_path / "walk.npz")]) == 2
    assert "--clips" in capsys.readouterr().err
    assert main(["learn-controller", "walk", "--gait", "walk", "-o", str(tmp_path / "walk.npz")]) == 2
    assert "is no gait of the planar biped" in capsys.readouterr().err
