"""Write pictures as PNG files, and several as one animated PNG, which browsers show as they show a GIF. Needs numpy and the standard library."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

SIGNATURE, EIGHT_BITS, RGB = b"\x89PNG\r\n\x1a\n", 8, 2
KEEP, REPLACE = 0, 0  # of an animated PNG: the picture before stays, and the new pixels take the place of the old ones


def write_png(path: Path, pictures: Sequence[np.ndarray], fps: float = 0.0) -> None:
    """``pictures``: (height, width, 3) uint8 each, from the top down, all of one size. Several are played over and over, ``fps`` a second.

    Of each picture but the first, only the rectangle in which it differs from the one before is stored.
    """
    height, width, _ = pictures[0].shape
    chunks, moving = [_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, EIGHT_BITS, RGB, 0, 0, 0))], len(pictures) > 1
    if moving:
        chunks.append(_chunk(b"acTL", struct.pack(">II", len(pictures), 0)))
    number = 0  # of the chunks that belong to the animation, which count on
    for index, picture in enumerate(pictures):
        rows, columns = _changed(picture, pictures[index - 1] if index else None)
        if moving:
            size = struct.pack(">IIII", columns.stop - columns.start, rows.stop - rows.start, columns.start, rows.start)
            chunks.append(_chunk(b"fcTL", struct.pack(">I", number) + size + struct.pack(">HHBB", 1000, round(1000 * fps), KEEP, REPLACE)))
            number += 1
        pixels = _packed(picture[rows, columns])
        if index == 0:
            chunks.append(_chunk(b"IDAT", pixels))
        else:
            chunks.append(_chunk(b"fdAT", struct.pack(">I", number) + pixels))
            number += 1
    path.write_bytes(SIGNATURE + b"".join(chunks) + _chunk(b"IEND", b""))


def _changed(picture: np.ndarray, before: np.ndarray | None) -> tuple[slice, slice]:
    """Rows and columns of the smallest rectangle that holds every pixel that has changed; at least one pixel."""
    if before is None:
        return slice(0, picture.shape[0]), slice(0, picture.shape[1])
    where = np.argwhere((picture != before).any(axis=2))
    (top, left), (bottom, right) = (where.min(axis=0), where.max(axis=0)) if len(where) else ((0, 0), (0, 0))
    return slice(int(top), int(bottom) + 1), slice(int(left), int(right) + 1)


def _packed(picture: np.ndarray) -> bytes:
    """Compressed rows, each with a 0 in front: as they are, without a filter."""
    rows = picture.reshape(len(picture), -1)
    return zlib.compress(np.concatenate([np.zeros((len(rows), 1), dtype=np.uint8), rows], axis=1).tobytes(), 9)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
