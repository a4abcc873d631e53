"""Foot pressure makes a character walk: its feet do what those of the recording did, on any body, at once or as they are heard."""

from math import inf
from pathlib import Path

import numpy as np
import pytest

from core import presets
from core.errors import FootfallError, JobError
from core.feet import soles
from core.formats import read_clip
from core.jobs import make_job, run
from core.kinematics import link_poses
from core.pressure.cycle import Cycle
from core.pressure.database import build
from core.pressure.devices import plain, read
from core.pressure.footwork import Footwork, begins_walking, footwork_in, only_walks
from core.pressure.hearing import Hearing
from core.pressure.manner import manner_in
from core.pressure.pad import holding, record
from core.pressure.recording import LEFT, RIGHT, Recording
from core.pressure.sensors import Device, device_named
from core.pressure.stances import stances
from core.pressure.strides import Figure, Strider, Walked, walk
from core.pressure.tread import of_reference
from core.reference import prepare
from core.signals import runs
from tests.cases import quick
from tests.core import made_pressure as made

CLIPS = Path(__file__).resolve().parents[1] / "clips"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "pressure"
WALKS = {"tekscan": "tekscan/fscan_testL.asf", "pedar": "novel/pedar_example.asc", "xsensor": "xsensor/xsensor_data.csv",
         "moticon": "moticon/opengo_walk_normal_230927_102114.txt", "moticon events": "moticon/opengo_walk_with_events.txt"}
BODIES = {"man": "average_man", "child": {"height": 1.15, "mass": 21.0, "sex": "female"}, "short": "short", "tall": "tall"}
LATE_S, SLIDE_M, SUNK_M = 0.06, 0.01, 0.001  # what is asked of every walk
TOUCHES_M, NEAR_M = 0.004, 0.01  # m of the lowest point of a foot that comes down; of points that are on the floor


def strike_errors(body, motion, footwork):
    """s by which each foot comes down later than in the recording; strikes and nothing else bring it down."""
    low, found = soles(body, motion)[..., 2].min(axis=2), []
    for foot in (0, 1):
        comes_down = np.array([start for start, _ in runs(low[:, foot] < TOUCHES_M) if start]) / motion.fps
        strikes = [strike for strike, _ in footwork.spans[foot] if LATE_S < strike < motion.duration - LATE_S]
        assert len(comes_down) >= len(strikes)
        found += [comes_down[np.argmin(np.abs(comes_down - strike))] - strike for strike in strikes]
        inner = comes_down[(comes_down > 2 * LATE_S) & (comes_down < motion.duration - 2 * LATE_S)]
        assert len(inner) <= len(strikes), "A foot comes down that did not in the recording."
    return np.array(found)


def slides(body, motion, stands):
    """m that each foot slides in each of its stances: as far as the slowest point on the floor moves."""
    points, found = soles(body, motion), []
    for foot in (0, 1):
        for start, end in runs(stands[:, foot]):
            own = points[start:end, foot]
            near = (own[1:, :, 2] < NEAR_M) & (own[:-1, :, 2] < NEAR_M)
            moves = np.where(near, np.linalg.norm(np.diff(own[..., :2], axis=0), axis=-1), np.inf).min(axis=1, initial=np.inf)
            found.append(float(np.where(np.isfinite(moves), moves, 0.0).sum()))
    return found


def good(body, found, footwork):
    """What every walk has to be."""
    errors = strike_errors(body, found.motion, footwork)
    assert len(errors) and np.abs(errors).max() <= LATE_S
    assert max(slides(body, found.motion, found.stands)) <= SLIDE_M
    assert soles(body, found.motion)[..., 2].min() >= -SUNK_M


def insoles(rate=100.0, kind="pedar"):
    """What insoles feel under this project's own clip of a walk."""
    return record(of_reference(prepare(read_clip(str(CLIPS / "walk.bvh")))), Device(kind, rate))


def heard(recording, body, latency, fps=60.0, frames=None) -> Walked:
    """The walk of a stream: of every pose no more is known than what was felt until ``latency`` s after it."""
    hearing = Hearing(recording.layout, recording.calibrated)
    strider, rows = Strider(body, manner=hearing.manner), []
    for time, frame in zip(recording.times[:frames], recording.pressures[:frames], strict=True):
        hearing.hear(float(time), frame)
        known = hearing.footwork()
        while len(rows) / fps + latency <= time:
            if not rows and begins_walking(known):
                strider.warm_up(known, fps)
            rows.append(strider.go_on(known, len(rows) / fps))
    return Figure(body, strider.cycle).walked(rows, 0.0, fps)


def whole(recording, body):
    return walk(footwork_in(recording), body, float(recording.times[-1]), manner=manner_in(recording, stances(recording)))


def from_stand_to_stand(path, steps=6, step=0.6, stand=1.5):
    """A CSV of forces (N): somebody stands, walks so many steps, and stands. Returns the strikes (s)."""
    times = np.arange(0.0, 2 * stand + (steps + 0.5) * step, 0.01)
    weight, loads, strikes = 700.0, np.zeros((len(times), 2)), []
    spans = [[[0.0, stand]], [[0.0, stand + 0.9 * step]]]
    for number in range(steps):
        strike = stand + 0.7 * step + number * step
        strikes.append((number % 2, strike))
        spans[number % 2].append([strike, strike + 1.25 * step if number < steps - 2 else times[-1] + 1.0])
    spans[1][0][1] = strikes[0][1] + 0.25 * step
    for foot in (0, 1):
        for start, end in spans[foot]:
            loads[(times >= start) & (times < end), foot] = 1.0
    loads *= weight / np.maximum(loads.sum(axis=1, keepdims=True), 1.0)
    path.write_text("# footfall pressure\ntime,left,right\n" + "".join(f"{time:.2f},{left:.1f},{right:.1f}\n"
                                                                       for time, (left, right) in zip(times, loads, strict=True)))
    return strikes


@pytest.mark.parametrize("body", quick(BODIES, "man", "child"))
def test_the_walk_under_which_insoles_were_simulated(body):
    body, recording = presets.body(BODIES[body]), insoles()
    footwork = footwork_in(recording)
    found = walk(footwork, body, float(recording.times[-1]))
    good(body, found, footwork)
    first, last = found.motion.root_positions[[0, -1]]
    assert last[0] - first[0] == pytest.approx(12.5 * Cycle(body).step_length(0.383), rel=0.1), "13 steps, of which those at the ends are cut off."
    assert abs(first[0]) < 0.1 and abs(last[1]) < 0.1


def test_feet_come_down_on_the_heel_and_leave_over_the_toes():
    body, recording = presets.body("average_man"), insoles()
    found = whole(recording, body)
    points = soles(body, found.motion)[..., 2]
    heel, toes = points[..., :2].min(axis=2), points[..., 4:].min(axis=2)
    stood = [(foot, start, end) for foot in (0, 1) for start, end in runs(found.stands[:, foot]) if start and end < found.motion.frames]
    assert len(stood) > 6
    for foot, start, end in stood:
        assert toes[start, foot] > heel[start, foot] + 0.02, "The heel comes first."
        assert heel[end - 1, foot] > toes[end - 1, foot] + 0.08, "The toes leave last."


def test_who_walks_on_the_toes_comes_down_on_them():
    recording = insoles()
    along = recording.layout.centres[:, 0]
    on_toes = Recording(recording.device, recording.layout, recording.times,
                        np.where(along > np.quantile(along, 0.6), recording.pressures, 0.0))
    body = presets.body("average_man")
    found = whole(on_toes, body)
    points = soles(body, found.motion)[..., 2]
    starts = [(foot, start) for foot in (0, 1) for start, end in runs(found.stands[:, foot]) if start and end < found.motion.frames]
    assert starts and all(points[start, foot, 4:].min() < points[start, foot, :2].min() for foot, start in starts)


def test_it_stands_before_it_walks_and_afterwards(tmp_path):
    path = tmp_path / "steps.csv"
    strikes = from_stand_to_stand(path)
    recording, body = read(path), presets.body("average_man")
    footwork = footwork_in(recording)
    found = walk(footwork, body, float(recording.times[-1]))
    good(body, found, footwork)
    roots, ankles = found.motion.root_positions, found.motion.world()[0][:, [body.names.index(f"foot.{side}") for side in "LR"]]
    assert np.ptp(roots[:120], axis=0).max() < 0.005 and np.ptp(roots[-60:], axis=0).max() < 0.005
    for frame in (0, -1):
        assert abs(ankles[frame, 0, 0] - ankles[frame, 1, 0]) < 0.01 and ankles[frame, 0, 1] - ankles[frame, 1, 1] > 0.08
    assert roots[-1, 0] > 0.4 * len(strikes), "It got somewhere."


def test_nothing_jumps(tmp_path):
    """Neither the pelvis nor a foot in the air is jerked: within what people's feet and hips do."""
    from_stand_to_stand(tmp_path / "steps.csv")
    body, recording = presets.body("average_man"), read(tmp_path / "steps.csv")
    motion = walk(footwork_in(recording), body, float(recording.times[-1])).motion
    joints = motion.world()[0][:, [0, *(body.names.index(name) for name in ("head", "forearm.L", "foot.L", "foot.R"))]]
    push = np.abs(np.diff(joints, 2, axis=0)) * motion.fps**2
    assert push[:, 0].max() < 40.0 and push[:, 1:3].max() < 60.0 and push[:, 3:].max() < 150.0
    turns = np.abs(np.diff(motion.rotations, axis=0)).max(axis=(0, 2)) * motion.fps
    assert turns.max() < 8.0


@pytest.mark.parametrize("seed", quick(range(8), 1, 5))
def test_whoever_walks_unevenly(seed):
    """Steps of all lengths and a limp, out of a stand or in full stride: the feet keep to them."""
    chance = np.random.default_rng(seed)
    step, limp, stands = chance.uniform(0.45, 0.75), chance.uniform(0.0, 0.3), seed % 2
    spans: list = [[(-inf, inf)], [(-inf, inf)]] if stands else [[], []]
    time, foot = 1.5 * stands - 0.9, 0
    if stands:
        spans[0][-1] = (-inf, 1.5)
        time = 1.5 + 0.7 * step - step
    while (time := time + step * (1.0 + limp * chance.uniform(-1.0, 1.0))) < 7.0:
        if spans[1 - foot]:
            spans[1 - foot][-1] = (spans[1 - foot][-1][0], time + chance.uniform(0.08, 0.22) * step)
        spans[foot].append((time if time > 0.0 else -inf, inf))
        foot = 1 - foot
    footwork = Footwork((spans[0], spans[1]), 7.0)
    body = presets.body("average_man")
    assert only_walks(footwork)
    good(body, walk(footwork, body, 7.0, fps=60.0), footwork)


@pytest.mark.parametrize("side", [LEFT, RIGHT])
def test_of_one_foot_the_other_is_put_between(side):
    recording = insoles()
    both, own = footwork_in(recording), recording.layout.feet == side
    layout = type(recording.layout)(recording.layout.centres[own], recording.layout.areas[own], recording.layout.feet[own])
    alone = Recording(recording.device, layout, recording.times, recording.pressures[:, own])
    found = footwork_in(alone)
    assert found.spans[side] == both.spans[side]
    there = [strike for strike, _ in both.spans[1 - side] if 0.5 < strike < 4.5]
    made_up = [strike for strike, _ in found.spans[1 - side]]
    assert there and all(min(abs(strike - other) for other in made_up) < 0.05 for strike in there)
    body = presets.body("average_man")
    good(body, walk(found, body, float(recording.times[-1])), both)


@pytest.fixture(scope="module")
def database(tmp_path_factory) -> str:
    """Of a kick and quiet standing, of this project's own clips."""
    path = tmp_path_factory.mktemp("database") / "kick.npz"
    build([CLIPS / "kick.bvh", CLIPS / "stand.bvh"]).save(path)
    return str(path)


def test_what_is_no_walk_is_looked_up_in_a_database(database, tmp_path):
    """The pad under the very clip of the database: its kick is recognised, and played; feet stand while it has them standing."""
    path = tmp_path / "kick.csv"
    tread = of_reference(prepare(read_clip(str(CLIPS / "kick.bvh"))))
    plain.write(path, record(tread, holding(device_named("40x40@12Hz"), tread)))
    result = run(make_job({"method": "pressure", "recording": str(path), "database": database, "body": "average_man"}))
    assert [action["name"] for action in result.outcome["actions"]] == ["kick"] and "Recognised: kick at" in result.outcome["notes"][-1]
    heights = link_poses(result)[0][:, [result.link_names.index(f"foot.{side}") for side in "LR"], 2]
    assert np.ptp(heights[:, 1]) > 0.2 > 0.03 > np.ptp(heights[:, 0]), "The right foot kicks, the left one stands."


def test_nobody_steps(database, tmp_path):
    times = np.arange(0.0, 2.0, 0.02)
    (tmp_path / "still.csv").write_text("# footfall pressure\ntime,left,right\n" + "".join(f"{time:.2f},350,{350 + 10 * np.sin(time):.1f}\n"
                                                                                          for time in times))
    result = run(make_job({"method": "pressure", "recording": str(tmp_path / "still.csv"), "database": database}))
    assert np.ptp(result.root_positions, axis=0).max() < 0.1 and result.outcome["steps"] == 0
    assert "so the character stands" in result.outcome["notes"][0]


# -- as it is heard --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("latency", [0.3, 1.0])
def test_what_is_heard_is_walked(latency):
    body, recording = presets.body("average_man"), insoles()
    good(body, heard(recording, body, latency), footwork_in(recording))


def test_nothing_is_known_of_what_comes_later_than_the_latency():
    body, recording, latency, cut = presets.body("average_man"), insoles(), 0.4, 250
    longer, shorter = (heard(recording, body, latency, frames=frames).motion for frames in (None, cut))
    assert longer.frames > shorter.frames > 100
    # To the rounding of sums, which goes by how many frames are worked out at once.
    np.testing.assert_allclose(longer.root_positions[:shorter.frames], shorter.root_positions, rtol=0.0, atol=1e-12)


# -- the method ------------------------------------------------------------------------------------------------------------


def test_a_job_without_physics_gives_the_same_bit_for_bit(tmp_path):
    path = tmp_path / "walk.csv"
    plain.write(path, insoles())
    data = {"method": "pressure", "recording": str(path), "body": BODIES["child"], "fps": 24.0}
    first, second = (run(make_job(data)) for _ in range(2))
    assert (first.root_positions == second.root_positions).all() and (first.rotations == second.rotations).all()
    assert first.outcome["steps"] >= 10 and first.frames == int(first.job["duration"] * 24.0 + 1e-6) + 1
    assert not {"pybullet", "mujoco"} & set(first.made_with)
    assert first.outcome["actions"] == [{"name": "walk", "time": 0.0}]


@pytest.mark.parametrize("push", quick([0.0, 60.0], 60.0))
def test_under_physics_it_is_held(push, tmp_path):
    path = tmp_path / "walk.csv"
    plain.write(path, insoles())
    events = [{"type": "push", "time": 2.0, "duration": 0.3, "force": [push, 0.0, 0.0]}] if push else []
    result = run(make_job({"method": "pressure", "recording": str(path), "how": "physics", "events": events, "body": "average_man"}))
    assert not result.outcome["fell"] and result.outcome["steps"] >= 10
    assert result.root_positions[-1, 0] > 4.0


@pytest.mark.parametrize("changes, words", [
    ({"recording": "gone.csv"}, "recording: there is no file"),
    ({"database": "gone.npz"}, "database: there is no file"),
    ({"latency": 0.0}, "latency is 0.0; allowed is a number from 0.2 to 3 s"),
    ({"how": "magic"}, "how is 'magic'; allowed are 'kinematic', 'physics'"),
    ({"body": "planar_biped"}, "needs a body in 3D"),
    ({"recording": 3}, "recording is 3; allowed is the path of a file"),
    ({"events": [{"type": "push", "time": 1.0, "duration": 0.2, "force": [50.0, 0.0, 0.0]}]}, "Without physics nothing is felt of pushes"),
])
def test_a_bad_job_is_one_sentence(changes, words, tmp_path):
    plain.write(tmp_path / "walk.csv", insoles(50.0))
    with pytest.raises(JobError, match=words) as error:
        make_job({"method": "pressure", "recording": "walk.csv", **changes}, tmp_path)
    assert str(error.value).count(". ") == 0


def test_a_recording_that_is_none_is_named(tmp_path):
    (tmp_path / "letter.txt").write_text("Dear Sir")
    with pytest.raises(FootfallError, match=r"letter\.txt' is no recording"):
        make_job({"method": "pressure", "recording": str(tmp_path / "letter.txt")})
    (tmp_path / "footprint.csv").write_bytes(made.every_device()["footprint.csv"])
    with pytest.raises(FootfallError, match=r"footprint\.csv' is one picture"):
        make_job({"method": "pressure", "recording": str(tmp_path / "footprint.csv")})


# -- people ----------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not SHARED.is_dir(), reason="the recordings in ../shared/pressure are not here")
@pytest.mark.parametrize("body", quick(BODIES, "man"))
@pytest.mark.parametrize("name", WALKS)
def test_walks_of_people(name, body):
    recording, body = read(SHARED / WALKS[name]), presets.body(BODIES[body])
    footwork = footwork_in(recording)
    found = walk(footwork, body, float(recording.times[-1]))
    good(body, found, footwork)
    assert only_walks(footwork)
    live = heard(recording, body, 0.5)
    errors = strike_errors_of(body, live.motion, footwork, {stance.foot for stance in stances(recording)})
    assert np.abs(errors).max() <= LATE_S and max(slides(body, live.motion, live.stands)) <= SLIDE_M


def strike_errors_of(body, motion, footwork, feet):
    """The same of feet that were measured."""
    low = soles(body, motion)[..., 2].min(axis=2)
    found = []
    for foot in feet:
        comes_down = np.array([start for start, _ in runs(low[:, foot] < TOUCHES_M) if start]) / motion.fps
        found += [comes_down[np.argmin(np.abs(comes_down - strike))] - strike for strike, _ in footwork.spans[foot]
                  if LATE_S < strike < motion.duration - LATE_S]
    return np.array(found)
