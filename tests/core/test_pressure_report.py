"""What a recording of foot pressure tells: steps, force, centre, faults; and the command that tells it."""

import json

import numpy as np
import pytest

from core.__main__ import main
from core.pressure.devices import read
from core.pressure.faults import faults_of
from core.pressure.loads import centres, force, forces
from core.pressure.picture import RAMP, draw_moment, draw_picture
from core.pressure.recording import EITHER, LEFT, RIGHT, Layout, Recording
from core.pressure.report import describe, sentence
from core.pressure.stances import of_force, stances
from tests.core import made_pressure as made


def insoles(feet, times, **more):
    """feet: (T, 2, S) kPa: sensors in a line of 26 cm, 4 cm² each."""
    sensors = feet.shape[2]
    places = np.stack([np.linspace(0.01, 0.25, sensors), np.zeros(sensors)], axis=1)
    layout = Layout(np.concatenate([places, places]), np.full(2 * sensors, 4e-4), np.repeat([LEFT, RIGHT], sensors))
    return Recording("Made", layout, times, feet.reshape(len(times), -1) * 1e3, **more)


def grid(frames, rate=100.0):
    """frames: (T, rows, columns) kPa on a pad of 5 mm cells."""
    count, rows, columns = frames.shape
    ahead, right = np.mgrid[:rows, :columns].reshape(2, -1) * 0.005
    return Recording("Made", Layout(np.stack([ahead, -right], axis=1), np.full(rows * columns, 2.5e-5), np.full(rows * columns, EITHER),
                                    (rows, columns)),
                     np.arange(count) / rate, frames.reshape(count, -1) * 1e3)


def test_steps_of_a_walk():
    feet, times = made.walk(12, 6.0, 100.0)
    found = stances(insoles(feet, times))
    for foot, begin in ((LEFT, 0.2), (RIGHT, 0.7)):
        steps = [step for step in found if step.foot == foot]
        whole = [step for step in steps if step.lift is not None]
        assert len(steps) == 6 and steps[0].peak > 100.0
        np.testing.assert_allclose([step.strike for step in steps], begin + np.arange(6), atol=0.07)
        np.testing.assert_allclose([step.lift for step in whole], begin + 0.6 + np.arange(len(whole)), atol=0.07)
    assert [step.strike for step in found] == sorted(step.strike for step in found)


def test_a_foot_that_stands_at_the_begin_has_no_strike_and_short_losses_are_no_steps():
    times = np.arange(300) / 100.0
    felt = np.where((times < 1.0) | (times > 2.0), 700.0, 0.0)
    felt[50:54] = 0.0  # 40 ms
    felt[250:256] = np.nan
    felt[150:153] = 300.0  # 30 ms: a scuff
    found = of_force(times, felt, LEFT)
    assert [(step.strike, step.lift) for step in found] == [(None, pytest.approx(1.0, abs=0.011)), (pytest.approx(2.0, abs=0.011), None)]
    assert of_force(times, np.full(300, np.nan), LEFT) == [] and of_force(times, np.zeros(300), LEFT) == []


def test_quiet_standing_is_one_stance_also_of_what_is_not_calibrated():
    times = np.arange(1000) / 100.0
    sway = 400.0 + 60.0 * np.sin(times) + 5.0 * np.sin(40.0 * times)
    for calibrated in (True, False):
        assert len(of_force(times, sway, RIGHT, calibrated)) == 1


def test_force_and_centre():
    feet, times = made.walk(12, 2.0)
    recording = insoles(feet, times)
    np.testing.assert_allclose(forces(recording), feet.sum(axis=2) * 1e3 * 4e-4)
    path = centres(recording)
    assert path.shape == (len(times), 2, 2)
    strike, lift = (round((0.2 + share * 0.6) * 50) for share in (0.2, 0.8))
    assert path[strike, LEFT, 0] < 0.12 < 0.15 < path[lift, LEFT, 0] and np.isnan(path[5]).all()
    told = insoles(feet, times, forces=np.full((len(times), 2), 7.0))
    assert (force(told, LEFT) == 7.0).all()
    silent = feet.copy()
    silent[10, 0] = np.nan
    assert np.isnan(force(insoles(silent, times), LEFT)[10])


def test_faults_are_found():
    feet, times = made.walk(12, 4.0, 100.0)
    assert faults_of(insoles(feet, times)) == []
    later = times.copy()
    later[200:] += 0.5
    assert faults_of(insoles(feet, later)) == ["Frames are missing in 1 place; the longest gap is 0.51 s, at 1.99 s."]
    lost = feet.copy()
    lost[[40, 41, 42]] = 0.0
    assert "3 frames drop to nothing in the midst of a stance." in faults_of(insoles(lost, times))
    silent = feet.copy()
    silent[[3, 4]] = np.nan
    assert "2 frames say nothing at all." in faults_of(insoles(silent, times))
    limited = np.minimum(feet, 60.0)
    assert faults_of(insoles(limited, times))[0].endswith("sensors are at the limit, 60 kPa: the true pressure was greater.")
    dead = feet.copy()
    dead[:, 1, 4] = 0.0
    assert faults_of(insoles(dead, times)) == ["1 sensor is dead: it never changes, though all around it do."]


def test_a_dead_cell_of_a_pad_is_one_in_the_midst_of_a_footprint():
    frames = made.roll_off(40, 20, 50)
    assert faults_of(grid(frames)) == []  # though most of its cells feel nothing
    frames[:, 20, 10] = 0.0
    assert faults_of(grid(frames)) == ["1 sensor is dead: it never changes, though all around it do."]


def test_it_is_told_in_a_line():
    feet, times = made.walk(12, 6.0, 100.0)
    recording = insoles(feet, times)
    assert sentence(recording) == f"Made, 6.0 s at 100 Hz, left and right, 12 steps, at most {forces(recording).max():.0f} N; no faults."
    told = describe(recording)
    assert told["feet"] == ["left", "right"] and told["step_count"] == 12 and len(told["contacts"]["left"]) == 6 and told["faults"] == []
    json.dumps(told)


def test_the_command_tells_draws_and_writes(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    for name, data in made.every_device().items():
        path = tmp_path / name
        path.write_bytes(data)
        more = []
        if name in ("pedar.asc", "emed.lst", "footprint.csv"):
            more = ["--plot", str(tmp_path / "a.png"), "--picture", str(tmp_path / "b.png"), "--csv", str(tmp_path / "a.csv")]
        assert main(["pressure", str(path), *more]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told == describe(read(path)) and told["frames"] >= 1
        if more:
            assert all((tmp_path / picture).read_bytes().startswith(b"\x89PNG") for picture in ("a.png", "b.png"))
            assert read(tmp_path / "a.csv").device == told["device"]


def test_the_small_picture_shows_both_feet(tmp_path):
    """The left one on the left, blue above; the heel below the toes."""
    feet, times = made.walk(12, 3.0)
    feet[:, :, 6:] = 0.0  # the toes feel nothing
    image = draw_picture(insoles(feet, times), 200).astype(float)
    assert image.shape == (200, 200, 4) and image[:72, :, :3].std() > 10.0
    red, blue = image[72:, :, 0] - image[72:, :, 2], image[72:, :, 2] - image[72:, :, 0]
    for half in (slice(0, 100), slice(100, 200)):
        assert red[64:, half].max() > 100.0 > red[:40, half].max() and blue[:64, half].max() > 20.0
    nobody = Recording("Made", insoles(feet, times).layout, np.zeros(1), np.full((1, 24), np.nan))
    assert draw_picture(nobody).shape == (256, 256, 4)


def test_the_command_refuses_in_a_sentence(tmp_path, capsys):
    (tmp_path / "a.csv").write_text("hello")
    for arguments, words in (([str(tmp_path / "a.csv")], "is no recording that can be read"), ([str(tmp_path / "b.csv")], "There is no file"),
                             ([str(tmp_path / "a.csv"), "--plot", str(tmp_path / "no" / "a.png")], "does not exist"),
                             ([str(tmp_path / "a.csv"), "--speed", "0"], "--speed is 0")):
        assert main(["pressure", *arguments]) == 2
        said = capsys.readouterr().err
        assert words in said and said.count("\n") == 1


def test_moments_of_a_pad_are_pictures_of_the_same_piece_with_the_centre_where_it_is_pressed():
    frames = np.zeros((210, 40, 60))
    frames[:100, 20:24, 10:14] = frames[100:, 20:24, 40:44] = 80.0  # from the left to the right after a second
    pad = grid(frames)
    before, after, late = (draw_moment(pad, frame, 90, 240).astype(int) for frame in (50, 120, 209))
    assert before.shape == (90, 240, 4) and ((before[..., 3] > 0) == (after[..., 3] > 0)).all(), "the piece of the pad changes"

    def middle(image, colour):
        rows, columns = np.nonzero((image[..., :3] == colour).all(axis=2) & (image[..., 3] > 0))
        return (rows.mean(), columns.mean()) if len(rows) else None

    red = [middle(image, RAMP[-1]) for image in (before, after)]
    dots = [middle(image, (255, 255, 255)) for image in (before, late)]
    assert red[0][1] < 100 and red[1][1] > 140, "ahead is up, so the left of the pad is on the left"
    np.testing.assert_allclose(dots, red, atol=2.0)
    shown = before[..., 3].any(axis=1), before[..., 3].any(axis=0)
    assert (before[np.ix_(*shown)][..., 3] == 255).all(), "no gaps between cells"
    assert after[round(red[0][0]), 120, :3].tolist() != RAMP[0].tolist() and late[round(red[0][0]), 120, :3].tolist() == RAMP[0].tolist(), \
        "the path of a second alone"
