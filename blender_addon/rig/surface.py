"""Surfaces as triangles with colours, thinned until they are quick to draw. Arrays only, but for what reads a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

GREY = (0.8, 0.8, 0.8, 1.0)  # as Blender shows what has no material
FINEST, COARSER = 0.006, 1.3  # of the largest extent, of the cells into which points are gathered at first; and how much larger they become
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

    def thinned(self, most: int) -> tuple[Surface, np.ndarray]:
        """With ``most`` points at most, near ones of a kind gathered into one; and (V,) which of the new points each became."""
        if len(self.points) <= most:
            return self, np.arange(len(self.points))
        size = FINEST * float(np.ptp(self.points, axis=0).max())
        while True:
            cells = np.column_stack([np.floor(self.points / size).astype(np.int64), self.kinds])
            _, firsts, became = np.unique(cells, axis=0, return_index=True, return_inverse=True)
            if len(firsts) <= most:
                break
            size *= COARSER
        became = became.reshape(-1)
        count = np.bincount(became)[:, None]
        points = np.column_stack([np.bincount(became, weights=self.points[:, axis]) for axis in range(3)]) / count
        triangles = became[self.triangles]
        a, b, c = triangles.T
        triangles = triangles[(a != b) & (b != c) & (c != a)]
        return Surface(points, triangles, self.colors[firsts], self.kinds[firsts]), became


def read_surface(mesh: bpy.types.Mesh, materials: Sequence[bpy.types.Material | None], world: np.ndarray) -> Surface:
    """A mesh at ``world`` (4, 4), in the colours that Blender shows in solid shading. Each of its materials is a kind."""
    mesh.calc_loop_triangles()
    points, triangles = np.empty(3 * len(mesh.vertices), dtype=np.float32), np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    chosen = np.empty(len(mesh.loop_triangles), dtype=np.int32)
    mesh.vertices.foreach_get("co", points)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    mesh.loop_triangles.foreach_get("material_index", chosen)
    palette = np.array([material.diffuse_color if material else GREY for material in materials] or [GREY])[:, :3] ** GAMMA
    kinds = np.zeros(len(mesh.vertices), dtype=np.int64)
    triangles = triangles.reshape(-1, 3)
    kinds[triangles] = np.clip(chosen, 0, len(palette) - 1)[:, None]
    return Surface(points.reshape(-1, 3).astype(float) @ world[:3, :3].T + world[:3, 3], triangles, palette[kinds], kinds)


def joined(surfaces: Sequence[Surface]) -> Surface:
    """As one; kinds of different surfaces are different."""
    firsts = np.cumsum([0, *(len(one.points) for one in surfaces)])
    most = 1 + max((int(one.kinds.max()) for one in surfaces if len(one.kinds)), default=0)
    return Surface(np.concatenate([np.zeros((0, 3)), *(one.points for one in surfaces)]),
                   np.concatenate([np.zeros((0, 3), dtype=np.int64), *(one.triangles + first for one, first in zip(surfaces, firsts, strict=False))]),
                   np.concatenate([np.zeros((0, 3)), *(one.colors for one in surfaces)]),
                   np.concatenate([np.zeros(0, dtype=np.int64), *(one.kinds + most * number for number, one in enumerate(surfaces))]))
