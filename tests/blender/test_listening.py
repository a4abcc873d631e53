"""A character that does what a device sends, in Blender without a window: it listens until the device stops."""

import socket

import bpy
import numpy as np
import pytest
from footfall.blender_addon import files
from footfall.core import presets
from footfall.core.pressure.acting import act
from footfall.core.pressure.database import Database
from footfall.core.pressure.devices import read
from footfall.core.result import Result

from tests import sending
from tests.blender.mannequins import empty_scene, mannequin, refused, traces


@pytest.fixture(scope="module")
def database(tmp_path_factory) -> str:
    return str(sending.small_database(tmp_path_factory.mktemp("databases")))


@pytest.fixture
def listener(mannequin, database) -> bpy.types.Object:
    settings = mannequin.footfall.listening
    settings.address, settings.database, settings.latency = sending.free_address(), database, 0.4
    return mannequin


def test_what_is_heard_becomes_keys_and_a_recording(listener, tmp_path):
    """The keys are those of the recording of it."""
    sender = sending.send(sending.kicks(tmp_path, "40x60@12Hz"), listener.footfall.listening.address, "osc")
    assert bpy.ops.footfall.listen() == {"FINISHED"}
    assert sender.wait(10.0) == 0
    taken, = bpy.context.scene.footfall.pressures
    bake = listener.footfall.bake
    assert bake.report.startswith(f"Heard {taken.seconds:.1f} s of simulated 40x60@12Hz: 39 frames, 0 lost, 0 late; kept as 'Take'")
    assert listener.animation_data.action == bake.action and taken.name == "Take" and files.found(taken.picture).is_file()
    result = Result.load(files.found(bake.result))
    offline = act(read(files.found(taken.filepath)), Database.load(listener.footfall.listening.database), presets.body(result.job["body"]),
                  result.job["latency"])
    offline = offline.resample(24.0).facing(0.0)
    assert np.array_equal(result.root_positions, offline.root_positions) and np.array_equal(result.rotations, offline.rotations)
    # It kicks: some bone of the right leg is far from where it stands.
    heights = []
    for frame in range(1, 1 + result.frames, 4):
        bpy.context.scene.frame_set(frame)
        heights.append((listener.matrix_world @ listener.pose.bones["foot.R"].head).z)
    assert max(heights) > 0.25 and heights[-1] < 0.15, heights


@pytest.mark.parametrize("change, words", [
    ({"address": "smoke signals"}, "smoke signals"), ({"database": "//nowhere.npz"}, "There is no database"),
])
def test_mistakes_are_sentences_and_change_nothing(change, words, listener):
    for name, value in change.items():
        setattr(listener.footfall.listening, name, value)
    before = traces(listener)
    assert words in refused(bpy.ops.footfall.listen)
    assert traces(listener) == before and not bpy.context.scene.footfall.pressures


def test_a_port_that_is_taken_is_a_sentence(listener):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        listener.footfall.listening.address = f"udp://127.0.0.1:{other.getsockname()[1]}"
        assert "choose another port" in refused(bpy.ops.footfall.listen)


def test_who_listens_to_nothing_cannot_stop(mannequin):
    assert "listens to no device" in refused(bpy.ops.footfall.stop_listening)
