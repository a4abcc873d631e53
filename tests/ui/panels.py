"""The panels as an animator sees them first."""

import bpy


def check_nothing_selected(window):
    yield from window.show_tab()
    window.panels("nothing_selected")


def check_character_to_pick(window):
    with window.context():
        bpy.ops.footfall.add_mannequin()
        bpy.context.view_layer.objects.active.select_set(False)
    bpy.context.view_layer.objects.active = None
    yield from window.show_tab()
    yield 0.3
    window.panels("to_pick")


def check_character_panel(window):
    with window.context():
        bpy.ops.footfall.add_mannequin()
    window.open_panels("FOOTFALL_PT_character", "FOOTFALL_PT_parts", "FOOTFALL_PT_body")
    yield from window.show_tab()
    yield 0.3
    rig = bpy.context.view_layer.objects.active
    assert rig.footfall.usable and len(rig.footfall.parts) == 19
    window.panels("character")


def check_motion_panel(window):
    with window.context():
        bpy.ops.footfall.add_mannequin()
    motion = bpy.context.view_layer.objects.active.footfall.motion
    motion.own_speed, motion.heading = False, 1.0
    window.open_panels("FOOTFALL_PT_motion", "FOOTFALL_PT_more")
    yield from window.show_tab()
    yield 0.3
    window.panels("motion")


def check_style(window):
    with window.context():
        bpy.ops.footfall.add_mannequin()
    motion = bpy.context.view_layer.objects.active.footfall.motion
    motion.gait, settings = "walk", motion.methods.gait
    settings.style, settings.exaggerate = "sneaky", 1.5
    window.open_panels("FOOTFALL_PT_motion")
    yield from window.show_tab()
    yield 0.3
    window.panels("style")


def check_pushes_panel(window):
    with window.context():
        bpy.ops.footfall.add_mannequin()
        for frame in (24, 60, 96):
            window.window.scene.frame_set(frame)
            bpy.ops.footfall.add_push()
        bpy.ops.footfall.add_ball()
    window.open_panels("FOOTFALL_PT_pushes", "FOOTFALL_PT_balls")
    yield from window.show_tab()
    yield 0.3
    rig = bpy.context.view_layer.objects.active
    assert [push.frame for push in rig.footfall.pushes] == [24, 60, 96] and len(rig.footfall.balls) == 1
    window.panels("pushes")


def picture_with_meshes(window, name: str, *panels: str):
    """Of panels below Ground, beside a mannequin on a plane with a box that it can move."""
    with window.context():
        bpy.ops.footfall.add_mannequin()
        rig = bpy.context.view_layer.objects.active
        bpy.ops.mesh.primitive_plane_add(size=20)
        bpy.ops.mesh.primitive_cube_add(size=0.4, location=(0, -3, 0.2))
        bpy.context.object.footfall_mass = 5.0
    bpy.context.view_layer.objects.active = rig
    ground = window.window.scene.footfall.ground
    ground.kind, ground.collection = "MESHES", rig.users_collection[0]
    window.open_panels(*panels)
    yield from window.show_tab()
    yield 0.3
    window.panels(name)


def check_ground_panel(window):
    yield from picture_with_meshes(window, "ground", "FOOTFALL_PT_ground")


def check_bake_panel(window):
    yield from picture_with_meshes(window, "bake", "FOOTFALL_PT_bake", "FOOTFALL_PT_options")


def check_viewport_panel(window):
    yield from picture_with_meshes(window, "viewport", "FOOTFALL_PT_viewport")


def check_fitted_gait(window):
    """A gait that was fitted to a character, and then to one whose legs have changed since."""
    with window.context():
        bpy.ops.footfall.add_mannequin()
    rig = bpy.context.view_layer.objects.active
    from footfall.blender_addon import fits
    from footfall.core.control.gait import whole_data
    from footfall.core.presets import load

    rig.footfall.motion.gait = "walk"
    report = "Fitted in 160 trials: it walks at 1.16 m/s in steps of 0.49 m; by scaling alone it falls after 1.3 s."
    fits.keep(rig, "walk", {**whole_data(load("gaits", "walk")), "description": report}, fits.measures(rig))
    window.open_panels("FOOTFALL_PT_motion")
    yield from window.show_tab()
    yield 0.3
    window.panels("fitted")
    rig.scale = (1.2, 1.2, 1.2)
    yield 0.3
    assert not fits.belongs(rig, fits.kept(rig))
    window.panels("fitted_before")
