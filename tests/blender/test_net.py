"""A character who falls by itself in the natural walk is baked in the sturdy one, and the report says so."""

import bpy
from footfall.blender_addon import fits, simulation
from footfall.core.control.gait import whole_data
from footfall.core.presets import load

from tests.blender.mannequins import empty_scene, mannequin


def weaken(rig: bpy.types.Object) -> None:
    """Give it a walk, as if it had been fitted, with legs that bear nobody."""
    data = whole_data(load("gaits", "walk"))
    weak = {joint: [0.05 * gain[0], *gain[1:]] for joint, gain in data["gains"].items()}
    fits.keep(rig, "walk", data | {"gains": weak, "variants": []}, fits.measures(rig))


def test_it_is_baked_in_the_sturdy_walk_and_the_report_says_so(mannequin):
    weaken(mannequin)
    motion, bake = mannequin.footfall.motion, mannequin.footfall.bake
    motion.gait, motion.span, motion.seconds, motion.start = "walk", "SECONDS", 4.0, "REST"
    running, seen = simulation.Simulation(bpy.context, mannequin), []
    while not running.tick():
        seen.append((running.fraction, running.doing))
    running.finish(bpy.context)
    fractions = [fraction for fraction, _ in seen]
    assert fractions == sorted(fractions) and "Simulating 4 s of the gait 'sturdy_walk', as 'walk' fell" in {doing for _, doing in seen}
    assert not bake.fell and bake.report.startswith("Walked ") and " In Walk it fell by itself at frame " in bake.report
    assert bake.report.endswith(", so it goes in Sturdy Walk: Fit Again, under Motion, looks for a Walk that holds on this body.")
