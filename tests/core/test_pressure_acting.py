"""A character that acts as feet do: poses from foot pressure."""

from functools import cache
from pathlib import Path

import numpy as np

from core import presets
from core.feet import soles
from core.formats import read_clip
from core.pressure.acting import act, played
from core.pressure.database import Database, build
from core.pressure.pad import record
from core.pressure.recording import Recording
from core.pressure.sensors import EIGHT_BITS, Sensing, device_named
from core.pressure.tread import of_reference
from core.reference import prepare

CLIPS = Path(__file__).resolve().parents[1] / "clips"
MAN = presets.body("average_man")


@cache
def database() -> Database:
    return build([CLIPS / "stand.bvh", CLIPS / "kick.bvh"])


@cache
def felt(name: str, device: str = "64x80@12Hz") -> Recording:
    reference = prepare(read_clip(CLIPS / f"{name}.bvh"), MAN)
    return record(of_reference(reference), device_named(device), EIGHT_BITS if "x" in device else Sensing())


def test_who_stands_stands_where_the_pad_has_the_feet():
    recording = felt("stand")
    motion = act(recording, database(), MAN)
    under = soles(MAN, motion)
    assert motion.duration > recording.times[-1] - 0.05
    assert np.ptp(under[..., :2], axis=0).max() < 0.002 and np.abs(under[..., 2].min(axis=2)).max() < 0.002
    pressed = recording.pressures.mean(axis=0)
    middle = pressed @ recording.layout.centres / pressed.sum()
    assert np.linalg.norm(under[..., :2].mean(axis=(0, 1, 2)) - middle) < 0.05


def test_a_stream_is_the_recording():
    recording = felt("stand", "moticon@50Hz")
    poses = played(recording, database(), MAN, latency=0.4)
    again = act(recording, database(), MAN, latency=0.4)
    assert np.array_equal([pose.root for pose in poses], again.root_positions)
    assert np.allclose([pose.time for pose in poses], np.arange(len(poses)) / 60.0)
