"""What is drawn over the viewport after a bake."""

import bpy


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
