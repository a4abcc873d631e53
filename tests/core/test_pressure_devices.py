"""Recordings of every device, made up here in its format, are read as what they are."""

import re

import numpy as np
import pytest

from core.errors import FormatError
from core.pressure.devices import plain, read
from core.pressure.insoles import PEDAR_SIZES, moticon, pedar, stappone
from core.pressure.loads import centre, centres, force, forces
from core.pressure.recording import EITHER, LEFT, RIGHT
from tests.core import made_pressure as made

KPA, MMHG, PSI, N_CM2 = 1e3, 133.322, 6894.757, 1e4


def written(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_the_device_is_told_by_what_is_in_the_file(tmp_path):
    """Whatever the file is called."""
    names = {"tekscan.asf": "Tekscan F-Scan", "tekscan_new.csv": "Tekscan mat", "pedar.asc": "Novel pedar", "pliance.asc": "Novel pliance",
             "emed.lst": "Novel emed",
             "xsensor.csv": "XSENSOR insoles", "footscan.txt": "RSscan footscan", "footscan.xls": "RSscan footscan", "small.xls": "RSscan footscan",
             "moticon.txt": "Moticon OpenGo", "stappone.csv": "Stappone", "zebris.apd": "zebris", "wii.csv": "Wii Balance Board",
             "own.csv": "My insoles",
             "footprint.csv": "Footprint"}
    for number, (name, data) in enumerate(made.every_device().items()):
        assert read(written(tmp_path / f"{number}.dat", data)).device == names[name]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings_and_ends_of_lines_change_nothing(tmp_path, encoding):
    for name, data in made.every_device().items():
        if name.endswith(".xls"):
            continue
        text = data.decode("latin-1" if name == "emed.lst" else "utf-8")
        expected = read(written(tmp_path / name, data))
        for end in ("\n", "\r\n", "\r"):
            again = read(written(tmp_path / name, text.replace("\r\n", "\n").replace("\n", end).encode(encoding)))
            np.testing.assert_array_equal(again.pressures, expected.pressures, err_msg=name)
            np.testing.assert_array_equal(again.times, expected.times)


def test_one_damaged_letter_does_not_make_it_another_encoding(tmp_path):
    feet, times = made.walk(16, 0.4)
    data = made.moticon(feet, times).encode()
    expected = read(written(tmp_path / "a.txt", data))
    again = read(written(tmp_path / "a.txt", data.replace(b"# Name: a", b"# Name: \xff\xe4")))
    np.testing.assert_array_equal(again.pressures, expected.pressures)
    latin = read(written(tmp_path / "a.txt", made.moticon(feet, times).encode("cp1252")))
    np.testing.assert_array_equal(latin.pressures, expected.pressures)


# --- Tekscan ---


def test_tekscan_insole(tmp_path):
    frames = made.roll_off(20, 8, 30)
    recording = read(written(tmp_path / "walkL.asf", made.tekscan(frames)))
    assert recording.rate == pytest.approx(50.0) and len(recording.times) == 30 and set(recording.layout.feet) == {LEFT}
    # 20 × 8 cells without the 4 at one side of the toes and two at the heel.
    assert recording.pressures.shape == (30, 154) and recording.layout.areas[0] == pytest.approx(0.00508**2)
    kept = frames.copy()
    kept[:, 0, :4] = kept[:, -1, 0] = kept[:, -1, -1] = 0.0
    np.testing.assert_allclose(recording.felt(LEFT), kept.sum(axis=(1, 2)) * KPA * 0.00508**2)
    path = centre(recording, recording.layout.feet == LEFT)
    rolled = path[~np.isnan(path[:, 0])]
    assert rolled[0, 0] < 0.04 < 0.06 < rolled[-1, 0] and rolled[-1, 1] < rolled[0, 1]  # from the heel to the toes, to the right: the inner side
    assert recording.notes["saturation"] == 1500.0 * KPA and "many here" in recording.notes["comments"]


def test_tekscan_units_spacings_and_new_frame_lines(tmp_path):
    frames = made.roll_off(10, 8, 5)
    for unit, pascals in (("KPa", KPA), ("PSI", PSI), ("N/cm²", N_CM2), ("mmHg", MMHG)):
        for spacing, metres in (("5.08 mm", 5.08e-3), ("0.508 centimeters", 5.08e-3), ("0.2 inches", 5.08e-3), ("10", 1e-2)):
            recording = read(written(tmp_path / "a.csv", made.tekscan(frames, unit=unit, row_spacing=spacing, sole=False, kind="5101", new=True)))
            assert recording.device == "Tekscan mat" and recording.layout.grid == (10, 8) and set(recording.layout.feet) == {EITHER}
            assert recording.felt(EITHER).max() == pytest.approx(frames.sum(axis=(1, 2)).max() * pascals * metres * 5.08e-3)
            np.testing.assert_allclose(recording.times, np.arange(5) * 0.02)
    raw = read(written(tmp_path / "a.csv", made.tekscan(frames, unit="raw")))
    assert not raw.calibrated


def test_the_other_foot_of_tekscan_is_read_with_it(tmp_path):
    left, right = made.roll_off(20, 8, 30), made.roll_off(20, 8, 28)[:, :, ::-1]
    for names in (("walkL.asf", "walkR.asf"), ("p1 left.csv", "p1 right.csv"), ("a_L_01.asf", "a_R_01.asf")):
        folder = tmp_path / names[0]
        folder.mkdir()
        written(folder / names[0], made.tekscan(left))
        alone = read(folder / names[0])
        written(folder / names[1], made.tekscan(right, "R"))
        both = [read(folder / name) for name in names]
        for one in both:
            assert one.pressures.shape == (30, 308) and (one.layout.feet == np.repeat([LEFT, RIGHT], 154)).all()
            np.testing.assert_array_equal(one.pressures[:, :154], alone.pressures)
            assert np.isnan(one.pressures[28:, 154:]).all() and "30 frames, the right foot 28" in one.faults[-1]
        assert np.isfinite(centres(both[0])[5:25]).all()


def test_a_partner_that_is_broken_or_of_another_rate_is_named(tmp_path):
    frames = made.roll_off(20, 8, 10)
    written(tmp_path / "walkL.asf", made.tekscan(frames))
    written(tmp_path / "walkR.asf", made.tekscan(frames, "R", period="0.01"))
    assert "walkR.asf' beside it was recorded in another way" in read(tmp_path / "walkL.asf").faults[-1]
    written(tmp_path / "walkR.asf", "nothing")
    assert "The other foot cannot be read" in read(tmp_path / "walkL.asf").faults[-1]


def test_a_foot_that_no_name_tells_is_told_by_its_toes(tmp_path):
    frames = made.roll_off(20, 8, 5)
    text = made.tekscan(frames).replace("walkL.fsx", "1.fsx")
    assert set(read(written(tmp_path / "1.asf", text)).layout.feet) == {LEFT}


# --- Novel ---


@pytest.mark.parametrize("comma", [False, True])
def test_pedar(tmp_path, comma):
    feet, times = made.walk(99)
    recording = read(written(tmp_path / "a.asc", made.pedar(feet, times, comma=comma)))
    assert recording.rate == pytest.approx(50.0) and len(recording.times) == len(times)
    np.testing.assert_allclose(recording.pressures, feet.reshape(len(times), -1) * KPA)
    path = centres(recording)
    standing = forces(recording)[:, 0] > 50.0
    assert path[standing, 0, 0].min() < 0.09 and path[standing, 0, 0].max() > 0.2


def test_one_insole_of_pedar_missing_values_and_another_size(tmp_path):
    feet, times = made.walk(99, 1.0)
    lines = made.pedar(feet, times).split("\n")
    only = [line if not line[:1].isspace() and not line.startswith("time") else "\t".join(line.split("\t")[:100]) for line in lines
            if "left insole" not in line]
    only = [line for line in only if not line.startswith("M")]
    words = only[10].split("\t")
    words[5] = ""
    only[10] = "\t".join(words)
    recording = read(written(tmp_path / "a.asc", "\n".join(only)))
    assert recording.pressures.shape == (len(times), 99) and set(recording.layout.feet) == {RIGHT} and np.isnan(recording.pressures).sum() == 1
    strange = read(written(tmp_path / "a.asc", made.pedar(feet, times, kind="q-12", unit="N/cm²")))
    assert "size of the insole 'q-12' is not known" in strange.faults[0] and strange.pressures.max() == pytest.approx(feet.max() * N_CM2)


def test_models_of_insoles_make_sense():
    for size, width in PEDAR_SIZES.values():
        insole = pedar(size, width)
        ahead, inwards = insole.places.T
        assert len(ahead) == 99 and (np.diff(ahead) >= 0.0).all() and ahead[0] < 0.1 * insole.length and ahead[-1] > 0.9 * insole.length
        assert np.abs(inwards).max() < 0.22 * insole.length and insole.areas.sum() == pytest.approx(width * 0.238 * insole.length**2)
        left, right = (insole.layout(foot).centres for foot in (LEFT, RIGHT))
        np.testing.assert_array_equal(left * (1, -1), right)
        assert left[5, 1] < 0.0 < left[11, 1]  # the first sensor of a row is on the inner side
    assert moticon(42.0).areas.sum() == stappone(42.0).areas.sum() == pytest.approx(0.238 * (42.0 * 0.02 / 3.0) ** 2)
    assert moticon(42.0, 1.1).areas.sum() == pytest.approx(1.1 * moticon(42.0).areas.sum())


def test_pliance_is_nothing_where_nothing_is_printed(tmp_path):
    frames = made.roll_off(6, 4, 12).reshape(12, -1)
    times, areas, centres_cm = np.arange(12) * 0.02 + 5.0, np.round(np.linspace(0.4, 0.6, 24), 4), np.mgrid[:6, :4].reshape(2, -1).T * 0.7
    recording = read(written(tmp_path / "a.asc", made.pliance(frames, times, areas, centres_cm)))
    np.testing.assert_allclose(recording.pressures, frames * KPA)
    np.testing.assert_allclose(recording.layout.areas, areas * 1e-4)
    np.testing.assert_allclose(recording.felt(EITHER), frames @ areas * 0.1)
    assert (recording.felt(EITHER)[[0, -1]] == 0.0).all()
    np.testing.assert_allclose(np.ptp(recording.layout.centres, axis=0), np.ptp(centres_cm, axis=0)[::-1] * 0.01)


@pytest.mark.parametrize("pages", [1, 3])
def test_emed_is_placed_by_the_numbers_of_rows_and_columns(tmp_path, pages):
    frames = made.roll_off(20, 9, 10)
    recording = read(written(tmp_path / "a.lst", made.emed(frames, pages=pages).encode("latin-1")))
    assert recording.layout.grid == (60, 40) and recording.rate == pytest.approx(50.0) and len(recording.times) == 10
    pictures = recording.pressures.reshape(10, 60, 40)[:, ::-1] / KPA
    np.testing.assert_allclose(pictures[:, 4:24, 6:15], frames)
    assert pictures.sum() == pytest.approx(frames.sum())
    np.testing.assert_allclose(recording.felt(EITHER), frames.sum(axis=(1, 2)) * 0.025)
    path = centre(recording, recording.layout.feet == EITHER)
    assert path[1, 0] < path[-2, 0]  # ahead


# --- Others ---


@pytest.mark.parametrize("separator", [",", ";"])
def test_xsensor_over_midnight(tmp_path, separator):
    left = made.roll_off(12, 6, 20)
    right = 0.5 * left[:, :, ::-1]
    recording = read(written(tmp_path / "a.csv", made.xsensor(left, right, separator=separator)))
    assert recording.rate == pytest.approx(50.0, rel=0.01) and recording.pressures.shape == (20, 144)
    np.testing.assert_allclose(recording.felt(LEFT), left.sum(axis=(1, 2)) * MMHG * 0.0086 * 0.009, rtol=1e-6)
    np.testing.assert_allclose(recording.felt(RIGHT), right.sum(axis=(1, 2)) * MMHG * 0.0086 * 0.009, rtol=1e-6)
    path = centres(recording)
    assert path[1, 0, 0] < path[-2, 0, 0] and path[-2, 0, 1] < 0.0 < path[-2, 1, 1]  # heel to toe, to the inner side of each foot
    mat = read(written(tmp_path / "a.csv", made.xsensor(left, right, unit="psi", names=("PX100", "PX200"))))
    assert mat.pressures.max() == pytest.approx(left.max() * PSI)


@pytest.mark.parametrize("form", [made.as_text, made.as_workbook])
def test_footscan_as_text_and_as_a_workbook(tmp_path, form):
    heel_first = made.roll_off(15, 6, 40)[:, ::-1] / 40.0
    recording = read(written(tmp_path / "a.xls", form(made.footscan({"Right": heel_first}))))
    assert recording.rate == pytest.approx(500.0) and recording.layout.grid == (15, 6) and set(recording.layout.feet) == {RIGHT}
    np.testing.assert_allclose(recording.felt(RIGHT), heel_first.sum(axis=(1, 2)))
    path = centre(recording, recording.layout.feet == RIGHT)
    assert path[2, 0] < path[-3, 0]
    both = read(written(tmp_path / "a.xls", form(made.footscan({"Left": heel_first, "Right": 0.5 * heel_first[:20]}))))
    assert both.pressures.shape == (40, 180) and both.felt(RIGHT)[20:].max() == 0.0
    np.testing.assert_allclose(both.felt(LEFT), heel_first.sum(axis=(1, 2)))
    path = centres(both)
    assert path[10, 0, 1] < path[10, 1, 1] - 0.1 and path[10, 0, 0] < path[10, 1, 0] - 0.1  # where the rectangles are on the plate


def test_workbooks_of_all_sizes(tmp_path):
    """Short streams lie in small sectors, long ones need more than one table of sectors; sectors may be large."""
    for frames, sector in ((2, 512), (60, 512), (400, 512), (60, 4096)):
        feet = {"Left": made.roll_off(12, 6, frames) + 0.25}
        recording = read(written(tmp_path / "a.xls", made.as_workbook(made.footscan(feet), sector)))
        np.testing.assert_allclose(recording.felt(LEFT), feet["Left"].sum(axis=(1, 2)))


@pytest.mark.parametrize("comma", [False, True])
def test_moticon(tmp_path, comma):
    feet, times = made.walk(16, rate=100.0, peak=20.0)
    recording = read(written(tmp_path / "a.txt", made.moticon(feet, times, comma=comma)))
    assert recording.rate == pytest.approx(100.0) and recording.pressures.shape == (len(times), 32)
    np.testing.assert_allclose(recording.pressures[3:], feet.reshape(len(times), -1)[3:] * N_CM2)
    assert np.isnan(recording.pressures[:3, :16]).all() and np.isnan(force(recording, LEFT)[:3]).all()
    np.testing.assert_allclose(forces(recording)[3:], feet.sum(axis=2)[3:] * 12.0, atol=0.01)
    old = read(written(tmp_path / "a.txt", made.moticon(feet[:, :, :13], times, forces=False)))
    assert "13 sensors are not known" in old.faults[0] and old.forces is None


def test_stappone_counts_above_rest(tmp_path):
    feet, times = made.walk(12, 6.0)
    counts = np.round(feet * 5.0)
    recording = read(written(tmp_path / "a.csv", made.stappone(counts, times)))
    assert not recording.calibrated and recording.pressures.shape == (len(times), 24) and np.isnan(recording.pressures[5]).all()
    assert "Where the sensors are is not known" in recording.faults[0]
    keep = np.arange(len(times)) != 5
    np.testing.assert_allclose(recording.pressures[keep], counts.reshape(len(times), -1)[keep])
    one = read(written(tmp_path / "a.csv", made.stappone(counts[:, :1], times)))
    assert set(one.layout.feet) == {LEFT} and one.rate == pytest.approx(50.0)


def test_zebris(tmp_path):
    frames = made.roll_off(14, 7, 12) / 10.0
    recording = read(written(tmp_path / "a.apd", made.zebris(frames)))
    assert recording.rate == pytest.approx(100.0) and set(recording.layout.feet) == {RIGHT} and recording.layout.grid == (14, 7)
    np.testing.assert_allclose(recording.felt(RIGHT), frames.sum(axis=(1, 2)) * N_CM2 * 8.46591e-3**2)
    one = read(written(tmp_path / "a.apd", made.zebris(frames, dynamic=False, side="")))
    assert len(one.times) == 1 and "only the greatest pressures" in one.faults[0] and one.pressures.max() == pytest.approx(frames.max() * N_CM2)


@pytest.mark.parametrize("names, scale, newtons", [
    (("time", "TL", "TR", "BL", "BR"), 1.0, 9.80665),
    (("Time (ms)", "Top Left (kg)", "Top Right (kg)", "Bottom Left (kg)", "Bottom Right (kg)"), 1000.0, 9.80665),
    (("timestamp", "topLeft", "topRight", "bottomLeft", "bottomRight"), 1000.0, 9.80665),
    (("t_s", "TL_N", "TR_N", "BL_N", "BR_N"), 1.0, 1.0),
    (("Time", "FrontLeft[lb]", "FrontRight[lb]", "RearLeft[lb]", "RearRight[lb]"), 1.0, 4.448222),
])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_wii(tmp_path, names, scale, newtons, separator):
    cells, times = np.array([[10.0, 10.0, 10.0, 10.0], [30.0, 10.0, 10.0, 0.0], [20.0, -0.2, 20.0, 0.0]]), np.arange(3) * 0.02
    recording = read(written(tmp_path / "a.csv", made.wii(cells, times, names, separator, scale)))
    assert recording.rate == pytest.approx(50.0) and recording.layout.grid == (2, 2)
    np.testing.assert_allclose(recording.felt(EITHER), np.array([40.0, 50.0, 40.0]) * newtons)
    path = centre(recording, recording.layout.feet == EITHER)
    np.testing.assert_allclose(path[0], 0.0, atol=1e-12)
    np.testing.assert_allclose(path[1], [0.5 * 0.238 * 30 / 50, 0.5 * 0.433 * 30 / 50])  # ahead, to the left
    np.testing.assert_allclose(path[2], [0.0, 0.5 * 0.433], atol=1e-12)


# --- Our own ---


def test_own_csv(tmp_path):
    recording = read(written(tmp_path / "a.csv", made.OWN))
    assert recording.device == "My insoles" and list(recording.layout.feet) == [LEFT, LEFT, RIGHT] and recording.rate == pytest.approx(100.0)
    np.testing.assert_allclose(recording.pressures, np.array([[0, 0, 100], [50, 25.5, np.nan], [100, 51, 50]]) * KPA)
    np.testing.assert_allclose(recording.layout.centres[1], [0.18, 0.01])
    least = read(written(tmp_path / "a.csv", "# footfall pressure\ntime;left;right\n0;700,5;0\n0,1;350;350\n"))
    np.testing.assert_allclose(forces(least), [[700.5, 0.0], [350.0, 350.0]])


def test_every_recording_is_written_and_read_again(tmp_path):
    for name, data in made.every_device().items():
        recording = read(written(tmp_path / name, data))
        plain.write(tmp_path / "again.csv", recording)
        again = read(tmp_path / "again.csv")
        assert (again.device, again.calibrated, again.layout.grid) == (recording.device, recording.calibrated, recording.layout.grid), name
        np.testing.assert_allclose(again.pressures, recording.pressures, rtol=1e-6)
        np.testing.assert_allclose(again.times, recording.times, atol=1e-6)
        np.testing.assert_allclose(again.layout.centres, recording.layout.centres, atol=1e-6)
        np.testing.assert_array_equal(again.layout.feet, recording.layout.feet)
        if recording.forces is not None:
            np.testing.assert_allclose(again.forces, recording.forces, rtol=1e-6)
    with pytest.raises(FormatError, match="Could not write"):
        plain.write(tmp_path / "nowhere" / "a.csv", recording)


# --- Times ---


def test_frames_whose_time_goes_back_are_left_out(tmp_path):
    text = "# footfall pressure\ntime,left,right\n0.0,1,1\n0.1,2,2\n0.05,3,3\n0.2,4,4\n,5,5\n0.3,6,6\n"
    recording = read(written(tmp_path / "a.csv", text))
    np.testing.assert_allclose(recording.times, [0.0, 0.1, 0.2, 0.3])
    np.testing.assert_allclose(forces(recording)[:, 0], [1, 2, 4, 6])
    assert any("Time goes back in 1 frame" in fault for fault in recording.faults) and any("no time" in fault for fault in recording.faults)


def test_a_coarse_clock_is_spread(tmp_path):
    rows = "".join(f"{n // 10},{n},0\n" for n in range(40))
    recording = read(written(tmp_path / "a.csv", "# footfall pressure\ntime,left,right\n" + rows))
    np.testing.assert_allclose(recording.times, np.arange(40) * 0.1)


# --- Ways in which exports differ ---


def test_emed_without_sums(tmp_path):
    frames = made.roll_off(20, 9, 10)
    text = "\n".join(line.removesuffix("\tForce") for line in made.emed(frames).split("\n") if not line.startswith("Force"))
    recording = read(written(tmp_path / "a.lst", text))
    assert recording.felt(EITHER).sum() == pytest.approx(frames.sum() * 0.025) and len(recording.times) == 10 and recording.faults == ()


def test_an_xsensor_mat_that_says_its_size_once(tmp_path):
    frames = made.roll_off(12, 6, 5)
    head = ["Units:,kPa", "Rows:,12", "Columns:,6", "Sensel Width (cm):,1.27", "Sensel Height (cm):,1.27"]
    lines = [line for n, frame in enumerate(frames)
             for line in (f"FRAME,{n}", f"Time,10:00:0{n}.5 PM", "SENSELS", *(",".join(f"{value:g}" for value in row) for row in frame))]
    recording = read(written(tmp_path / "a.csv", "\n".join(head + lines)))
    assert recording.device == "XSENSOR mat" and recording.layout.grid == (12, 6) and recording.rate == pytest.approx(1.0)
    np.testing.assert_allclose(recording.felt(EITHER), frames.sum(axis=(1, 2)) * KPA * 0.0127**2)


def test_the_whole_plate_of_footscan(tmp_path):
    frames = made.roll_off(15, 6, 10)[:, ::-1] / 40.0
    rows = [["Entire plate roll off"], []]
    for number, frame in enumerate(frames):
        rows += [[f"Frame {number} ({8.0 * number:.2f} ms)"], *(list(map(float, row)) for row in frame), []]
    recording = read(written(tmp_path / "a.txt", made.as_text(rows)))
    assert set(recording.layout.feet) == {EITHER} and recording.layout.grid == (15, 6) and recording.rate == pytest.approx(125.0)
    np.testing.assert_allclose(recording.felt(EITHER), frames.sum(axis=(1, 2)), rtol=1e-5)


def test_moticon_whose_empty_columns_were_taken_off(tmp_path):
    feet, times = made.walk(16, 1.0)
    lines = made.moticon(feet, times).split("\n")
    expected = read(written(tmp_path / "a.txt", "\n".join(lines)))
    lines[20] = "\t".join(lines[20].split("\t")[:20])  # the right insole has stopped here
    short = read(written(tmp_path / "a.txt", "\n".join(line.rstrip("\t") for line in lines)))
    assert short.pressures.shape == expected.pressures.shape and np.isnan(short.pressures[16, 16:]).all()
    np.testing.assert_array_equal(np.delete(short.pressures, 16, axis=0), np.delete(expected.pressures, 16, axis=0))


def test_words_in_tables(tmp_path):
    feet, times = made.walk(12, 1.0)
    text = made.stappone(feet * 5.0, times)
    expected = read(written(tmp_path / "a.csv", text))
    names = {"1": "left", "2": "right"}
    flags = {"0": "false", "1": "TRUE"}
    rows = [line.split(",") for line in text.strip().split("\n")]
    worded = [rows[0]] + [[names[row[0]], *row[1:-1], flags[row[-1]]] for row in rows[1:]]
    np.testing.assert_array_equal(read(written(tmp_path / "a.csv", "\n".join(map(",".join, worded)))).pressures, expected.pressures)
    board = "who,time,topLeft,topRight,bottomLeft,bottomRight\n" + "".join(f"Ann,2024-01-02 10:00:01.{n},1,2,3,4\n" for n in range(4))
    recording = read(written(tmp_path / "a.csv", board))
    np.testing.assert_allclose(recording.times, np.arange(4) * 0.1, atol=1e-9)
    np.testing.assert_allclose(recording.felt(EITHER), 10.0 * 9.80665)


def test_a_tekscan_sensor_with_gaps_is_no_insole(tmp_path):
    """As those for fingers: squares of cells with nothing between them."""
    frames = made.roll_off(12, 12, 5)
    text = made.tekscan(frames, unit="raw", row_spacing="0.127 centimeters", column_spacing="0.127 centimeters", kind="6900", new=True)
    recording = read(written(tmp_path / "index_45deg.csv", text))
    assert recording.device == "Tekscan mat" and set(recording.layout.feet) == {EITHER} and not recording.calibrated and recording.layout.grid is None
    kept = frames.copy()
    kept[:, 0, :6] = kept[:, -1, 0] = kept[:, -1, -1] = 0.0
    np.testing.assert_allclose(recording.felt(EITHER), kept.sum(axis=(1, 2)))
    path = centre(recording, recording.layout.feet == EITHER)
    row, column = np.mgrid[:12, :12]
    expected = [((12 - 0.5 - row) * kept[2]).sum(), ((5.5 - column) * kept[2]).sum()]
    np.testing.assert_allclose(path[2], np.array(expected) * 1.27e-3 / kept[2].sum())


def test_numbers_in_quotes_with_commas(tmp_path):
    left = made.roll_off(12, 6, 6)
    expected = read(written(tmp_path / "a.csv", made.xsensor(left, left)))
    lines = made.xsensor(left, left).replace("FRAME,", "Frame:,").replace("SENSELS", "Sensels:").replace("Rows,", "Rows:,").split("\r\n")
    commas = [re.sub(r"(?<=,)(\d+)\.(\d+)(?=,)", r'"\1,\2"', line) for line in lines]
    assert '"0,86"' in "".join(commas)
    again = read(written(tmp_path / "a.csv", "\n".join(commas)))
    np.testing.assert_array_equal(again.pressures, expected.pressures)
    np.testing.assert_array_equal(again.layout.areas, expected.layout.areas)


def test_moticon_as_a_table_of_another_program(tmp_path):
    """Columns in quotes, numbers of the rows before the time."""
    feet, times = made.walk(16, 1.0)
    expected = read(written(tmp_path / "a.txt", made.moticon(feet, times)))
    lines = [line.lstrip("# ").split("\t") for line in made.moticon(feet, times).strip("\n").split("\n")[3:]]
    rows = [",".join([f'"{number}"' if number else '""', *(f'"{word}"' if not word[:1].isdigit() else word for word in words)])
            for number, words in enumerate(lines)]
    again = read(written(tmp_path / "a.csv", "\n".join(rows)))
    np.testing.assert_array_equal(again.pressures, expected.pressures)
    np.testing.assert_array_equal(again.times, expected.times)
