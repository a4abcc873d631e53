"""What follows the mouse is drawn over the finished picture of its view, as Blender draws the cursors of its brushes: the scene below is not drawn
again for it, which takes long where much is in it. Only the view under the mouse can have it."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import gpu
from mathutils import Matrix

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


def reaches(context: bpy.types.Context, event: bpy.types.Event) -> bool:
    """Whether the mouse is over the view itself: not outside of it, and not over a sidebar that lies on it."""
    def holds(region: bpy.types.Region) -> bool:
        return 0 <= event.mouse_x - region.x < region.width and 0 <= event.mouse_y - region.y < region.height

    return holds(context.region) and not any(holds(region) for region in context.area.regions if region.type != "WINDOW" and region.width > 1)


def _draw(draw: Callable[[bpy.types.Context], object], draw_flat: Callable[[bpy.types.Context], object], _: tuple[int, int]) -> None:
    context = bpy.context
    region, view, whole = context.region, context.region_data, gpu.state.viewport_get()
    if view is None:
        return
    gpu.state.viewport_set(region.x, region.y, region.width, region.height)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("ALPHA")
    try:
        with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
            gpu.matrix.load_matrix(view.view_matrix)
            gpu.matrix.load_projection_matrix(view.window_matrix)
            draw(context)
            gpu.matrix.load_matrix(Matrix.Identity(4))
            gpu.matrix.load_projection_matrix(_pixels(region))
            draw_flat(context)
    finally:
        gpu.state.blend_set("NONE")
        gpu.state.viewport_set(*whole)


def _pixels(region: bpy.types.Region) -> Matrix:
    """Of a region from its lower left corner."""
    return Matrix(((2.0 / region.width, 0.0, 0.0, -1.0), (0.0, 2.0 / region.height, 0.0, -1.0), (0.0, 0.0, -0.01, 0.0), (0.0, 0.0, 0.0, 1.0)))
