"""Walks that are hit: they take the steps that they need, and are the clip again, from where they were pushed to."""

from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from core import presets
from core.feet.slide import bearing_slides, frame_slides
from core.hit.recover import recovered as attempted
from core.hit.settings import Attempt
from core.hit.take import hits_of
from core.jobs import make_job, run
from core.kinematics import link_poses
from core.measure.following import off_clip
from core.methods.hit import task_of
from core.reference import find_cycle
from core.reference.recordings import lasting, reference_of
from tests.cases import quick

OWN = Path(pybullet_data.getDataPath()) / "data" / "motions" / "humanoid3d_walk.txt"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "mocap" / "cmu"
shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the recordings in ../shared/mocap are not here")
FPS = 60.0
MEAN, MOST = 34.0, 59.0  # N·s sideways in 0.2 s, which people take in walking on average, and at most
WALKS = {"normal": "02_01_walk", "fast": "08_06_walk_fast", "turning": "16_11_walk_veer_left"}


def looped(clip, response="stumble", **more):
    return {"method": "hit", "clips": [str(clip)], "loop": True, "response": response, "fps": FPS, **more}


def period(clip):
    """s of a cycle."""
    job = make_job(looped(clip, events=[{"type": "push", "time": 0.0, "duration": 0.2, "force": [0, 1, 0]}]))
    reference = reference_of(task_of(job).recording, presets.body(job.body))
    cycle = find_cycle(reference)
    return (cycle.end - cycle.start) / reference.motion.fps


def pushed(clip, impulse, phase, side=1.0):
    """A walk that is pushed in its second cycle, and s of the push."""
    cycle = period(clip)
    time = (1.0 + phase) * cycle
    push = {"type": "push", "time": time, "duration": 0.2, "force": [0, side * impulse / 0.2, 0], "part": "torso", "frame": "heading"}
    return run(make_job(looped(clip, duration=2 * cycle + 4.0, events=[push]))), time


def jumps(positions):
    """(F − 1,) m that the joint which moves most moves from frame to frame."""
    return np.linalg.norm(np.diff(positions, axis=0), axis=-1).max(axis=1)


def recovered(result, time):
    """Up, and within 3 s back to within 15 cm of the clip for good."""
    return not result.outcome["fell"] and off_clip(result)[round((time + 3.0) * FPS):].max() < 0.15


@pytest.mark.parametrize("side", [1.0, -1.0], ids=["left", "right"])
def test_a_walk_takes_a_push_and_goes_on(side):
    result, time = pushed(OWN, MEAN, 0.25, side)
    assert recovered(result, time) and 1 <= result.outcome["recovery_steps"] <= 8
    before = int(time * FPS) + 1
    own = run(make_job(looped(OWN, "flinch", duration=2 * period(OWN) + 4.0, events=[
        {"type": "push", "time": time, "duration": 0.2, "force": [0, 1e-6, 0], "part": "hand.L"}])))
    assert (result.rotations[:before] == own.rotations[:before]).all() and (result.root_positions[:before] == own.root_positions[:before]).all()
    # It is pushed that way, and in the end it is the clip again, but for its place and the way that it faces.
    later = before + round(0.6 * FPS)
    assert 0.05 < side * (result.root_positions[later, 1] - own.root_positions[later, 1]) < 0.8
    assert off_clip(result)[-30:].max() < 1e-9
    assert jumps(link_poses(result)[0]).max() < 3.0 * jumps(result.reference_positions[:before]).max()


@pytest.mark.parametrize("name, time", quick([("dance_a", 0.8), ("kick", 1.1)], ("kick", 1.1)),
                         ids=["a step from standing", "a kick that has landed"])
def test_feet_that_bear_weight_do_not_shuffle(name, time):
    push = {"type": "push", "time": time, "duration": 0.2, "force": [0, 300, 0], "part": "chest", "frame": "heading"}
    result = run(make_job({"method": "hit", "clips": [str(OWN.with_stem(f"humanoid3d_{name}"))], "response": "auto", "fps": FPS, "events": [push]}))
    assert not result.outcome["fell"] and result.outcome["recovery_steps"] >= 1
    assert max(bearing_slides(result, round(time * FPS))) < 0.02
    # What pins the feet makes nothing jump.
    assert jumps(link_poses(result)[0]).max() < 1.5 * jumps(result.reference_positions).max()


@pytest.mark.slow
def test_who_was_pushed_aside_goes_back_to_its_path():
    """In its own steps: nothing slides, and it goes hardly faster than before."""
    push = {"type": "push", "time": 2.0, "duration": 0.2, "force": [0, -170, 0], "part": "torso"}
    data = looped(OWN, duration=10.0, events=[push])
    there = run(make_job(data))
    data["home"] = True
    home = run(make_job(data))
    job = make_job(data)
    path = lasting(task_of(job).recording, presets.body(job.body), 30.0).motion.resample(FPS).facing(0.0).root_positions
    off = [np.linalg.norm((result.root_positions - path[:result.frames])[:, :2], axis=1) for result in (there, home)]
    back = round((2.0 + home.outcome["recovered_after_s"] + 0.4) * FPS)
    assert off[0][-1] > 0.8 and off[1][-1] < 0.5 * off[0][-1] and (np.diff(off[1][back + 60::30]) < 0.0).all()
    np.testing.assert_array_equal(home.root_positions[:back - 30], there.root_positions[:back - 30])
    assert frame_slides(home)[back:].sum() < frame_slides(there)[back:].sum() + 0.01 and home.penetrations[back:].max() < 0.005
    speeds = [np.linalg.norm(np.diff(result.root_positions[back:, :2], axis=0), axis=1).max() for result in (there, home)]
    assert speeds[1] < 1.25 * speeds[0]
    assert jumps(link_poses(home)[0]).max() < 1.3 * jumps(link_poses(there)[0]).max()


@shared
@pytest.mark.slow
@pytest.mark.parametrize("walk", WALKS)
def test_every_phase_takes_what_people_take(walk):
    clip = SHARED / f"{WALKS[walk]}.bvh"
    held = [recovered(*pushed(clip, MEAN, phase / 8, side)) for phase, side in enumerate([1.0, -1.0] * 4)]
    assert all(held), held


@shared
@pytest.mark.slow
@pytest.mark.parametrize("side", [1.0, -1.0], ids=["left", "right"])
@pytest.mark.parametrize("walk", WALKS)
def test_most_phases_take_what_the_strongest_take(walk, side):
    clip = SHARED / f"{WALKS[walk]}.bvh"
    held = [recovered(*pushed(clip, MOST, phase / 8, side)) for phase in range(8)]
    assert sum(held) >= 6, held


@pytest.mark.parametrize("fps, time", [(24.0, 0.5), (24.0, 1.21), (23.976, 0.79)])
def test_the_rates_of_films(fps, time):
    """The clip takes over in 0.4 s, which is no whole number of frames, and the last foot with its next step."""
    push = {"type": "push", "time": time, "duration": 0.1, "force": [0, 90, 0], "part": "torso"}
    result = run(make_job(looped(OWN, duration=4.0, events=[push]) | {"fps": fps}))
    assert not result.outcome["fell"] and result.frames == round(4.0 * fps) + 1


def test_what_was_struck_gives_way_while_it_is_soft():
    job = make_job(looped(OWN, duration=5.0, events=[{"type": "push", "time": 1.5, "duration": 0.15, "force": [0, 200, 0], "part": "torso"}]))
    reference = lasting(task_of(job).recording, presets.body(job.body), job.duration)
    clip = reference.motion.resample(FPS).facing(0.0)
    swung = []
    for firm in (1.0, 0.4):
        result = attempted(job, task_of(job), reference, clip, hits_of(job, clip), attempts=[Attempt(firm=firm)])
        head, after = result.link_names.index("head"), slice(round(1.5 * FPS), round(2.5 * FPS))
        away = (link_poses(result)[0] - result.reference_positions)[after]
        swung.append(np.linalg.norm(away[:, head] - away[:, 0], axis=1).max())
    assert swung[1] > 1.5 * swung[0] > 0.02


@pytest.mark.slow
def test_a_loop_that_cannot_be_saved_falls():
    """Also long after the end of the recording that is looped."""
    data = looped(OWN, "auto", duration=4.0, events=[{"type": "push", "time": 2.5, "duration": 0.2, "force": [0, 1500, 0], "part": "torso"}])
    data["quality"] = "draft"
    result = run(make_job(data))
    assert result.outcome["response"] == "fall" and result.outcome["fell"] and 2.5 < result.outcome["fell_at"] < 4.0
    assert result.root_positions[-1, 2] < 0.5 * result.root_positions[0, 2]
