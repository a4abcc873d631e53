"""Foot pressure under a character's feet, in the view and in the panel."""

import time
from itertools import pairwise

import bpy
from mathutils import Euler
from simulating import running, wait

from tests.core import made_pressure as made


def walk(window, seconds: float = 3.0) -> bpy.types.Object:
    """A mannequin that walks."""
    with window.context():
        bpy.ops.footfall.add_mannequin()
        rig = bpy.context.view_layer.objects.active
        rig.footfall.motion.seconds = seconds
        bpy.ops.footfall.simulate("EXEC_DEFAULT")
    return rig


def look_at_feet(window, rig: bpy.types.Object, distance: float = 1.6) -> None:
    feet = [rig.matrix_world @ rig.pose.bones[name].head for name in ("foot.L", "foot.R")]
    window.look_at(*((feet[0] + feet[1]) / 2), distance)


def check_pressure_under_a_walk(window):
    rig = walk(window)
    window.open_panels("FOOTFALL_PT_pressures", "FOOTFALL_PT_underfoot")
    yield from window.show_tab()
    name = rig.name
    for pad, picture in (("pedar", "underfoot"), ("64x80@12Hz", "underfoot_pad"), ("moticon", "underfoot_few")):
        bpy.data.objects[name].footfall.underfoot.pad = pad
        with window.context():
            bpy.ops.footfall.show_pressure("INVOKE_DEFAULT")
        assert name in running(), "it is worked out in the background"
        yield from wait(lambda: name not in running())
        window.window.scene.frame_set(34)
        yield 0.3
        look_at_feet(window, bpy.data.objects[name])
        yield from window.settle()
        yield 0.5
        window.picture(picture)
        window.area.spaces.active.region_3d.view_rotation = Euler((0.5, 0.0, 0.7)).to_quaternion()
        yield 0.4
        window.picture(picture + "_above")


def check_playing_stays_quick(window):
    """The overlay costs little while the animation plays."""
    rig = walk(window)
    with window.context():
        bpy.ops.footfall.show_pressure("EXEC_DEFAULT")
    window.look_at(0.0, -1.5, 0.6, 5.0)
    rates = []
    for shown in (False, True):
        window.window.scene.footfall.overlays.underfoot = shown
        frames = []

        def seen(scene, graph=None, frames=frames):
            frames.append(time.monotonic())

        bpy.app.handlers.frame_change_post.append(seen)
        with window.context():
            bpy.ops.screen.animation_play()
        yield 6.0
        with window.context():
            bpy.ops.screen.animation_cancel()
        bpy.app.handlers.frame_change_post.remove(seen)
        gaps = sorted(after - before for before, after in pairwise(frames))
        rates.append(1.0 / gaps[len(gaps) // 2])
    print(f"  {rates[0]:.0f} frames a second without, {rates[1]:.0f} with the pressure", flush=True)
    assert rates[1] > 0.8 * rates[0]
    assert rig.footfall.underfoot.file


def check_cancelling_changes_nothing(window):
    rig = walk(window)
    kept = rig.footfall.underfoot
    with window.context():
        bpy.ops.footfall.show_pressure("INVOKE_DEFAULT")
    window.press("ESC")
    yield from wait(lambda: not running())
    assert not kept.file and not kept.said


def check_pressure_of_a_recording(window):
    from footfall.blender_addon import files

    rig = walk(window)
    path = files.new_file("recording", ".asc")
    path.write_text(made.pedar(*made.walk(99, 6.0, 100.0)))
    with window.context():
        bpy.ops.footfall.add_pressure("EXEC_DEFAULT", filepath=str(path))
        rig.footfall.underfoot.shown = "RECORDING"
        bpy.ops.footfall.show_pressure("EXEC_DEFAULT")
    window.open_panels("FOOTFALL_PT_pressures", "FOOTFALL_PT_underfoot")
    yield from window.show_tab()
    window.window.scene.frame_set(20)
    yield 0.3
    look_at_feet(window, rig)
    yield from window.settle()
    yield 0.5
    window.picture("underfoot_recording")
