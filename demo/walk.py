"""The demo: a walk with a turn and a push on a Rigify metarig and on the mannequin. Runs inside Blender, on the installed add-on.

    blender -b --python demo/walk.py -- OUT        leaves OUT/demo.blend, OUT/demo.png and the moving OUT/walk.png
"""

import sys
from math import radians
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import addon_utils
import bpy

from build_tools import in_blender

in_blender.enable()

from demo.pictures import contact_sheet, flesh, moving_picture

SECONDS, PUSH_SECOND = 7.0, 3.5
PICTURES = range(44, 132, 8)  # frames: in stride, pushed at 84, going on
MOVING = range(33, 151, 2)  # frames of the moving picture


def empty_scene() -> None:
    bpy.data.batch_remove([*bpy.data.objects])
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 24, 1, round(24 * SECONDS) + 1
    scene.frame_set(1)


def metarig() -> bpy.types.Object:
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.armature_human_metarig_add()
    rig = bpy.context.object
    flesh(rig)
    rig.location.x = -2.0
    bpy.context.view_layer.objects.active = rig
    return rig


def mannequin() -> bpy.types.Object:
    bpy.ops.footfall.add_mannequin()
    return bpy.context.object


def bake(rig: bpy.types.Object) -> None:
    """Walk, turn left by 60 degrees, take a push from the right on the way."""
    bpy.context.view_layer.objects.active = rig
    motion = rig.footfall.motion
    motion.gait, motion.seconds, motion.start = "walk", SECONDS, "GAIT"
    motion.heading, motion.turn_seconds = radians(60), 5.0
    push = rig.footfall.pushes.add()
    push.frame, push.part, push.newtons, push.seconds, push.direction = round(24 * PUSH_SECOND), "torso", 150.0, 0.3, (1.0, 0.0, 0.0)
    if bpy.ops.footfall.simulate() != {"FINISHED"}:
        sys.exit("The demo's bake failed.")
    print(f"{rig.name}: {rig.footfall.bake.report}")


def main(out: Path) -> None:
    empty_scene()
    characters = [metarig(), mannequin()]
    for rig in characters:
        bake(rig)
    followed = [(rig, rig.footfall.parts["pelvis"].bone) for rig in characters]
    contact_sheet(out / "demo.png", followed, PICTURES)
    moving_picture(out / "walk.png", followed, MOVING, bpy.context.scene.render.fps / MOVING.step)
    bpy.context.scene.frame_set(1)
    bpy.ops.wm.save_as_mainfile(filepath=str(out / "demo.blend"))


main(Path(sys.argv[sys.argv.index("--") + 1]))
