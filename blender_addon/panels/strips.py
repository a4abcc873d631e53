"""Pictures of recordings: a strip of poses, or a square. A panel shows pictures in squares, so each pose becomes a picture of its own."""

from pathlib import Path

import bpy
import bpy.utils.previews

POSES = 8  # side by side in a picture, as the worker draws it
IN_A_ROW = 4
UNIT = 20  # pixels of an icon of scale 1, at a scale of 1
MARGIN = 44  # pixels of the sidebar beside a picture, at a scale of 1
_previews = None
_poses: dict[str, list[int]] = {}  # by path and time of the picture


def draw_strip(layout: bpy.types.UILayout, context: bpy.types.Context, path: str) -> None:
    """The poses in rows over the width of the sidebar; nothing where there is no picture (any more)."""
    poses = _load(path)
    if not poses:
        return
    size = (context.region.width / context.preferences.system.ui_scale - MARGIN) / UNIT / IN_A_ROW
    column = layout.column(align=True)
    for first in range(0, POSES, IN_A_ROW):
        row = column.row(align=True)
        for pose in poses[first:first + IN_A_ROW]:
            row.template_icon(pose, scale=size)


def draw_square(layout: bpy.types.UILayout, context: bpy.types.Context, path: str) -> None:
    """A square picture over the width of the sidebar; nothing where there is none (any more)."""
    if squares := _load(path, 1):
        layout.template_icon(squares[0], scale=(context.region.width / context.preferences.system.ui_scale - MARGIN) / UNIT)


def _load(path: str, count: int = POSES) -> list[int]:
    try:
        name = f"{path} {Path(path).stat().st_mtime_ns}"
    except OSError:
        return []
    if name not in _poses:
        _poses[name] = _cut(path, name, count)
    return _poses[name]


def _cut(path: str, name: str, count: int) -> list[int]:
    """Numbers of icons: the poses of a picture, from left to right; none if it is no picture."""
    global _previews
    if _previews is None:
        _previews = bpy.utils.previews.new()
    whole = _previews.load(name, path, "IMAGE")
    width, height = whole.image_size
    if width < count:
        return []
    pixels, poses = whole.image_pixels_float[:], []
    for number in range(count):
        left, right = number * width // count, (number + 1) * width // count
        pose = _previews.new(f"{name} {number}")
        pose.image_size = (right - left, height)
        pose.image_pixels_float = [value for row in range(height) for value in pixels[4 * (row * width + left):4 * (row * width + right)]]
        poses.append(pose.icon_id)
    return poses


CLASSES = ()


def unregister() -> None:
    global _previews
    _poses.clear()
    if _previews is not None:
        bpy.utils.previews.remove(_previews)
        _previews = None
