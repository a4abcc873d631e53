"""What is drawn over the viewport after a bake."""

import math

import bpy
from footfall.blender_addon.overlays.direction import RADIUS


def check_overlays(window):
    with window.context():
        bpy.ops.footfall.add_mannequin()
        rig = bpy.context.view_layer.objects.active
        rig.footfall.motion.seconds = 3.0
        window.window.scene.frame_set(40)
        bpy.ops.footfall.add_push()
        bpy.ops.footfall.simulate("EXEC_DEFAULT")
        shown = window.window.scene.footfall.overlays
        for name in ("body", "mass", "pressure", "footprints", "pushes"):
            setattr(shown, name, True)
        window.window.scene.frame_set(46)
    x, y, z = rig.matrix_world @ rig.pose.bones["pelvis"].head
    window.look_at(x, y, z, 3.5)
    window.open_panels("FOOTFALL_PT_bake", "FOOTFALL_PT_viewport")
    yield from window.show_tab()
    yield 0.5
    window.picture("overlays")


def check_direction(window):
    """The arrow is there before anything is simulated, goes where the animation goes, and its ring turns it."""
    from footfall.blender_addon import direction

    with window.context():
        bpy.ops.footfall.add_mannequin()
        rig = bpy.context.view_layer.objects.active
    window.look_at(0.3, -0.3, 0.3, 6.0)
    window.open_panels("FOOTFALL_PT_motion")
    yield from window.show_tab()
    yield 1.0
    with window.context():
        faces = direction.start_of(bpy.context)
    assert faces is not None and abs(faces.yaw + math.pi / 2) < 1e-3
    hips = rig.pose.bones["pelvis"]
    for frame, place in ((1, 0.0), (25, 1.5)):
        hips.location.x = place
        hips.keyframe_insert("location", frame=frame)
    window.window.scene.frame_set(1)
    yield from window.settle()
    yield 1.0
    with window.context():
        goes = direction.start_of(bpy.context)
    assert abs(math.remainder(goes.yaw, math.pi)) < 1e-2, goes  # to its side, as the hips go
    ring = goes.to_world((-RADIUS, 0.0, 0.0))  # behind the character
    start, end = (window.pixel(point) for point in (ring, goes.to_world((0.0, RADIUS, 0.0))))
    yield from window.drag(start, end)
    yield 1.0
    assert abs(rig.footfall.motion.direction) > 0.5, rig.footfall.motion.direction
    window.picture("direction")
