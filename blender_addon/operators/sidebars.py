"""Draw the panels again while something goes on in the background."""

from collections.abc import Iterator

import bpy


def redraw_sidebars(context: bpy.types.Context) -> None:
    """Only the sidebars: to redraw every area would leave Blender no time for anything else."""
    for area in _views(context):
        for region in area.regions:
            if region.type == "UI":
                region.tag_redraw()


def redraw_views(context: bpy.types.Context) -> None:
    """With what is drawn over them."""
    for area in _views(context):
        area.tag_redraw()


def _views(context: bpy.types.Context) -> Iterator[bpy.types.Area]:
    return (area for window in context.window_manager.windows for area in window.screen.areas if area.type == "VIEW_3D")
