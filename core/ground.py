"""Grounds as plain geometry: a height profile along x, or triangles. No engine here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Array, Ints, Vector
from .errors import FormatError, JobError

Kind = TypeVar("Kind", bound=np.generic)

WIDTH = 60.0  # metres across the walking direction
THICKNESS = 0.5  # metres of a slab, where there is room for it
REACH = 200.0  # metres a profile goes on before its first and after its last point


@dataclass(frozen=True)
class Slab:
    """A box of ground: centre (m), half extents (m), pitch about y (rad, positive goes down along +x)."""

    center: Vector
    half: Vector
    pitch: float


def profile_points(ground: dict[str, Any]) -> list[tuple[float, float]]:
    """The (x, z) corners of a ground given as ``slope`` (from ``start`` on), ``steps`` or ``profile``; [] for a plane or mesh."""
    kind = ground.get("type", "plane")
    if kind == "slope":
        start, length = ground.get("start", 0.0), ground.get("length", REACH)
        rise = math.tan(math.radians(ground["degrees"])) * length
        return [(start, 0.0), (start + length, rise)]
    if kind == "steps":
        x, z, points = ground.get("start", 2.0), 0.0, []
        for _ in range(ground.get("count", 1)):
            points += [(x, z), (x, z + ground["height"])]
            x, z = x + ground.get("depth", 1.0), z + ground["height"]
        return points
    if kind == "profile":
        return [(float(x), float(z)) for x, z in ground["points"]]
    return []


def slabs(points: list[tuple[float, float]]) -> list[Slab]:
    """Boxes whose tops run along the profile; a vertical jump needs none, the higher slab's end face is the riser."""
    (x0, z0), (x1, z1) = points[0], points[-1]
    line = [(x0 - REACH, z0), *points, (x1 + REACH, z1)]
    boxes = []
    for (ax, az), (bx, bz) in pairwise(line):
        if bx - ax < 1e-9:
            continue
        pitch = -math.atan2(bz - az, bx - ax)
        middle_x, middle_z = (ax + bx) / 2, (az + bz) / 2
        thick = _thickness((ax, az), (bx, bz), line)
        boxes.append(Slab((middle_x - math.sin(pitch) * thick / 2, 0.0, middle_z - math.cos(pitch) * thick / 2),
                          (math.hypot(bx - ax, bz - az) / 2, WIDTH / 2, thick / 2), pitch))
    return boxes


def _thickness(a: tuple[float, float], b: tuple[float, float], line: list[tuple[float, float]]) -> float:
    """How thick a slab may be: a level one reaches below every other (a riser has no hole), a tilted one stays under the profile."""
    (ax, az), (bx, bz) = a, b
    if az == bz:
        return THICKNESS + az - min(z for _, z in line)
    slope, thick = math.atan2(bz - az, bx - ax), THICKNESS
    xs, zs = zip(*line, strict=True)
    while thick > 0.01:
        # The lower edge's ends, and points on the way to them, seen from the top's ends.
        ends = [(x + share * thick * math.sin(slope), z - share * thick * math.cos(slope)) for x, z in (a, b) for share in (0.25, 0.5, 0.75, 1)]
        if all(z <= np.interp(x, xs, zs) + 1e-6 for x, z in ends):
            break
        thick /= 2
    return thick


def read_triangles(ground: dict[str, Any]) -> tuple[Array, Ints]:
    """Vertices (V, 3) metres and faces (T, 3) of a mesh ground: inline, or from an OBJ file (polygons are fanned)."""
    if "file" in ground:
        vertices, faces = _read_obj(ground["file"])
    else:
        vertices, faces = _array("vertices", ground.get("vertices", []), np.float64), _array("faces", ground.get("faces", []), np.int_)
    if faces.size == 0:
        raise JobError(f"ground: the mesh {ground.get('file', 'given inline')} has no faces; give it at least one triangle.")
    if vertices.ndim != 2 or vertices.shape[1] != 3 or not np.isfinite(vertices).all():
        raise JobError("ground.vertices must be a list of [x, y, z] with finite numbers.")
    if faces.ndim != 2 or faces.shape[1] != 3 or faces.min() < 0 or faces.max() >= len(vertices):
        raise JobError(f"ground.faces must be a list of three vertex numbers each, from 0 to {len(vertices) - 1}.")
    return vertices, faces


def heights(vertices: Array, faces: Ints, xs: Array, ys: Array) -> Array:
    """(len(ys), len(xs)) metres: the highest point of a mesh over each node of an evenly spaced grid, NaN where it has none.

    ``vertices`` (V, 3) m, ``faces`` (F, 3) vertex numbers.
    """
    found = np.full((len(ys), len(xs)), -np.inf)
    step_x, step_y = (max(float(line[-1] - line[0]) / (len(line) - 1), 1e-12) for line in (xs, ys))
    for a, b, c in vertices[faces]:
        area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
        if abs(area) < 1e-12:
            continue  # upright: its edges belong to its neighbours too
        (left, near, _), (right, far, _) = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
        columns = slice(math.ceil((left - xs[0]) / step_x - 1e-6), math.floor((right - xs[0]) / step_x + 1e-6) + 1)
        rows = slice(math.ceil((near - ys[0]) / step_y - 1e-6), math.floor((far - ys[0]) / step_y + 1e-6) + 1)
        x, y = xs[columns] - a[0], ys[rows, None] - a[1]
        if not x.size or not y.size:
            continue
        along_b = (x * (c[1] - a[1]) - y * (c[0] - a[0])) / area
        along_c = (y * (b[0] - a[0]) - x * (b[1] - a[1])) / area
        inside = (along_b > -1e-6) & (along_c > -1e-6) & (along_b + along_c < 1 + 1e-6)
        over = a[2] + along_b * (b[2] - a[2]) + along_c * (c[2] - a[2])
        found[rows, columns] = np.maximum(found[rows, columns], np.where(inside, over, -np.inf))
    return np.where(np.isinf(found), np.nan, found)


def _array(name: str, rows: ArrayLike, kind: type[Kind]) -> NDArray[Kind]:
    try:
        return np.array(rows, kind)
    except (ValueError, TypeError, OverflowError) as error:
        raise JobError(f"ground.{name} must be a list of three numbers each.") from error


def _read_obj(path: str) -> tuple[Array, Ints]:
    vertices, faces = [], []
    try:
        lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise JobError(f"ground.file: '{path}' cannot be read ({error.strerror}).") from error
    for number, line in enumerate(lines, 1):
        words = line.split()
        try:
            if words[:1] == ["v"]:
                x, y, z = (float(word) for word in words[1:4])
                vertices.append([x, y, z])
            elif words[:1] == ["f"]:
                corners = [int(word.split("/")[0]) for word in words[1:]]
                corners = [corner - 1 if corner > 0 else len(vertices) + corner for corner in corners]
                faces += [[corners[0], a, b] for a, b in pairwise(corners[1:])]
        except ValueError as error:
            raise FormatError(f"'{path}' line {number} is not an OBJ vertex or face: '{line.strip()[:60]}'.") from error
    return np.array(vertices, float), np.array(faces, int)
