"""The third demo: a character that is told nothing but the pressure under the feet of somebody, beside the clip that the pressure is of.

Runs inside Blender, on the installed add-on.

    blender -b --python demo/feet.py -- OUT        leaves OUT/feet.blend and OUT/feet.png

A kick, a lunge, a side step, a punch and a walk, a row each. In each picture the character that acts is on the left, in colour, and the clip on the
right, grey. Below them is the pressure on the pad, or in the insoles of who walks, seen from above, with its centre; ahead is to the left, or up
where it is larger that way. Where the recordings of people are there (CLIPS of benchmarks/pressure.py), OUT/feet_people.blend and
OUT/feet_people.png are made of them in the same way.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import bpy
import numpy as np
from mathutils import Vector

from build_tools import in_blender

in_blender.enable()

from benchmarks.pressure import CLIPS
from core.pressure.picture import draw_moment
from demo.on_the_pad import Row, recorded, written
from demo.pictures import FINER, shots, studio
from demo.png import write_png

FPS, PICTURES, SIDE = 30, 6, 55.0
WIDE, HIGH, BELOW = 224, 205, 105  # pixels of a picture of both, and of the pressure below it
BESIDE, APART = 1.1, 3.5  # m from the character to its clip, as the pictures show it, and from row to row
TEXT = 11  # pixels
GREY = (0.62, 0.66, 0.7, 1.0)
DARK = (22, 28, 52)  # behind the pressure: darker than a sensor that feels nothing


def mannequin(place: Vector, row: Row) -> bpy.types.Object:
    bpy.ops.footfall.add_mannequin()
    character = bpy.context.object
    character.location = place
    bpy.context.view_layer.update()
    motion = character.footfall.motion
    motion.span, motion.seconds, motion.frame_start = "SECONDS", float(row.felt.times[-1]), 1
    return character


def acting(place: Vector, row: Row) -> bpy.types.Object:
    """Who knows the pressure alone."""
    character = mannequin(place, row)
    bpy.ops.footfall.add_pressure(filepath=str(row.recording))
    motion = character.footfall.motion
    motion.source, motion.pressure, motion.methods.pressure.database = "PRESSURE", row.recording.stem, row.database
    return baked(character, row.name)


def shown(place: Vector, row: Row) -> bpy.types.Object:
    """Who does the clip itself, in grey."""
    character = mannequin(place, row)
    bpy.ops.footfall.add_reference(filepath=str(row.clip))
    motion = character.footfall.motion
    motion.source, motion.method, motion.reference = "CLIP", "RETARGET", row.clip.stem
    for slot in (slot for child in character.children for slot in child.material_slots):
        slot.material = slot.material.copy()
        slot.material.diffuse_color = GREY
    return baked(character, f"{row.name}, the clip")


def baked(character: bpy.types.Object, name: str) -> bpy.types.Object:
    if bpy.ops.footfall.simulate() != {"FINISHED"}:
        sys.exit("The demo's bake failed.")
    print(f"{name}: {character.footfall.bake.report}", flush=True)
    character.name = name
    return character


def pressures(row: Row, times: np.ndarray) -> np.ndarray:
    """(BELOW, …, 3) uint8: the pressure at times (N,) s, side by side."""
    frames = np.searchsorted(row.felt.times, times + 1e-6, side="right") - 1
    drawn = np.concatenate([largest(row, int(frame)) for frame in frames], axis=1)
    cover = drawn[..., 3:] / 255.0
    return np.round(cover * drawn[..., :3] + (1.0 - cover) * DARK).astype(np.uint8)


def largest(row: Row, frame: int) -> np.ndarray:
    """(BELOW, WIDE, 4) uint8: the pressure on a frame, ahead to the left, or up where that fills more of it."""
    ways = np.rot90(draw_moment(row.felt, frame, WIDE, BELOW)), draw_moment(row.felt, frame, BELOW, WIDE)
    return max(ways, key=lambda way: np.count_nonzero(way[..., 3]))


def sheet(rows: Iterable[Row], path: Path) -> None:
    bpy.data.batch_remove([*bpy.data.objects])
    scene = bpy.context.scene
    scene.render.fps = FPS
    beside = Vector((np.cos(np.radians(SIDE)), np.sin(np.radians(SIDE)), 0.0)) * BESIDE
    pairs = []
    for number, row in enumerate(rows):
        place = Vector((APART * (2 - number), 0.0, 0.0))  # the floor is largest in the middle
        pairs.append((row, [(character, "pelvis") for character in (acting(place, row), shown(place + beside, row))]))
    lines = []
    with studio([one for _, pair in pairs for one in pair], FINER * WIDE, FINER * HIGH) as stage:
        scene.render.use_stamp_note, scene.render.stamp_font_size = True, FINER * TEXT
        for row, pair in pairs:
            scene.render.stamp_note_text = row.name
            times = np.linspace(*row.shown, PICTURES)
            lines += [np.concatenate(shots(stage, pair, [1 + round(FPS * time) for time in times], SIDE), axis=1), pressures(row, times)]
    write_png(path, [np.concatenate(lines, axis=0)])
    scene.frame_set(1)
    bpy.ops.wm.save_as_mainfile(filepath=str(path.with_suffix(".blend")))


def main(out: Path) -> None:
    folder = out / "feet"
    folder.mkdir(exist_ok=True)
    sheet(written(folder), out / "feet.png")
    if all((CLIPS / folder).is_dir() for folder in ("pad", "cmu")):
        sheet(recorded(folder, CLIPS), out / "feet_people.png")


main(Path(sys.argv[sys.argv.index("--") + 1]))
