"""What Footfall does with a character of your own: a walk with a push, and hits on each of its animations, as contact sheets.

Runs inside Blender, on the installed add-on.

    blender -b --python demo/character.py -- OUT CHARACTER [walk] [shove] [blow] [tackle] [ACTION …]

CHARACTER: a .glb, .gltf, .fbx or .blend file. With no more words: a walk and a shove on every action. Leaves OUT/NAME_walk.png and
OUT/NAME_ACTION_shove.png with the .blend files beside them. Each sheet has three rows: from the front, the side and between.
Prints one line of JSON a bake.
"""

import json
import sys
from math import atan2, degrees
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import bpy
from mathutils import Vector

from build_tools import in_blender

in_blender.enable()

from demo.pictures import contact_sheet

SECONDS, PUSH_SECOND, PUSH_NEWTONS = 10.0, 5.0, 150.0
FEELS = ("shove", "blow", "tackle")
SIDES = (0.0, 90.0, 45.0)  # degrees off where it faces: front, side, between
AFTER = (-0.1, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.25)  # s after a hit or a push, the pictures in a row; one more is of the last frame


def load(file: Path) -> bpy.types.Object:
    """Open or import a character; its armature, playing nothing. All its actions stay in the file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    in_blender.enable()
    if file.suffix == ".blend":
        bpy.ops.wm.open_mainfile(filepath=str(file))
    elif file.suffix == ".fbx":
        bpy.ops.import_scene.fbx(filepath=str(file))
    else:
        bpy.ops.import_scene.gltf(filepath=str(file))
    armature = max((thing for thing in bpy.data.objects if thing.type == "ARMATURE"), key=lambda thing: len(thing.data.bones))
    bpy.context.view_layer.objects.active = armature
    for action in bpy.data.actions:
        action.use_fake_user = True
    play(armature, None)
    return armature


def play(armature: bpy.types.Object, action: bpy.types.Action | None) -> None:
    """Let it play this action alone, from the rest pose for what the action does not move."""
    data = armature.animation_data or armature.animation_data_create()
    for track in [*data.nla_tracks]:
        data.nla_tracks.remove(track)
    data.action = None
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    data.action = action
    if action is not None and getattr(data, "action_suitable_slots", None) and data.action_slot is None:
        data.action_slot = data.action_suitable_slots[0]  # Blender 4.4 and newer


def moves_the_body(action: bpy.types.Action) -> bool:
    """Importers also make actions of single parts: those move few bones."""
    from footfall.blender_addon import compat

    return len({curve.data_path.partition('"]')[0] for curve in compat.action_curves(action) if curve.data_path.startswith("pose.bones")}) > 10


def walk(armature: bpy.types.Object) -> None:
    scene, motion = bpy.context.scene, armature.footfall.motion
    fps = scene.render.fps / scene.render.fps_base
    motion.source, motion.gait, motion.span, motion.seconds, motion.frame_start = "GAIT", "walk", "SECONDS", SECONDS, 1
    push = armature.footfall.pushes.add()
    push.frame, push.part, push.newtons, push.seconds = round(PUSH_SECOND * fps), "torso", PUSH_NEWTONS, 0.3
    push.direction = facing(armature).cross(Vector((0.0, 0.0, 1.0)))  # to its right


def hit(armature: bpy.types.Object, action: bpy.types.Action, feel: str) -> None:
    """From the front left, at 40 % of the action."""
    play(armature, action)
    first, last = action.frame_range
    bpy.context.scene.frame_set(round(first + 0.4 * (last - first)))
    bpy.ops.footfall.add_hit()
    push, ahead = armature.footfall.pushes[0], facing(armature)
    push.feel, push.direction = feel.upper(), -ahead - 0.5 * Vector((0.0, 0.0, 1.0)).cross(ahead)


def facing(armature: bpy.types.Object) -> Vector:
    """Where the hips face on the current frame, level, world."""
    left, right = (armature.matrix_world @ armature.pose.bones[armature.footfall.parts[f"thigh.{side}"].bone].head for side in "LR")
    ahead = (left - right).cross(Vector((0.0, 0.0, 1.0)))
    return Vector((ahead.x, ahead.y, 0.0)).normalized()


def show(armature: bpy.types.Object, path: Path) -> None:
    """Simulate, say what came of it, render the sheet: of what comes after the hit, and of the last frame."""
    scene = bpy.context.scene
    ahead = facing(armature)
    try:
        done, report = bpy.ops.footfall.simulate() == {"FINISHED"}, armature.footfall.bake.report
    except RuntimeError as error:  # Blender's way to say what an operator has reported
        done, report = False, str(error).strip()
    print(json.dumps({"sheet": path.name, "done": done, "report": report}), flush=True)
    if not done:
        return
    first, last = armature.animation_data.action.frame_range
    fps = scene.render.fps / scene.render.fps_base
    frames = [min(max(first, armature.footfall.pushes[0].frame + seconds * fps), last) for seconds in AFTER] + [last]
    turned = degrees(atan2(ahead.x, -ahead.y))
    pelvis = armature.footfall.parts["pelvis"].bone
    contact_sheet(path, [(armature, pelvis)], [round(frame) for frame in frames], [turned + side for side in SIDES])
    bpy.ops.wm.save_as_mainfile(filepath=str(path.with_suffix(".blend")))


def main(out: Path, file: Path, words: list[str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    asked = [word for word in words if word == "walk" or word in FEELS] or ["walk", "shove"]
    names = [word for word in words if word not in asked]
    load(file)
    moving = [action.name for action in bpy.data.actions if moves_the_body(action)]
    actions = [name for name in moving if not names or any(word.lower() in name.lower() for word in names)]
    for word in asked:
        for name in [""] if word == "walk" else actions:
            armature = load(file)
            bpy.ops.footfall.recognise()
            if word == "walk":
                walk(armature)
                show(armature, out / f"{file.stem}_walk.png")
            else:
                hit(armature, bpy.data.actions[name], word)
                show(armature, out / f"{file.stem}_{name.replace('|', '_')}_{word}.png")


if __name__ == "__main__":
    arguments = sys.argv[sys.argv.index("--") + 1:]
    main(Path(arguments[0]).resolve(), Path(arguments[1]).resolve(), arguments[2:])
