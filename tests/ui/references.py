"""Recordings in the panels, and the ghost of one beside the character that follows it."""

from pathlib import Path

import bpy
from simulating import wait


def add_recorded_walk(window, name: str = "Recorded") -> bpy.types.Object:
    """A mannequin that has walked for three seconds, and that walk as a reference."""
    with window.context():
        bpy.ops.footfall.add_mannequin()
        rig = bpy.context.view_layer.objects.active
        rig.footfall.motion.seconds = 3.0
        bpy.ops.footfall.simulate("EXEC_DEFAULT")
        rig.animation_data.action.name = name
        bpy.ops.ed.undo_push()
        assert bpy.ops.footfall.add_reference_action("EXEC_DEFAULT", True) == {"FINISHED"}
    return rig


def check_no_references_yet(window):
    with window.context():
        bpy.ops.footfall.add_mannequin()
        bpy.context.view_layer.objects.active.footfall.motion.source = "CLIP"
    window.open_panels("FOOTFALL_PT_references", "FOOTFALL_PT_motion")
    yield from window.show_tab()
    yield 0.3
    window.picture("references-empty")


def check_references_panel(window):
    rig = add_recorded_walk(window)
    references = window.window.scene.footfall.references
    with window.context():
        again = Path(references[0].filepath).with_name("a recording with a long name.bvh")
        again.write_bytes(Path(references[0].filepath).read_bytes())
        bpy.ops.footfall.add_reference("EXEC_DEFAULT", True, filepath=str(again))
    references[0].faults = "Frames 120 to 140: the root drops out; repair to interpolate."
    window.window.scene.footfall.active_reference = 0
    window.open_panels("FOOTFALL_PT_references", "FOOTFALL_PT_reference_notes")
    yield from window.show_tab()
    yield 0.5
    assert [reference.name for reference in references] == ["Recorded", "a recording with a long name"]
    assert rig.footfall.motion.reference == "Recorded"
    window.picture("references")
    with window.context():
        bpy.ops.ed.undo()
    yield 0.3
    assert len(window.window.scene.footfall.references) == 1, "one undo takes back one reference"


def copies(window, count: int) -> list[dict]:
    """Files of the recorded walk, as the file browser gives them."""
    first = Path(window.window.scene.footfall.references[0].filepath)
    names = [f"copy {number}.bvh" for number in range(count)]
    for name in names:
        first.with_name(name).write_bytes(first.read_bytes())
    return [{"name": name} for name in names]


def check_files_are_read_in_the_background(window):
    from footfall.blender_addon.references import READING

    add_recorded_walk(window)
    references = window.window.scene.footfall.references
    folder, files = str(Path(references[0].filepath).parent), copies(window, 6)
    window.open_panels("FOOTFALL_PT_references")
    yield from window.show_tab()
    pictures = len(list(Path(folder).glob("*.png")))
    with window.context():
        bpy.ops.footfall.add_reference("INVOKE_DEFAULT", directory=folder, files=files)
    assert READING and len(references) == 1
    yield 0.2
    window.picture("references-reading")
    window.press("ESC")
    yield from wait(lambda: not READING)
    yield from wait(lambda: len(list(Path(folder).glob("*.png"))) == pictures)
    assert len(references) == 1, "cancelling changes nothing"
    with window.context():
        bpy.ops.footfall.add_reference("INVOKE_DEFAULT", directory=folder, files=files)
    yield from wait(lambda: not READING)
    yield 0.3
    assert len(window.window.scene.footfall.references) == 7
    with window.context():
        bpy.ops.ed.undo()
    yield 0.3
    assert len(window.window.scene.footfall.references) == 1, "one undo takes all of them back"


def check_files_chosen_in_the_browser(window):
    from footfall.blender_addon.references import READING

    add_recorded_walk(window)
    first = Path(window.window.scene.footfall.references[0].filepath)
    with window.context():
        bpy.ops.footfall.add_reference("INVOKE_DEFAULT")
    yield 1.0
    browser = bpy.context.window_manager.windows[-1]
    chosen = next(area for area in browser.screen.areas if area.type == "FILE_BROWSER").spaces.active.params
    chosen.directory, chosen.filename = str(first.parent).encode(), first.name
    yield 0.3
    for value in ("PRESS", "RELEASE"):
        browser.event_simulate(type="RET", value=value, x=640, y=300)
    yield 0.3
    yield from wait(lambda: not READING)
    yield 0.3
    assert [reference.name for reference in window.window.scene.footfall.references] == ["Recorded", first.stem]
    with window.context():
        bpy.ops.ed.undo()
    yield 0.3
    assert len(window.window.scene.footfall.references) == 1


def check_a_clip_in_the_motion_panel(window):
    rig = add_recorded_walk(window)
    motion = rig.footfall.motion
    motion.source, motion.loop, motion.steer = "CLIP", True, True
    with window.context():
        bpy.ops.footfall.add_also(reference="Recorded")
    window.open_panels("FOOTFALL_PT_motion", "FOOTFALL_PT_see")
    yield from window.show_tab()
    yield 0.3
    window.picture("motion-clip")
    motion.loop = False
    yield 0.3
    window.picture("motion-clip-once")


def check_ghost(window):
    from footfall.blender_addon.overlays.last_bake import last_bake

    rig = add_recorded_walk(window)
    with window.context():
        rig.footfall.motion.source = "CLIP"
        bpy.ops.footfall.simulate("EXEC_DEFAULT")
        window.window.scene.frame_set(30)
    assert last_bake(rig).reference is not None
    x, y, z = rig.matrix_world @ rig.pose.bones["pelvis"].head
    window.look_at(x + 0.4, y, z, 4.0)
    window.open_panels("FOOTFALL_PT_bake", "FOOTFALL_PT_see")
    yield from window.show_tab()
    yield 0.5
    window.picture("ghost")
