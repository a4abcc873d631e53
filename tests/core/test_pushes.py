"""The push database: what is in it, what it answers to a push on a clip, and what becomes of the clip."""

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from core import presets, rotation
from core.__main__ import main
from core.balance_styles import known_styles
from core.balance_styles import scaled as scaled_style
from core.commands.push import answered
from core.errors import FormatError
from core.feet.slide import bearing_slides
from core.hit.settings import ATTEMPTS
from core.jobs import make_job
from core.kinematic.retargeted import as_result
from core.optimize.push_responses import DIRECTIONS, HEIGHTS, SECONDS, cells, title
from core.optimize.push_starts import moment, reference_of
from core.places import struck
from core.pushes.adaptation import mixed, scaled, turned
from core.pushes.answer import answer, held_by
from core.pushes.catch import Stance, best, caught
from core.pushes.database import FOLDER, Database, frames_of, shipped
from core.pushes.ready import Ready
from core.pushes.response import ANKLE, FALL, IN_PLACE, NOTHING, ROOT, SPEED, STEPS, STRATEGIES, mirrored
from core.pushes.selection import ALIKE
from core.reference.recordings import Recording, lasting
from core.result import Result

CLIPS = Path(__file__).resolve().parents[1] / "clips"
FPS, PUSH_S = 60.0, 0.15
WHEN = {"stand": 1.0, "walk": 1.8}  # s at which a clip is pushed
AHEAD, LEFT, BACK, RIGHT = 0.0, 90.0, 180.0, 270.0
STRENGTHS = {"stand": (0.08, 0.3, 0.7, 1.1, 2.5), "walk": (0.08, 0.3, 0.6, 2.5)}  # m/s


@lru_cache
def database():
    found = Database.load(FOLDER / "average_man.npz")
    found.prepare()
    return found


@lru_cache
def clip_of(name, person="average_man"):
    body = presets.body(person)
    reference = lasting(Recording(str(CLIPS / f"{name}.bvh"), end="hold" if name == "stand" else "auto"), body, WHEN[name] + 8.0)
    motion = reference.motion.slice(0.0, WHEN[name] + 8.0).resample(FPS).facing(0.0)
    return Ready.of(body, motion, reference.contacts_at(FPS, motion.frames))


def force_of(body, degrees, speed):
    newtons, angle = speed * body.mass / PUSH_S, np.radians(degrees)
    return (newtons * np.cos(angle), newtons * np.sin(angle), 0.0)


def styles(body):
    return [scaled_style(style, body) for style in known_styles()]


def pushed(name, degrees, speed, part="chest", person="average_man", when=None, before=None):
    clip = clip_of(name, person)
    return answer(database(), clip, WHEN[name] if when is None else when, part, force_of(clip.body, degrees, speed), PUSH_S, before)


def everything():
    """Pushes of many kinds on both clips, in which the body stays up."""
    found = [(name, degrees, speed, part) for name in WHEN for degrees in (0.0, 50.0, 100.0, 150.0, 200.0, 250.0, 300.0) for speed in STRENGTHS[name]
             for part in ("chest", "hip")]
    answers = [(name, pushed(name, degrees, speed, part)) for name, degrees, speed, part in found]
    return [(name, one) for name, one in answers if one.strategy != "fall"]


def jerks(motion):
    """(F - 2,) m/s by which the fastest change of a joint's velocity changes, from frame to frame."""
    return np.abs(np.diff(motion.world()[0], 2, axis=0)).max(axis=(1, 2)) * motion.fps


def test_the_shipped_database_says_what_is_in_it(capsys):
    assert main(["push-database", "list", str(FOLDER / "average_man.npz")]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["body"] == "average_man" and said["responses"] == sum(said["strategies"].values()) == len(database().responses)
    assert set(said["strategies"]) == set(STRATEGIES) and min(said["strategies"].values()) > 0
    assert len(said["starts"]) == 7 and "push-database build" in said["made_by"]


def test_each_response_says_how_it_was_taken():
    for one in database().responses:
        assert len(one.frames) == len(one.contacts) > 5 and np.abs(one.frames[0, ANKLE]).max() < 0.02
        assert 0.3 < one.height < 2.2 and 0.0 < one.speed < 2.5
        walks = database().starts[one.start].walks
        assert one.held_by in range(len(ATTEMPTS if walks else known_styles())) or (one.held_by == NOTHING and one.strategy != STEPS)
        before, after = one.momentum[:, :2]
        gained = (after - before) @ (np.cos(one.direction), np.sin(one.direction)) / database().body.mass
        assert walks or one.strategy == FALL or one.speed < 0.5 or 0.3 * one.speed < gained < one.speed + 1.0  # the ground takes its part
        if one.strategy == STEPS and not walks:
            assert len(one.steps) >= 1 and (one.steps[:, 1] > 0.0).all() and np.linalg.norm(one.steps[:, 2:4], axis=1).max() < 4.0


def test_a_database_is_read_as_it_was_written(tmp_path):
    own = replace(database(), responses=database().responses[:30])
    own.save(tmp_path / "some.npz")
    read = Database.load(tmp_path / "some.npz")
    assert (read.person, read.done, read.made_by) == (own.person, own.done, own.made_by)
    assert [start.name for start in read.starts] == [start.name for start in own.starts]
    for one, other in zip(read.responses, own.responses, strict=True):
        assert (one.start, one.strategy, one.held_by) == (other.start, other.strategy, other.held_by) and one.speed == pytest.approx(other.speed)
        np.testing.assert_allclose(one.frames, other.frames, atol=1e-6)
        np.testing.assert_array_equal(one.contacts, other.contacts)
        np.testing.assert_allclose(one.steps, other.steps, atol=1e-6)


@pytest.mark.parametrize("damage", [lambda data: data[:len(data) // 2], lambda data: b"no archive at all", lambda data: b""])
def test_a_broken_database_is_refused_with_a_sentence(tmp_path, damage):
    path = tmp_path / "broken.npz"
    path.write_bytes(damage((FOLDER / "average_man.npz").read_bytes()))
    with pytest.raises(FormatError, match=r"broken\.npz.*build"):
        Database.load(path)


def test_the_mirror_image_of_a_mirror_image_is_the_response():
    for number, one in enumerate(database().responses[:40]):
        np.testing.assert_allclose(mirrored(mirrored(one.frames)), one.frames)
        frames, contacts = frames_of(database(), number + len(database().responses))
        np.testing.assert_allclose(frames[:, SPEED], one.frames[:, SPEED] * (1.0, -1.0))
        np.testing.assert_array_equal(contacts, one.contacts[:, ::-1])


def test_a_push_from_the_other_side_on_a_symmetric_stance_is_taken_the_other_way_round():
    one, other = pushed("stand", 60.0, 0.3), pushed("stand", -60.0, 0.3)
    one, other = (each.motion.root_positions - each.motion.root_positions[0] for each in (one, other))
    assert np.abs(one[:len(other)] - other[:len(one)] * (1.0, -1.0, 1.0)).max() < 0.02


@pytest.mark.parametrize("name", WHEN)
@pytest.mark.parametrize("part", ["hip", "chest"])
def test_the_harder_the_push_the_more_it_takes(name, part):
    for degrees in np.arange(0.0, 360.0, 30.0):
        levels = [STRATEGIES.index(pushed(name, degrees, speed, part).strategy) for speed in (0.05, 0.15, 0.3, 0.5, 0.8, 1.2, 1.7, 2.5)]
        assert levels == sorted(levels) and levels[0] == IN_PLACE and levels[-1] == FALL


def test_what_is_chosen_was_made_for_a_push_as_strong_or_stronger():
    index = database().index
    for degrees in np.arange(0.0, 360.0, 30.0):
        for speed in (0.2, 0.4, 0.7):
            one = pushed("stand", degrees, speed)
            near = np.abs(rotation.wrap(index.directions - np.radians(degrees))) < np.radians(50.0)
            stronger = index.speeds[near & ~index.walks[index.start] & (index.strategies == one.choice.strategy)]
            if (stronger >= speed).sum() > ALIKE and one.strategy != "fall":
                assert index.speeds[one.choice.number] >= speed - 1e-6 and one.choice.scale == pytest.approx(speed / index.speeds[one.choice.number])


def test_a_weaker_push_is_taken_with_less_of_the_same():
    frames = next(one.frames for one in database().responses if one.strategy == IN_PLACE)
    smaller, pace = scaled(frames, 0.5, retimed=True)
    less = 1.0 - np.abs(smaller[:, ROOT]).max() / np.abs(frames[:, ROOT]).max()
    assert 0.5 < less < 1.0 and (1.0 - less) * pace == pytest.approx(0.5, abs=1e-6)  # equation 4.9
    ways = [pushed("stand", AHEAD, speed) for speed in (0.02, 0.05, 0.08)]
    far = [np.linalg.norm(one.motion.world()[0][:one.last] - clip_of("stand").places[:one.last], axis=-1).max() for one in ways]
    assert far == sorted(far) and far[0] < 0.7 * far[-1]


def test_a_push_from_a_little_further_round_turns_the_steps():
    frames = next(one.frames for one in database().responses if one.strategy == STEPS)
    angle = 0.3
    around = rotation.from_axis_angle((0.0, 0.0, 1.0), angle)
    np.testing.assert_allclose(turned(frames, angle)[:, ROOT], rotation.rotate(around, frames[:, ROOT]), atol=1e-9)
    # Where its steps then come down, the body that catches itself says.
    one, other = (pushed("stand", degrees, 0.6) for degrees in (13.0, 7.0))
    assert one.choice.number == other.choice.number and np.degrees(one.choice.turn - other.choice.turn) == pytest.approx(6.0)


def test_a_sway_from_the_side_is_mixed_with_its_mirror_image_towards_the_middle():
    one = next(one for one in database().responses if one.strategy == IN_PLACE and 0.3 < abs(np.sin(one.direction)) < 0.95)
    middle = 0.0 if np.cos(one.direction) > 0.0 else np.pi
    np.testing.assert_allclose(mixed(one.frames, one.direction, middle), 0.5 * (one.frames + mirrored(one.frames)), atol=1e-9)
    np.testing.assert_allclose(mixed(one.frames, one.direction, one.direction), one.frames)
    np.testing.assert_allclose(mixed(one.frames, one.direction, one.direction + 0.5 * np.pi), one.frames)  # what is harder is not made up


@pytest.mark.parametrize("name", WHEN)
def test_the_clip_is_as_it_was_before_and_after_but_for_a_move_on_the_ground(name):
    clip = clip_of(name)
    for degrees in (AHEAD, LEFT, 200.0):
        for speed in STRENGTHS[name][:-1]:
            one = pushed(name, degrees, speed)
            np.testing.assert_array_equal(one.motion.root_positions[:one.first + 1], clip.motion.root_positions[:one.first + 1])
            np.testing.assert_array_equal(one.motion.rotations[:one.first + 1], clip.motion.rotations[:one.first + 1])
            if one.strategy == "fall":
                continue
            after = slice(one.last, one.motion.frames)
            roots, rotations, _, _ = clip.at(one.clip_times[after])
            np.testing.assert_allclose(np.abs((one.motion.rotations[after, 1:] * rotations[:, 1:]).sum(axis=-1)), 1.0, atol=1e-6)
            turn = float(rotation.heading(rotation.multiply(one.motion.rotations[one.last, 0], rotation.conjugate(rotations[0, 0]))))
            around = rotation.from_axis_angle((0.0, 0.0, 1.0), turn)
            moved = one.motion.root_positions[one.last] + rotation.rotate(around, roots - roots[0])
            np.testing.assert_allclose(one.motion.root_positions[after], moved, atol=1e-4)
            assert len(one.motion.root_positions) > one.last + 1 and len(one.contacts) == len(one.clip_times) == one.motion.frames


def test_nothing_jumps_where_the_answer_begins_and_ends():
    for name, one in everything():
        clip, changes = clip_of(name), jerks(one.motion)
        own = jerks(clip.motion).max()
        push = np.linalg.norm(force_of(clip.body, 0.0, database().index.speeds[one.choice.number])) * PUSH_S / clip.body.mass
        assert changes[one.first - 2:one.first + 1].max() < own + 1.5 * push + 0.3
        assert changes[one.last - 2:one.last + 1].max() < 2.0 * own + 0.3


def test_feet_that_stand_stay_and_no_foot_sinks():
    for name, one in everything():
        clip = clip_of(name)
        result = as_result({}, clip.body, name, one.motion, one.contacts)
        assert max(bearing_slides(result, one.first), default=0.0) < 0.01
        assert (result.penetrations - clip.depths.max()).max() < 0.002


def test_knees_and_elbows_stay_hinges_that_do_not_bend_backwards():
    for name, one in everything():
        body = clip_of(name).body
        for link in (body.names.index(f"{part}.{side}") for part in ("forearm", "shin") for side in "LR"):
            joint = one.motion.rotations[:, link]
            assert np.abs(joint[:, [1, 3]]).max() < 1e-6
            low, high = body.limits[link, 1]
            assert low - 0.01 < rotation.hinge_angle(joint).min() and rotation.hinge_angle(joint).max() < high + 0.01


def test_steps_come_down_on_the_side_that_the_push_goes_to():
    for degrees in (AHEAD, LEFT, BACK, RIGHT):
        one = pushed("stand", degrees, 0.6)
        if one.strategy == "steps":
            assert one.steps == len(one.places) > 0 and (one.places[:, 1] > 0.0).all()
            furthest = one.places[:, 2:4] - clip_of("stand").motion.root_positions[0, :2]
            assert (furthest @ (np.cos(np.radians(degrees)), np.sin(np.radians(degrees)))).max() > 0.05


def test_a_body_that_stands_steps_as_it_did_when_it_was_simulated():
    person, off, feet = presets.body("average_man"), [], []
    for one in database().responses:
        start = database().starts[one.start]
        if one.strategy != STEPS or start.name != "one ahead" or one.held_by != 0:
            continue
        reference = reference_of("average_man", start.name, "pybullet", SECONDS + 3.0)
        motion, frame = reference.motion.resample(FPS).facing(0.0), round(moment(reference, start.name, 0) * FPS)
        ready = Ready.of(reference.body, motion, reference.contacts_at(FPS, motion.frames))
        force = one.speed * person.mass / PUSH_S * np.array((np.cos(one.direction), np.sin(one.direction)))
        found = caught(Stance.of(ready, frame), styles(person)[0], tuple(force.tolist()), PUSH_S, one.height * person.leg_length)
        feet.append(found.steps[0].foot == one.steps[0, 0])
        off.append(np.linalg.norm(found.steps[0].place - motion.root_positions[frame, :2] - one.steps[0, 2:4]))
    assert len(off) > 40 and np.mean(feet) > 0.9 and np.median(off) < 0.1


@pytest.mark.parametrize("degrees", [AHEAD, 60.0, LEFT, 140.0, BACK, 250.0])
def test_the_first_step_comes_down_where_and_when_the_body_catches_itself(degrees):
    one, clip = pushed("stand", degrees, 0.6), clip_of("stand")
    force, (link, point) = force_of(clip.body, degrees, 0.6), struck(clip.body, "chest")
    high = float((clip.places[one.first, link] + rotation.rotate(clip.turns[one.first, link], point))[2])
    _, found = best(Stance.of(clip, one.first), styles(clip.body), held_by(database(), clip, WHEN["stand"], "chest", force, PUSH_S)[1], force[:2],
                    PUSH_S, high)
    assert one.strategy == "steps" and len(found.steps) > 0
    foot, seconds, *place = one.places[0]
    assert foot == found.steps[0].foot and seconds == pytest.approx(found.steps[0].land, abs=0.06)
    np.testing.assert_allclose(place, found.steps[0].place, atol=0.03)


def test_a_walker_puts_its_next_foot_where_walkers_did_that_were_pushed_then():
    walked, off = database().walked, []
    for number in range(0, len(walked.feet) // 2, 7):
        others = np.arange(len(walked.feet)) != number
        rest = replace(walked, feet=walked.feet[others], given=walked.given[others], found=walked.found[others])
        led = rest.led(int(walked.feet[number]), walked.given[number], [walked.given[number, 3]])
        off.append(np.linalg.norm(led[0].place - walked.found[number, :2]) if led else np.inf)
    assert len(off) > 50 and np.median(off) < 0.1


def test_a_weak_push_just_before_a_foot_comes_down_leaves_it_where_it_was():
    clip = clip_of("walk")
    ends = np.flatnonzero((clip.contacts[1:] & ~clip.contacts[:-1]).any(axis=1)) + 1
    land = int(ends[ends > 2.0 * FPS][0])
    foot = int(np.argmax(clip.contacts[land] & ~clip.contacts[land - 1]))
    one = pushed("walk", LEFT, 0.3, when=(land - 4) / FPS)
    stands = one.first + int(np.argmax(one.contacts[one.first:, foot])) + 3
    assert np.linalg.norm((one.motion.world()[0][stands, clip.ankles[foot]] - clip.places[land + 3, clip.ankles[foot]])[:2]) < 0.08


@pytest.mark.parametrize("after", [0.1, 0.35, 0.8])
@pytest.mark.parametrize("degrees", [AHEAD, LEFT, BACK])
def test_a_push_in_the_middle_of_a_response_goes_on_from_there(after, degrees):
    first = pushed("stand", AHEAD, 0.6)
    again = pushed("stand", degrees, 0.4, when=WHEN["stand"] + after, before=first)
    np.testing.assert_array_equal(again.motion.root_positions[:again.first + 1], first.motion.root_positions[:again.first + 1])
    own = jerks(first.motion)[first.first + 1:].max()
    assert jerks(again.motion)[again.first - 1:again.first + 2].max() < own + 1.0
    assert STRATEGIES.index(again.strategy) >= STRATEGIES.index(pushed("stand", degrees, 0.1).strategy)


@pytest.mark.parametrize("name", WHEN)
@pytest.mark.parametrize("degrees", [AHEAD, LEFT])
def test_a_push_after_a_response_is_taken_where_the_body_has_come_to(name, degrees):
    first = pushed(name, LEFT, 0.5)
    when = (first.last + 20) / FPS
    again = pushed(name, degrees, 0.3, when=when, before=first)
    np.testing.assert_array_equal(again.motion.root_positions[:again.first + 1], first.motion.root_positions[:again.first + 1])
    assert jerks(again.motion)[again.first - 1:again.first + 2].max() < jerks(first.motion)[first.first + 1:].max() + 1.0
    # As from the same pose elsewhere: the way that it is pushed, seen from where it is, and the places of its steps go with the body.
    alone = pushed(name, degrees - np.degrees(first.home.turn), 0.3, when=float(first.clip_times[again.first]))
    assert (again.strategy, again.steps) == (alone.strategy, alone.steps)
    frames = np.arange(30)
    np.testing.assert_allclose(first.home.places(alone.motion.root_positions[alone.first + 1 + frames]),
                               again.motion.root_positions[again.first + 1 + frames], atol=0.02)  # up to a frame


def test_two_pushes_the_same_way_are_harder_than_one():
    first = pushed("stand", AHEAD, 0.6)
    both = pushed("stand", AHEAD, 1.2, when=WHEN["stand"] + 0.15, before=first)
    assert STRATEGIES.index(both.strategy) >= STRATEGIES.index(pushed("stand", AHEAD, 1.2).strategy)


@pytest.mark.parametrize("person", ["short", "tall"])
def test_other_bodies_take_pushes_in_their_own_size(person):
    for name in WHEN:
        one, usual = pushed(name, LEFT, 0.3, person=person), pushed(name, LEFT, 0.3)
        assert one.motion.skeleton is not None and one.strategy in STRATEGIES
        result = as_result({}, clip_of(name, person).body, name, one.motion, one.contacts)
        assert max(bearing_slides(result, one.first), default=0.0) < 0.01
        frame = one.first + 30
        shift = [each.motion.root_positions[frame] - clip_of(name, whom).motion.root_positions[frame]
                 for each, whom in ((one, person), (usual, "average_man"))]
        assert 0.3 < (0.01 + np.linalg.norm(shift[0])) / (0.01 + np.linalg.norm(shift[1])) < 3.0
    assert shipped(presets.body(person)).suffix == ".npz"


def test_a_push_on_the_command_line(tmp_path, capsys):
    output = tmp_path / "pushed.npz"
    assert main(["push", str(CLIPS / "stand.bvh"), "--body", "average_man", "--at", "0.8", "--force=300,0,0", "--at", "1.2", "--force=0,100,0",
                 "--seconds", "0.15", "--database", str(FOLDER / "average_man.npz"), "-o", str(output)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [push["at_s"] for push in said["pushes"]] == [0.8, 1.2] and all(push["strategy"] in STRATEGIES for push in said["pushes"])
    result = Result.load(output)
    assert result.outcome["strategy"] == said["pushes"][-1]["strategy"] and result.frames > 60 * 2


@pytest.mark.parametrize(("arguments", "sentence"), [
    (["--at", "0.8", "--at", "1.0", "--force=300,0,0"], "give one for each"),
    (["--at", "0.8", "--force=300,0"], "three numbers"),
    (["--at", "0.8", "--force=many"], "three numbers"),
    (["--at", "-1", "--force=300,0,0"], "time"),
    (["--at", "0.8", "--force=3000,0,0", "--at", "1.4", "--force=100,0,0"], "brings the body down"),
    (["--at", "0.8", "--force=300,0,0", "--database", "there_is_none.npz"], "no file"),
    (["--at", "0.8", "--force=300,0,0", "--body", "nobody"], "nobody")])
def test_what_cannot_be_done_is_said_in_a_sentence(tmp_path, capsys, arguments, sentence):
    output = tmp_path / "pushed.npz"
    assert main(["push", str(CLIPS / "stand.bvh"), *arguments, "-o", str(output)]) == 2
    said = capsys.readouterr().err
    assert sentence in said and "Traceback" not in said and not output.exists()


def test_all_sides_heights_and_starts_are_pushed():
    all_of_them = cells()
    assert len(all_of_them) == len(set(all_of_them)) and {height for *_, height in all_of_them} == set(HEIGHTS)
    assert {way for name, _, way, _ in all_of_them if name == "walk"} == set(range(DIRECTIONS))
    first = all_of_them[:50]  # a build that is stopped early has pushes from all sides on everything
    assert {name for name, *_ in first} == {"side by side", "one ahead", "wide", "walk"}
    assert {way for *_, way, _ in first} == set(range(0, DIRECTIONS, 2))


@pytest.mark.slow
def test_a_database_is_built_and_gone_on_with(tmp_path, capsys):
    output, cell = tmp_path / "own.npz", ("wide", 0, 8, "hip")
    arguments = ["push-database", "build", "--body", "average_woman", "--only", title(cell), "--minutes", "0.02", "--workers", "1", "-o", str(output)]
    assert main(arguments) == 0
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert said["responses"] >= 3 and said["strategies"]["in place"] >= 1 and said["strategies"]["fall"] == 1
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["responses"] == said["responses"]
    assert main(["push-database", "build", "--body", "average_man", "--only", title(cell), "--workers", "1", "-o", str(output)]) == 2
    assert "another body" in capsys.readouterr().err
