"""Hits on clips: the clip is untouched before, the struck part gives way, and all comes back."""

import json
from dataclasses import replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pybullet_data
import pytest

from core import fall, presets, rotation
from core.control.falling import FALL
from core.errors import JobError
from core.hit import take
from core.hit.flinch import Hit, flinched
from core.hit.take import fitting
from core.hit.task import Manner
from core.jobs import make_job, run
from core.kinematics import link_poses
from core.measure.limits import limit_excess
from core.methods.hit import MANNER
from core.physics import ENGINES, engines
from core.physics.base import blown_up
from core.places import chain, struck
from core.reference import recordings
from core.reference.recordings import Recording
from tests.cases import quick

CLIPS = Path(pybullet_data.getDataPath()) / "data" / "motions"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "mocap" / "cmu"
OWN = ["kick", "punch", "dance_b", "walk", "run"]
RECORDED = ["02_01_walk", "140_06_idle_stand_cut", "104_08_jog_start"]
HITS = {"hand.R": (30.0, 0.1), "forearm.L": (40.0, 0.1), "head": (60.0, 0.1), "chest": (200.0, 0.15), "hip": (250.0, 0.15)}  # N, s
BACK = 1.5  # s
WAYS = {"forward": (400.0, 0.0, 0.0), "backward": (-400.0, 0.0, 0.0), "left": (0.0, 400.0, 0.0), "right": (0.0, -400.0, 0.0)}  # N
USUAL = Manner(**MANNER.usual)


def path_of(name):
    own = CLIPS / f"humanoid3d_{name}.txt"
    return own if own.is_file() else SHARED / f"{name}.bvh"


@lru_cache
def reference_of(name):
    recording = Recording(str(path_of(name)), repair=True)
    return recordings.reference_of(recording, presets.body(recordings.own_body(recording)))


def rows(others, *chosen):
    """Each clip with each of the ``others``; all but the chosen ones are slow."""
    there = pytest.mark.skipif(not SHARED.is_dir(), reason="the recordings in ../shared/mocap are not here")
    assert set(chosen) <= set(product(OWN + RECORDED, others))
    return [pytest.param(name, other, marks=[*([there] if name in RECORDED else []), *([] if (name, other) in chosen else [pytest.mark.slow])])
            for name, other in product(OWN + RECORDED, others)]


def place_of(body, motion, part):
    """(F, 3) m, where a part is."""
    link, point = struck(body, part)
    positions, orientations = motion.world()
    return positions[:, link] + rotation.rotate(orientations[:, link], point)


def turned(a, b):
    """(F, L) degrees between rotations."""
    return np.degrees(np.linalg.norm(rotation.log(rotation.multiply(rotation.conjugate(a), b)), axis=-1))


@pytest.mark.parametrize(("name", "engine"), rows(ENGINES, ("kick", "pybullet"), ("walk", "mujoco"), ("run", "pybullet"), ("02_01_walk", "mujoco"),
                                                  ("140_06_idle_stand_cut", "pybullet")))
def test_a_hit_without_force_changes_next_to_nothing(name, engine):
    reference = reference_of(name)
    motion = reference.motion
    moved = flinched(reference.body, motion, reference.contacts, [Hit(0.05, 0.2, "chest", (0.0, 0.0, 0.0))], USUAL, engine)
    assert np.linalg.norm(moved.world()[0] - motion.world()[0], axis=-1).max() < 0.01
    assert turned(moved.rotations, motion.rotations).max() < 2.0


@pytest.mark.parametrize(("name", "part"), rows(HITS, ("kick", "hand.R"), ("punch", "forearm.L"), ("dance_b", "head"), ("walk", "chest"),
                                                ("run", "hip"), ("02_01_walk", "hip"), ("140_06_idle_stand_cut", "chest"),
                                                ("104_08_jog_start", "head")))
def test_what_is_struck_gives_way_and_comes_back(name, part):
    reference = reference_of(name)
    body, motion = reference.body, reference.motion
    force, seconds = HITS[part]
    time = min(0.25 * motion.duration, max(0.1, motion.duration - BACK - seconds))
    hit = Hit(time, seconds, part, (0.0, force, 0.0))
    moved = flinched(body, motion, reference.contacts, [hit], USUAL, "pybullet")
    times = np.arange(motion.frames) / motion.fps
    before, after = times <= time, times >= hit.end + BACK
    assert (moved.rotations[before] == motion.rotations[before]).all() and (moved.root_positions[before] == motion.root_positions[before]).all()
    given = place_of(body, moved, part) - place_of(body, motion, part)
    furthest = np.linalg.norm(given, axis=1).argmax()
    assert np.linalg.norm(given[furthest]) > 0.03
    pushed = given[np.searchsorted(times, hit.end)]
    assert pushed[1] > 0.5 * np.linalg.norm(pushed), "it does not go with the hit"
    away = np.linalg.norm(moved.world()[0] - motion.world()[0], axis=-1)
    assert away[after].max(initial=0.0) < 0.02
    # Nothing jumps where the clip does not.
    steps, own = (np.linalg.norm(np.diff(m.world()[0], axis=0), axis=-1).max() for m in (moved, motion))
    assert steps < 3.0 * own + 0.02


@pytest.mark.parametrize(("name", "part"), quick(product(("kick", "punch", "dance_b"), HITS), ("kick", "chest"), ("punch", "hand.R"),
                                                 ("dance_b", "head"), ("punch", "forearm.L"), ("dance_b", "hip")))
def test_joints_keep_within_their_limits(name, part):
    reference = reference_of(name)
    body, motion = reference.body, reference.motion
    force, seconds = HITS[part]
    moved = flinched(body, motion, reference.contacts, [Hit(0.4, seconds, part, (force, 0.0, 0.0))], USUAL, "pybullet")

    def angles(m):
        return 2.0 * np.degrees(np.arcsin(np.clip(m.rotations[:, 1:, 1:] * np.copysign(1.0, m.rotations[:, 1:, :1]), -1.0, 1.0)))

    limits, own, new = np.degrees(body.limits[1:]), angles(motion), angles(moved)
    low, high = np.minimum(limits[..., 0], own.min(axis=0)), np.maximum(limits[..., 1], own.max(axis=0))
    beyond = np.maximum(low - new.min(axis=0), new.max(axis=0) - high)
    assert beyond.max() < 6.0, (body.names[1 + int(beyond.max(axis=1).argmax())], beyond.max())


def test_planted_feet_stay():
    reference = reference_of("punch")
    body, motion = reference.body, reference.motion
    moved = flinched(body, motion, reference.contacts, [Hit(0.5, 0.15, "hip", (200.0, 100.0, 0.0))], USUAL, "pybullet")
    for foot, side in enumerate("LR"):
        link = body.names.index(f"foot.{side}")
        away = np.linalg.norm(moved.world()[0][:, link] - motion.world()[0][:, link], axis=1)
        assert away[reference.contacts[:, foot]].max() < 0.01


def test_the_hand_over_keeps_the_velocity():
    reference = reference_of("kick")
    motion = reference.motion
    moved = flinched(reference.body, motion, reference.contacts, [Hit(0.5, 0.1, "chest", (300.0, 0.0, 0.0))], USUAL, "pybullet")
    frame = int(np.ceil(0.5 * motion.fps))
    old, new = (np.diff(m.world()[0], axis=0)[frame - 1] * motion.fps for m in (motion, moved))
    assert np.linalg.norm(new - old, axis=1).max() < 0.05 * np.linalg.norm(old, axis=1).max() + 0.1


def test_softer_gives_way_further():
    reference = reference_of("punch")
    body, motion = reference.body, reference.motion
    hit = Hit(0.5, 0.15, "chest", (-150.0, 0.0, 0.0))
    far = [np.linalg.norm(place_of(body, flinched(body, motion, reference.contacts, [hit], replace(USUAL, stiffness=stiffness), "pybullet"), "chest")
                          - place_of(body, motion, "chest"), axis=1).max() for stiffness in (0.5, 1.0, 4.0)]
    assert far[0] > far[1] > far[2]


@pytest.mark.parametrize("time", [0.0, 0.012])
def test_clips_of_a_few_frames(time):
    reference = reference_of("kick")
    short = reference.motion.slice(0.0, 0.02)
    moved = flinched(reference.body, short, reference.contacts[:short.frames], [Hit(time, 0.1, "chest", (100.0, 0.0, 0.0))], USUAL, "pybullet")
    assert moved.frames == short.frames and np.isfinite(moved.rotations).all()


def test_a_struck_arm_leaves_the_other_one_alone():
    body = presets.body("average_man")
    on = chain(body, body.names.index("upper_arm.L"))
    assert {name for name, soft in zip(body.names, on, strict=True) if soft} == {"torso", "upper_arm.L", "forearm.L"}


def job(**changes):
    return {"method": "hit", "clips": [str(path_of("punch"))], "response": "flinch", "fps": 30,
            "events": [{"type": "push", "time": 0.5, "duration": 0.1, "force": [-300, 0, 0], "part": "chest"}]} | changes


def test_a_job_with_a_hit():
    result = run(make_job(job()))
    assert result.outcome["response"] == "flinch" and not result.outcome["fell"] and result.frames == 65
    before = np.arange(result.frames) / 30 <= 0.5
    positions = result.reference_positions
    assert np.allclose(result.root_positions[before], positions[before, 0]) and not np.allclose(result.root_positions, positions[:, 0], atol=1e-3)


@pytest.mark.parametrize("clip, response, engine", [("kick", "auto", "mujoco"), ("spinkick", "stumble", "mujoco"), ("walk", "auto", "pybullet"),
                                                    ("run", "stumble", "pybullet"), ("kick", "flinch", "pybullet"), ("kick", "fall", "pybullet")])
def test_the_engine_is_the_one_that_suits_how_the_clip_is_caught(clip, response, engine):
    """One engine for all of a hit: of what may end in a plan, that of plans. Whoever asks for one gets it."""
    assert make_job(job(clips=[str(path_of(clip))], response=response)).engine == engine
    assert all(make_job(job(clips=[str(path_of(clip))], response=response, engine=asked)).engine == asked for asked in engines())


@pytest.mark.parametrize("changes, words", [
    ({"events": []}, "add a push or a ball"),
    ({"events": [{"type": "push", "time": 60.0, "duration": 0.1, "force": [1, 0, 0]}]}, "clip ends at 2.13 s"),
    ({"events": [{"type": "push", "time": 0.1, "duration": 0.1, "force": [1, 0, 0], "part": "tail"}]}, "events[0].part"),
    ({"path": [[0, 0], [1, 1]]}, "takes no path"),
    ({"ground": {"type": "slope", "degrees": 5}}, "ground"),
])
def test_hits_that_cannot_be(changes, words):
    with pytest.raises(JobError) as error:
        run(make_job(job(**changes)))
    assert words in str(error.value)


@pytest.mark.parametrize(("slides", "chosen"), [((0.004, 0.005), "mended"), ((0.004, 0.02), "found"), ((0.03, 0.02), "mended")])
def test_what_is_mended_is_taken_where_it_slides_less_or_hardly(monkeypatch, slides, chosen):
    """Both have their joints in their ranges. ``slides``: m, of what was found and of what it is mended to."""
    turns = rotation.identity((3, 2))
    found, better = (SimpleNamespace(name=name, rotations=turns, clip_times=np.arange(3.0)) for name in ("found", "mended"))
    clip = SimpleNamespace(sample=lambda times: (None, turns), rotations=turns)
    monkeypatch.setattr(take, "without_drags", lambda result, *_: result)
    monkeypatch.setattr(take, "in_range", lambda *_: better)
    monkeypatch.setattr(take, "bearing_slides", lambda result, *_: [slides[result is better]])
    monkeypatch.setattr(take.ranges, "own_excess", lambda *_: None)
    monkeypatch.setattr(take.ranges, "strained", lambda *_: (None, np.zeros(3)))
    assert take.mended(found, SimpleNamespace(body=None), clip, 1).name == chosen


def test_a_clip_that_ends_standing_goes_on_until_the_body_rests():
    """Hit shortly before its end: beyond that it stays as it ends. One that ends in a pose that cannot be held ends there."""
    for name, stands in (("jump", True), ("punch", False)):
        length = reference_of(name).motion.duration
        push = {"type": "push", "time": length - 0.2, "duration": 0.1, "force": [0.0, 200.0, 0.0], "part": "chest"}
        result = run(make_job(job(clips=[str(path_of(name))], fps=60.0, events=[push])))
        frames = round(length * 60.0) + 1
        assert result.frames > frames + 30 if stands else not result.outcome["fell"]
        assert frames <= result.frames <= frames + 120
        assert len(result.clip_roots) == result.frames and result.outcome["simulated_s"] == pytest.approx((result.frames - 1) / 60.0, abs=1e-6)
        if stands:
            off = np.linalg.norm(link_poses(result)[0] - result.reference_positions, axis=-1).max(axis=1)
            assert off[frames - 1] > 0.03 and off[-1] < 0.005
            assert np.allclose(result.clip_rotations[frames:], result.clip_rotations[frames - 1])


@pytest.mark.slow
def test_a_pose_that_is_pushed_over_several_steps_is_taken_again(tmp_path):
    """However long that takes, nothing is cut off."""
    data = json.loads(path_of("jump").read_text())
    data["Frames"] = data["Frames"][-3:]
    (tmp_path / "pose.txt").write_text(json.dumps(data))
    push = {"type": "push", "time": 0.0, "duration": 0.2, "force": [-450.0, 0.0, 0.0], "part": "chest"}
    result = run(make_job(job(clips=[str(tmp_path / "pose.txt")], response="auto", fps=30.0, events=[push])))
    assert not result.outcome["fell"] and result.outcome["recovery_steps"] > 1
    assert np.abs((result.rotations * result.clip_rotations).sum(axis=-1))[-1].min() > np.cos(np.radians(0.5)), "it stands as before"
    assert np.abs(np.diff(result.root_positions[-5:], axis=0)).max() < 1e-3, "and is at rest"


@pytest.mark.parametrize("response", ["flinch", "stumble", "fall", "auto"])
def test_a_clip_of_three_frames(tmp_path, response):
    data = json.loads(path_of("walk").read_text())
    data["Frames"] = data["Frames"][:3]
    (tmp_path / "short.txt").write_text(json.dumps(data))
    wish = {"clips": [str(tmp_path / "short.txt")], "response": response}
    result = run(make_job(job(**wish, fps=60, events=[job()["events"][0] | {"time": 0.01}])))
    assert np.isfinite(result.rotations).all() and result.outcome["fell"] == (response == "fall")


@pytest.mark.parametrize("response", ["flinch", "fall"])
def test_a_hit_in_the_air(response):
    wish = {"clips": [str(path_of("jump"))], "response": response}
    reference = reference_of("jump")
    flying = float(np.flatnonzero(~reference.contacts.any(axis=1))[5]) / reference.motion.fps
    push = job()["events"][0] | {"time": flying}
    result = run(make_job(job(**wish, fps=60, events=[push])))
    assert np.isfinite(result.rotations).all()
    with pytest.raises(JobError, match="does not stand on both feet"):
        run(make_job(job(**wish | {"response": "balance"}, events=[push])))


@pytest.mark.parametrize("length", [{"duration": 1.4}, pytest.param({}, marks=pytest.mark.slow)], ids=["until it stands", "until it rests"])
def test_a_stumble_is_physics_from_the_hit_on(length):
    """A small shove while it lands from a kick: the clip before, shoved aside then, and on its feet after."""
    wish = {"clips": [str(path_of("kick"))], "response": "stumble", "quality": "draft", **length}
    push = {"type": "push", "time": 0.9, "duration": 0.2, "force": [0, 75, 0], "part": "chest", "frame": "world"}
    result = run(make_job(job(**wish, events=[push], fps=60)))
    clip, before = result.reference_positions, np.arange(result.frames) / 60 <= 0.9
    assert result.outcome["response"] == "stumble" and not result.outcome["fell"] and result.frames == len(clip)
    assert np.allclose(result.root_positions[before], clip[before, 0])
    head = result.link_names.index("head")
    aside = (link_poses(result)[0] - clip)[:, head, 1]
    assert 0.01 < aside[int(1.1 * 60)] < 0.2, aside  # it goes with the shove …
    assert np.abs(result.root_positions - clip[:, 0]).max() < 0.5  # … and does not go far


def test_automatic_goes_by_the_hit_and_by_how_the_body_stands():
    for name, part, force, response in (("walk", "hand.L", 60.0, "flinch"), ("walk", "chest", 60.0, "flinch"), ("walk", "chest", 600.0, "stumble")):
        reference = reference_of(name)
        assert fitting(reference, reference.motion, [Hit(0.3, 0.1, part, (force, 0.0, 0.0))]) == response


@pytest.mark.parametrize(("way", "engine"), quick(product(WAYS, ENGINES), ("forward", "pybullet"), ("right", "mujoco")))
def test_who_falls_goes_down_and_lies_still(way, engine):
    """Longer than the clip, if need be; untouched before; nobody is launched, and at the end nothing moves."""
    walk, push = [str(path_of("walk"))], {"type": "push", "time": 0.3, "duration": 0.2, "force": WAYS[way], "part": "torso"}
    result = run(make_job(job(clips=walk, response="fall", fps=60.0, engine=engine, events=[push])))
    still = run(make_job({"method": "retarget", "clips": walk, "fps": 60.0}))
    assert result.outcome["fell"] and 0.4 < result.outcome["fell_at"] < 2.0
    assert (result.rotations[:19] == still.rotations[:19]).all() and (result.root_positions[:19] == still.root_positions[:19]).all()
    positions, _ = link_poses(result)
    speeds = np.linalg.norm(np.diff(positions, axis=0), axis=-1) * 60.0
    assert (result.frames - 1) / 60.0 <= result.outcome["hit_s"][1] + FALL.longest_s + 0.02
    assert np.degrees(limit_excess(result)[19:].max()) < 12.0  # nothing is bent the wrong way
    assert positions[-1, 0, 2] < 0.35 and positions[-1, :, 2].max() < 0.6 and positions[:, :, 2].min() > -0.05
    assert speeds.max() < 8.0 and speeds[min(198, len(speeds) - 6):].max() < 0.25  # at rest in 3 s
    # What takes over moves as the clip did: from frame to frame no further than the clip does anywhere.
    own = np.linalg.norm(np.diff(link_poses(still)[0], axis=0), axis=-1).max() * 60.0
    assert speeds[18].max() < 1.2 * own


def test_a_fall_that_goes_wild_is_tried_with_smaller_steps(monkeypatch):
    """The engine's own blow-ups come and go with the clip, so the first try is made to end in one."""
    tried, simulated = [], fall._simulated

    def first_goes_wild(*arguments):
        tried.append(arguments[6])
        if len(tried) == 1:
            raise blown_up(1.0, arguments[6])
        return simulated(*arguments)

    monkeypatch.setattr(fall, "_simulated", first_goes_wild)
    result = run(make_job(job(clips=[str(path_of("walk"))], response="fall")))
    assert result.outcome["fell"] and tried == list(fall.TIME_STEPS[:2])
