"""Draw the panels again while something goes on in the background."""

from collections.abc import Iterator

import bpy

AGAIN = 0.2  # s


def redraw_sidebars(context: bpy.types.Context) -> None:
    """Only the sidebars: to redraw every area would leave Blender no time for anything else."""
    for area in _views(context):
        for region in area.regions:
            if region.type == "UI":
                region.tag_redraw()


def redraw_views() -> None:
    """With what is drawn over them; and again in a moment, as panels that have grown find their places when they are drawn once more."""
    _tag_views()
    if not bpy.app.background and not bpy.app.timers.is_registered(_tag_views):
        bpy.app.timers.register(_tag_views, first_interval=AGAIN)


def _tag_views() -> None:
    for area in _views(bpy.context):
        area.tag_redraw()


def _views(context: bpy.types.Context) -> Iterator[bpy.types.Area]:
    return (area for window in context.window_manager.windows for area in window.screen.areas if area.type == "VIEW_3D")
