"""Twelve hits on a character of your own: standing, walking, running, dancing, kicking and punching; light to heavy, from head to thigh.

Runs inside Blender, on the installed add-on.

    blender -b --python demo/twelve_hits.py -- OUT CHARACTER

CHARACTER: a .glb, .gltf, .fbx or .blend file. Leaves OUT/twelve_hits.png, a row a hit in the order of ``HITS``: just before it, and eight moments
after it, the last when it is over. Prints one line of JSON a hit.
"""

import json
import sys
from math import atan2, cos, degrees, radians, sin
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))

import bpy
import numpy as np
from mathutils import Vector

from build_tools import in_blender

in_blender.enable()

from demo.character import facing, load
from demo.pictures import FINER, HEIGHT, WIDTH, shots, studio
from demo.png import write_png

STAND, WALK = "tests/clips/stand.bvh", "tests/clips/walk.bvh"
RUN, DANCE, KICK, PUNCH = (f".venv/**/pybullet_data/data/motions/humanoid3d_{name}.txt" for name in ("run", "dance_a", "kick", "punch"))
# The clip, s of it, what is struck, degrees from where the body faces to where the hit goes (positive to its left), and how hard it is.
HITS = ((STAND, 1.0, "torso", 180.0, "SHOVE"), (STAND, 1.0, "pelvis", 90.0, "BLOW"), (STAND, 1.0, "head", 135.0, "SHOVE"),
        (STAND, 1.0, "torso", 0.0, "TACKLE"), (WALK, 1.5, "torso", -90.0, "SHOVE"), (WALK, 2.0, "forearm.R", 180.0, "BLOW"),
        (WALK, 1.7, "pelvis", 0.0, "TACKLE"), (RUN, 0.3, "torso", 90.0, "SHOVE"), (RUN, 0.4, "thigh.L", 180.0, "BLOW"),
        (DANCE, 0.9, "torso", -135.0, "BLOW"), (KICK, 1.0, "torso", 180.0, "SHOVE"), (PUNCH, 0.8, "head", 150.0, "BLOW"))
AFTER = (-0.05, 0.1, 0.2, 0.35, 0.55, 0.8, 1.2, 1.8)  # s after a hit, the pictures in a row; one more is of the last frame
LOOPS = (WALK,)
SIDE = 60.0  # degrees off where the character faces, from which it is seen


def hit(armature: bpy.types.Object, clip: str, second: float, part: str, angle: float, feel: str) -> None:
    scene, motion = bpy.context.scene, armature.footfall.motion
    recording = next(ROOT.glob(clip))
    bpy.ops.footfall.recognise()
    bpy.ops.footfall.add_reference(filepath=str(recording))
    motion.source, motion.method, motion.reference, motion.loop = "CLIP", "HIT", recording.stem, clip in LOOPS
    if clip in LOOPS:
        motion.span, motion.seconds = "SECONDS", second + 3.0
    motion.frame_start = 1
    scene.frame_set(round(1 + second * scene.render.fps / scene.render.fps_base))
    bpy.ops.footfall.add_push()
    push, ahead = armature.footfall.pushes[0], facing(armature)
    left = Vector((0.0, 0.0, 1.0)).cross(ahead)
    push.part, push.feel, push.direction = part, feel, cos(radians(angle)) * ahead + sin(radians(angle)) * left


def main(out: Path, character: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for clip, *rest in HITS:
        armature = load(character)
        fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
        hit(armature, clip, *rest)
        if bpy.ops.footfall.simulate() != {"FINISHED"}:
            sys.exit(f"{Path(clip).stem}, {rest}: the bake failed.")
        print(json.dumps({"clip": Path(clip).stem, "hit": rest, "report": armature.footfall.bake.report}), flush=True)
        last, struck = round(armature.animation_data.action.frame_range[1]), armature.footfall.pushes[0].frame
        frames = [min(round(struck + seconds * fps), last) for seconds in AFTER] + [last]
        bpy.context.scene.frame_set(struck)
        ahead = facing(armature)
        followed = [(armature, armature.footfall.parts["pelvis"].bone)]
        with studio(followed, FINER * WIDTH, FINER * HEIGHT) as stage:
            rows.append(np.concatenate(shots(stage, followed, frames, degrees(atan2(ahead.x, -ahead.y)) + SIDE), axis=1))
    write_png(out / "twelve_hits.png", [np.concatenate(rows, axis=0)])


if __name__ == "__main__":
    main(*(Path(argument).resolve() for argument in sys.argv[sys.argv.index("--") + 1:][:2]))
