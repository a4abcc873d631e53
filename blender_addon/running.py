"""The bakes that run now and those that were stopped half way, one a character; how each finds its character; and what must not happen to them."""

from __future__ import annotations

from typing import Any

import bpy

from ..core.errors import RigError
from . import light_view

# What runs is a Simulation or a Background, which load numpy; here they are only paused and cancelled.
RUNNING: dict[str, Any] = {}  # by the name of the armature object
STOPPED: dict[str, Any] = {}  # the same: what they found so far can be kept


class OnCharacter:
    """What runs on one character. Its one reference into Blender's data, by which it knows the character when that is renamed, is given up before
    an undo, which would leave it dangling.

    Attributes:
        name: of the armature object. gone: what is said when that is no longer there.
    """

    gone = "the simulation was ended"

    def __init__(self, armature: bpy.types.Object):
        if armature.name in RUNNING:
            raise RigError(f"'{armature.name}' is being simulated already: wait for it, or cancel it.")
        self.name, self._object = armature.name, armature

    @property
    def running(self) -> bool:
        return RUNNING.get(self.name) is self

    def _armature(self) -> bpy.types.Object:
        armature = self._find()
        if armature is None or armature.type != "ARMATURE":
            raise RigError(f"'{self.name}' is gone: {self.gone}.")
        return armature

    def _find(self) -> bpy.types.Object | None:
        """The character, under whatever name it has now."""
        if self._object is None:
            self._object = bpy.data.objects.get(self.name)
        try:
            name = self._object.name if self._object else self.name
        except ReferenceError:  # it was deleted
            self._object = None
            return None
        if name != self.name and self.running:
            RUNNING[name] = RUNNING.pop(self.name)
            self.name = name
        return self._object


def pause_all(*_: object) -> None:
    """Before Blender saves or undoes: no previewed pose may get into the file, and no reference into the data may stay."""
    for simulation in list(RUNNING.values()):
        simulation.pause()


def put_back_all(*_: object) -> None:
    """After an undo, or when a file is opened: it may be of a moment at which a preview was shown."""
    light_view.put_back()
    shown = [thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing.footfall.bake.before_preview]
    if shown:
        from . import preview  # needs numpy

        for armature in shown:
            preview.put_back(armature)


def cancel_all(*_: object) -> None:
    """Before another file is opened."""
    for simulation in [*RUNNING.values(), *STOPPED.values()]:
        simulation.cancel()


CLASSES = ()
HANDLERS = (("undo_pre", pause_all), ("redo_pre", pause_all), ("save_pre", pause_all), ("load_pre", cancel_all),
            ("undo_post", put_back_all), ("redo_post", put_back_all), ("load_post", put_back_all))


def register() -> None:
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).append(bpy.app.handlers.persistent(function))


def unregister() -> None:
    cancel_all()
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).remove(function)
