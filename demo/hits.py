"""The second demo: a looped walk of motion capture that is shoved, struck and tackled, on three mannequins.

Runs inside Blender, on the installed add-on.

    blender -b --python demo/hits.py -- OUT        leaves OUT/hits.blend and OUT/hits.png
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import bpy

from build_tools import in_blender

in_blender.enable()

from demo.pictures import contact_sheet

HITS = (("SHOVE", (1.0, 0.0, 0.0)), ("BLOW", (0.0, 1.0, 0.0)), ("TACKLE", (0.7, 1.0, 0.0)))  # and where they go: to its left, from the front
RECORDING = ".venv/**/pybullet_data/data/motions/humanoid3d_walk.txt"
SECONDS, HIT_FRAME, APART = 5.0, 46, 4.0
PICTURES = range(43, 103, 5)


def hit(number: int, feel: str, direction: tuple, recording: Path) -> bpy.types.Object:
    bpy.ops.footfall.add_mannequin()
    character, scene = bpy.context.object, bpy.context.scene
    character.location.x = -APART * number
    bpy.context.view_layer.update()
    if recording.stem not in scene.footfall.references:
        bpy.ops.footfall.add_reference(filepath=str(recording))
    motion = character.footfall.motion
    motion.source, motion.method, motion.reference, motion.loop = "CLIP", "HIT", recording.stem, True
    motion.span, motion.seconds, motion.frame_start = "SECONDS", SECONDS, 1
    scene.frame_set(HIT_FRAME)
    bpy.ops.footfall.add_push()
    push = character.footfall.pushes[0]
    push.feel, push.direction = feel, direction
    if bpy.ops.footfall.simulate() != {"FINISHED"}:
        sys.exit("The demo's bake failed.")
    print(f"{feel.lower()}: {character.footfall.bake.report}")
    return character


def main(out: Path) -> None:
    bpy.data.batch_remove([*bpy.data.objects])
    bpy.context.scene.render.fps = 30
    recording = next(Path(__file__).resolve().parents[1].glob(RECORDING))
    characters = [hit(number, feel, direction, recording) for number, (feel, direction) in enumerate(HITS)]
    contact_sheet(out / "hits.png", [(character, "pelvis") for character in characters], PICTURES)
    bpy.context.scene.frame_set(1)
    bpy.ops.wm.save_as_mainfile(filepath=str(out / "hits.blend"))


main(Path(sys.argv[sys.argv.index("--") + 1]))
