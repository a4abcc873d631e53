"""Surfaces as triangles with colours, thinned until they are quick to draw. Arrays only, but for what reads a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

GREY = (0.8, 0.8, 0.8, 1.0)  # as Blender shows what has no material
COARSER = 1.1  # times as large, at least, become the cells into which points are gathered, until there are few enough
MOST_CELLS = 1e5  # along each axis: then their numbers, and those of the kinds, fit into one
FEWEST_OF_KIND = 10  # points, on average, with which different kinds stay apart
GAMMA = 1.0 / 2.2  # from the light of a colour to what a screen is told


@dataclass(frozen=True)
class Surface:
    """Attributes:
        points: (V, 3) world, Blender units. triangles: (T, 3) numbers of points. colors: (V, 3) as a screen is told.
        kinds: (V,) of points that belong together: those of different kinds stay apart when it is thinned.
    """

    points: np.ndarray
    triangles: np.ndarray
    colors: np.ndarray
    kinds: np.ndarray

    def normals(self) -> np.ndarray:
        """(V, 3) unit, of the points; zero where nothing tells."""
        a, b, c = (self.points[self.triangles[:, corner]] for corner in range(3))
        of_faces = np.cross(b - a, c - a)  # as long as its triangle is large
        found = np.zeros(self.points.shape)
        for corner in range(3):
            np.add.at(found, self.triangles[:, corner], of_faces)
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)

    def in_pieces(self) -> Surface:
        """With points for each triangle alone: then its normals show its edges."""
        corners = self.triangles.reshape(-1)
        return Surface(self.points[corners], np.arange(len(corners)).reshape(-1, 3), self.colors[corners], self.kinds[corners])

    def thinned(self, most: int, finest: float) -> tuple[Surface, np.ndarray]:
        """With ``most`` points at most, near ones of a kind gathered into one; and (V,) which of the new points each became. Where there are very
        many kinds, those that are near each other are gathered, too. ``finest``: how near, Blender units, at least."""
        if len(self.points) <= most:
            return self, np.arange(len(self.points))
        found, kinds = np.unique(self.kinds, return_inverse=True)
        if len(found) * FEWEST_OF_KIND > most:
            kinds = np.zeros(len(self.points), dtype=np.int64)
        away = self.points - self.points.min(axis=0)
        size = max(finest, float(away.max()) / MOST_CELLS)
        while (count := _different(cells := _cells(away, kinds, size))) > most:
            size *= max(COARSER, np.sqrt(count / most))  # cells twice as large: a quarter of them on a surface
        _, firsts, became = np.unique(cells, return_index=True, return_inverse=True)
        count = np.bincount(became)[:, None]
        points = np.column_stack([np.bincount(became, weights=self.points[:, axis]) for axis in range(3)]) / count
        triangles = became[self.triangles]
        a, b, c = triangles.T
        triangles = triangles[(a != b) & (b != c) & (c != a)]
        return Surface(points, triangles, self.colors[firsts], self.kinds[firsts]), became


def _cells(away: np.ndarray, kinds: np.ndarray, size: float) -> np.ndarray:
    """(V,) a number for the cell and the kind of each point. ``away``: (V, 3) from the corner of all. ``size``: of cells."""
    cells = (away / size).astype(np.int64)
    x, y, z = cells.max(axis=0) + 1
    return ((kinds * x + cells[:, 0]) * y + cells[:, 1]) * z + cells[:, 2]


def _different(numbers: np.ndarray) -> int:
    """How many different numbers there are."""
    return 1 + int(np.count_nonzero(np.diff(np.sort(numbers))))  # which is quicker than numpy's own way for very many


def read_triangles(mesh: bpy.types.Mesh, world: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points (V, 3) of a mesh at ``world`` (4, 4), and its triangles (T, 3), which are numbers of points."""
    mesh.calc_loop_triangles()
    points, triangles = np.empty(3 * len(mesh.vertices), dtype=np.float32), np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.vertices.foreach_get("co", points)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    return points.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3], triangles.reshape(-1, 3)


def read_surface(mesh: bpy.types.Mesh, materials: Sequence[bpy.types.Material | None], world: np.ndarray) -> Surface:
    """A mesh at ``world`` (4, 4), in the colours that Blender shows in solid shading. Each of its materials is a kind."""
    points, triangles = read_triangles(mesh, world)
    chosen = np.empty(len(triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("material_index", chosen)
    palette = np.array([material.diffuse_color if material else GREY for material in materials] or [GREY])[:, :3] ** GAMMA
    kinds = np.zeros(len(points), dtype=np.int64)
    kinds[triangles] = np.clip(chosen, 0, len(palette) - 1)[:, None]
    return Surface(points, triangles, palette[kinds], kinds)


def joined(surfaces: Sequence[Surface]) -> Surface:
    """As one; kinds of different surfaces are different."""
    firsts = np.cumsum([0, *(len(one.points) for one in surfaces)])
    most = 1 + max((int(one.kinds.max()) for one in surfaces if len(one.kinds)), default=0)
    return Surface(np.concatenate([np.zeros((0, 3)), *(one.points for one in surfaces)]),
                   np.concatenate([np.zeros((0, 3), dtype=np.int64), *(one.triangles + first for one, first in zip(surfaces, firsts, strict=False))]),
                   np.concatenate([np.zeros((0, 3)), *(one.colors for one in surfaces)]),
                   np.concatenate([np.zeros(0, dtype=np.int64), *(one.kinds + most * number for number, one in enumerate(surfaces))]))
