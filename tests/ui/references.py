"""Recordings in the panels, and the ghost of one beside the character that follows it."""

from pathlib import Path

import addon_utils
import bpy
from mathutils import Vector
from simulating import add_mannequin, running, start, traces, wait


def add_recorded_walk(window, name: str = "Recorded") -> bpy.types.Object:
    """A mannequin that has walked for three seconds, and that walk as a reference."""
    with window.context():
        bpy.ops.footfall.add_mannequin()
        rig = bpy.context.view_layer.objects.active
        rig.footfall.motion.seconds = 3.0
        bpy.ops.footfall.simulate("EXEC_DEFAULT")
        rig.animation_data.action.name = name
        bpy.ops.ed.undo_push()
        assert bpy.ops.footfall.add_reference_action("EXEC_DEFAULT", True) == {"FINISHED"}
    return rig


def check_no_references_yet(window):
    with window.context():
        bpy.ops.footfall.add_mannequin()
        bpy.context.view_layer.objects.active.footfall.motion.source = "CLIP"
    window.open_panels("FOOTFALL_PT_references", "FOOTFALL_PT_motion")
    yield from window.show_tab()
    yield 0.3
    window.panels("references_empty")


def check_references_panel(window):
    rig = add_recorded_walk(window)
    references = window.window.scene.footfall.references
    with window.context():
        again = Path(references[0].filepath).with_name("a recording with a long name.bvh")
        again.write_bytes(Path(references[0].filepath).read_bytes())
        bpy.ops.footfall.add_reference("EXEC_DEFAULT", True, filepath=str(again))
    references[0].faults = "Frames 120 to 140: the root drops out; repair to interpolate."
    window.window.scene.footfall.active_reference = 0
    window.open_panels("FOOTFALL_PT_references", "FOOTFALL_PT_reference_notes")
    yield from window.show_tab()
    yield 0.5
    assert [reference.name for reference in references] == ["Recorded", "a recording with a long name"]
    assert rig.footfall.motion.reference == "Recorded"
    window.panels("references")
    with window.context():
        bpy.ops.ed.undo()
    yield 0.3
    assert len(window.window.scene.footfall.references) == 1, "one undo takes back one reference"


def check_files_panel(window):
    """How much is kept, and the button that deletes what is not used."""
    from footfall.blender_addon import files

    add_mannequin(window)
    files.new_file("old", ".npz").write_bytes(b"." * 2_000_000)
    window.open_panels("FOOTFALL_PT_references", "FOOTFALL_PT_files")
    yield from window.show_tab()
    yield from window.settle()
    window.panels("files")
    with window.context():
        assert bpy.ops.footfall.remove_unused() == {"FINISHED"}
    assert not [path for path in files.folder().iterdir() if path.suffix == ".npz"]


def copies(window, count: int) -> list[dict]:
    """Files of the recorded walk, as the file browser gives them."""
    first = Path(window.window.scene.footfall.references[0].filepath)
    names = [f"copy {number}.bvh" for number in range(count)]
    for name in names:
        first.with_name(name).write_bytes(first.read_bytes())
    return [{"name": name} for name in names]


def check_files_are_read_in_the_background(window):
    from footfall.blender_addon.references import READING

    add_recorded_walk(window)
    references = window.window.scene.footfall.references
    folder, files = str(Path(references[0].filepath).parent), copies(window, 6)
    window.open_panels("FOOTFALL_PT_references")
    yield from window.show_tab()
    pictures = len(list(Path(folder).glob("*.png")))
    with window.context():
        bpy.ops.footfall.add_reference("INVOKE_DEFAULT", directory=folder, files=files)
    assert READING and len(references) == 1
    yield 0.2
    window.panels("references_reading")
    window.press("ESC")
    yield from wait(lambda: not READING)
    yield from wait(lambda: len(list(Path(folder).glob("*.png"))) == pictures)
    assert len(references) == 1, "cancelling changes nothing"
    with window.context():
        bpy.ops.footfall.add_reference("INVOKE_DEFAULT", directory=folder, files=files)
    yield from wait(lambda: not READING)
    yield 0.3
    assert len(window.window.scene.footfall.references) == 7
    window.panels("references_many")
    with window.context():
        bpy.ops.ed.undo()
    yield 0.3
    assert len(window.window.scene.footfall.references) == 1, "one undo takes all of them back"


def check_files_chosen_in_the_browser(window):
    add_recorded_walk(window)
    first = Path(window.window.scene.footfall.references[0].filepath)
    with window.context():
        bpy.ops.footfall.add_reference("INVOKE_DEFAULT")
    yield 1.0
    browser = bpy.context.window_manager.windows[-1]
    chosen = next(area for area in browser.screen.areas if area.type == "FILE_BROWSER").spaces.active.params
    chosen.directory, chosen.filename = str(first.parent).encode(), first.name
    yield 0.3
    for value in ("PRESS", "RELEASE"):
        browser.event_simulate(type="RET", value=value, x=640, y=300)
    yield from wait(lambda: len(window.window.scene.footfall.references) > 1)
    yield 0.3
    assert [reference.name for reference in window.window.scene.footfall.references] == ["Recorded", first.stem]
    with window.context():
        bpy.ops.ed.undo()
    yield 0.3
    assert len(window.window.scene.footfall.references) == 1


def check_a_clip_in_the_motion_panel(window):
    rig = add_recorded_walk(window)
    motion = rig.footfall.motion
    motion.source, motion.loop, motion.steer = "CLIP", True, True
    with window.context():
        bpy.ops.footfall.add_also(reference="Recorded")
    window.open_panels("FOOTFALL_PT_motion", "FOOTFALL_PT_viewport")
    yield from window.show_tab()
    yield 0.3
    window.panels("motion_clip")
    motion.loop = False
    window.region("UI").tag_redraw()
    yield 0.3
    window.panels("motion_clip_once")


def check_learning_from_these_references(window):
    """The walk is learned while the panel shows how far it is, the file is named in the panel, and the character walks as it has learned."""
    from footfall.blender_addon import files

    rig = add_recorded_walk(window)
    motion = rig.footfall.motion
    motion.source = "LEARNED"
    name = rig.name
    window.open_panels("FOOTFALL_PT_motion", "FOOTFALL_PT_viewport")
    yield from window.show_tab()
    yield 0.3
    window.panels("motion_learned")
    with window.context():
        bpy.ops.footfall.learn("INVOKE_DEFAULT", minutes=0.2)
    yield from wait(lambda: name not in running() or running()[name].fraction > 0.0)
    yield 0.3
    window.panels("motion_learning")
    yield from wait(lambda: name not in running())
    yield 0.3
    rig = bpy.data.objects[name]
    assert files.found(rig.footfall.motion.methods.learned.file).is_file()
    window.panels("motion_learned_file")
    start(window, 3.0)
    yield from wait(lambda: name not in running())
    yield 0.3
    report = bpy.data.objects[name].footfall.bake.report
    assert "fell" not in report.lower(), report
    window.picture("learned")


def plan(window) -> bpy.types.Object:
    """A mannequin that is to follow its own walk by a plan."""
    rig = add_recorded_walk(window)
    motion = rig.footfall.motion
    motion.source, motion.method, motion.plan.quality = "CLIP", "PLAN", "DRAFT"
    window.look_at(0.0, -1.5, 0.8, 6.0)
    return rig


def check_any_clip_in_the_motion_panel(window):
    plan(window)
    window.open_panels("FOOTFALL_PT_motion", "FOOTFALL_PT_weights")
    yield from window.show_tab()
    yield 0.3
    window.panels("motion_plan")


def check_a_hit_from_the_panel(window):
    """A push on the recorded walk, by the button, with the panel beside it."""
    rig = add_recorded_walk(window)
    motion = rig.footfall.motion
    motion.source, motion.method = "CLIP", "HIT"
    with window.context():
        window.window.scene.frame_set(20)
        bpy.ops.footfall.add_push()
    rig.footfall.pushes[0].seconds = 0.1
    window.open_panels("FOOTFALL_PT_motion", "FOOTFALL_PT_pushes")
    yield from window.show_tab()
    yield 0.3
    window.panels("motion_hit")
    name = rig.name
    start(window)
    yield from wait(lambda: name not in running())
    yield 0.3
    report = bpy.data.objects[name].footfall.bake.report
    assert "took the push at frame 20" in report, report


def check_any_clip_is_followed(window):
    """While it is looked for, stopped half way, kept, and discarded."""
    from footfall.blender_addon.running import STOPPED

    rig = plan(window)
    name, before = rig.name, traces(rig)
    window.open_panels("FOOTFALL_PT_bake")
    yield from window.show_tab()
    start(window)
    poses = set()

    def half_way() -> bool:
        poses.add(tuple(bpy.data.objects[name].pose.bones["thigh.L"].rotation_quaternion))
        return running()[name].fraction > 0.5

    yield from wait(half_way)
    window.picture("planning")
    assert len(poses) > 4, f"the character does not move as it is found, {len(poses)} poses seen"
    window.press("ESC")
    yield from wait(lambda: name not in running())
    yield 2.0  # the panels have found their places by themselves then
    assert name in STOPPED and traces(bpy.data.objects[name]) == before
    window.panels("bake_stopped")
    start(window)
    seen = []
    yield from wait(lambda: seen.append(running()[name].fraction) or seen[-1] > 0.6)
    assert min(filter(None, seen)) > 0.3, "it does not go on from where it was stopped"
    with window.context():
        bpy.ops.footfall.cancel()
        bpy.ops.footfall.keep("INVOKE_DEFAULT")
    yield from wait(lambda: name not in running())
    yield 0.5
    bake = bpy.data.objects[name].footfall.bake
    assert bake.report.startswith("Followed the clip for ") and " s of 3 s" in bake.report, bake.report
    assert bpy.data.objects[name].animation_data.action == bake.action and not STOPPED
    window.picture("plan_kept")
    before = traces(start(window))
    yield from wait(lambda: running()[name].fraction > 0.2)
    with window.context():
        bpy.ops.footfall.cancel()
        assert name in STOPPED
        bpy.ops.footfall.discard()
    yield 0.3
    assert not STOPPED and name not in running() and traces(bpy.data.objects[name]) == before


MIXAMO = {"pelvis": "Hips", "spine": "Spine", "chest": "Spine1", "neck": "Neck", "head": "Head", "shoulder": "Shoulder", "upper_arm": "Arm",
          "forearm": "ForeArm", "hand": "Hand", "thigh": "UpLeg", "shin": "Leg", "foot": "Foot", "toe": "ToeBase"}


SIDES = {"L": "Left", "R": "Right", "": ""}


def add_mixamo(window) -> bpy.types.Object:
    """A mannequin whose bones are called as Mixamo's."""
    rig = add_mannequin(window)
    for bone in rig.data.bones:
        part, _, side = bone.name.partition(".")
        bone.name = f"mixamorig:{SIDES[side]}{MIXAMO[part]}"
    with window.context():
        assert bpy.ops.footfall.recognise() == {"FINISHED"}
    return rig


def add_rigify(window) -> bpy.types.Object:
    addon_utils.enable("rigify", default_set=True)
    with window.context():
        bpy.ops.object.armature_human_metarig_add()
        bpy.ops.pose.rigify_generate()
        bpy.context.view_layer.objects["metarig"].hide_set(True)
    return bpy.context.view_layer.objects.active


def follow(window, rig: bpy.types.Object, method: str):
    """Pick the clip and press Simulate; wait for the keys."""
    bpy.context.view_layer.objects.active = rig
    motion, name = rig.footfall.motion, rig.name
    motion.source, motion.reference, motion.method = "CLIP", "Recorded", method
    with window.context():
        bpy.ops.footfall.simulate("INVOKE_DEFAULT")
    assert name in running(), "the simulation did not start"
    yield from wait(lambda: name not in running())
    yield 0.3
    rig = bpy.data.objects[name]
    assert rig.footfall.bake.action and rig.animation_data.action == rig.footfall.bake.action
    assert rig.footfall.bake.report.startswith("Retargeted 3 s" if method == "RETARGET" else "Walked "), rig.footfall.bake.report
    assert last_joints(rig) is not None, "there is no ghost"


def last_joints(rig: bpy.types.Object):
    from footfall.blender_addon.overlays.last_bake import last_bake

    return last_bake(rig).reference


def show_ghost(window, rig: bpy.types.Object, name: str):
    """Look at the character half way, with the ghost to its left."""
    bake = rig.footfall.bake
    window.window.scene.frame_set(30)
    x, y, _ = (rig.matrix_world @ bake.space) @ Vector(last_joints(rig)[29][0])
    window.look_at(x, y, 0.8, 5.0)
    window.open_panels("FOOTFALL_PT_motion", "FOOTFALL_PT_bake", "FOOTFALL_PT_viewport")
    yield from window.show_tab()
    yield 0.5
    window.picture(name)


def hide(rig: bpy.types.Object) -> None:
    for thing in (rig, *rig.children):
        thing.hide_set(True)


def check_a_mixamo_rig_follows_a_clip(window):
    hide(add_recorded_walk(window))
    rig = add_mixamo(window)
    yield from follow(window, rig, "RETARGET")
    yield from follow(window, rig, "TRACK")
    yield from show_ghost(window, rig, "ghost_mixamo")


def check_a_rigify_rig_follows_a_clip(window):
    hide(add_recorded_walk(window))
    rig = add_rigify(window)
    yield from follow(window, rig, "TRACK")
    yield from follow(window, rig, "RETARGET")
    yield from show_ghost(window, rig, "ghost_rigify")
