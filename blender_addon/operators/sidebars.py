"""Draw the panels again while something goes on in the background."""

import bpy


def redraw_sidebars(context: bpy.types.Context) -> None:
    """Only the sidebars: to redraw every area would leave Blender no time for anything else."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()
