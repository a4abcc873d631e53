"""Getting up after a fall: who lies is told, the way up that fits how the body lies is found, and the body stands and does its clip again."""

import dataclasses
from itertools import product
from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from core import presets, rotation
from core.context import Context
from core.errors import JobError
from core.formats import read_clip, write_bvh
from core.hit.getup import KINEMATIC, PLANNED
from core.hit.rising import rising
from core.jobs import make_job, run
from core.measure.report import measure, sentence
from core.motion import Motion
from core.plan.support import lowest_points
from core.reference import mirrored
from core.reference.recordings import Recording, reference_of
from core.reference.rises import rise_of
from tests.cases import quick
from tests.core.made_clips import SHARED, needs_shared

OWN = Path(__file__).resolve().parents[1] / "clips"
CLIPS = Path(pybullet_data.getDataPath()) / "data" / "motions"
FACE_DOWN, FACE_UP = str(CLIPS / "humanoid3d_getup_facedown.txt"), str(CLIPS / "humanoid3d_getup_faceup.txt")
WAYS = {"ahead": (1.0, 0.0), "back": (-1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}
RECORDED_UPS = tuple(str(SHARED / "cmu" / name) for name in ("140_01_getup_facedown.bvh", "140_08_getup_on_back.bvh"))
SLOWER = 2.5  # times as long as the fall, that getting up takes in the made clip


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    """The path of a clip of getting up: our own fall backward in time, from where it lies still, and slower."""
    clip = read_clip(OWN / "fall.bvh")
    fall = clip.motion.slice(1.9, 4.0)
    back = dataclasses.replace(fall, root_positions=fall.root_positions[::-1].copy(), rotations=fall.rotations[::-1].copy())
    path = tmp_path_factory.mktemp("clips") / "rise.bvh"
    slow = back.warp([0.0, back.duration], [0.0, SLOWER * back.duration])
    write_bvh(path, dataclasses.replace(clip, motion=slow))
    return str(path)


def body_of(result):
    return presets.body(result.job["body"])


def motion_of(result):
    return Motion(body_of(result).skeleton, result.fps, result.root_positions, rotation.make_continuous(result.rotations))


def risen(clip, force, ups, **more):
    """The result of a clip whose body is thrown down after half a second and is to get up."""
    push = {"type": "push", "time": 0.5, "duration": 0.2, "force": [*force, 0.0], "part": "torso"}
    job = make_job({"method": "hit", "clips": [str(clip)], "response": "fall", "after_fall": "get_up", "get_up": [str(path) for path in ups],
                    "lies_for": 0.5, "events": [push], **more})
    return run(job, Context(workers=1))


def check_is_up(result, how=(PLANNED, KINEMATIC)):
    """It stands at last and is in the clip, exactly but for its place; nothing went through the floor, jumped, or slid on the way there."""
    body, motion, done = body_of(result), motion_of(result), result.outcome
    assert done["fell"] and done["got_up"] in how and done["up_after_s"] > done["lay_s"] > 0.0
    stood = round((done["fell_at"] + done["up_after_s"]) * result.fps)
    # The frames on which the clip shows a moment of the recording itself, and not how it goes on after that.
    shown = np.flatnonzero(np.diff(result.clip_times[stood:]) > 0.0) + stood
    off = np.abs((result.rotations * result.clip_rotations)[:, 1:].sum(axis=-1)).min(axis=1)
    assert off[shown[-3:]].min() > np.cos(np.radians(0.25)), "it is not in the clip"
    positions, orientations = motion.world()
    head = positions[:, body.names.index("head"), 2]
    assert head[stood:].min() > 0.65 * head[0]
    deepest = -lowest_points(body, positions, orientations)[1][round(done["fell_at"] * result.fps):, :, 2].min()
    assert deepest < 0.04, f"{1000 * deepest:.0f} mm in the floor"
    turned = rotation.multiply(rotation.conjugate(motion.rotations[:-1]), motion.rotations[1:])
    rates = np.linalg.norm(rotation.log(turned), axis=-1) * result.fps
    assert rates[stood - 2:stood + 5].max() < 6.0, "it jumps where the clip goes on"
    assert "got up" in sentence(result, measure(result))


def test_who_lies_and_gets_up_is_told(made_up):
    body = presets.body("average_man")
    for path in (FACE_DOWN, FACE_UP, made_up):
        reference = reference_of(Recording(path), body)
        rise = rise_of(reference)
        heights = reference.motion.world()[0][:, body.names.index("head"), 2]
        assert rise is not None and rise.lies < rise.rises < rise.stands < reference.motion.frames
        assert heights[rise.lies:rise.rises].max() < 0.5 < 1.1 < heights[rise.stands]
    for name in ("fall", "walk", "stand", "kick"):
        assert rise_of(reference_of(Recording(str(OWN / f"{name}.bvh")), body)) is None


@pytest.mark.parametrize(("path", "side", "turn"), [(FACE_DOWN, False, 2.0), (FACE_DOWN, True, -1.0), (FACE_UP, False, -2.5), (FACE_UP, True, 0.5)])
def test_the_way_up_that_fits_how_the_body_lies_is_found(path, side, turn):
    """Of two recordings and their mirror images, wherever the body lies and whichever way it is turned."""
    body = presets.body("average_man")
    recorded = reference_of(Recording(path), body)
    rise = rise_of(recorded)
    motion = (mirrored(recorded) if side else recorded).motion
    at = (rise.lies + rise.rises) // 2
    around = rotation.from_axis_angle((0.0, 0.0, 1.0), turn)
    root, rotations = rotation.rotate(around, motion.root_positions[at]) + (3.0, -2.0, 0.0), motion.rotations[at].copy()
    rotations[0] = rotation.multiply(around, rotations[0])
    found = rising((FACE_DOWN, FACE_UP), False, body, root, rotations)
    assert (found.path, found.mirrored) == (path, side)
    assert found.away < 0.03 and abs(rotation.wrap(found.turn - turn)) < 0.05
    way = found.reference(body, np.inf).motion
    assert np.allclose(way.root_positions[0, :2], root[:2]) and np.abs((way.rotations[0] * rotations).sum(axis=-1)).min() > 1.0 - 1e-9
    assert np.linalg.norm(way.root_positions[-1, :2] - root[:2]) < 1.5 and way.root_positions[-1, 2] > 0.75 * body.standing_height
    steps = np.linalg.norm(np.diff(way.world()[0], axis=0), axis=-1).max() * way.fps
    own = np.linalg.norm(np.diff(motion.world()[0], axis=0), axis=-1).max() * motion.fps
    assert steps < 1.5 * own


def test_what_is_no_recording_of_getting_up_is_refused():
    with pytest.raises(JobError, match="'walk' is no recording of getting up"):
        risen(OWN / "stand.bvh", (-500.0, 0.0), [OWN / "walk.bvh"])


def test_who_knows_no_way_up_stays_down():
    result = risen(OWN / "stand.bvh", (-500.0, 0.0), [])
    assert result.outcome["fell"] and "got_up" not in result.outcome and result.root_positions[-1, 2] < 0.3
    assert "add a recording" in sentence(result, measure(result))


def test_who_stands_gets_up_under_physics():
    result = risen(OWN / "stand.bvh", (500.0, 0.0), [FACE_DOWN, FACE_UP], quality="draft")
    check_is_up(result, how=(PLANNED,))


@pytest.mark.slow
def test_who_walks_gets_up_as_in_a_clip_of_our_own_and_walks_on(made_up):
    result = risen(OWN / "walk.bvh", (500.0, 0.0), [made_up])
    check_is_up(result)
    assert np.linalg.norm(result.root_positions[-1, :2] - result.root_positions[-round(result.fps), :2]) > 0.5


@needs_shared
@pytest.mark.parametrize(("clip", "way"), quick(product(("140_06_idle_stand_cut", "02_01_walk"), WAYS)))
def test_falls_to_all_sides_get_up_as_recorded_people_do(clip, way):
    result = risen(SHARED / "cmu" / f"{clip}.bvh", 500.0 * np.array(WAYS[way]), RECORDED_UPS)
    check_is_up(result, how=(PLANNED,))


def test_who_lies_still_is_struck_all_the_same():
    """The second hit comes after the body has come to rest; it slides, and lies still again."""
    pushes = [{"type": "push", "time": time, "duration": seconds, "force": force, "part": "hip", "frame": "world"}
              for time, seconds, force in ((0.1, 0.2, [500.0, 0.0, 0.0]), (2.9, 0.1, [0.0, 900.0, 0.0]))]
    result = run(make_job({"method": "hit", "clips": [str(OWN / "stand.bvh")], "response": "fall", "events": pushes}), Context(workers=1))
    before, at, end = (result.root_positions[min(round(seconds * result.fps), result.frames - 1)] for seconds in (2.6, 2.9, 4.5))
    assert at[2] < 0.3 and np.linalg.norm(at - before) < 0.02
    assert end[1] - at[1] > 0.1 and end[2] < 0.4
    assert np.linalg.norm(np.diff(result.root_positions[-5:], axis=0), axis=1).max() * result.fps < 0.1


@pytest.mark.slow
def test_who_is_struck_down_while_getting_up_gets_up_again():
    pushes = [{"type": "push", "time": time, "duration": 0.2, "force": [force, 0.0, 0.0], "part": "torso"}
              for time, force in ((0.5, 500.0), (4.0, 700.0))]
    result = run(make_job({"method": "hit", "clips": [str(OWN / "walk.bvh")], "loop": True, "duration": 6.0, "response": "fall", "events": pushes,
                           "after_fall": "get_up", "get_up": [FACE_DOWN, FACE_UP], "lies_for": 0.3}), Context(workers=1))
    assert result.outcome["falls"] == 2
    check_is_up(result)
