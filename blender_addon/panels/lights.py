"""Green, amber and red: a dot, a triangle and a cross, so that they differ in shape as well as in colour."""

import bpy
import bpy.utils.previews

SIZE = 32
COLORS = {"green": (0.36, 0.78, 0.38), "amber": (0.95, 0.68, 0.18), "red": (0.92, 0.30, 0.27)}
_previews = None


def light(color: str) -> int:
    """The number of an icon, for ``icon_value``."""
    global _previews
    if _previews is None:
        _previews = bpy.utils.previews.new()
        for name in COLORS:
            preview = _previews.new(name)
            preview.icon_size = (SIZE, SIZE)
            preview.icon_pixels_float = _pixels(name)
    return _previews[color].icon_id


def _pixels(color: str) -> list[float]:
    """RGBA, colours times alpha, from the bottom row up; the edge is smoothed over a pixel."""
    pixels = []
    for row in range(SIZE):
        for column in range(SIZE):
            x, y = 2 * (column + 0.5) / SIZE - 1, 2 * (row + 0.5) / SIZE - 1
            inside = max(0.0, min(1.0, 0.5 - _distance(color, x, y) * SIZE / 2))
            pixels += [*(inside * value for value in COLORS[color]), inside]
    return pixels


def _distance(color: str, x: float, y: float) -> float:
    """How far a point lies outside of the shape (negative: inside), in half sizes of the icon."""
    if color == "green":
        return (x * x + y * y) ** 0.5 - 0.5
    if color == "amber":
        return max(-0.5 - y, 0.87 * abs(x) + 0.5 * (y - 0.62))
    along, across = abs(x + y) / 2**0.5, abs(x - y) / 2**0.5
    return min(max(along - 0.68, across - 0.17), max(across - 0.68, along - 0.17))


CLASSES = ()


def unregister() -> None:
    global _previews
    if _previews is not None:
        bpy.utils.previews.remove(_previews)
        _previews = None
