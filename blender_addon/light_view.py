"""3D views that are quick to draw, while something moves in them that has to keep pace: without what Blender itself draws over the scene.

What is to be put back is kept in the screen whose views these are: so a file that Blender saved by itself in between is put right when it is opened.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import ClassVar

import bpy

# What is left out, by the path from the space of a view: in the order in which it is set.
LIGHT = {"overlay.show_overlays": False, "show_gizmo": False, "shading.show_object_outline": False, "shading.show_cavity": False,
         "shading.show_shadows": False, "shading.show_xray": False, "shading.use_dof": False}
SHADED = ("MATERIAL", "RENDERED")  # kinds of shading that become SOLID
HELD = "lock_object"  # what a view goes along with by itself: an object, or its "lock_bone"
KEPT = "footfall_views_before"  # a property of a screen: [area, {path: value}] of each view, as JSON


class Preferences:
    """What the preferences have for all views. Nobody is told that these were changed, so that they are not saved.

    Attributes:
        before: the values that were changed, by their names.
    """

    # No samples of each picture, and none of it under the sidebars.
    LIGHT: ClassVar = {"viewport_aa": "OFF", "use_region_overlap": False}

    def __init__(self) -> None:
        self.before: dict[str, object] = {}

    def lighten(self) -> None:
        system = bpy.context.preferences.system
        if not self.before:
            self.before = {name: getattr(system, name) for name in self.LIGHT}
            self._set(self.LIGHT)

    def put_back(self) -> None:
        self._set(self.before)
        self.before = {}

    def _set(self, values: dict[str, object]) -> None:
        preferences = bpy.context.preferences
        changed = preferences.is_dirty
        for name, value in values.items():
            if getattr(preferences.system, name) != value:
                setattr(preferences.system, name, value)
        if preferences.is_dirty != changed:
            preferences.is_dirty = changed


_preferences = Preferences()
# What was set in the views that are light, by the addresses of their spaces: these stay what they are where an area fills the window for a while.
_before: dict[int, dict[str, object]] = {}


def lighten() -> None:
    """All views of the windows, until ``put_back``."""
    _preferences.lighten()
    for window in bpy.context.window_manager.windows:
        screen = window.screen
        views = {number: area.spaces.active for number, area in enumerate(screen.areas) if area.type == "VIEW_3D"}
        new = [space for space in views.values() if space.as_pointer() not in _before]
        if screen.get(KEPT) and not new:
            continue
        others = [_before[space.as_pointer()] for space in views.values() if space not in new]
        for space in new:
            wanted = LIGHT | ({"shading.type": "SOLID"} if space.shading.type in SHADED else {})
            before = {path: space.path_resolve(path) for path in wanted}
            if others and before == LIGHT:  # an area that is light was split
                before = others[0]
            else:
                before |= {HELD: space.lock_object.name if space.lock_object else "", "lock_bone": space.lock_bone}
                _set(space, wanted)
            _before[space.as_pointer()] = before
        screen[KEPT] = json.dumps([(number, _before[space.as_pointer()]) for number, space in views.items()])


def put_back() -> None:
    """As they were, in every screen that was lightened, or that was kept in a file while it was light."""
    _preferences.put_back()
    for screen in bpy.data.screens:
        kept = {} if _before else dict(json.loads(screen.get(KEPT, "[]")))
        for number, area in enumerate(screen.areas):
            for space in area.spaces:
                values = _before.get(space.as_pointer()) or (kept.get(number) if space == area.spaces.active else None)
                if values and space.type == "VIEW_3D":
                    _set(space, dict(reversed(values.items())))
        if KEPT in screen:
            del screen[KEPT]
    _before.clear()


def hold(view: bpy.types.RegionView3D, armature: bpy.types.Object, bone: str) -> bool:
    """Let a view that is light go along with a bone by itself: where a script moves a view, Blender draws all bars and panels around it again.
    Whether it does so now."""
    for space in _light():
        if space.region_3d == view:
            if space.lock_object is None:
                space.lock_object, space.lock_bone = armature, bone
            return space.lock_object == armature
    return False


def let_go(view: bpy.types.RegionView3D, armature: bpy.types.Object) -> bool:
    """Let a view stay where it is. Whether it went along with the armature by itself."""
    for space in _light():
        if space.region_3d == view and space.lock_object == armature:
            space.lock_object = None
            return True
    return False


def is_light(context: bpy.types.Context) -> bool:
    """Whether the view that is being drawn is one."""
    return bool(context.screen.get(KEPT))


def _light() -> Iterator[bpy.types.SpaceView3D]:
    """The views that are light."""
    for window in bpy.context.window_manager.windows:
        if window.screen.get(KEPT):
            yield from (area.spaces.active for area in window.screen.areas if area.type == "VIEW_3D")


def _set(space: bpy.types.SpaceView3D, values: dict[str, object]) -> None:
    for path, value in values.items():
        holder, _, name = path.rpartition(".")
        setattr(space.path_resolve(holder) if holder else space, name, bpy.data.objects.get(value) if path == HELD else value)
