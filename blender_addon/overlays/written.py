"""Text that stays for a while: it is drawn once and then shown as a picture, as letters take long to draw where there is no graphics card."""

from __future__ import annotations

import time
from collections.abc import Sequence

import blf
import gpu
from gpu_extras.presets import draw_texture_2d
from mathutils import Matrix

from .shapes import Color

AGAIN = 0.5  # s that text stays as it is, at least
BELOW = 0.4  # of a line, for what letters have under it

Piece = tuple[str, int, int, Color]  # a text, where it is, in pixels to the right and down, and its colour


class Written:
    """Lines of text."""

    def __init__(self) -> None:
        self._pieces: tuple[Piece, ...] = ()
        self._size, self._since = 0.0, 0.0
        self._picture: gpu.types.GPUOffScreen | None = None

    def draw(self, pieces: Sequence[Piece], size: float, left: float, top: float) -> None:
        """``size`` of the letters; ``left`` and ``top``: where the first line begins, in pixels."""
        if (tuple(pieces), size) != (self._pieces, self._size) and (time.monotonic() > self._since + AGAIN or not self._picture):
            self._pieces, self._size, self._since = tuple(pieces), size, time.monotonic()
            self._write()
        gpu.state.blend_set("ALPHA_PREMULT")
        draw_texture_2d(self._picture.texture_color, (round(left), round(top) - self._picture.height + round(self._size)),
                        self._picture.width, self._picture.height)
        gpu.state.blend_set("ALPHA")

    def _write(self) -> None:
        blf.size(0, self._size)
        width = max(x + blf.dimensions(0, text)[0] for text, x, _, _ in self._pieces)
        height = max(y for _, _, y, _ in self._pieces) + (1.0 + BELOW) * self._size
        extent = (int(width) + 2, int(height) + 2)
        if self._picture is None or (self._picture.width, self._picture.height) != extent:
            self._picture = gpu.types.GPUOffScreen(*extent)
        with self._picture.bind(), gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
            gpu.state.active_framebuffer_get().clear(color=(0.0, 0.0, 0.0, 0.0))
            gpu.state.blend_set("ALPHA")
            gpu.matrix.load_matrix(Matrix.Identity(4))
            gpu.matrix.load_projection_matrix(in_pixels(*extent))
            for text, x, y, color in self._pieces:
                write(text, x, extent[1] - round(self._size) - y, color)


def in_pixels(width: int, height: int) -> Matrix:
    """From pixels, from the lower left corner of a picture."""
    return Matrix(((2.0 / width, 0.0, 0.0, -1.0), (0.0, 2.0 / height, 0.0, -1.0), (0.0, 0.0, -0.01, 0.0), (0.0, 0.0, 0.0, 1.0)))


def write(text: str, x: float, y: float, color: Color) -> None:
    """At a place in pixels, in the size that ``blf`` has."""
    blf.color(0, *color)
    blf.position(0, x, y, 0.0)
    blf.draw(0, text)
