"""Jobs and results as files: simulate elsewhere, bake here."""

import json
from pathlib import Path

import bpy
from bpy.props import StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ...core.errors import FormatError
from ..selection import the_character
from .attempt import Attempt


class FOOTFALL_OT_save_job(Attempt, bpy.types.Operator, ExportHelper):
    """Write what would be simulated to a file, to run it on the command line or on a farm"""

    bl_idname = "footfall.save_job"
    bl_label = "Save Job"

    filename_ext = ".json"
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    def attempt(self, context):
        from ...core.jobs import check
        from .. import scene

        job, _ = scene.job_of(context, the_character(context))
        check(job)
        path = Path(bpy.path.abspath(self.filepath))
        try:
            path.write_text(json.dumps(job) + "\n", encoding="utf-8")
        except OSError as error:
            raise FormatError(f"'{path}' cannot be written: {error.strerror}; choose another place.") from error


class FOOTFALL_OT_load_result(Attempt, bpy.types.Operator, ImportHelper):
    """Bake a result that was simulated elsewhere onto the character, from where it stands"""

    bl_idname = "footfall.load_result"
    bl_label = "Load Result"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".npz"
    filter_glob: StringProperty(default="*.npz", options={"HIDDEN"})

    def attempt(self, context):
        from ...core.result import Result
        from .. import baking, scene, span
        from ..rig.retarget import Retarget

        character, path = the_character(context), Path(bpy.path.abspath(self.filepath))
        frames = span.span_of(context.scene, character)
        measured = scene.measure_at_start(context.scene, character, frames.first)
        retarget = Retarget(character, measured.bone_map, measured.fit, measured.placement, frames.first, measured.world)
        self.report({"INFO"}, baking.bake(context, character, retarget, frames, path))
        if Result.load(path).job.get("body") != measured.fit.body:
            self.report({"WARNING"}, f"The result was simulated for another body than that of '{character.name}': look at its feet.")


CLASSES = (FOOTFALL_OT_save_job, FOOTFALL_OT_load_result)
