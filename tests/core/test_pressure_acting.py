"""A character that acts as feet do: poses from foot pressure, on what the repository holds."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from core import presets, rotation
from core.errors import JobError
from core.feet import link, middles, sole_of, soles
from core.formats import read_clip
from core.jobs import make_job, run
from core.motion import Motion
from core.pressure.acting import Actor, Learnt, Pose, act, played
from core.pressure.choosing import Choices
from core.pressure.contacts import Contacts
from core.pressure.database import Database, build
from core.pressure.devices import plain
from core.pressure.examples import Action, Event, Example
from core.pressure.features import Track, Watch
from core.pressure.joining import Fading
from core.pressure.library import Library
from core.pressure.pacing import Pace
from core.pressure.pad import holding, record
from core.pressure.prints import place_of, scatter
from core.pressure.recording import Recording
from core.pressure.sensors import EIGHT_BITS, Sensing, device_named
from core.pressure.shift import moved_each, onto
from core.pressure.tread import Tread, of_reference
from core.pressure.trodden import STANDS, STEPS, Trodden
from core.reference import Reference, prepare
from core.reference.poses import centre_of_mass

CLIPS = Path(__file__).resolve().parents[1] / "clips"
MAN = presets.body("average_man")
PAD = "64x80@12Hz"


@cache
def database() -> Database:
    return build([CLIPS / "stand.bvh", CLIPS / "kick.bvh"])


@cache
def learnt() -> Learnt:
    return Learnt(database(), MAN)


@cache
def clip(name: str) -> Reference:
    return prepare(read_clip(CLIPS / f"{name}.bvh"), MAN)


@cache
def tread(name: str) -> Tread:
    return of_reference(clip(name))


@cache
def middle(name: str) -> np.ndarray:
    """(3,) m: where the pad lies under a clip."""
    return clip(name).motion.root_positions.mean(axis=0) * (1.0, 1.0, 0.0)


@cache
def felt(name: str, device: str = PAD) -> Recording:
    """What a device felt under a clip."""
    pad = holding(device_named(device), tread(name))
    place = (float(middle(name)[0]), float(middle(name)[1]), 0.0)
    return record(tread(name), pad, EIGHT_BITS if pad.kind == "grid" else Sensing(), place if pad.kind == "grid" else None)


@cache
def acted(name: str, device: str = PAD) -> list[Pose]:
    recording = felt(name, device)
    actor = Actor(database(), MAN, recording.layout, learnt=learnt())
    found = [pose for time, frame in zip(recording.times, recording.pressures, strict=True) for pose in actor.hear(float(time), frame)]
    return found + actor.finish()


def motion_of(poses: list[Pose]) -> Motion:
    return Motion(MAN.skeleton, 60.0, np.array([pose.root for pose in poses]), np.array([pose.rotations for pose in poses]))


def furthest_slide(poses: list[Pose]) -> float:
    """m that a foot slides in a stance, by the point of it on the floor that moves least; see ``feet.slide``."""
    under, stands = soles(MAN, motion_of(poses)), np.array([pose.stands for pose in poses])
    most = 0.0
    for foot in (0, 1):
        heel = sole_of(MAN, foot)[1][:, 0] < 0.0
        parts = [middles(under[:, foot][:, part]) for part in (heel, ~heel)]
        moves = [np.where((part[1:, :, 2] < 0.01) & (part[:-1, :, 2] < 0.01), np.linalg.norm(np.diff(part[..., :2], axis=0), axis=-1), np.inf)
                 for part in parts]
        least = np.concatenate(moves, axis=1).min(axis=1)
        slid = 0.0
        for stood, stays, move in zip(stands[:-1, foot], stands[1:, foot], least, strict=True):
            slid = slid + (move if np.isfinite(move) else 0.0) if stood and stays else 0.0
            most = max(most, slid)
    return most


def strikes(stands: np.ndarray, foot: int) -> np.ndarray:
    """s at which a foot comes down."""
    return (np.flatnonzero(stands[1:, foot] & ~stands[:-1, foot]) + 1) / 60.0


def test_who_stands_stands_where_the_pad_has_the_feet():
    poses = acted("stand")
    under, true = soles(MAN, motion_of(poses)), soles(MAN, clip("stand").motion) - middle("stand")
    assert poses[-1].time > felt("stand").times[-1] - 0.02
    assert all(pose.action == "" and pose.stands.all() for pose in poses)
    assert np.ptp(under[..., :2], axis=0).max() < 0.002 and np.abs(under[..., 2].min(axis=2)).max() < 0.002
    assert np.linalg.norm(under[0, ..., :2].mean(axis=1) - true[0, ..., :2].mean(axis=1), axis=-1).max() < 0.03


def test_the_weight_is_where_the_feet_press():
    recording = felt("stand")
    moved = recording.pressures.copy()
    moved[:, recording.layout.centres[:, 1] < 0.0] *= np.linspace(1.0, 0.1, len(moved))[:, None]  # the weight goes over to the left foot
    centres = centre_of_mass(MAN, act(replace(recording, pressures=moved), database(), MAN))
    pressed = moved @ recording.layout.centres / moved.sum(axis=1)[:, None]
    assert pressed[-1, 1] - pressed[0, 1] > 0.05
    for time in (0.5, 1.5, 2.5):
        now = pressed[np.argmin(np.abs(recording.times - time))]
        assert np.linalg.norm(centres[round(60 * time), :2] - now) < 0.025


def test_a_kick_is_recognised_and_played_from_its_onset_on():
    poses = acted("kick")
    kicks = [pose for pose in poses if pose.action]
    assert {pose.action for pose in kicks} == {"kick"} and all(0.5 < pose.confidence <= 1.0 for pose in kicks)
    assert abs(kicks[0].time - database().takes[1].example.actions[0].start) < 0.1
    motion, true = motion_of(poses), clip("kick").motion.resample(60.0)
    frames = min(motion.frames, true.frames)
    away = np.linalg.norm(motion.world()[0][:frames] + middle("kick") - true.world()[0][:frames], axis=-1).mean(axis=1)
    assert away.mean() < 0.05 and away.max() < 0.2


@pytest.mark.parametrize("name", ["stand", "kick", "walk"])
def test_feet_do_not_slide_nor_sink_and_knees_are_hinges(name):
    poses = acted(name)
    motion = motion_of(poses)
    assert furthest_slide(poses) < 0.01
    assert soles(MAN, motion)[..., 2].min() > -0.001
    for foot in (0, 1):
        shin = link(MAN, "shin", foot)
        knees = motion.rotations[:, shin]
        assert np.abs(knees[:, [1, 3]]).max() < 1e-6 and rotation.hinge_angle(knees).min() > 0.0
    speeds = np.linalg.norm(rotation.angular_velocity(motion.rotations, 60.0), axis=-1)
    assert speeds.max() < 20.0  # rad/s; a knee that walks gets to about 10
    assert np.linalg.norm(np.diff(motion.world()[0], n=2, axis=0), axis=-1).max() * 60.0**2 < 300.0  # m/s²; a kick that was recorded gets to 370


def test_feet_that_nobody_recognises_step_where_and_when_the_pad_has_them():
    poses, true = acted("walk"), clip("walk")
    stands, under = np.array([pose.stands for pose in poses]), soles(MAN, motion_of(poses)) + middle("walk")
    walked = soles(MAN, true.motion)[..., :4, :2].mean(axis=2)
    for foot in (0, 1):
        found = strikes(stands, foot)
        for stance in true.stances:
            strike, half = stance.start / true.motion.fps, (stance.start + stance.end) // 2
            if stance.foot == foot and strike > 0.2 and half / true.motion.fps < poses[-1].time - 0.3:
                assert np.abs(found - strike).min() < 0.09  # the pad is read every 0.083 s
                here = under[round(60 * half / true.motion.fps), foot, :4, :2].mean(axis=0)
                assert np.linalg.norm(here - walked[half, foot]) < 0.06


@pytest.mark.parametrize("name, said", [("stand", STANDS), ("kick", STEPS)])
def test_it_is_said_when_nothing_is_recognised(name, said, tmp_path):
    plain.write(tmp_path / "felt.csv", felt(name))
    build([CLIPS / "stand.bvh"]).save(tmp_path / "stands.npz")
    reference, done = Trodden(str(tmp_path / "felt.csv"), str(tmp_path / "stands.npz")).acted(MAN, 3.0)
    assert not done and reference.notes == [said]


def test_feet_in_insoles_that_walk_make_it_walk():
    poses, true = acted("walk", "moticon@100Hz"), clip("walk")
    assert {pose.action for pose in poses} == {"walk"}
    stands = np.array([pose.stands for pose in poses])
    for foot in (0, 1):
        found = strikes(stands, foot)
        wanted = [stance.start / true.motion.fps for stance in true.stances if stance.foot == foot and stance.start > 0]
        assert all(np.abs(found - strike).min() < 0.06 for strike in wanted if strike < poses[-1].time - 0.1)
    assert poses[-1].root[0] - poses[0].root[0] > 3.0 and furthest_slide(poses) < 0.01


def test_a_stream_is_the_recording_bit_for_bit():
    poses, recording = acted("kick"), felt("kick")
    again = act(recording, database(), MAN)
    assert np.array_equal([pose.root for pose in poses], again.root_positions)
    assert np.array_equal([pose.rotations for pose in poses], again.rotations)
    assert np.allclose([pose.time for pose in poses], np.arange(len(poses)) / 60.0)


def test_poses_come_as_late_as_was_said():
    recording = felt("stand", "moticon@100Hz")
    actor = Actor(database(), MAN, recording.layout, 0.4)
    shown = -1.0 / 60.0
    for time, frame in zip(recording.times, recording.pressures, strict=True):
        for pose in actor.hear(float(time), frame):
            assert 0.4 - 1e-6 <= time - pose.time < 0.4 + 1.0 / 60.0 and pose.time == pytest.approx(shown + 1.0 / 60.0)
            shown = pose.time
    assert shown > recording.times[-1] - 0.42


def test_lost_frames_are_bridged():
    recording = felt("kick")
    kept = np.array([n for n in range(len(recording.times)) if n not in (5, 6, 20)])
    poses = played(replace(recording, times=recording.times[kept], pressures=recording.pressures[kept]), database(), MAN)
    assert len(poses) == len(acted("kick")) and furthest_slide(poses) < 0.01


def test_what_an_action_is_mapped_to_is_played():
    base = database()
    squat = replace(base.takes[0], example=replace(base.takes[0].example, actions=[Action("bow", 1.0, 2.0)]))
    library = Library(replace(base, takes=[squat, base.takes[1]], plays={"kick": "bow"}), MAN)
    choices = Choices(library, 12.0, 0.5)
    seen = np.zeros((choices.window, 14))
    found = choices.best(Event("kick", 1.0, 1.5, 1.0, 1, 0), seen)
    assert (found.start, found.end) == (1.0, 2.0)
    assert Choices(Library(base, MAN), 12.0, 0.5).best(Event("kick", 1.0, 1.5, 1.0, 1, 0), seen).start == base.takes[1].example.actions[0].start


def track_of(shares: np.ndarray) -> Track:
    """A track at 12 Hz with these (T, 2) shares of the weight."""
    return Track(np.arange(len(shares)) / 12.0, 12.0, np.zeros((len(shares), 10)), np.concatenate([shares, np.zeros((len(shares), 12))], axis=1))


@pytest.mark.parametrize("longer", [0.7, 1.0, 1.4])
def test_an_action_is_as_slow_as_the_feet(longer):
    def lifted(start: float, end: float) -> np.ndarray:
        times = np.arange(60) / 12.0
        left = np.where((times > start) & (times < end), 0.0, 0.5)
        return np.stack([left, 1.0 - left], axis=1)

    example = Example(track_of(lifted(1.0, 2.0)), [Action("lift", 0.5, 2.5)])
    onset, at = 1.0, 0.5
    pace = Pace(example, 0.5, 2.5, onset)
    heard = track_of(lifted(onset + 0.5 * longer, onset + 1.5 * longer))
    lands = None
    for tick in range(40):
        time = onset + tick / 12.0
        known = Contacts.of(replace(heard, times=heard.times[heard.times <= time + 0.5], per_foot=heard.per_foot[heard.times <= time + 0.5]))
        at += pace.go(time, at, 1.0 / 12.0, known) / 12.0
        if lands is None and at >= 2.0:
            lands = time
    assert lands == pytest.approx(onset + 1.5 * longer, abs=0.12)


def test_differences_fade_without_a_jump():
    fading = Fading(1.0, np.array([0.3]), np.array([2.0]))
    values = fading.at(np.array([1.0, 1.0001, 2.0, 3.0]))[:, 0]
    assert values[0] == pytest.approx(0.3) and (values[1] - values[0]) / 0.0001 == pytest.approx(2.0, rel=0.05)
    assert abs(values[2:]).max() < 0.001


def test_a_shift_turns_about_any_point_alike():
    shift = onto((1.0, 2.0, 0.3), (-1.0, 0.5, 1.1))
    assert shift.moved(1.0, 2.0) == pytest.approx((-1.0, 0.5)) and shift.yaw == pytest.approx(0.8)
    other = shift.about((5.0, -3.0))
    assert other.moved(0.4, 0.9) == pytest.approx(shift.moved(0.4, 0.9))
    assert other.towards(shift, 1.0).moved(2.0, 2.0) == pytest.approx(shift.moved(2.0, 2.0))


@pytest.mark.parametrize("shape", [(4, 3), (4, 2, 3)])
def test_many_shifts_move_as_each_alone(shape):
    shifts = [onto((0.1 * n, 0.2, 0.3), (0.4, -0.1 * n, 1.0 + n)) for n in range(4)]
    places = np.random.default_rng(0).normal(size=shape)
    assert np.array_equal(moved_each(shifts, places), np.stack([shift.points(place) for shift, place in zip(shifts, places, strict=True)]))
    assert np.array_equal(moved_each(shifts[:1] * 4, places), shifts[0].points(places))


def test_prints_scatter_as_numpy_has_it():
    for count in range(2, 60):
        places = np.random.default_rng(count).normal(size=(count, 2))
        assert np.array_equal(scatter(places), np.cov(places.T))


def test_a_print_shows_where_its_foot_stands():
    recording, true = felt("stand"), soles(MAN, clip("stand").motion)[120] - middle("stand")
    watch = Watch(recording.layout)
    moment = [moment for time, frame in zip(recording.times, recording.pressures, strict=True) for moment in watch.hear(float(time), frame)][12]
    for foot in (0, 1):
        under = moment.owners == foot
        place = place_of(recording.layout.centres[under], moment.pressures[under])
        heel, tip = true[foot, :2, :2].mean(axis=0), true[foot, -2:, :2].mean(axis=0)
        assert place is not None and np.hypot(place.x - heel[0], place.y - heel[1]) < 0.02
        assert abs(place.yaw - np.arctan2(*(tip - heel)[::-1])) < 0.1


@pytest.mark.parametrize("name", ["stand", "kick"])
def test_only_who_walks_takes_pushes(name, tmp_path):
    """Also where nothing is recognised."""
    plain.write(tmp_path / "felt.csv", felt(name))
    database().save(tmp_path / "learnt.npz")
    push = {"type": "push", "time": 1.0, "duration": 0.2, "part": "torso", "force": [60.0, 0.0, 0.0]}
    job = make_job({"method": "pressure", "recording": str(tmp_path / "felt.csv"), "database": str(tmp_path / "learnt.npz"), "how": "physics",
                    "events": [push]})
    with pytest.raises(JobError, match="Only who walks takes pushes"):
        run(job)


def test_a_database_without_takes_is_refused():
    with pytest.raises(JobError, match="no takes"):
        Actor(Database(PAD, []), MAN, felt("stand").layout)
