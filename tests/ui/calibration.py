"""The panel that leads through a calibration."""

from pathlib import Path

import bpy
import numpy as np
from simulating import wait

CLIPS = Path(__file__).resolve().parents[1] / "clips"


def kicked_twice(path: Path) -> None:
    """A recording on a small pad: somebody stands, kicks, stands, kicks and stands."""
    from footfall.core.formats import read_clip
    from footfall.core.pressure.devices import plain
    from footfall.core.pressure.pad import record
    from footfall.core.pressure.recording import Recording
    from footfall.core.pressure.sensors import Device
    from footfall.core.pressure.tread import of_reference
    from footfall.core.reference import prepare

    felt = record(of_reference(prepare(read_clip(str(CLIPS / "kick.bvh")))), Device("grid", 12.0, (40, 48)))
    still = np.repeat(felt.pressures[:1], 12, axis=0)
    frames = np.concatenate([still, felt.pressures, still, felt.pressures, still])
    plain.write(path, Recording(felt.device, felt.layout, np.arange(len(frames)) / 12.0, frames))


def check_a_person_is_led_through_a_calibration(window):
    from footfall.blender_addon import files
    from footfall.blender_addon.calibration import RUNNING

    path, saved = files.new_file("kicks", ".csv"), files.new_file("mine", ".npz")
    kicked_twice(path)
    settings = window.window.scene.footfall
    window.open_panels("FOOTFALL_PT_pressures", "FOOTFALL_PT_calibration")
    yield from window.show_tab()
    with window.context():
        bpy.ops.footfall.list_actions()
    recording = settings.pressures.add()
    recording.name, recording.filepath = "kicks", str(path)
    asked = settings.calibration
    asked.active = asked.actions.find("kick right")
    asked.actions["kick right"].recording = "kicks"
    window.region("UI").tag_redraw()
    yield 0.5
    window.panels("calibration_asked")
    with window.context():
        bpy.ops.footfall.calibrate("INVOKE_DEFAULT", filepath=str(saved))
    assert RUNNING
    window.press("ESC")
    yield from wait(lambda: not RUNNING)
    assert not saved.exists() and not asked.saved, "cancelling changes nothing"
    with window.context():
        bpy.ops.footfall.calibrate("INVOKE_DEFAULT", filepath=str(saved))
    yield from wait(lambda: not RUNNING)
    yield 0.5
    asked = window.window.scene.footfall.calibration
    assert saved.is_file() and asked.actions["kick right"].found.count("alike") == 2
    window.region("UI").tag_redraw()
    yield 0.5
    window.panels("calibration")
