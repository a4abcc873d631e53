"""The shared recordings of real devices, where they are: from disk and as a stream."""

import csv
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from core.pressure.devices import read
from core.pressure.insoles import PEDAR_SIZES, pedar
from core.pressure.loads import centres, force, forces
from core.pressure.recording import EITHER, LEFT, RIGHT
from core.pressure.report import describe
from core.pressure.send import Sender, play
from core.pressure.stances import stances
from core.pressure.stream import Listener
from tests.cases import quick
from tests.core.heard import heard_of

SHARED = Path(__file__).resolve().parents[3] / "shared" / "pressure"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the recordings in ../shared/pressure are not here")
TOLERANCE = 0.03
# frames, rate (Hz), peak loads (N) as the recordings' README has them; steps as they are counted in a picture of the force.
TABLE = {
    "tekscan/fscan_testL.asf": (205, 31.25, {LEFT: 924.0}, 6),
    "novel/pedar_example.asc": (1505, 100.0, {LEFT: 850.0, RIGHT: 988.0}, 20),
    "novel/emed_test.lst": (106, 100.0, {}, 1),
    "novel/pliance_test.asc": (1067, 24.0, {}, 1),
    "xsensor/xsensor_data.csv": (101, 77.0, {}, 4),
    "footscan/footscan_test.xls": (329, 500.0, {RIGHT: 735.0}, 1),
    "stappone/stappone_example.csv": (4575, 62.5, {}, None),
    "moticon/opengo_walk_normal_230927_102114.txt": (1750, 100.0, {LEFT: 1008.0, RIGHT: 1060.0}, 18),
    "moticon/opengo_walk_with_events.txt": (499, 100.0, {}, 10),
    "mun104/MUN104L.csv": (1, 0.0, {}, None),
    "mun104/MUN104R.csv": (1, 0.0, {}, None),
}


@needs_shared
@pytest.mark.parametrize("name", TABLE)
def test_it_is_read_as_the_table_says(name):
    frames, rate, peaks, steps = TABLE[name]
    recording = read(SHARED / name)
    assert len(recording.times) == frames and recording.rate == pytest.approx(rate, rel=TOLERANCE)
    for foot, peak in peaks.items():
        assert np.nanmax(force(recording, foot)) == pytest.approx(peak, rel=TOLERANCE)
    told = describe(recording)
    assert steps is None or told["step_count"] == steps
    assert not any("cut off" in fault for fault in told["faults"])


@needs_shared
def test_figures_that_the_files_print_themselves():
    assert read(SHARED / "novel/emed_test.lst").felt(EITHER)[0] == pytest.approx(39.62, abs=0.02)
    assert read(SHARED / "xsensor/xsensor_data.csv").felt(LEFT)[0] == pytest.approx(410.8, abs=0.1)
    pliance = read(SHARED / "novel/pliance_test.asc")
    np.testing.assert_allclose(pliance.felt(EITHER), pliance.notes["total_force"], atol=0.02)
    assert pliance.times[-1] == pytest.approx(44.4, abs=0.1)


@needs_shared
def test_feet_roll_from_the_heel_to_the_toes():
    for name in ("tekscan/fscan_testL.asf", "novel/pedar_example.asc", "moticon/opengo_walk_with_events.txt", "footscan/footscan_test.xls",
                 "xsensor/xsensor_data.csv"):
        recording = read(SHARED / name)
        path, length = centres(recording), np.ptp(recording.layout.centres[:, 0])
        whole = [step for step in stances(recording) if step.strike is not None and step.lift is not None and 0.4 < step.lift - step.strike < 1.0]
        assert whole
        rolled = []
        for step in whole:
            ahead = path[(recording.times >= step.strike) & (recording.times <= step.lift), step.foot, 0]
            ahead = ahead[~np.isnan(ahead)]
            quarter = len(ahead) // 4
            rolled.append((ahead[-quarter:].mean() - ahead[:quarter].mean()) / length)
        assert min(rolled) > 0.1 and np.mean(rolled) > 0.25, name


@needs_shared
def test_moticon_s_sensors_give_the_force_that_it_tells():
    """The places and areas of the model, against the device's own force."""
    for name in ("opengo_walk_normal_230927_102114.txt", "opengo_walk_with_events.txt"):
        recording = read(SHARED / "moticon" / name)
        told = forces(recording)
        for foot in (LEFT, RIGHT):
            loaded = told[:, foot] > 200.0
            np.testing.assert_allclose(recording.felt(foot)[loaded], told[loaded, foot], rtol=0.04)


@needs_shared
def test_the_model_of_pedar_s_insoles_has_the_areas_of_the_real_ones():
    with (SHARED / "geometry" / "pedar_sensor_area_mm2.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for letters, (size, width) in PEDAR_SIZES.items():
        real = sum(float(row[letters]) for row in rows) * 1e-6
        assert pedar(size, width).areas.sum() == pytest.approx(real, rel=TOLERANCE), letters
    with (SHARED / "geometry" / "pedar_sensor_quads.csv").open(encoding="utf-8") as file:
        real_places = np.array([(float(row["cy"]), float(row["cx"])) for row in csv.DictReader(file) if row["foot"] == "right"])
    insole = pedar(42.5)
    # The picture's unit is not known: over the length, both from 0 to 1.
    ahead = insole.places[:, 0] / insole.length
    real_ahead = (real_places[:, 0] - 0.078) / (0.995 - 0.078)
    assert np.abs(ahead - real_ahead).max() < 0.05


@needs_shared
@pytest.mark.parametrize("scheme, form", quick([("udp", "json"), ("tcp", "json"), ("udp", "osc"), ("tcp", "osc")], ("udp", "json")))
def test_a_stream_gives_the_same_frames(scheme, form):
    for name in TABLE:
        recording = read(SHARED / name)
        heard, counts = heard_of(recording, scheme, form)
        assert heard.device == recording.device and counts.received == len(recording.times), name
        # OSC sends single precision.
        np.testing.assert_allclose(heard.pressures, recording.pressures, rtol=1e-6 if form == "osc" else 0.0, atol=0.0)
        np.testing.assert_array_equal(heard.times, recording.times)
        np.testing.assert_array_equal(heard.layout.centres, recording.layout.centres)
        np.testing.assert_array_equal(heard.layout.feet, recording.layout.feet)
        if recording.forces is not None:
            np.testing.assert_allclose(heard.forces, recording.forces, rtol=1e-6)
