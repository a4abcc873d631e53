"""Files of devices that are broken: one sentence that names the file, the line and what is wrong, or a result that says what is missing."""

import resource
import time

import numpy as np
import pytest

from core.errors import FormatError
from core.pressure.devices import read
from core.pressure.report import describe
from tests.core import made_pressure as made

FRAMES = made.roll_off(12, 6, 8)
SLOWEST_S = 2.0
MEGABYTES = 600


def broken(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FormatError) as caught:
        read(path)
    sentence = str(caught.value)
    assert str(path) in sentence and sentence.endswith((".", ")")) and "\n" not in sentence
    return sentence


def replaced(text, old, new):
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize("make, old, new, words", [
    (lambda: made.tekscan(FRAMES), "ROWS 12", "ROWS 11", "line 31: '"),
    (lambda: made.tekscan(FRAMES), "ROWS 12", "ROWS a million", "line 5: ROWS is missing"),
    (lambda: made.tekscan(FRAMES), "ROWS 12", "ROWS 1000000", "line 5: ROWS is 1e+06; whole numbers from 1 to 4096"),
    (lambda: made.tekscan(FRAMES), "COLS 6", "COLS 7", "line 20: row 1 of frame 1 has 6 columns where 7 belong"),
    (lambda: made.tekscan(FRAMES), "UNITS KPa", "UNITS bananas", "line 15: pressures in 'bananas' are not known"),
    (lambda: made.tekscan(FRAMES), "SECONDS_PER_FRAME 0.02\r\n", "", "does not say SECONDS_PER_FRAME"),
    (lambda: made.tekscan(FRAMES), "ROW_SPACING 5.08 mm", "ROW_SPACING 5.08 furlongs", "line 7: ROW_SPACING in 'furlongs' is not known"),
    (lambda: made.tekscan(FRAMES), "Frame 3\r\n", "Frame 3\r\n0,0,oops,0,0,0\r\n", "line 48: 'oops' is no number"),
    (lambda: made.pedar(*made.walk(99, 0.4)), "time[secs]", "tiem[secs]", "has no row 'time[secs] 1 2 …'"),
    (lambda: made.pedar(*made.walk(99, 0.4)), "      5\t", "    500\t", "line 10: sensors are not numbered from 1 to 99"),
    (lambda: made.pedar(*made.walk(99, 0.4)), "     0.10000\t", "     0.10000\t1\t", "line 15: the row has 199 pressures where 198 belong"),
    (lambda: made.emed(FRAMES), "Time/picture:20.0 ms", "Time/picture:0 ms", "line 5: the time of a picture is 0, and must be more"),
    (lambda: made.emed(FRAMES), "\n6\t", "\n999999\t", "line 13: '999999' is no number of a row"),
    (lambda: made.xsensor(FRAMES, FRAMES), "Units:,mmHg", "Units:,", "line 3: pressures in '' are not known"),
    (lambda: made.xsensor(FRAMES, FRAMES), "Rows,12", "Rows,0", "Rows is 0; whole numbers from 1".lower()),
    (lambda: made.as_text(made.footscan({"Right": FRAMES})), "Rectangle width\r\n6", "Rectangle width\r\n60",
     "row 1 of frame 1 has 6 columns where 60 belong"),
    (lambda: made.moticon(*made.walk(16, 0.4)), "\n0.10\t", "\n0.10\t1\t1\t1\t1\t", "columns where"),
    (lambda: made.stappone(*made.walk(12, 0.4)), "timestamp", "when", "columns 'sole_id', 'timestamp' and 'pressure_01' are needed"),
    (lambda: made.zebris(FRAMES), "SensCountY=6", "SensCountZ=6", "does not say SensCountY"),
    (lambda: made.wii(np.ones((4, 4)), np.arange(4.0)), "2,1.000", "2,one", "line 4: 'one' is no number"),
    (lambda: made.OWN, "left_ball, left, 0.18", "left_ball, middle, 0.18", "line 5: a sensor is '# sensor, name, left|right|either, x, y, area'"),
    (lambda: made.OWN, "0.01, 50", "0.01, fifty", "line 9: 'fifty' is no number"),
    (lambda: made.OWN, "time, left_heel", "time, left_wing", "line 4: there is no column 'left_heel' for this sensor"),
    (lambda: made.OWN, "0.005", "-0.005", "line 5: the place (m) and the area (m²) of this sensor make no sense"),
])
def test_what_is_wrong_is_named_with_its_line(tmp_path, make, old, new, words):
    sentence = broken(tmp_path / "a.csv", replaced(make(), old, new))
    assert words in sentence


def test_files_that_are_none(tmp_path):
    for data, words in ((b"", "is empty"), (b" \r\n\n", "is empty"), (b"\0\0\0", "is empty"), (b"hello", "is no recording that can be read"),
                        (b"PK\x03\x04....", "new Excel workbook"), (bytes(range(256)) * 20, "is no recording that can be read"),
                        (bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 600, "the workbook is damaged"), (b'{"a": 1}', "is no recording"),
                        (made.as_workbook([["a", 1.0]]), "is no recording")):
        assert words in broken(tmp_path / "a.asc", data)
    with pytest.raises(FormatError, match="There is no file"):
        read(tmp_path / "nowhere.asc")
    with pytest.raises(FormatError, match="cannot be read"):
        read(tmp_path)


def test_a_file_that_is_cut_off_keeps_its_whole_frames(tmp_path):
    """Wherever it ends: behind the header there is what was whole, and that it was cut off; or nothing whole was there."""
    for name, data in made.every_device().items():
        if name.endswith((".xls", "own.csv", "footprint.csv")):
            continue
        whole = len(read(_at(tmp_path / name, data)).times)
        for share in (0.75, 0.9, 0.97):
            recording = read(_at(tmp_path / name, data[:round(share * len(data))]))
            assert len(recording.times) <= whole and len(recording.times) >= 1, name
        # In the midst of a word of a number, or of a row.
        said = [fault for share in np.linspace(0.5, 0.98, 13) for fault in read(_at(tmp_path / name, data[:round(share * len(data))])).faults]
        assert any("cut off" in fault for fault in said), name


def _at(path, data):
    path.write_bytes(data)
    return path


def mutated(data, rng):
    """A file with something wrong in it."""
    data = bytearray(data)
    for _ in range(rng.integers(1, 4)):
        kind = rng.integers(9)
        at = int(rng.integers(len(data) + 1))
        length = int(rng.integers(1, 60))
        if kind == 0:
            data[at:at + length] = rng.bytes(length)
        elif kind == 1:
            del data[at:at + length]
        elif kind == 2:
            data[at:at] = data[max(0, at - 200):at]
        elif kind == 3:
            del data[at:]
        elif kind == 4 and data:
            data[at % len(data)] ^= 1 << int(rng.integers(8))
        elif kind == 5:
            data[at:at] = rng.choice([b"nan", b"-1", b"1e308", b"999999999999", b"inf", b"\t\t\t", b",,,", b"\n\n", b"\0", b"Frame 7", b"[Data]",
                                      b"\xff\xfe", b'"'])
        elif kind == 6:  # a number becomes another
            digits = [n for n, byte in enumerate(data[:2000]) if 48 <= byte <= 57]
            if digits:
                where = int(rng.choice(digits))
                data[where:where + 1] = rng.choice([b"0", b"-", b"1000000", b"0.0000001", b"999999999", b"x"])
        elif kind == 7:  # lines change places
            lines = bytes(data).split(b"\n")
            one, other = rng.integers(len(lines), size=2)
            lines[one], lines[other] = lines[other], lines[one]
            data = bytearray(b"\n".join(lines))
        else:
            lines = bytes(data).split(b"\n")
            del lines[int(rng.integers(len(lines)))]
            data = bytearray(b"\n".join(lines))
        if not data:
            break
    return bytes(data)


def try_mutated(folder, count, seed):
    """Read mutated files of all devices: how many gave a result. Anything but a sentence, or a long wait, ends the test."""
    rng = np.random.default_rng(seed)
    sources = list(made.every_device().items())
    results = 0
    for number in range(count):
        name, data = sources[number % len(sources)]
        path = folder / f"{number % 50}{name}"
        path.write_bytes(mutated(data, rng))
        begin = time.process_time()
        try:
            recording = read(path)
            describe(recording)
            results += 1
            assert (np.diff(recording.times) > 0.0).all() and recording.pressures.shape == (len(recording.times), len(recording.layout.areas))
            assert np.isfinite(recording.times).all() and np.isfinite(recording.layout.centres).all() and not np.isinf(recording.pressures).any()
        except FormatError as error:
            assert str(path) in str(error) and "\n" not in str(error)
        except BaseException:
            (folder / "culprit").write_bytes(path.read_bytes())
            print("The culprit:", path, "number", number, "seed", seed)
            raise
        assert time.process_time() - begin < SLOWEST_S, f"{path} took too long (number {number}, seed {seed})"
    return results


@pytest.mark.parametrize("count, seed", [(300, 1), pytest.param(5000, 2, marks=pytest.mark.slow)])
def test_mutated_files_give_a_sentence_or_a_result(tmp_path, count, seed):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    results = try_mutated(tmp_path, count, seed)
    assert 0.1 * count < results < count
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEGABYTES * 1024  # KiB
