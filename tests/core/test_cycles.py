"""Short clips that end as they begin, in place or travelling: they are known as that, are hit, and go round until that is taken."""

import numpy as np
import pytest

from core import rotation
from core.body import make_body
from core.errors import JobError
from core.feet.slide import frame_slides
from core.formats import read_clip
from core.jobs import make_job, run
from core.kinematics import link_poses
from core.motion import Motion
from core.reference.recordings import Recording, lasting
from core.reference.treadmill import belt
from core.reference.whole import Whole, find_whole, rounds, seen_in
from core.retarget import body_of, retarget
from tests.clips import path_of
from tests.clips.cycles import write_cycle

FPS = 30.0
SHOVE = {"type": "push", "duration": 0.15, "force": [0, 200, 0], "part": "torso", "frame": "heading"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder, known = tmp_path_factory.mktemp("cycles"), {}

    def cycle(**how):
        key = "_".join(f"{name}-{value}" for name, value in how.items())
        known[key] = known.get(key) or write_cycle(folder / f"{key}.bvh", **how)
        return known[key]

    return cycle


def on_own_body(path):
    clip = read_clip(path)
    body = make_body(body_of(clip), clip.name)
    return body, retarget(clip, body)


def hit(clip, time, **more):
    return {"method": "hit", "clips": [str(clip)], "fps": FPS, "engine": "pybullet", "events": [SHOVE | {"time": time}], **more}


@pytest.mark.parametrize("how", [{"in_place": True}, {"in_place": False}, {"in_place": True, "last": False}, {"in_place": False, "last": False},
                                 {"in_place": True, "fps": 24.0}], ids=str)
def test_a_stride_whose_ends_meet_is_a_cycle(made, how):
    body, motion = on_own_body(made(**how))
    ground = belt(body, motion)
    whole = find_whole(body, motion, ground)
    assert whole.kind == "steps" and whole.seam < 0.02
    assert whole.frames == motion.frames - how.get("last", True)
    # The walk goes at 0.94 m/s along +X.
    assert ground == pytest.approx((-0.94, 0.0), abs=0.06) if how["in_place"] else not ground.any()


@pytest.mark.parametrize("name", ["walk", "stand", "kick", "fall"])
def test_no_other_clip_is_on_a_treadmill_and_no_kick_goes_round(name):
    body, motion = on_own_body(path_of(name))
    ground = belt(body, motion)
    whole = find_whole(body, motion, ground)
    assert not ground.any()
    # The kick ends as it began; it is not to be done again all the same.
    assert whole is None or whole.kind == {"stand": "stands", "kick": "other"}.get(name)


@pytest.mark.parametrize("kind, goes_on", [("stands", False), ("steps", True)])
def test_only_who_steps_turns_from_round_to_round(made, kind, goes_on):
    """A clip that turns by 10° in a round: feet that stand all the while cannot."""
    _, motion = on_own_body(made(in_place=False))
    turns = rotation.from_axis_angle((0.0, 0.0, 1.0), np.radians(10.0) * np.linspace(0.0, 1.0, motion.frames))
    roots, rotations = rotation.rotate(turns, motion.root_positions), motion.rotations.copy()
    rotations[:, 0] = rotation.multiply(turns, rotations[:, 0])
    turning = Motion(motion.skeleton, motion.fps, roots, rotations)
    facing = np.unwrap(rotation.heading(rounds(turning, Whole(turning.frames - 1, 0.0, kind), 3).rotations[:, 0]))
    assert np.degrees(facing[-1] - facing[0]) == pytest.approx(30.0 if goes_on else 0.0, abs=2.0)


def test_whoever_inspects_it_is_told(made):
    said = {in_place: seen_in(read_clip(made(in_place=in_place)), on_own_body(made(in_place=in_place))[0]) for in_place in (True, False)}
    assert "in place, as on a treadmill at 0.9 m/s" in said[True][0] and "It ends as it begins" in said[False][0]
    assert seen_in(read_clip(path_of("kick")), on_own_body(path_of("kick"))[0]) == []


def test_rounds_go_on_over_still_ground_as_one_walk(made):
    body, _ = on_own_body(made(in_place=True))
    place, travel = (lasting(Recording(str(made(in_place=in_place)), end="auto"), body, 5.0) for in_place in (True, False))
    for reference in (place, travel):
        period = round(reference.period * reference.motion.fps)
        one, next_one = (reference.motion.world()[0][at:at + period] for at in (0, period))
        away = (next_one - one).mean(axis=(0, 1))
        assert np.linalg.norm(next_one - one - away, axis=-1).max() < 0.01
        assert np.linalg.norm(away) == pytest.approx(0.94 * reference.period, abs=0.06)
        assert all(step.kind in ("left", "right") for step in reference.fragments)
    assert np.linalg.norm(place.ground) == pytest.approx(0.94, abs=0.06) and not travel.ground.any()


@pytest.mark.parametrize("in_place", [True, False], ids=["in place", "travelling"])
def test_a_shove_on_one_cycle_is_taken_and_the_cycle_goes_on(made, in_place):
    clip = made(in_place=in_place)
    result = run(make_job(hit(clip, 0.4)))
    assert not result.outcome["fell"] and result.outcome["recovered_after_s"] > 0.3
    length = read_clip(clip).motion.duration
    assert result.frames / FPS > length + 1.0, "it goes on as long as the reaction needs"
    # Until the hit it is the clip, in its own place.
    before = round(0.4 * FPS) + 1
    assert result.clip_times[:before] == pytest.approx(np.arange(before) / FPS)
    assert np.abs(result.root_positions - result.clip_roots)[:before].max() < 1e-9 and (result.rotations == result.clip_rotations)[:before].all()
    assert result.clip_times.min() >= 0.0 and result.clip_times.max() <= length + 1e-9
    # At last it is the cycle again, at its end, where it was pushed to.
    own, clips = result.rotations[-8:, 1:], result.clip_rotations[-8:, 1:]
    assert np.abs((own * clips).sum(axis=-1)).min() > np.cos(np.radians(0.5) / 2)
    assert np.diff(result.clip_times[-8:-1]) == pytest.approx(1 / FPS, abs=1e-6)
    assert min(result.clip_times[-1], length - result.clip_times[-1]) <= 0.5 / FPS + 1e-9
    # Nothing jumps: not the pelvis, and feet that catch the body swing as fast as feet can.
    positions = link_poses(result)[0]
    assert np.linalg.norm(np.diff(positions[:, 0], 2, axis=0), axis=-1).max() < 0.03
    assert np.linalg.norm(np.diff(positions, axis=0), axis=-1).max() * FPS < 7.0
    if in_place:
        assert result.outcome["treadmill_m_s"] == pytest.approx(0.94, abs=0.06)
        gone = result.root_positions[-8:, :2] - result.clip_roots[-8:, :2]
        assert np.linalg.norm(gone[-1] - gone[0]) < 0.02 and 0.05 < gone[-1, 1] < 1.5 and np.linalg.norm(gone[-1]) < 1.5
    else:
        assert result.root_positions[-1, 0] > 0.94 * length + 0.5 and frame_slides(result).sum() < 0.1


def test_a_flinch_and_a_fall_in_place(made):
    """A tap on the arm goes round once or twice; who falls in place comes to lie there, and does not ride away on the treadmill."""
    tap = {"type": "push", "time": 0.4, "force": [0, 60, 0], "duration": 0.05, "part": "hand.L"}
    tapped = run(make_job(hit(made(in_place=True), 0.4) | {"events": [tap]}))
    assert tapped.outcome["response"] == "flinch"
    assert np.linalg.norm((tapped.root_positions - tapped.clip_roots)[-1]) < 0.02 and tapped.frames / FPS > 0.4 + 1.5
    fallen = run(make_job(hit(made(in_place=True), 0.4, response="fall")))
    lies = fallen.root_positions[-10:]
    assert fallen.outcome["fell"] and lies[-1, 2] < 0.5 * fallen.root_positions[0, 2]
    assert np.linalg.norm(lies[-1] - lies[0]) < 0.02 and np.linalg.norm(lies[-1, :2] - fallen.root_positions[0, :2]) < 1.2
    assert fallen.clip_times[-1] == fallen.clip_times[-10]


@pytest.mark.slow
def test_a_walk_that_ends_during_the_reaction_walks_on():
    """The clip itself stays as it is to its end, and nothing is cut off."""
    clip = path_of("walk")
    length = read_clip(clip).motion.duration
    result = run(make_job(hit(clip, length - 0.3)))
    assert not result.outcome["fell"] and result.frames / FPS > length + 0.7
    body = make_body(body_of(read_clip(clip)), "walk")
    long, short = (lasting(Recording(str(clip), end=end), body, length + 5.0).motion for end in ("auto", "hold"))
    own = int(length * long.fps) - 1
    assert (long.rotations[:own] == short.rotations[:own]).all() and (long.root_positions[:own] == short.root_positions[:own]).all()
    onward = Motion(long.skeleton, long.fps, long.root_positions[own:], long.rotations[own:])
    assert np.linalg.norm(onward.root_positions[-1] - onward.root_positions[0]) > 0.8 * onward.duration
    jumps = np.linalg.norm(np.diff(long.world()[0], axis=0), axis=-1).max(axis=1)
    assert jumps[own - 5:].max() < 1.3 * jumps[:own].max()


def test_what_happens_at_the_end_can_be_chosen(made):
    result = run(make_job(hit(made(in_place=True), 0.4, end="hold", response="flinch")))
    length = read_clip(made(in_place=True)).motion.duration
    assert result.clip_times[-1] == pytest.approx(length) and result.clip_times.max() <= length + 1e-9
    with pytest.raises(JobError, match="cannot go round"):
        run(make_job(hit(path_of("fall"), 0.4, end="loop", response="flinch")))
