"""A simple picture of a view in which somebody is played, for where Blender takes too long to draw it: the double of the character with its shadow,
the meshes around it, and the lines of the floor. It is drawn over the picture that Blender drew last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import bpy
import gpu
import numpy as np
from gpu_extras.presets import draw_texture_2d
from mathutils import Matrix, Vector

from ..rig.double import Double
from ..rig.fit import Placement
from ..rig.retarget import Retarget
from ..rig.skin import hangs_on
from ..rig.surface import GAMMA, Surface, joined, read_surface
from . import floor, shapes

MOST = 10_000  # points of the meshes around
FINEST = 0.02  # m on a person: points that are as near are one, where there are too many
READ, EACH = 200_000, 200  # points of these meshes that are looked at, as Blender stands still meanwhile; a mesh takes as long as so many points
# Where light comes from, to the right, up and towards who looks, and how much: as in Blender's own studio, from the left above and from the right.
LIGHTS = np.array([(-0.45, 0.65, 0.60), (0.85, 0.10, 0.50), (0.25, -0.75, 0.35)])
STRENGTHS, AMBIENT = np.array([0.75, 0.22, 0.10], dtype=np.float32), 0.16
SUN = (0.25, -0.15)  # how far a shadow goes to +X and +Y for each unit of height
SHADE = 0.72  # of the colour behind, that a shadow has
STEP, MARGIN, SPARSE = 64, 24, 8  # pixels, in which the extent of a part of a picture grows, and around the points that tell it, one of so many


class SimpleView:
    """Attributes:
        double: of who is played.
    """

    def __init__(self, double: Double, around: Surface, level: Placement | None):
        """``around``: what else is seen. ``level``: where level ground is; None: it is not level."""
        self.double, self._level = double, level
        self._elements = gpu.types.GPUIndexBuf(type="TRIS", seq=np.ascontiguousarray(double.surface.triangles, dtype=np.int32))
        self._around = around if len(around.points) else None
        self._still: gpu.types.GPUBatch | None = None  # what is around, once it was drawn
        self._offscreen: gpu.types.GPUOffScreen | None = None
        self._posed: tuple[np.ndarray, np.ndarray] | None = None

    def pose(self, root: np.ndarray, rotations: np.ndarray) -> None:
        """Of the character, as in a Result, in the pictures from now on."""
        self._posed = self.double.posed(root, rotations)

    def draw(self, region: bpy.types.Region, view: Matrix, window: Matrix, place: Sequence[float], more: Callable[[], object]) -> None:
        """The whole picture of a region. ``view``, ``window``: its matrices. ``place``: of who is played, world. ``more`` draws what else moves."""
        if self._posed is None:
            return
        size, back, black = (region.width, region.height), _background(), (0.0, 0.0, 0.0)
        # First of all, and as one triangle: a drawing program without a graphics card then leaves out what it hides, the view that Blender has drawn.
        gpu.state.blend_set("NONE")
        shapes.triangles([(0.0, 0.0, 0.0), (2.0 * size[0], 0.0, 0.0), (0.0, 2.0 * size[1], 0.0)], (*(black if self._around else back), 1.0))
        corner, extent = ((0, 0), size) if self._around else _frame(self._posed[0], np.array(window @ view), size)
        if self._offscreen is None or (self._offscreen.width, self._offscreen.height) != extent:
            self._offscreen = gpu.types.GPUOffScreen(*extent)
        points, normals = self._posed
        body = _batch(points, lit(self.double.colors, normals, np.array(view.to_3x3())), self._elements)
        part = _cropped(window, size, corner, extent)
        if self._around:
            with self._painting(view, part, (*back, 1.0)):
                _smooth(self._drawn_around(view))
                gpu.state.depth_mask_set(False)
                gpu.state.color_mask_set(False, False, False, True)  # the picture is laid on black: where it is not opaque, it is dark
                self._draw_shadow(body, (*black, SHADE))
                gpu.state.color_mask_set(True, True, True, True)
                self._draw_lines(place)
                gpu.state.depth_mask_set(True)
                _smooth(body)
        else:
            with _seen_so(view, window):
                self._draw_shadow(body, (*(SHADE * value for value in back), 1.0))
                self._draw_lines(place)
            with self._painting(view, part, (*black, 0.0)):
                _smooth(body)
        draw_texture_2d(self._offscreen.texture_color, corner, *extent)
        with _seen_so(view, window):
            more()

    @contextmanager
    def _painting(self, view: Matrix, window: Matrix, color: shapes.Color) -> Iterator[None]:
        """Where what is near hides what is far: a window itself knows nothing of depth. ``color``: to begin with."""
        with self._offscreen.bind(), _seen_so(view, window):
            gpu.state.active_framebuffer_get().clear(color=color, depth=1.0)
            gpu.state.blend_set("NONE")
            gpu.state.depth_test_set("LESS_EQUAL")
            gpu.state.depth_mask_set(True)
            yield
            gpu.state.depth_mask_set(False)
            gpu.state.depth_test_set("NONE")
        gpu.state.blend_set("ALPHA")

    def _drawn_around(self, view: Matrix) -> gpu.types.GPUBatch:
        if self._still is None:
            elements = gpu.types.GPUIndexBuf(type="TRIS", seq=np.ascontiguousarray(self._around.triangles, dtype=np.int32))
            colors = lit(self._around.colors, self._around.normals(), np.array(view.to_3x3()))
            self._still = _batch(self._around.points, colors, elements)
        return self._still

    def _draw_shadow(self, body: gpu.types.GPUBatch, color: shapes.Color) -> None:
        if self._level is not None:
            shader = gpu.shader.from_builtin("UNIFORM_COLOR")
            shader.bind()
            shader.uniform_float("color", color)
            with gpu.matrix.push_pop():
                gpu.matrix.multiply_matrix(_flat_on(float(self._level.origin[2]) + floor.LIFTED * self._level.scale))
                body.draw(shader)

    def _draw_lines(self, place: Sequence[float]) -> None:
        if self._level is not None:
            gpu.state.blend_set("ALPHA")
            floor.draw(self._level, place)
            gpu.state.blend_set("NONE")


def simple_view_of(context: bpy.types.Context, armature: bpy.types.Object, retarget: Retarget, level: bool) -> SimpleView | None:
    """Of who is played, on ``level`` ground or not; None where nothing of it would be seen."""
    double = Double(armature, retarget)
    if not len(double.surface.triangles):
        return None
    return SimpleView(double, surroundings(context, armature, retarget.placement), retarget.placement if level else None)


def lit(colors: np.ndarray, normals: np.ndarray, looks: np.ndarray) -> np.ndarray:
    """(V, 4) of points with ``normals`` (V, 3) world, to who looks along ``looks`` (3, 3), from the world to the view."""
    toward = (LIGHTS / np.linalg.norm(LIGHTS, axis=1, keepdims=True)) @ looks
    light = np.float32(AMBIENT) + np.maximum(normals @ toward.T.astype(np.float32), np.float32(0.0)) @ STRENGTHS
    found = np.ones((len(colors), 4), dtype=np.float32)
    np.multiply(colors, (light ** np.float32(GAMMA))[:, None], out=found[:, :3])
    return found


def surroundings(context: bpy.types.Context, armature: bpy.types.Object, placement: Placement) -> Surface:
    """The meshes that are seen around a character, as they are now, thinned; where they are too many, what is far or has very many points is left
    out."""
    graph, found, left = context.evaluated_depsgraph_get(), [], READ
    things = [thing for thing in context.visible_objects
              if thing.type == "MESH" and thing.display_type in ("SOLID", "TEXTURED") and not hangs_on(thing, armature)]
    place = Vector(placement.origin)
    for thing in sorted(things, key=lambda thing: (thing.matrix_world.translation - place).length - thing.dimensions.length):
        shown = thing.evaluated_get(graph)
        count = EACH + len(shown.data.vertices)
        if count <= left:
            left -= count
            found.append(read_surface(shown.to_mesh(), [slot.material for slot in thing.material_slots], np.array(thing.matrix_world)))
            shown.to_mesh_clear()
    return joined(found).thinned(MOST, FINEST * placement.scale)[0].in_pieces()


def _background() -> tuple[float, float, float]:
    return tuple(bpy.context.preferences.themes[0].view_3d.space.gradients.high_gradient)


def _flat_on(height: float) -> Matrix:
    """Lays what stands on ``height`` flat, as a shadow."""
    x, y = SUN
    return Matrix(((1.0, 0.0, x, -x * height), (0.0, 1.0, y, -y * height), (0.0, 0.0, 0.0, height), (0.0, 0.0, 0.0, 1.0)))


def _batch(points: np.ndarray, colors: np.ndarray, elements: gpu.types.GPUIndexBuf) -> gpu.types.GPUBatch:
    form = gpu.types.GPUVertFormat()
    form.attr_add(id="pos", comp_type="F32", len=3, fetch_mode="FLOAT")
    form.attr_add(id="color", comp_type="F32", len=4, fetch_mode="FLOAT")
    held = gpu.types.GPUVertBuf(form, len(points))
    held.attr_fill("pos", np.ascontiguousarray(points, dtype=np.float32))
    held.attr_fill("color", np.ascontiguousarray(colors, dtype=np.float32))
    return gpu.types.GPUBatch(type="TRIS", buf=held, elem=elements)


def _smooth(batch: gpu.types.GPUBatch) -> None:
    batch.draw(gpu.shader.from_builtin("SMOOTH_COLOR"))


@contextmanager
def _seen_so(view: Matrix, window: Matrix) -> Iterator[None]:
    with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
        gpu.matrix.load_matrix(view)
        gpu.matrix.load_projection_matrix(window)
        yield


def _frame(points: np.ndarray, whole: np.ndarray, size: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where in a picture of ``size`` points are seen: its lower left corner and its extent, in pixels, a little more than they need and seldom
    another. ``whole``: (4, 4) from the world to the picture."""
    points = points[::SPARSE]
    seen = points @ whole[:3, :3].T + whole[:3, 3]
    deep = points @ whole[3, :3] + whole[3, 3]
    if deep.min() <= 0.0:  # it is partly behind who looks
        return (0, 0), size
    at = (seen[:, :2] / deep[:, None] + 1.0) * 0.5 * size
    low, high = np.clip(at.min(axis=0), 0.0, size), np.clip(at.max(axis=0), 0.0, size)
    extent = tuple(min(int(-(-(need + MARGIN) // STEP)) * STEP, most) for need, most in zip(high - low, size, strict=True))
    return tuple(int(np.clip(middle - extent[axis] // 2, 0, size[axis] - extent[axis])) for axis, middle in enumerate((low + high) / 2)), extent


def _cropped(window: Matrix, size: tuple[int, int], place: tuple[int, int], extent: tuple[int, int]) -> Matrix:
    """For a part of a picture of ``size``: what is at ``place`` and of ``extent``, in pixels."""
    (wide, high), (x, y), (part_wide, part_high) = size, place, extent
    return Matrix(((wide / part_wide, 0.0, 0.0, (wide - 2 * x) / part_wide - 1.0), (0.0, high / part_high, 0.0, (high - 2 * y) / part_high - 1.0),
                   (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))) @ window
