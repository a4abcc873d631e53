"""An animator's afternoon in a window: bring a character in, hit its animation, watch, undo, hit again, save, reopen, simulate again.

The character: FOOTFALL_CHARACTER, a .glb file; else a Soldier beside the repository; else a mannequin that sways by keys.
"""

import os
import tempfile
from math import sin
from pathlib import Path

import bpy
from simulating import running, wait

SHARED = Path(__file__).resolve().parents[3] / "shared" / "rigs" / "threejs_Soldier.glb"
PATIENCE = 300.0  # s for one hit


def bring_in(window) -> bpy.types.Object:
    """The character with its animation, selected."""
    file = Path(os.environ.get("FOOTFALL_CHARACTER", SHARED))
    with window.context():
        if not file.is_file():
            print(f"no character at {file}: a mannequin takes its place", flush=True)
            return swaying_mannequin()
        bpy.ops.import_scene.gltf(filepath=str(file))
        rig = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
        bpy.context.view_layer.objects.active = rig
        data = rig.animation_data
        for track in list(data.nla_tracks):
            data.nla_tracks.remove(track)
        data.action = next(action for action in bpy.data.actions if "idle" in action.name.lower())
        if getattr(data, "action_suitable_slots", None):
            data.action_slot = data.action_suitable_slots[0]
        return rig


def swaying_mannequin() -> bpy.types.Object:
    bpy.ops.footfall.add_mannequin()
    rig = bpy.context.view_layer.objects.active
    for frame in range(1, 62, 6):
        for name, angle in (("upper_arm.L", 0.1), ("upper_arm.R", -0.1), ("head", 0.05)):
            bone = rig.pose.bones[name]
            bone.rotation_quaternion = (1.0, angle * sin(0.1 * frame), 0.0, 0.0)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    rig.animation_data.action.name = "Sway"
    return rig


def hit(window, rig: bpy.types.Object, frame: int, part: str) -> None:
    with window.context():
        window.window.scene.frame_set(frame)
        bpy.ops.footfall.add_hit("EXEC_DEFAULT", True)
        rig.footfall.pushes[-1].part = part
        bpy.ops.ed.undo_push()


def simulate(window, name: str):
    with window.context():
        bpy.ops.footfall.simulate("INVOKE_DEFAULT")
    assert name in running(), "the simulation did not start"
    yield 1.0
    window.panels("own_scene_running")
    yield from wait(lambda: name not in running(), PATIENCE)


def watch(window, rig: bpy.types.Object, picture: str):
    """Look at the character some frames after the hit."""
    with window.context():
        window.window.scene.frame_set(rig.footfall.pushes[-1].frame + 12)
    x, y, z = rig.matrix_world @ rig.pose.bones[rig.footfall.parts["pelvis"].bone].head
    window.area.spaces.active.overlay.show_bones = False  # Blender 5's importer makes bones so long that the view is inside of them
    window.look_at(x, y, z, 4.0)
    yield from window.settle()
    window.picture(picture)


def check_an_afternoon(window):
    rig = bring_in(window)
    name, before = rig.name, rig.animation_data.action.name
    window.open_panels("FOOTFALL_PT_character", "FOOTFALL_PT_pushes", "FOOTFALL_PT_bake")
    yield from window.show_tab()
    hit(window, rig, 12, "torso")
    yield from simulate(window, name)
    rig = bpy.data.objects[name]
    assert rig.footfall.bake.action and rig.animation_data.action.name != before, rig.footfall.bake.report
    yield from watch(window, rig, "own_scene_hit")
    with window.context():
        bpy.ops.ed.undo()
    yield 0.5
    rig = bpy.data.objects[name]
    assert rig.animation_data.action.name == before, "one undo takes the bake back"

    hit(window, rig, 16, "head")
    yield from simulate(window, name)
    rig = bpy.data.objects[name]
    yield from watch(window, rig, "own_scene_hit_again")
    path = Path(tempfile.mkdtemp()) / "afternoon.blend"
    with window.context():
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        bpy.ops.wm.open_mainfile(filepath=str(path))
    yield 1.0
    window.window = bpy.context.window_manager.windows[0]
    rig = bpy.data.objects[name]
    first = rig.footfall.bake.report
    window.area.spaces.active.show_region_ui = True
    yield 0.5
    yield from simulate(window, name)
    rig = bpy.data.objects[name]
    assert rig.footfall.bake.report == first, "the same hits give the same report again"
    yield from watch(window, rig, "own_scene_reopened")
