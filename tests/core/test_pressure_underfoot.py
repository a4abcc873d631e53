"""Pressure under the feet of a motion: as it is drawn, and as it is written to a file."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main
from core.formats import read_clip, write_bvh
from core.jobs import make_job, run
from core.pressure.devices import plain, read
from core.pressure.loads import force
from core.pressure.motions import Trodden, tread_in
from core.pressure.pad import record
from core.pressure.recording import LEFT, RIGHT
from core.pressure.sensors import Device, device_named
from core.pressure.stances import stances
from core.pressure.tread import of_result
from core.pressure.underfoot import Underfoot, laid_under, of_insoles, of_motion, on_pad, stood_on
from tests.core.made_results import make_result

CLIPS = Path(__file__).resolve().parents[1] / "clips"


@cache
def walk():
    return run(make_job({"method": "gait", "gait": "walk", "duration": 4.0}))


@pytest.fixture(scope="module")
def walk_file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("walks") / "walk.npz"
    walk().save(path)
    return path


@pytest.mark.parametrize("pad", ["pedar", "moticon@100Hz"])
def test_what_is_written_reads_back_with_the_force_and_the_steps_of_the_motion(pad, walk_file, tmp_path, capsys):
    path = tmp_path / "walk.csv"
    assert main(["pressure", str(walk_file), "--pad", pad, "--csv", str(path)]) == 0
    capsys.readouterr()
    found, felt = read(path), record(of_result(walk()), device_named(pad))
    truth = np.maximum(walk().foot_forces[:, :, 2], 0.0)
    for foot in (LEFT, RIGHT):
        told = np.interp(walk().times, found.times, force(found, foot))
        assert abs(told.sum() / truth[:, foot].sum() - 1.0) < 0.03
        assert np.sqrt(np.mean((told - truth[:, foot]) ** 2)) < 0.05 * truth.max()
    assert main(["pressure", str(path)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["step_count"] == len(stances(felt)) >= 6
    both = [[(step.foot, step.strike, step.lift) for step in stances(one)] for one in (felt, found)]
    assert [one[0] for one in both[0]] == [one[0] for one in both[1]]
    for one, other in zip(*both, strict=True):
        assert all(a == b or abs(a - b) < 0.002 for a, b in zip(one[1:], other[1:], strict=True))


def test_a_pad_is_written_too_and_says_what_falls_beside_it(tmp_path, capsys):
    path = tmp_path / "stand.csv"
    assert main(["pressure", str(CLIPS / "stand.bvh"), "--pad", "40x50@12Hz", "--csv", str(path)]) == 0
    told = json.loads(capsys.readouterr().out)
    found, felt = read(path), record(tread_in(CLIPS / "stand.bvh").tread, device_named("40x50@12Hz"))
    assert found.layout.grid == (40, 50) and told["faults"] == [] and np.allclose(found.pressures, felt.pressures, rtol=1e-6)
    weight = tread_in(CLIPS / "stand.bvh").tread.weight
    assert np.median(found.felt(-1)) == pytest.approx(weight, rel=0.03)
    main(["pressure", str(CLIPS / "walk.bvh"), "--pad", "40x50@12Hz"])
    assert "fell beside the pad" in json.loads(capsys.readouterr().out)["faults"][0]


def test_a_result_needs_a_pad(walk_file, capsys):
    assert main(["pressure", str(walk_file)]) == 2
    said = capsys.readouterr().err.strip()
    assert "walk.npz' is a result" in said and "--pad" in said and "\n" not in said


@pytest.mark.parametrize("arguments, words", [
    (["--pad", "carpet"], "'carpet' is no pad"), (["--pad", "pedar", "--csv", "{}/nowhere/walk.csv"], "does not exist"),
    (["--pad", "pedar", "--csv", "{}"], "is a folder"),
])
def test_mistakes_are_sentences(arguments, words, walk_file, tmp_path, capsys):
    assert main(["pressure", str(walk_file), *(argument.format(tmp_path) for argument in arguments)]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1 and words in said[0]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("job, words", [({}, "has no motion"), ({"motion": "walk.npz"}, "has no pad")])
def test_a_job_without_what_it_needs_is_a_sentence(job, words, tmp_path, capsys):
    (tmp_path / "job.json").write_text(json.dumps(job))
    assert main(["underfoot", str(tmp_path / "job.json"), "-o", str(tmp_path / "drawn.npz")]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1 and words in said[0]


def test_a_full_disk_is_a_sentence_and_leaves_nothing(tmp_path, capsys, walk_file):
    resource = pytest.importorskip("resource", reason="this system does not limit the size of files")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        code = main(["pressure", str(walk_file), "--pad", "moticon", "--csv", str(tmp_path / "walk.csv")])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert code == 2 and "walk.csv': File too large; choose another place or free some space." in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("pad", ["pedar", "moticon", "64x80@12Hz"])
def test_what_is_drawn_is_what_is_felt(pad, tmp_path):
    tread = of_result(walk())
    found = of_motion(Trodden(tread, walk().ground_heights), device_named(pad))
    found.save(tmp_path / "under.npz")
    found = Underfoot.load(tmp_path / "under.npz")
    assert found.calibrated and 1e5 < found.usual_peak < 1e6
    sides = np.linalg.norm(found.on_floor[:, 1] - found.on_floor[:, 0], axis=1) if len(found.on_floor) else None
    if sides is not None:  # all of the walk, however far it goes: a pad is as large as it must be
        total = (found.pressures * sides**2).sum(axis=1)
        assert total.mean() == pytest.approx(tread.at(12.0).forces.sum(axis=1).mean(), rel=0.02)
        assert np.ptp(found.on_floor[..., 0]) > 3.0
    assert found.at(-0.1) is None and found.at(60.0) is None and found.at(1.0).shape == (found.pressures.shape[1],)


def test_cells_of_a_pad_lie_under_the_soles_that_press_them():
    standing = tread_in(CLIPS / "stand.bvh")
    found = of_motion(replace(standing, ground=standing.ground + 0.5), device_named("64x80@12Hz"))
    soles = standing.tread.soles[..., :2].reshape(-1, 2)
    for corner in found.on_floor.reshape(-1, 3):
        assert np.all(corner[:2] > soles.min(axis=0) - 0.03) and np.all(corner[:2] < soles.max(axis=0) + 0.03)
    assert np.allclose(found.on_floor[..., 2], 0.5)


def test_sensors_of_insoles_are_in_the_soles():
    """From the heel to the toes, and each in its own foot."""
    found = of_insoles(record(of_result(walk()), device_named("pedar")))
    soles = of_result(walk()).soles[0]
    shares = found.shares(soles)
    assert np.allclose(shares.sum(axis=2), 1.0)
    for foot in (LEFT, RIGHT):
        own = shares[found.feet == foot]
        assert np.allclose(own[:, :, 6 * (1 - foot):6 * (1 - foot) + 6], 0.0)
        places = own @ soles.reshape(-1, 3)
        for axis in (0, 1):
            low, high = soles[foot, :, axis].min(), soles[foot, :, axis].max()
            assert low - 1e-6 <= places[..., axis].min() < low + 0.02 and high - 0.02 < places[..., axis].max() <= high + 1e-6


def test_a_recorded_pad_is_laid_where_the_feet_went():
    tread = of_result(walk())
    for place in ((1.0, 0.3, 0.7), (2.0, -0.2, -2.5)):
        felt = record(tread, Device("grid", 12.0, (500, 500)), place=place)
        x, y, ahead = laid_under(felt, tread)
        assert np.hypot(x - place[0], y - place[1]) < 0.02 and abs(np.angle(np.exp(1j * (ahead - place[2])))) < 0.02


def test_a_recorded_pad_lies_under_who_stands():
    felt = record(tread_in(CLIPS / "stand.bvh").tread, device_named("64x80@12Hz"))
    drawn = on_pad(felt, stood_on(felt, (3.0, 1.0, 0.5)), 0.2)
    weights = drawn.pressures.sum(axis=0)
    middle = np.einsum("s,scd->d", weights, drawn.on_floor) / (4.0 * weights.sum())
    assert np.allclose(middle, (3.0, 1.0, 0.2), atol=0.02)


def test_who_never_touches_the_ground_presses_nothing():
    flying = of_result(make_result(50, root_positions=np.tile((0.0, 0.0, 5.0), (50, 1))))
    found = of_motion(Trodden(flying, np.zeros((50, 2))), device_named("64x80@12Hz"))
    assert found.usual_peak == 0.0 and len(found.on_floor) == 0


def test_the_command_that_draws(walk_file, tmp_path, capsys):
    plain.write(tmp_path / "pad.csv", record(of_result(walk()), Device("grid", 12.0, (20, 20))))
    for job, words in (({"motion": str(walk_file), "pad": "pedar"}, None), ({"recording": str(tmp_path / "pad.csv"), "motion": str(walk_file)}, None),
                       ({"recording": str(tmp_path / "pad.csv")}, "is of a pad"), ({"carpet": 1}, "unknown field 'carpet'")):
        (tmp_path / "job.json").write_text(json.dumps(job))
        code = main(["underfoot", str(tmp_path / "job.json"), "-o", str(tmp_path / "out.npz"), "--stream"])
        said = capsys.readouterr()
        assert (code == 0 and Underfoot.load(tmp_path / "out.npz").pressures.any()) if words is None else (code == 2 and words in said.err)


def test_who_walks_in_place_presses_as_one_who_goes(tmp_path):
    """As games have their clips: the floor goes back under the feet, as a treadmill with a pad in it."""
    clip = read_clip(CLIPS / "walk.bvh")
    there = tread_in(CLIPS / "walk.bvh")
    speed = (clip.motion.root_positions[-1] - clip.motion.root_positions[0])[:2] / clip.motion.duration
    back = np.outer(np.arange(clip.motion.frames) / clip.motion.fps, [*-speed, 0.0])
    write_bvh(tmp_path / "place.bvh", replace(clip, motion=clip.motion.displace(back)))
    place = tread_in(tmp_path / "place.bvh")
    assert np.allclose(there.belt, 0.0) and np.allclose(place.belt, -speed, atol=0.1)
    forces = [force(record(one.tread, device_named("pedar")), LEFT) for one in (there, place)]
    assert np.sqrt(np.mean((forces[0] - forces[1]) ** 2)) < 0.05 * there.tread.weight
