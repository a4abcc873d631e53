"""A strip of stick figures as a PNG, drawn with nothing but numpy, so that it works inside Blender too."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .. import feet, rotation
from ..arrays import Array, Ints
from ..whole_file import whole_file
from .reference import Reference

Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]

LEFT, RIGHT, TRUNK, FLOOR = (64, 140, 255), (255, 140, 50), (200, 200, 200), (120, 120, 120)
# Half the width of a line, as a share of the height of the picture.
STROKE = 0.012


def draw_strip(reference: Reference, figures: int = 8, height: int = 128) -> Pixels:
    """(height, W, 4) RGBA, 0 to 255, clear where nothing is drawn: ``figures`` moments side by side, spread evenly, seen from the right.

    The camera stands still: a figure that turns is seen to turn.
    """
    frames = np.linspace(0, reference.motion.frames - 1, figures).astype(int)
    lines, colours = _lines(reference, frames)
    low, high = min(0.0, float(lines[..., 1].min())), float(lines[..., 1].max())
    scale = height / ((high - low) * (1.0 + 2.0 * STROKE) + 1e-9)
    cell = int(np.ceil(scale * float(np.ptp(lines[..., 0])) + 4.0 * STROKE * height))
    image = np.zeros((height, cell * figures, 4))
    margin = STROKE * height

    def to_pixels(points: Array, figure: int) -> Array:
        across = figure * cell + 2.0 * margin + scale * (points[..., 0] - lines[..., 0].min())
        return np.stack([across, height - margin - scale * (points[..., 1] - low)], axis=-1)

    floor = height - margin + scale * low
    draw_line(image, np.array([[0.0, floor], [image.shape[1], floor]]), FLOOR, 0.4 * margin)
    for figure in range(figures):
        for line, colour in zip(lines[figure], colours, strict=True):
            draw_line(image, to_pixels(line, figure), colour, margin)
    return np.round(image).astype(np.uint8)


def write_png(path: str | Path, image: Pixels) -> None:
    """Write (H, W, 4) RGBA pixels, 0 to 255."""
    height, width, _ = image.shape
    rows = np.concatenate([np.zeros((height, 1), dtype=np.uint8), image.reshape(height, -1)], axis=1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    pixels = zlib.compress(rows.tobytes())
    with whole_file(path) as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


def _lines(reference: Reference, frames: Ints) -> tuple[Array, list[Colour]]:
    """(N, B, 2, 2) metres, both ends of all bones, ahead and up from the floor below the pelvis; and their colours, the far side first."""
    body, motion = reference.body, reference.motion
    positions, orientations = motion.skeleton.forward_kinematics(motion.root_positions[frames], motion.rotations[frames])
    soles = feet.sole_positions(body, positions, orientations)
    pairs: list[tuple[Array, Array, str]] = []
    for link, (name, parent) in enumerate(zip(body.names, body.parents, strict=True)):
        if parent >= 0 and not name.startswith("toes"):
            pairs.append((positions[:, parent], positions[:, link], name))
        if name.startswith("forearm") or name == "head":
            end = 2.0 * np.array(body.shapes[link].center)
            pairs.append((positions[:, link], positions[:, link] + rotation.rotate(orientations[:, link], end), name))
    for foot, side in enumerate(feet.SIDES):
        heel, ball, tip = (soles[:, foot, point:point + 2].mean(axis=1) for point in (0, 2, 4))
        ankle = positions[:, feet.link(body, "foot", foot)]
        pairs += [(ankle, heel, f"foot.{side}"), (heel, ball, f"foot.{side}"), (ball, tip, f"foot.{side}"), (ankle, ball, f"foot.{side}")]
    order = sorted(pairs, key=lambda pair: {"L": 0, "R": 2}.get(pair[2][-1], 1))
    facing = rotation.rotate(motion.rotations[:, 0], (1.0, 0.0, 0.0))[:, :2].mean(axis=0)
    facing /= max(float(np.linalg.norm(facing)), 1e-9)
    ends = np.stack([np.stack(pair[:2], axis=1) for pair in order], axis=1)
    ends = ends - motion.root_positions[frames][:, None, None] * (1.0, 1.0, 0.0)
    flat = np.stack([ends[..., :2] @ facing, ends[..., 2]], axis=-1)
    return flat, [LEFT if name.endswith(".L") else RIGHT if name.endswith(".R") else TRUNK for *_, name in order]


def draw_line(image: Array, line: Array, colour: Colour, radius: float) -> None:
    """Draw a line (2, 2), x and y in pixels, with round ends and soft edges onto image (H, W, 4)."""
    low = np.maximum(np.floor(line.min(axis=0) - radius - 1).astype(int), 0)
    high = np.minimum(np.ceil(line.max(axis=0) + radius + 2).astype(int), (image.shape[1], image.shape[0]))
    if (high <= low).any():
        return
    x, y = np.meshgrid(np.arange(low[0], high[0]) + 0.5, np.arange(low[1], high[1]) + 0.5)
    way = line[1] - line[0]
    along = np.clip(((x - line[0, 0]) * way[0] + (y - line[0, 1]) * way[1]) / max(float(way @ way), 1e-9), 0.0, 1.0)
    away = np.hypot(x - line[0, 0] - along * way[0], y - line[0, 1] - along * way[1])
    cover = np.clip(radius + 0.5 - away, 0.0, 1.0)[..., None]
    patch = image[low[1]:high[1], low[0]:high[0]]
    alpha = cover + patch[..., 3:] / 255.0 * (1.0 - cover)
    shown = np.where(alpha > 0.0, (cover * colour + (1.0 - cover) * patch[..., 3:] / 255.0 * patch[..., :3]) / np.maximum(alpha, 1e-9), 0.0)
    image[low[1]:high[1], low[0]:high[0]] = np.concatenate([shown, 255.0 * alpha], axis=-1)
