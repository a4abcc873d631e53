"""Actions found in clips, features of foot pressure, recognisers and databases, on what the repository and pybullet hold."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from core.__main__ import main
from core.errors import FormatError, JobError
from core.formats import read_clip
from core.pressure.calibration import calibrated
from core.pressure.database import Database, build, clip_name, take_of
from core.pressure.devices import plain, read
from core.pressure.examples import Action, Example, between, mirrored, other_side, warped
from core.pressure.extents import Extents, Shown, shown_in, signs_of
from core.pressure.features import PER_FOOT, TEN, Ticks, heard, hu_moments, track
from core.pressure.footsee import FootSee, frames_ahead
from core.pressure.nearest import Ear, Nearest
from core.pressure.pad import record, sensed
from core.pressure.segments import segments
from core.pressure.sensors import Device, Sensing
from core.pressure.tread import of_reference
from core.pressure.warping import Warping
from core.reference import mirrored as mirrored_clip
from core.reference import prepare

CLIPS = Path(__file__).resolve().parents[1] / "clips"
MOTIONS = Path(pybullet_data.getDataPath()) / "data" / "motions"
PAD = Device("grid", 12.0)
SMALL = Device("grid", 12.0, (40, 48))  # which is soon written and read


@cache
def clip(name: str):
    own = CLIPS / f"{name}.bvh"
    return prepare(read_clip(str(own if own.is_file() else MOTIONS / f"humanoid3d_{name}.txt")))


@cache
def example(name: str) -> Example:
    take = take_of(clip(name), "average_man", PAD)
    return replace(take.example, actions=[replace(action, name=name) for action in take.example.actions])


@cache
def session(order: tuple[str, ...], seed: int = 0) -> Example:
    """Actions one after the other, with quiet standing between them, each a little faster or slower, on a noisy pad."""
    random = np.random.default_rng(seed)
    rows, actions, quiet, now = [], [], [], 0.0
    stand = example("stand").track
    for name in order:
        piece = warped(example(name), float(random.uniform(0.92, 1.08)))
        for track_, which in ((stand, None), (piece.track, piece)):
            if which is not None:
                actions += [replace(action, start=now + action.start, end=now + action.end) for action in which.actions]
            else:
                quiet.append((now, now + track_.times[-1]))
            rows.append((track_.ten, track_.per_foot))
            now += len(track_.times) / 12.0
    ten, per_foot = (np.concatenate(part) for part in zip(*rows, strict=True))
    noise = random.normal(0.0, 0.03, per_foot.shape) * per_foot.std(axis=0)
    return Example(replace(stand, times=np.arange(len(ten)) / 12.0, ten=ten, per_foot=per_foot + noise), actions, quiet)


def counted(events, actions):
    """How many actions were said, once, by name, within 0.25 s; and how much else was said."""
    right = sum(any(event.name == action.name and abs(event.onset - action.start) <= 0.25 for event in events) for action in actions if action.name)
    return right, len(events) - right


def test_a_kick_is_one_action_between_quiet_standing():
    """The onset is where the foot's heel begins to lift: the clip's own leg swings from 0.9 s on."""
    active = [segment for segment in segments(clip("kick")) if segment.active]
    assert len(active) == 1 and 0.7 < active[0].start < 1.1 and 2.0 < active[0].end < 2.6
    quiet = [segment for segment in segments(clip("kick")) if not segment.active]
    assert quiet[0].start == 0.0 and quiet[0].end > 0.6 and quiet[-1].end > 3.0


def test_quiet_standing_has_no_action():
    assert not any(segment.active for segment in segments(clip("stand")))


@pytest.mark.parametrize("name", ["kick", "punch", "jump", "spinkick"])
def test_actions_of_real_people_are_found(name):
    assert any(segment.active for segment in segments(prepare(read_clip(str(MOTIONS / f"humanoid3d_{name}.txt")))))


def test_hu_moments_do_not_depend_on_place_and_turn():
    random = np.random.default_rng(0)
    places, weights = random.normal(size=(80, 2)) * (0.1, 0.04), random.uniform(5, 20, 80)
    turn = np.array([(np.cos(0.7), -np.sin(0.7)), (np.sin(0.7), np.cos(0.7))])
    assert np.allclose(hu_moments(places, weights), hu_moments(places @ turn.T + (3.0, -1.0), weights), rtol=1e-6, atol=1e-9)
    assert not np.allclose(hu_moments(places, weights), hu_moments(places * (0.4, 1.0), weights), rtol=0.05)


@pytest.mark.parametrize("device", [PAD, Device("pedar", 50.0), Device("moticon", 50.0)])
def test_features_of_pads_and_insoles_tell_the_same(device):
    """A kick with the right leg: all weight is on the left foot, and the right one's area is gone."""
    felt = track(record(of_reference(clip("kick")), device), rate=12.0)
    assert felt.ten.shape[1] == len(TEN) and felt.per_foot.shape[1] == len(PER_FOOT)
    kicking, standing = felt.per_foot[(felt.times > 1.2) & (felt.times < 1.6)], felt.per_foot[felt.times < 0.5]
    assert kicking[:, 0].min() > 0.7 and kicking[:, 1].max() < 0.1
    assert np.allclose(standing[:, :2], 0.5, atol=0.2) and kicking[:, 3].min() < 0.3 * standing[:, 3].mean()


def test_lost_frames_are_bridged():
    recording = record(of_reference(clip("kick")), PAD)
    whole, lossy = track(recording, rate=12.0), track(sensed(recording, Sensing(lost=0.15, seed=2)), rate=12.0)
    assert len(whole.times) - len(lossy.times) <= 1
    assert np.abs(whole.per_foot[: len(lossy.times), :2] - lossy.per_foot[:, :2]).mean() < 0.1


def test_the_mirrored_track_is_that_of_the_mirrored_clip():
    """Features are exchanged instead of clips: the same comes out."""
    straight, other = example("kick"), take_of(mirrored_clip(clip("kick")), "average_man", PAD).example
    off = np.abs(mirrored(straight).track.per_foot - other.track.per_foot).mean(axis=0)
    assert (off < 0.25 * np.maximum(straight.track.per_foot.std(axis=0), 0.01)).all()
    assert other_side("kick right, from the left") == "kick left, from the right"


ORDER = ("kick", "jump", "punch", "kick", "punch", "jump", "kick", "punch")


@pytest.mark.parametrize("recogniser", ["nearest", "nearest without the stance", "whole recording"])
def test_actions_are_recognised_in_a_stream(recogniser):
    learnt, heard = session(("kick", "punch", "jump", "kick", "jump", "punch"), 1), session(ORDER, 2)
    feet, times = heard.track.per_foot, heard.track.times
    events = {"nearest": lambda: Nearest([learnt], 0.5).stream(feet, times),
              "nearest without the stance": lambda: Nearest([learnt], 0.5, stance=False).stream(feet, times),
              "whole recording": lambda: Warping([learnt]).recognise(feet, times)}[recogniser]()
    known = [action for action in heard.actions if action.name]
    right, other = counted(events, known)
    assert right >= 0.85 * len(known) and other <= 2, [(event.name, round(event.onset, 2)) for event in events]
    assert all(0.0 <= event.confidence <= 1.0 for event in events)


def test_the_recogniser_of_the_thesis_knows_a_kick_that_is_slower_and_follows_it_to_its_end():
    """It has learnt the kick, its mirror image and quiet standing; the kick is said once, and nothing after it."""
    learnt = [example("kick"), mirrored(replace(example("kick"), actions=[replace(action, name="other") for action in example("kick").actions])),
              example("stand")]
    heard = warped(example("kick"), 1.1)
    events = FootSee(learnt, 1.0).stream(heard.track.ten, heard.track.times)
    right, other = counted(events, heard.actions)
    assert right == 1 and other <= 1, [(event.name, round(event.onset, 2)) for event in events]


def test_a_stream_does_not_look_further_ahead_than_it_says():
    """What comes later than the latency does not change what was said."""
    learnt, heard = session(("kick", "punch", "jump"), 1), session(ORDER, 2)
    recogniser = Nearest([learnt], 0.5)
    events = recogniser.stream(heard.track.per_foot, heard.track.times)
    event = events[len(events) // 2]
    shown = heard.track.times <= event.said + 1e-6
    again = recogniser.stream(heard.track.per_foot[shown], heard.track.times[shown])
    assert [one for one in again if one.onset <= event.onset + 1e-9] == [one for one in events if one.onset <= event.onset + 1e-9]


@pytest.mark.parametrize("device", [PAD, Device("grid", 100.0), Device("moticon", 100.0)])
def test_a_stream_shows_what_the_whole_recording_does(device):
    """Frame by frame, at the same moments; whose foot it is and what the person weighs are plain from the start."""
    recording = sensed(record(of_reference(clip("kick")), device), Sensing(lost=0.05, seed=3))
    live, whole = heard(recording, 12.0), track(recording, 12.0)
    assert np.array_equal(live.times, whole.times) and np.allclose(np.diff(live.times), 1 / 12)
    off = np.abs(live.per_foot - whole.per_foot).mean(axis=0)
    assert (off < 0.05 * np.maximum(whole.per_foot.std(axis=0), 0.01)).all(), off


def test_a_device_that_loses_frames_has_a_track_without_gaps():
    ticks = Ticks(12.0)
    due = [ticks.due(time) for time in (0.0, 0.09, 0.16, 0.41, 0.51)]
    assert [[len(lost), len(now)] for lost, now in due] == [[0, 1], [0, 1], [0, 1], [2, 1], [0, 1]]


def test_an_ear_hears_what_the_stream_holds():
    learnt, heard_ = session(("kick", "punch", "jump"), 1), session(ORDER, 2)
    recogniser = Nearest([learnt], 0.5)
    ear, said = Ear(recogniser), []
    for time, row in zip(heard_.track.times, heard_.track.per_foot, strict=True):
        event = ear.hear(float(time), row)
        if event is not None:
            assert event.said == time <= event.onset + 0.5 + 1e-9
            said.append(event)
    assert len(said) > 3 and said == recogniser.stream(heard_.track.per_foot, heard_.track.times)


def test_quiet_standing_is_left_alone():
    learnt, stand = session(("kick", "punch", "jump"), 1), example("stand").track
    random = np.random.default_rng(5)
    feet = np.tile(stand.per_foot, (20, 1))
    feet = feet + random.normal(0.0, 0.05, feet.shape) * session(ORDER, 2).track.per_foot.std(axis=0)
    assert len(Nearest([learnt], 0.5).stream(feet, np.arange(len(feet)) / 12.0)) <= 1


def test_the_latency_of_the_thesis():
    assert frames_ahead(1.0, 12.0) == 10


def test_pieces_of_an_example():
    piece = between(session(ORDER, 2), 5.0, 12.0)
    assert piece.track.times[0] >= 5.0 and all(5.0 <= action.start < 12.0 for action in piece.actions)


def test_a_database_is_built_named_mapped_saved_and_read(tmp_path):
    database = build([CLIPS / "kick.bvh", CLIPS / "stand.bvh"])
    assert [take.source for take in database.takes] == ["kick", "stand"] and database.names == ["kick"]
    changed = database.named("kick", 1, "kick right")
    assert changed.names == ["kick right"] and database.names == ["kick"]
    changed.save(tmp_path / "d.npz")
    again = Database.load(tmp_path / "d.npz")
    build([CLIPS / "kick.bvh", CLIPS / "stand.bvh"]).named("kick", 1, "kick right").save(tmp_path / "e.npz")
    assert (tmp_path / "d.npz").read_bytes() == (tmp_path / "e.npz").read_bytes()
    assert again.names == ["kick right"] and again.takes[0].body.mass == pytest.approx(database.takes[0].body.mass)
    assert np.allclose(again.takes[0].motion.root_positions, database.takes[0].motion.root_positions, atol=1e-5)
    assert again.examples[0].actions[0] == Action("kick right", *[getattr(database.examples[0].actions[0], end) for end in ("start", "end")])


def test_one_action_is_shown_as_another():
    database = build([CLIPS / "kick.bvh"])
    database = replace(database, takes=[*database.takes, replace(database.takes[0], source="other")]).named("other", 1, "walk")
    assert database.mapped("kick", "walk").shown("kick") == "walk" and database.shown("kick") == "kick"
    assert database.mapped("kick", "walk").mapped("kick", "kick").plays == {}
    assert database.mapped("kick", "walk").named("other", 1, "").plays == {}, "what is shown is gone"
    with pytest.raises(JobError, match="no action 'dance'"):
        database.mapped("kick", "dance")
    with pytest.raises(JobError, match="no take 'dance'"):
        database.named("dance", 1, "x")
    with pytest.raises(JobError, match="no number 7"):
        database.named("kick", 7, "x")


@pytest.mark.parametrize(("source", "name"), [("144_05_front_kicks_right", "front kicks right"), ("kick", "kick"), ("07", "07")])
def test_actions_are_called_after_their_clip(source, name):
    assert clip_name(source) == name


def test_the_commands(tmp_path, capsys):
    place = str(tmp_path / "d.npz")
    assert main(["pressure-database", "build", str(CLIPS / "kick.bvh"), "--pad", "moticon", "--body", "tall", "-o", place]) == 0
    assert main(["pressure-database", "name", place, "kick", "1", "kick right"]) == 0
    assert main(["pressure-database", "list", place]) == 0
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert said[0]["pad"] == "moticon@100Hz" and said[-1]["names"] == ["kick right"]
    assert main(["pressure-database", "map", place, "kick right", "fly"]) == 2 and "no action 'fly'" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [b"", b"PK\x03\x04 and so on", b"nothing of the kind"])
def test_files_that_are_no_database(tmp_path, wrong):
    (tmp_path / "d.npz").write_bytes(wrong)
    with pytest.raises(FormatError, match="d.npz"):
        Database.load(tmp_path / "d.npz")
    with pytest.raises(FormatError, match="There is no file"):
        Database.load(tmp_path / "none.npz")


def test_clips_of_one_name_cannot_be_told_apart(tmp_path):
    (tmp_path / "kick.bvh").write_bytes((CLIPS / "kick.bvh").read_bytes())
    with pytest.raises(JobError, match="Two clips are called 'kick'"):
        build([CLIPS / "kick.bvh", tmp_path / "kick.bvh"])


def shown_twice(name: str, path: Path, device: Device = SMALL) -> Path:
    """A recording in which somebody stands, does what is in a clip of the repository, and does it again a little slower."""
    felt = record(of_reference(clip(name)), device)
    still = np.repeat(felt.pressures[:1], round(device.rate), axis=0)
    slower = felt.pressures[np.round(np.arange(0, len(felt.times) - 1, 1 / 1.15)).astype(int)]
    frames = np.concatenate([still, felt.pressures, still, slower, still])
    plain.write(path, replace(felt, times=np.arange(len(frames)) / device.rate, pressures=frames))
    return path


@cache
def small_database() -> Database:
    return build([CLIPS / "kick.bvh", CLIPS / "stand.bvh"])


def test_a_person_is_calibrated_by_showing_an_action_twice(tmp_path):
    """The actions are found where they are; what that person does counts from then on, and what is shown is the database's."""
    me = read(str(shown_twice("kick", tmp_path / "me.csv")))
    database, (shown,) = calibrated(small_database(), [("me.csv", me, ["kick", "kick"])])
    known = small_database().examples[0].actions[0].start
    assert shown[0].start == pytest.approx(1.0 + known, abs=0.17) and shown[0].unlike < 0.3
    assert shown[1].start == pytest.approx(2.0 + clip("kick").motion.duration + 1.15 * known, abs=0.25)
    assert database.names == ["kick"] and database.calibrated == ["kick"] and len(database.takes) == 2
    named = [[action.name for action in example.actions] for example in database.examples]
    assert named == [[""], [], ["kick"], ["kick"]]
    database.save(tmp_path / "mine.npz")
    again = Database.load(tmp_path / "mine.npz")
    assert again.calibrated == ["kick"] and np.allclose(again.calibration[1].track.per_foot, database.calibration[1].track.per_foot, rtol=1e-6)
    heard_ = heard(me, 12.0)
    assert [event.name for event in Nearest(again.examples, 0.5).stream(heard_.per_foot, heard_.times)] == ["kick", "kick"]
    once, _ = calibrated(database, [("me.csv", me, ["kick"])])
    assert len(once.calibration) == 1


def test_what_cannot_be_a_calibration_is_one_sentence():
    recording = record(of_reference(clip("stand")), SMALL)
    with pytest.raises(JobError, match=r"In 'stand.csv' 'kick' was not found: do kick, kick in this order, and stand still"):
        calibrated(small_database(), [("stand.csv", recording, ["kick", "kick"])])
    with pytest.raises(JobError, match="no room for 30 actions"):
        calibrated(small_database(), [("stand.csv", recording, 30 * ["kick"])])
    with pytest.raises(JobError, match="no action 'dance'"):
        calibrated(small_database(), [("stand.csv", recording, ["dance"])])
    insoles = record(of_reference(clip("stand")), Device("pedar", 50.0))
    with pytest.raises(JobError, match="is of insoles, and the database is of a pad"):
        calibrated(small_database(), [("insoles", insoles, ["kick"])])


def test_the_command_calibrates(tmp_path, capsys):
    place, mine, path = tmp_path / "d.npz", str(tmp_path / "mine.npz"), str(shown_twice("kick", tmp_path / "me.csv"))
    small_database().save(place)
    assert main(["pressure-database", "calibrate", str(place), "--show", path, "kick", "-o", mine]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["calibrated"] == ["kick"] and [action["name"] for action in said["found"][0]["actions"]] == ["kick", "kick"]
    assert all(action["alike"] > 0.6 for action in said["found"][0]["actions"])
    assert main(["pressure-database", "calibrate", str(place), "--show", path, "-o", mine]) == 2
    assert "names no action" in capsys.readouterr().err
    assert Database.load(place).calibrated == [] and Database.load(mine).calibrated == ["kick"]


def test_the_extent_of_an_action_is_told_by_its_pressure():
    """Kicks that were done faster and slower than those that were learnt; how high they go is known of each."""
    take = take_of(clip("kick"), "average_man", PAD)
    learnt = []
    for height in np.linspace(0.4, 1.2, 9):
        longer = warped(take.example, 0.7 + 0.5 * height)
        learnt += [Shown("kick", signs_of(longer.track, longer.actions[0].start), float(height), 0.3)]
    extents = Extents(learnt[::2])
    assert [extents.tell("kick", one.signs) for one in learnt[1::2]] == pytest.approx([one.height for one in learnt[1::2]], abs=0.12)
    assert extents.tell("lunge left", learnt[0].signs) is None
    own, = shown_in(replace(take, example=replace(take.example, actions=[replace(one, name="kick right") for one in take.example.actions])))
    assert own.kind == "kick left" and own.height > 0.3
