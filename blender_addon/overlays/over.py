"""What has to be quick is drawn over the finished picture of its view, as Blender draws the cursors of its brushes: the scene below is not drawn
again for it, which takes long where much is in it. What follows the mouse is so drawn in the view under it; ``Cover`` draws in all views."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import bpy
import gpu
from mathutils import Matrix

from .written import in_pixels

BARS = (("TOPBAR", "WINDOW"), ("TOPBAR", "HEADER"), ("STATUSBAR", "WINDOW"), ("STATUSBAR", "HEADER"))  # where the mouse may be, beside the areas
# Blender draws nothing outside of the region under the mouse, where that cannot be set.
ANYWHERE = hasattr(gpu.state, "scissor_set")

_handles: list[object] = []


def is_over() -> bool:
    """Whether what is dragged is drawn so now: then the views themselves leave it out."""
    return bool(_handles)


def lay_over(draw: Callable[[bpy.types.Context], object], draw_flat: Callable[[bpy.types.Context], object]) -> None:
    """Have ``draw`` draw in the scene, and ``draw_flat`` in pixels, whenever the mouse moves over a view, until ``take_off``."""
    if not _handles:
        _handles.append(bpy.types.WindowManager.draw_cursor_add(_draw, (draw, draw_flat), "VIEW_3D", "WINDOW"))


def take_off() -> None:
    while _handles:
        bpy.types.WindowManager.draw_cursor_remove(_handles.pop())


def looks_of(area: bpy.types.Area) -> list[tuple[bpy.types.Region, bpy.types.RegionView3D]]:
    """The regions of an area with a 3D view, with what each looks at: four of them in a quad view, else one."""
    space, regions = area.spaces.active, [region for region in area.regions if region.type == "WINDOW"]
    return list(zip(regions, list(space.region_quadviews) or [space.region_3d], strict=False))


def reaches(area: bpy.types.Area, view: bpy.types.Region, event: bpy.types.Event) -> bool:
    """Whether the mouse is over the view itself, a region of ``area``: not outside of it, and not over a sidebar that lies on it."""
    def holds(region: bpy.types.Region) -> bool:
        return 0 <= event.mouse_x - region.x < region.width and 0 <= event.mouse_y - region.y < region.height

    return holds(view) and not any(holds(region) for region in area.regions if region.type != "WINDOW" and region.width > 1)


class Cover:
    """Draws over the 3D views of windows, wherever in them the mouse is, until ``take_off``; where Blender has no way to do so, only over the
    one under the mouse. It is drawn whenever Blender puts a window together.

    Attributes:
        drawn: s, of the clock, when it was drawn last; when it was laid, at first.
    """

    def __init__(self, draw: Callable[[bpy.types.Area, bpy.types.Region, bpy.types.RegionView3D], object],
                 within: Callable[[bpy.types.Window], bool]):
        """``draw`` is called for the area and the region of each view and what it looks at, with pixels as the unit. ``within``: in which windows."""
        self._draw, self._is_within, self.drawn = draw, within, time.monotonic()
        areas = [area for window in bpy.context.window_manager.windows for area in window.screen.areas]
        places = {*BARS, *((area.type, region.type) for area in areas for region in area.regions)} if ANYWHERE else {("VIEW_3D", "WINDOW")}
        self._handles = [bpy.types.WindowManager.draw_cursor_add(self._draw_all, (), *place) for place in sorted(places)]

    def take_off(self) -> None:
        while self._handles:
            bpy.types.WindowManager.draw_cursor_remove(self._handles.pop())

    def _draw_all(self, _: tuple[int, int]) -> None:
        if not self._is_within(bpy.context.window):
            return
        if not ANYWHERE:
            self._draw_one(bpy.context.area, bpy.context.region, bpy.context.region_data)
        else:
            within = gpu.state.scissor_get()
            try:
                for area in bpy.context.window.screen.areas:
                    for region, looks in looks_of(area) if area.type == "VIEW_3D" else ():
                        gpu.state.scissor_set(region.x, region.y, region.width, region.height)
                        self._draw_one(area, region, looks)
            finally:
                gpu.state.scissor_set(*within)
        self.drawn = time.monotonic()  # not of a picture that failed: the rig is to move then

    def _draw_one(self, area: bpy.types.Area, region: bpy.types.Region, looks: bpy.types.RegionView3D) -> None:
        with _within(region):
            gpu.matrix.load_matrix(Matrix.Identity(4))
            gpu.matrix.load_projection_matrix(in_pixels(region.width, region.height))
            self._draw(area, region, looks)


def _draw(draw: Callable[[bpy.types.Context], object], draw_flat: Callable[[bpy.types.Context], object], _: tuple[int, int]) -> None:
    context = bpy.context
    region, view = context.region, context.region_data
    if view is None:
        return
    with _within(region):
        gpu.matrix.load_matrix(view.view_matrix)
        gpu.matrix.load_projection_matrix(view.window_matrix)
        draw(context)
        gpu.matrix.load_matrix(Matrix.Identity(4))
        gpu.matrix.load_projection_matrix(in_pixels(region.width, region.height))
        draw_flat(context)


@contextmanager
def _within(region: bpy.types.Region) -> Iterator[None]:
    """Draw in a region of the window, and leave all as it was."""
    whole = gpu.state.viewport_get()
    gpu.state.viewport_set(region.x, region.y, region.width, region.height)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("ALPHA")
    try:
        with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
            yield
    finally:
        gpu.state.depth_mask_set(False)
        gpu.state.depth_test_set("NONE")
        gpu.state.blend_set("NONE")
        gpu.state.viewport_set(*whole)
