"""The simulated pad: soles that press, sensors that feel it, and people to compare with."""

import tracemalloc
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from core.errors import FormatError
from core.formats import read_clip
from core.jobs import make_job, run
from core.pressure.devices import read
from core.pressure.footprint import footprint, pressed
from core.pressure.insoles import fitted, moticon, pedar
from core.pressure.pad import feel, record, sensed
from core.pressure.recording import LEFT, RIGHT
from core.pressure.sensors import EIGHT_BITS, Device, Sensing, device_named
from core.pressure.spread import spots, spread
from core.pressure.tread import of_reference, of_result
from core.reference import prepare
from core.signals import local_fit, runs
from tests.core import made_pressure as made

CLIPS = Path(__file__).resolve().parents[1] / "clips"
SHARED = Path(__file__).resolve().parents[3] / "shared"
needs_pressure = pytest.mark.skipif(not (SHARED / "pressure").is_dir(), reason="the recordings in ../shared/pressure are not here")
needs_people = pytest.mark.skipif(not ((SHARED / "pressure").is_dir() and (SHARED / "mocap").is_dir()),
                                  reason="the recordings in ../shared/pressure and ../shared/mocap are not here")
PAD, INSOLES = Device("grid", 12.0, (96, 200)), Device("pedar", 50.0)


@cache
def tread_of(path: Path):
    return of_reference(prepare(read_clip(str(path))))


@cache
def simulated_walk():
    return run(make_job({"method": "gait", "gait": "walk", "duration": 2.5}))


def stance_curves(loads, along, rate, weight):
    """(S, 101) body weights and (S, 101) share of the sole's length of every whole stance of loads (F, 2) N with middles (F, 2)."""
    found = []
    for foot in (0, 1):
        for start, end in runs(loads[:, foot] > 0.05 * weight):
            if start > 5 and end < len(loads) - 5 and 0.4 < (end - start) / rate < 1.2:
                at = np.linspace(start, end - 1, 101)
                found.append([np.interp(at, np.arange(len(loads)), values[:, foot]) for values in (loads / weight, along)])
    return np.array(found).transpose(1, 0, 2)


def walked(tread, rate=100.0):
    tread = tread.at(rate)
    loads = spread(tread)
    total = loads.sum(axis=2)
    return stance_curves(total, loads @ footprint().along / np.maximum(total, 1.0), rate, tread.weight)


def test_a_foot_presses_with_heel_edge_ball_and_toes():
    """The middle of the foot's inner side is not on the ground, and the heel carries as much as people's."""
    print_ = footprint()
    assert print_.hardness.sum() == pytest.approx(1.0)
    assert 0.3 < print_.hardness[print_.along < 0.35].sum() < 0.6
    assert not ((print_.along > 0.35) & (print_.along < 0.5) & (print_.outward < -0.3)).any()


@needs_pressure
@pytest.mark.parametrize("side", ["L", "R"])
def test_the_footprint_is_that_of_104_people(side):
    mean = np.loadtxt(SHARED / "pressure" / "mun104" / f"MUN104{side}.csv", delimiter=",")
    row, column = np.indices(mean.shape)
    on = np.flatnonzero(mean.sum(axis=1) > 20)
    along = (row - on[0] + 0.5) / (on[-1] - on[0] + 1)
    outward = column * (-1.0 if side == "L" else 1.0)

    def middle(where):
        return (mean * where * along).sum() / (mean * where).sum(), (mean * where * outward).sum() / (mean * where).sum()

    # The line from the middle of the heel to that of the ball is the foot's own.
    (heel, heel_out), (ball, ball_out) = middle(along < 0.3), middle((along > 0.6) & (along < 0.86))
    outward = outward - heel_out - (along - heel) / (ball - heel) * (ball_out - heel_out)
    assert np.corrcoef(pressed(along, outward / (0.18 * 52)).ravel(), mean.ravel())[0, 1] > 0.95


def test_what_a_simulated_walk_presses_is_its_force_around_its_centre_of_pressure():
    result = simulated_walk()
    tread = of_result(result)
    loads, places = spread(tread), spots(tread)
    assert np.allclose(loads.sum(axis=2), np.maximum(result.foot_forces[:, :, 2], 0.0))
    carrying = loads.sum(axis=2) > 0.2 * tread.weight
    middles = np.einsum("fkn,fknd->fkd", loads, places)[..., :2] / np.maximum(loads.sum(axis=2), 1.0)[..., None]
    apart = np.linalg.norm(middles - result.foot_cops[:, :, :2], axis=2)[carrying]
    assert np.median(apart) < 0.01 and np.quantile(apart, 0.9) < 0.03


def test_a_clip_presses_as_it_was_simulated():
    """The forces that follow from how a body moves are near those that made it move so, but for the jolts of landings."""
    result = simulated_walk()
    shown = replace(result, foot_cops=np.full_like(result.foot_cops, np.nan))
    told, found = of_result(result), of_result(shown)
    assert found.forces.shape[1] == 1
    one, other = (local_fit(spread(tread).sum(axis=2) / tread.weight, result.fps, 0.15, 1)[10:-10] for tread in (told, found))
    assert np.sqrt(((one - other) ** 2).mean()) < 0.15 and np.corrcoef(one.ravel(), other.ravel())[0, 1] > 0.93


def test_a_long_clip_takes_no_more_memory_than_what_it_presses():
    """It is spread piece by piece, with the same bits."""
    tread = tread_of(CLIPS / "walk.bvh")
    once, frames = spread(tread), len(tread.times)
    tracemalloc.start()
    loads = spread(tread.piece(np.tile(np.arange(frames), 4)))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert all(np.array_equal(loads[start:start + frames], once) for start in range(0, 4 * frames, frames))
    assert most < loads.nbytes + 40e6


def test_a_walk_has_two_humps_and_rolls_from_heel_to_toe():
    force, middle = (curve.mean(axis=0) for curve in walked(tread_of(CLIPS / "walk.bvh")))
    first, dip, second = force[10:45].max(), force[35:65].min(), force[55:95].max()
    assert first > dip + 0.05 and second > dip + 0.05 and 0.9 < max(first, second) < 1.5
    assert middle[5] < 0.3 and middle[90] > 0.65 and np.all(np.diff(middle[5:95:15]) > -0.06)


def _moticon(name):
    """Forces (T, 2) N and middles (T, 2), shares of the insole's length, as the device tells them."""
    lines = (SHARED / "pressure" / "moticon" / name).read_text(encoding="utf-8").splitlines()
    names = [text.strip() for text in [line for line in lines if line.startswith("#")][-1][1:].split("\t")]
    columns = [names.index(f"{side} {what}") for what in ("total force[N]", "center of pressure X[-0.5...+0.5]") for side in ("left", "right")]
    table = np.array([[float(line.split("\t")[column] or 0.0) for column in columns] for line in lines if line and not line.startswith("#")])
    return table[:, :2], table[:, 2:] + 0.5


def _pedar_forces():
    """(T, 2) N of Novel's example."""
    text = (SHARED / "pressure" / "novel" / "pedar_example.asc").read_text(encoding="latin-1")
    table = np.array([line.split("\t")[:199] for line in text.splitlines() if line.count("\t") >= 198 and line.strip()[:1].isdigit()],
                     dtype=float)
    areas = np.loadtxt(SHARED / "pressure" / "geometry" / "pedar_sensor_area_mm2.csv", delimiter=",", skiprows=1)[:, 6]
    return np.stack([table[:, 1:100] @ areas, table[:, 100:199] @ areas], axis=1) * 1e-3


def _people(forces, middles):
    """(2, 101) what ``stance_curves`` gives of the median step; over whole strides the mean force is the person's weight."""
    strikes = [start for start, end in runs(forces[:, 0] > 45) if 40 < end - start < 120]
    return np.median(stance_curves(forces, middles, 100.0, forces[strikes[1]:strikes[-2]].sum(axis=1).mean()), axis=1)


@needs_people
def test_recorded_walks_press_as_people_do_on_insoles():
    """RMS over the stance: force within 10 % of body weight of the mean of people on Moticon's and Novel's insoles, and the centre of pressure within
    2 cm of where Moticon's have it. (Novel's example keeps to the heel for longer: the two devices' people differ by 4 cm.)"""
    moticon, pedar = _people(*_moticon("opengo_walk_normal_230927_102114.txt")), _people(_pedar_forces(), np.zeros((1505, 2)))
    clips = ("07_01_walk", "02_01_walk", "37_01_walk_slow", "08_06_walk_fast", "16_33_walk_slow_stop")
    force, middle = np.concatenate([walked(tread_of(SHARED / "mocap" / "cmu" / f"{clip}.bvh")) for clip in clips], axis=1).mean(axis=1)
    assert np.sqrt(((force - (moticon[0] + pedar[0]) / 2) ** 2).mean()) < 0.10
    assert 0.26 * np.sqrt(((middle - moticon[1])[5:96] ** 2).mean()) < 0.02


def test_a_pad_and_insoles_feel_the_whole_weight():
    tread = tread_of(CLIPS / "stand.bvh")
    for device in (PAD, INSOLES, Device("moticon", 50.0)):
        recording = record(tread, device)
        total = (recording.pressures * recording.layout.areas).sum(axis=1)
        assert np.allclose(total, tread.at(device.rate).forces[:, 0], rtol=1e-6) and not recording.faults
        assert recording.rate == pytest.approx(device.rate, rel=0.05)
        assert 50e3 < recording.pressures.max() < 400e3


def test_feet_beside_the_pad_are_said():
    assert "beside the pad" in record(tread_of(CLIPS / "walk.bvh"), Device("grid", 12.0, (32, 40))).faults[0]


def test_a_pad_lies_ahead_of_who_stands_on_it():
    """Left is left, ahead is ahead: the left foot presses on the columns before the middle."""
    felt = feel(tread_of(CLIPS / "stand.bvh"), PAD)
    left, right = (np.average(felt.layout.centres, axis=0, weights=felt.pressures[:, foot].sum(axis=0)) for foot in (0, 1))
    assert left[1] > 0.05 and right[1] < -0.05 and abs(left[0] - right[0]) < 0.1


def test_what_is_wrong_with_a_device():
    clean = record(tread_of(CLIPS / "stand.bvh"), PAD)
    assert np.array_equal(sensed(clean, Sensing()).pressures, clean.pressures)
    steps = sensed(clean, EIGHT_BITS).pressures / (EIGHT_BITS.full_scale / 255)
    assert np.allclose(steps, np.round(steps)) and len(np.unique(steps)) > 20
    worn = Sensing(noise=0.1, offset=2e3, threshold=6e3, lost=0.05, seed=3)
    one, again, other = sensed(clean, worn), sensed(clean, worn), sensed(clean, replace(worn, seed=4))
    assert np.array_equal(one.pressures, again.pressures) and one.pressures.shape == again.pressures.shape
    assert one.pressures.shape != other.pressures.shape or not np.array_equal(one.pressures, other.pressures)
    assert not ((one.pressures > 0) & (one.pressures < 6e3)).any()
    long = sensed(replace(clean, times=np.arange(2000) / 12, pressures=np.ones((2000, 5120))), Sensing(lost=0.05))
    assert 0.03 < 1 - len(long.times) / 2000 < 0.07 and (np.diff(long.times) > 0).all()


@pytest.mark.parametrize(("text", "kind", "rate"), [("64x80@12Hz", "grid", 12), ("pedar", "pedar", 100), ("moticon@50", "moticon", 50)])
def test_devices_by_name(text, kind, rate):
    device = device_named(text)
    assert (device.kind, device.rate) == (kind, rate) and device_named(device.name) == device


def test_insoles_have_as_many_sensors_as_the_devices():
    assert len(Device("pedar", 100).layout().areas) == 2 * 99 and len(Device("moticon", 100).layout().areas) == 2 * 16


@pytest.mark.parametrize(("kind", "sensors"), [("pedar", 99), ("moticon", 16)])
def test_simulated_insoles_have_their_sensors_where_those_of_a_file_are(kind, sensors, tmp_path):
    """The same order, the same places and the same shares of the area, as long and as wide as the sole is."""
    place = tmp_path / "walk.txt"
    place.write_text(getattr(made, kind)(*made.walk(sensors, 1.0)), encoding="utf-8")
    file, simulated = read(place).layout, Device(kind, 100.0).layout((0.25, 0.1))
    assert np.array_equal(simulated.feet, file.feet)
    stretch = np.ptp(simulated.centres, axis=0) / np.ptp(file.centres, axis=0)
    assert np.allclose(simulated.centres, file.centres * stretch) and np.allclose(simulated.areas, file.areas * stretch.prod())


def test_insoles_are_as_wide_as_the_sole():
    wide, usual = fitted(pedar, 0.25, 0.1), fitted(moticon, 0.25, 0.078)
    widest = np.ptp(wide.places[5:89].reshape(12, 7, 2), axis=1)[:, 1].max()  # of the rows of seven, from the first sensor's middle to the last one's
    assert wide.length == pytest.approx(0.25) and widest == pytest.approx(0.1 * 6 / 7, rel=0.01)
    assert np.allclose(usual.places, moticon(37.5).places, atol=2e-4)


@pytest.mark.parametrize("device", [INSOLES, Device("moticon", 50.0)])
def test_the_centre_of_pressure_of_insoles_is_that_of_the_sole(device):
    tread = tread_of(CLIPS / "walk.bvh").at(device.rate)
    felt, loads = feel(tread, device), spread(tread)
    for foot in (LEFT, RIGHT):
        carrying = loads[:, foot].sum(axis=1) > 0.2 * tread.weight
        forces = (felt.pressures[:, foot] * felt.layout.areas)[carrying]
        shares, pressing = forces / forces.sum(axis=1, keepdims=True), loads[carrying, foot] / loads[carrying, foot].sum(axis=1, keepdims=True)
        # Ahead, and to the outer side; the soles of this clip are 0.257 m long and 0.096 m wide.
        middle = shares @ (felt.layout.centres * (1.0, 1.0 if foot == LEFT else -1.0))
        true = pressing @ np.stack([footprint().along * 0.257, footprint().outward * 0.048], axis=1)
        assert np.sqrt(((middle - true) ** 2).mean(axis=0)).max() < 0.004


@pytest.mark.parametrize("text", ["carpet", "0x80@12Hz", "64x80@0Hz", "64x80@12Hz please"])
def test_no_such_device(text):
    with pytest.raises(FormatError, match="'.*'.*use|say"):
        device_named(text)
