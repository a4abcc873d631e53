"""Calibration of foot pressure in Blender: actions are listed, shown, found, and saved with the database."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from core.formats import read_clip
from core.pressure.database import Database, build
from core.pressure.devices import plain
from core.pressure.pad import record
from core.pressure.recording import Recording
from core.pressure.sensors import Device
from core.pressure.tread import of_reference
from core.reference import prepare
from tests.blender.mannequins import empty_scene, refused

CLIPS = Path(__file__).resolve().parents[1] / "clips"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A database with a kick, recordings of it done twice and of standing."""
    place = tmp_path_factory.mktemp("calibration")
    build([CLIPS / "kick.bvh", CLIPS / "stand.bvh"]).save(place / "d.npz")
    for name in ("kick", "stand"):
        felt = record(of_reference(prepare(read_clip(str(CLIPS / f"{name}.bvh")))), Device("grid", 12.0, (40, 48)))
        still = np.repeat(felt.pressures[:1], 12, axis=0)
        frames = np.concatenate([still, felt.pressures, still, felt.pressures, still])
        plain.write(place / f"{name}.csv", Recording(felt.device, felt.layout, np.arange(len(frames)) / 12.0, frames))
    return place


@pytest.fixture
def asked(folder, empty_scene):
    scene = bpy.context.scene.footfall
    for name in ("kick", "stand"):
        recording = scene.pressures.add()
        recording.name, recording.filepath = name, str(folder / f"{name}.csv")
    settings = scene.calibration
    settings.database = str(folder / "d.npz")
    return settings


def test_it_leads_from_the_actions_of_a_database_to_one_that_knows_the_person(asked, folder, tmp_path):
    assert bpy.ops.footfall.list_actions() == {"FINISHED"}
    assert [one.name for one in asked.actions] == ["kick"]
    asked.actions[0].recording = "kick"
    assert bpy.ops.footfall.calibrate(filepath=str(tmp_path / "mine.npz")) == {"FINISHED"}
    assert asked.actions[0].found.count("alike") == 2 and asked.saved == "mine.npz"
    assert Database.load(tmp_path / "mine.npz").calibrated == ["kick"] and Database.load(folder / "d.npz").calibrated == []
    bpy.ops.footfall.list_actions()
    assert asked.actions[0].recording == "kick"


@pytest.mark.parametrize("recording, words", [("", "No action has a recording yet"), ("gone", "There is no recording 'gone' in the list any more"),
                                              ("stand", "In 'stand.csv' 'kick' was not found")])
def test_what_cannot_be_learnt_is_one_sentence_and_nothing_is_saved(recording, words, asked, tmp_path):
    bpy.ops.footfall.list_actions()
    asked.actions[0].recording = recording
    assert words in refused(bpy.ops.footfall.calibrate, filepath=str(tmp_path / "mine.npz"))
    assert not (tmp_path / "mine.npz").exists() and asked.saved == "" and asked.actions[0].found == ""


def test_a_file_that_is_no_database_is_one_sentence(asked, tmp_path):
    asked.database = str(tmp_path / "none.npz")
    assert "There is no file" in refused(bpy.ops.footfall.list_actions)
    assert len(asked.actions) == 0
