"""How hits are acted: each slider of *Acting* low, in the middle and high, on a character of your own that stands, walks and runs.

Runs inside Blender, on the installed add-on.

    blender -b --python demo/acting.py -- OUT CHARACTER

CHARACTER: a .glb, .gltf, .fbx or .blend file. Leaves OUT/acting_stand.png, OUT/acting_walk.png and OUT/acting_run.png: a row a slider, in the
order of ``SLIDERS``, and in each row three moments for each of its three values.
"""

import sys
from math import atan2, degrees
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))

import bpy
import numpy as np

from build_tools import in_blender

in_blender.enable()

from demo.character import facing, load
from demo.pictures import FINER, HEIGHT, WIDTH, shots, studio
from demo.png import write_png
from demo.twelve_hits import RUN, STAND, WALK, hit

# The clip, s of it, what is struck, degrees from where the body faces to where the hit goes, and how hard it is.
HITS = ((STAND, 1.0, "torso", 180.0, "SHOVE"), (WALK, 1.5, "torso", -90.0, "SHOVE"), (RUN, 0.3, "torso", 90.0, "SHOVE"))
SLIDERS = {"reaction": (0.3, 1.0, 3.0), "effort": (-1.0, 0.0, 1.0), "head_lag": (0.0, 0.5, 1.0), "head_look": (0.0, 0.5, 1.0),
           "loose_arms": (0.0, 0.5, 1.0), "balancing_arms": (0.0, 0.5, 1.0), "guarding_arms": (0.0, 0.5, 1.0)}
AFTER = (0.2, 0.45, 0.8)  # s after a hit
SIDE = 45.0  # degrees off where the character faces, from which it is seen


def row(armature: bpy.types.Object, clip: str, slider: str, values: tuple[float, ...], *rest: object) -> np.ndarray:
    """Pictures of a hit with each of the values of a slider."""
    hit(armature, clip, *rest)
    motion, pictures = armature.footfall.motion, []
    fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    for value in values:
        setattr(motion.methods.hit, slider, value)
        if bpy.ops.footfall.simulate() != {"FINISHED"}:
            sys.exit(f"{Path(clip).stem}, {slider} {value}: the bake failed.")
        struck = armature.footfall.pushes[0].frame
        bpy.context.scene.frame_set(struck)
        ahead, followed = facing(armature), [(armature, armature.footfall.parts["pelvis"].bone)]
        with studio(followed, FINER * WIDTH, FINER * HEIGHT) as stage:
            pictures += list(shots(stage, followed, [round(struck + after * fps) for after in AFTER], degrees(atan2(ahead.x, -ahead.y)) + SIDE))
        print(Path(clip).stem, slider, value, armature.footfall.bake.report, flush=True)
    return np.concatenate(pictures, axis=1)


def main(out: Path, character: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for clip, *rest in HITS:
        rows = [row(load(character), clip, slider, values, *rest) for slider, values in SLIDERS.items()]
        write_png(out / f"acting_{Path(clip).stem.removeprefix('humanoid3d_')}.png", [np.concatenate(rows, axis=0)])


if __name__ == "__main__":
    main(*(Path(argument).resolve() for argument in sys.argv[sys.argv.index("--") + 1:][:2]))
