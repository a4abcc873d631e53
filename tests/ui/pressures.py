"""Recordings of foot pressure in the panel."""

import bpy
from simulating import wait

from tests.core import made_pressure as made


def write(folder, name: str, data: str) -> dict:
    (folder / name).write_text(data)
    return {"name": name}


def check_no_recordings_yet(window):
    window.open_panels("FOOTFALL_PT_pressures")
    yield from window.show_tab()
    yield 0.3
    window.panels("pressure_empty")


def check_recordings_are_read_in_the_background(window):
    from footfall.blender_addon import files
    from footfall.blender_addon.pressures import READING

    folder = files.new_file("recordings", "")
    folder.mkdir()
    walk = made.pedar(*made.walk(99, 12.0, 100.0))
    chosen = [write(folder, "walk in insoles.asc", walk), write(folder, "cut off.asc", walk[:-5000]),
              write(folder, "one step on a platform.lst", made.emed(made.roll_off(40, 20, 50)))]
    window.open_panels("FOOTFALL_PT_pressures")
    yield from window.show_tab()
    with window.context():
        bpy.ops.footfall.add_pressure("INVOKE_DEFAULT", directory=str(folder), files=chosen)
    assert READING
    window.press("ESC")
    yield from wait(lambda: not READING)
    assert len(window.window.scene.footfall.pressures) == 0, "cancelling changes nothing"
    with window.context():
        bpy.ops.footfall.add_pressure("INVOKE_DEFAULT", directory=str(folder), files=chosen)
    yield from wait(lambda: not READING)
    yield 0.3
    assert len(window.window.scene.footfall.pressures) == 3
    for number, name in enumerate(("pressure", "pressure_cut_off", "pressure_pad")):
        window.window.scene.footfall.active_pressure = number
        window.region("UI").tag_redraw()
        yield 0.5
        window.panels(name)
    with window.context():
        bpy.ops.ed.undo()
    yield 0.3
    assert len(window.window.scene.footfall.pressures) == 0, "one undo takes all of them back"


def check_a_character_acts_a_recording(window):
    """From the panel: Use for Character, then Simulate while Blender goes on; one undo takes the bake back."""
    from footfall.blender_addon import files
    from footfall.blender_addon.running import RUNNING

    folder = files.new_file("recordings", "")
    folder.mkdir()
    walk = write(folder, "walk.asc", made.pedar(*made.walk(99, 4.0)))
    with window.context():
        bpy.ops.footfall.add_mannequin()
        bpy.ops.footfall.add_pressure(directory=str(folder), files=[walk])
        bpy.ops.footfall.act_pressure()
    rig = bpy.context.view_layer.objects.active
    window.open_panels("FOOTFALL_PT_motion")
    yield from window.show_tab()
    yield 0.3
    window.panels("motion_pressure")
    with window.context():
        bpy.ops.ed.undo_push(message="before")
        bpy.ops.footfall.simulate("INVOKE_DEFAULT")
    yield from wait(lambda: not RUNNING)
    yield 0.3
    assert rig.footfall.bake.action is not None and "feet slid 0 mm" in rig.footfall.bake.report
    with window.context():
        bpy.ops.ed.undo()
    yield 0.3
    assert bpy.context.view_layer.objects.active.footfall.bake.action is None
