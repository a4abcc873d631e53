"""A character on whose body the natural walk falls by itself is baked in the sturdy one, and the report says so."""

import bpy
from footfall.blender_addon import simulation

from tests.blender.mannequins import empty_scene, mannequin

APART = 0.18  # m that each hip is further out than the mannequin's: three times as wide


def widen(rig: bpy.types.Object) -> None:
    legs = [part.bone for part in rig.footfall.parts if part.name.partition(".")[0] in ("thigh", "shin", "foot", "toes")]
    bpy.ops.object.mode_set(mode="EDIT")
    bones = [rig.data.edit_bones[name] for name in legs]
    for bone in bones:
        bone.use_connect = False
    for bone in bones:
        out = APART if bone.head.x > 0.0 else -APART
        bone.head.x, bone.tail.x = bone.head.x + out, bone.tail.x + out
    bpy.ops.object.mode_set(mode="OBJECT")


def test_it_is_baked_in_the_sturdy_walk_and_the_report_says_so(mannequin):
    widen(mannequin)
    motion, bake = mannequin.footfall.motion, mannequin.footfall.bake
    motion.gait, motion.span, motion.seconds, motion.start = "walk", "SECONDS", 4.0, "REST"
    running, seen = simulation.Simulation(bpy.context, mannequin), []
    while not running.tick():
        seen.append((running.fraction, running.doing))
    running.finish(bpy.context)
    fractions = [fraction for fraction, _ in seen]
    assert fractions == sorted(fractions) and "Simulating 4 s of the gait 'sturdy_walk', as 'walk' fell" in {doing for _, doing in seen}
    assert not bake.fell and bake.report.startswith("Walked ") and " In Walk it fell by itself at frame " in bake.report
    assert bake.report.endswith(", so it goes in Sturdy Walk: Fit to This Character, under Motion, looks for a Walk that holds on this body.")
