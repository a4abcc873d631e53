"""Methods in Blender: properties from what they declare, and a new method that is nothing but a new file."""

import json
import subprocess
from dataclasses import make_dataclass
from pathlib import Path
from types import SimpleNamespace
from zlib import crc32

import bpy
import pytest
from footfall.blender_addon import bundle, method
from footfall.blender_addon.properties.methods import properties_of
from footfall.core import methods
from footfall.core.settings import REQUIRED, Choice, Choices, Clips, Data, Number, Numbers, Switch, setting

from tests.blender.mannequins import empty_scene, mannequin, refused
from tests.clips import path_of

REPOSITORY = Path(__file__).resolve().parents[2]
OFFERED = "GAIT, PRESSURE, LEARNED, LIMIT_CYCLE, CLIP; TRACK, PLAN, HIT, RETARGET, IMITATE"  # usual one first, then by what users read

# A method that the add-on has never heard of: it lifts the recording off the ground.
TOY = '''
"""Float: a recording above the ground."""

from dataclasses import dataclass

from ..settings import REQUIRED, Choice, Clips, Number, Numbers, Switch, setting
from . import Command, _clips

LABEL, HELP = "Float", "Let the recording float above the ground."
COMMAND = Command("float", "let a clip float above the ground")
EVENTS, STEERED, ENGINES = (), False, ()


@dataclass(frozen=True)
class Settings:
    clips: tuple = setting(REQUIRED, Clips(), _clips.CLIPS)
    repair: bool = setting(False, Switch(), _clips.REPAIR)
    height: float = setting(0.5, Number(0.0, 3.0, "m", soft=(0.0, 2.0)), "How high it floats.", "Height")
    upward: bool = setting(True, Switch(), "Up, and not down.")
    size: str = setting("once", Choice({"once": "As high as that.", "twice": "Twice as high."}), "How often the height counts.")
    sway: dict = setting({"across": 0.0}, Numbers({"across": (0.0, Number(-1.0, 1.0, "m", label="To Its Left"), "How far aside.")}), "How it sways.")


def check(request):
    pass


def complete(request):
    return _clips.completed(request)


def run(job, context):
    from .. import presets
    from ..kinematic.retargeted import retargeted
    from ..reference.recordings import reference_of

    wish = job.settings
    result = retargeted(job, reference_of(_clips.recording_of(wish), presets.body(job.body)))
    result.root_positions[:, 2] += (1 if wish.upward else -1) * (2 if wish.size == "twice" else 1) * wish.height
    result.root_positions[:, 1] += wish.sway["across"]
    return result
'''

# What a user does with it, in a Blender that starts with it.
USE = '''
import json, sys, bpy
sys.path.append({repository!r})
from build_tools import in_blender
in_blender.enable()
from footfall.blender_addon.panels import methods as panel
from footfall.core.result import Result
bpy.ops.footfall.add_mannequin()
rig = bpy.context.object
assert bpy.ops.footfall.add_reference(filepath={clip!r}) == {{"FINISHED"}}
motion, roots, names = rig.footfall.motion, [], []
motion.source = "CLIP"
for motion.method in ("RETARGET", "FLOAT"):
    assert bpy.ops.footfall.simulate() == {{"FINISHED"}}
    roots.append(Result.load(rig.footfall.bake.result).root_positions[5].tolist())
    group = motion.methods.float
    group.height, group.upward, group.size, group.across = 0.25, True, "TWICE", 0.125
line = motion.bl_rna.properties["method"].enum_items["FLOAT"]
drawn = [[item.name, item.label, item.tooltip] for item in panel.usual_of(motion)]
height = group.bl_rna.properties["height"]
ranges = [height.default, height.hard_min, height.hard_max, height.soft_max]
print("\\nUSED", json.dumps([roots, [line.name, line.description], drawn, ranges, rig.footfall.bake.report, rig.animation_data.action.name]))
'''


def offered() -> str:
    motion = bpy.data.objects.new("Anything", None).footfall.motion.bl_rna.properties
    return "; ".join(", ".join(item.identifier for item in motion[menu].enum_items) for menu in ("source", "method"))


def test_every_method_is_offered():
    assert offered() == OFFERED
    motion = bpy.data.objects.new("Anything", None).footfall.motion
    assert (motion.source, motion.method) == ("GAIT", "TRACK")
    for name in methods.names():
        assert {item.name for item in properties_of(methods.get(name))} <= set(getattr(motion.methods, name).bl_rna.properties.keys())


def test_numbers_in_menus_do_not_depend_on_what_else_is_there():
    """A .blend that was saved with them finds the same methods again when others have come."""
    items = bpy.data.objects.new("Anything", None).footfall.motion.bl_rna.properties["method"].enum_items
    numbers = {"TRACK": 14940326, "PLAN": 5921661, "IMITATE": 13197321, "RETARGET": 7644313, "HIT": 13772353}
    assert {item.identifier: item.value for item in items} == numbers


def test_names_that_scripts_know(mannequin):
    motion = mannequin.footfall.motion
    motion.gait, motion.loop, motion.tune, motion.arm_spread, motion.plan.quality, motion.hits.delay = "run", True, 30.0, 0.1, "FINE", 0.2
    held = motion.methods
    assert (held.gait.gait, held.track.loop, held.track.tune, held.plan.quality) == ("run", True, 30.0, "FINE")
    assert held.gait.arm_spread == pytest.approx(0.1) and held.hit.delay == pytest.approx(0.2)
    assert (motion.gait, motion.loop, motion.tune, motion.plan.quality) == ("run", True, 30.0, "FINE")


def test_what_is_chosen_for_one_method_is_chosen_for_those_that_mean_the_same_by_it(mannequin):
    held = mannequin.footfall.motion.methods
    held.plan.quality, held.track.loop, held.imitate.tune = "DRAFT", True, 20.0
    assert held.hit.quality == "DRAFT" and held.hit.loop and held.imitate.loop and held.track.tune == 20.0
    held.hit.loop = False
    assert not (held.track.loop or held.imitate.loop)


def test_a_file_of_an_older_footfall_keeps_its_motion(mannequin, tmp_path):
    """Values as version 0.2 stored them: numbers of lines in menus, all settings in one place."""
    old = {"source": 1, "method": 4, "gait": crc32(b"run") & 0x7FFFFFFF, "loop": 1, "tune": 30.0, "arm_spread": 0.1,
           "plan": {"quality": 2, "freedom": 0.75, "feet": 2.0}, "hits": {"response": 1, "delay": 0.2, "home": 1}}
    for name, value in old.items():
        mannequin.footfall.motion[name] = value
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "old.blend"))
    for _ in range(2):  # and when it is saved and opened once more
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "old.blend"))
        motion = bpy.data.objects["Mannequin"].footfall.motion
        assert (motion.source, motion.method, motion.gait, motion.loop, motion.tune) == ("CLIP", "HIT", "run", True, 30.0)
        assert (motion.arm_spread, motion.hits.delay) == (pytest.approx(0.1), pytest.approx(0.2))
        assert (motion.plan.quality, motion.plan.freedom, motion.plan.feet) == ("FINE", 0.75, 2.0)
        assert (motion.hits.response, motion.hits.home) == ("FLINCH", True)
        motion.source, motion.source = "GAIT", "CLIP"
        bpy.ops.wm.save_mainfile()


def test_a_method_that_is_not_there_any_more(mannequin):
    """As in a .blend of somebody who has it: one sentence, and the panels stay in order."""
    mannequin.footfall.motion.source = "CLIP"
    mannequin.footfall.motion["method"] = 12345
    assert "is not in this Footfall: choose another one" in refused(bpy.ops.footfall.simulate)
    assert method.name_of(mannequin.footfall.motion) == methods.usual(clips=True)


PULL = Numbers({"up": (1.0, Number(0.0, 5.0), "Up."), "down": (0.0, Number(0.0, 5.0, "N", label="Downward"), "Down.")})


ONE_OF_EVERY_KIND = make_dataclass("Settings", [
    ("clips", tuple, setting(REQUIRED, Clips(), "Recordings.")),
    ("gains", dict, setting({}, Data(lambda where, value: value), "Data.")),
    ("repair", bool, setting(False, Switch(), "From elsewhere.")),
    ("turn", float, setting(0.5, Number(-1.0, 1.0, "rad"), "An angle.")),
    ("wait", float, setting(2.0, Number(0.0, 9.0, "s"), "Seconds.")),
    ("side", str, setting("left", Choice({"left": "Left.", "far right": "Right."}), "A side.", "Which Side")),
    ("without", tuple, setting((), Choices(("stance hip", "swing hip")), "Some of it.")),
    ("pull", dict, setting(PULL.usual, PULL, "Pulls."))], frozen=True)


def test_every_kind_of_setting_is_a_property_or_filled_in_elsewhere():
    found = [(item.name, item.setting, item.number, item.label, item.tooltip) for item in properties_of(SimpleNamespace(Settings=ONE_OF_EVERY_KIND))]
    assert found == [
        ("turn", "turn", "", "Turn", "An angle"), ("wait", "wait", "", "Wait (s)", "Seconds"), ("side", "side", "", "Which Side", "A side"),
        ("without", "without", "", "Without", "Some of it"), ("up", "pull", "up", "Up", "Up"), ("down", "pull", "down", "Downward (N)", "Down")]


def test_a_new_method_is_a_new_file(tmp_path):
    """It is in the menu with its settings, and what the panel says goes to the worker, with not a line changed in the add-on."""
    file, script = bundle.FOLDER / "core" / "methods" / "float.py", tmp_path / "use.py"
    script.write_text(USE.format(repository=str(REPOSITORY), clip=str(path_of("walk"))))
    file.write_text(TOY)
    try:
        done = subprocess.run([bpy.app.binary_path, "-b", "--factory-startup", "--python-exit-code", "1", "--python", str(script)],
                              capture_output=True, text=True, timeout=300)
    finally:
        file.unlink()
    assert done.returncode == 0 and "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
    said = next(line for line in done.stdout.splitlines() if line.startswith("USED "))
    (usual, floating), line, drawn, ranges, report, action = json.loads(said.partition(" ")[2])
    assert [after - before for before, after in zip(usual, floating, strict=True)] == pytest.approx([0.0, 0.125, 0.5], abs=1e-6)
    assert line == ["Float", "Let the recording float above the ground"]
    assert drawn == [["height", "Height (m)", "How high it floats"], ["upward", "Upward", "Up, and not down"],
                     ["size", "Size", "How often the height counts"], ["across", "To Its Left (m)", "How far aside"]]
    assert ranges == [0.5, 0.0, 3.0, 2.0] and report.startswith("Retargeted 5 s without physics") and action.startswith("Mannequin walk")
