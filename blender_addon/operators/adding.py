"""What operators share that add recordings from files: a worker reads them while Blender goes on."""

from pathlib import Path

import bpy
from bpy_extras.io_utils import ImportHelper

from .background import Background


class AddsFiles(Background):
    """Mixin before ImportHelper. ``listing``: the module of the list, with its ``READING`` and ``add_files``; ``many``: what its entries are called;
    ``look_at(paths)`` begins to read; ``added(context, recordings)`` does the rest."""

    bl_options = {"UNDO"}  # no panel to do it again with other values: the worker takes its time
    unchanged = "nothing was added"

    @property
    def at_work(self) -> list:
        return self.listing.READING

    def invoke(self, context, event):
        """Choose files, or with files given, read them while Blender goes on."""
        self._in_background = True
        return self.execute(context) if self.files else ImportHelper.invoke(self, context, event)

    def begin(self, context):
        names = [item.name for item in self.files if item.name]
        return self.look_at([Path(bpy.path.abspath(self.directory), name) for name in names] or [Path(bpy.path.abspath(self.filepath))])

    def added(self, context, recordings) -> None:
        """Nothing more has to be done with them."""

    def finish(self, context) -> set[str]:
        recordings, wrong = self.listing.add_files(context.scene, self._inspection)
        if not recordings:
            self.report({"ERROR"}, str(wrong[0]))
            return {"CANCELLED"}
        self.added(context, recordings)
        for error in wrong:
            self.report({"WARNING"}, str(error))
        if not wrong:
            first = recordings[0]
            self.report({"INFO"}, f"Added {len(recordings)} {self.many}." if len(recordings) > 1 else f"Added '{first.name}', {first.seconds:.1f} s.")
        return {"FINISHED"}
