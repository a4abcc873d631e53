"""Have parts of the window drawn again while something goes on: each as seldom as will do, as drawing takes long."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

AGAIN = 0.2  # s


def redraw_scene() -> None:
    """The 3D views, without what lies around them."""
    for area in views():
        for region in area.regions:
            if region.type == "WINDOW":
                region.tag_redraw()


def redraw_sidebars() -> None:
    """Only the sidebars: to redraw every area would leave Blender no time for anything else."""
    for area in views():
        for region in area.regions:
            if region.type == "UI":
                region.tag_redraw()


def redraw_over() -> None:
    """Only what is drawn over the finished pictures of the views (see ``overlays.over``): Blender puts its windows together again once any part of
    them was drawn, so here it is the smallest."""
    for window in bpy.context.window_manager.windows:
        regions = [region for area in window.screen.areas for region in area.regions if min(region.width, region.height) > 1]
        min(regions, key=lambda region: region.width * region.height).tag_redraw()


def redraw_views() -> None:
    """With what is drawn over them; and again in a moment, as panels that have grown find their places when they are drawn once more."""
    _tag_views()
    if not bpy.app.background and not bpy.app.timers.is_registered(_tag_views):
        bpy.app.timers.register(_tag_views, first_interval=AGAIN)


def views() -> Iterator[bpy.types.Area]:
    """The areas with a 3D view, of all windows."""
    return (area for window in bpy.context.window_manager.windows for area in window.screen.areas if area.type == "VIEW_3D")


def _tag_views() -> None:
    for area in views():
        area.tag_redraw()
