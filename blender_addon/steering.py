"""Speed and heading of a job, from numbers, animated properties and curve objects."""

from __future__ import annotations

import math
import re

import bpy
import numpy as np

from ..core import presets
from ..core.errors import JobError
from . import references
from .compat import find_curve
from .method import follows_clip, has, steered
from .rig.fit import Placement
from .span import Span

POINTS_APART = 0.1  # m between points of a path; more would only make the job longer
SHORTEST_PATH = 0.5  # m


def usual_speed(scene: bpy.types.Scene, motion: bpy.types.PropertyGroup) -> float:
    """m/s ahead: what is asked for, or else the gait's or the recording's own."""
    if steered(motion) and not motion.own_speed:
        return motion.speed
    if follows_clip(motion):
        return references.followed(scene, motion).speed
    return float(presets.load("gaits", motion.gait).get("speed", 0.0)) if has(motion, "gait") else 0.0


def speed_of(armature: bpy.types.Object, span: Span) -> dict:
    """The "speed" of a job; {} for the gait's or the recording's own."""
    motion = armature.footfall.motion
    if motion.own_speed:
        return {}
    curve = find_curve(armature, "footfall.motion.speed", 0)
    return {"speed": [[time, curve.evaluate(span.frame(time))] for time in span.times()] if curve else motion.speed}


def heading_of(scene: bpy.types.Scene, armature: bpy.types.Object, span: Span, placement: Placement) -> dict:
    """The "heading" or the "path" of a job."""
    motion = armature.footfall.motion
    if motion.heading_mode == "CURVE":
        return {"path": _path(motion.curve, placement, abs(usual_speed(scene, motion)) * span.seconds)}
    if motion.heading_mode == "PROPERTY":
        return {"heading": _animated(motion.heading_object, motion.heading_path, span)}
    curve = find_curve(armature, "footfall.motion.heading", 0)
    if curve:
        return {"heading": [[time, curve.evaluate(span.frame(time))] for time in span.times()]}
    if motion.turn_seconds == 0.0:
        return {"heading": motion.heading}
    return {"heading": [[0.0, 0.0], [motion.turn_seconds, motion.heading]]}


def _animated(owner: bpy.types.Object | None, path: str, span: Span) -> list[list[float]]:
    if owner is None:
        raise JobError("No object is set for the animated heading: choose one, or turn by a number.")
    name, index = re.fullmatch(r"(.*?)(?:\[(\d+)\])?", path).groups()
    curve = find_curve(owner, name, int(index or 0))
    if curve is None:
        raise JobError(f"'{path}' of '{owner.name}' is not animated: set keyframes on it, or choose another property.")
    # Rotations are stored in radians; a property of one's own is shown as it is, so it is in degrees.
    unit = 1.0 if name.endswith(("rotation_euler", "footfall.motion.heading")) else math.radians(1.0)
    return [[time, unit * curve.evaluate(span.frame(time))] for time in span.times()]


def _path(curve: bpy.types.Object | None, placement: Placement, far: float) -> list[list[float]]:
    """Points over the ground along a curve object's first spline, simulated metres, from the place nearest to the character on; around a closed
    curve as often as it takes to walk ``far`` metres."""
    if curve is None:
        raise JobError("No curve is set to walk along: choose a curve object, or turn by a number.")
    world, closed = _spline_points(curve)
    points = _evenly(placement.to_job(world)[:, :2])
    length = POINTS_APART * (len(points) - 1)
    if length < SHORTEST_PATH:
        raise JobError(f"The curve '{curve.name}' is only {length:.1f} m long: make it longer, or choose another one.")
    nearest = int(np.argmin(np.linalg.norm(points, axis=1)))
    if closed:
        lap = np.roll(points[:-1], -nearest, axis=0)
        points = np.concatenate([lap] * (1 + math.ceil(far / length)))
    elif POINTS_APART * (len(points) - nearest) > SHORTEST_PATH:
        points = points[nearest:]
    return points.round(4).tolist()


def _evenly(points: np.ndarray) -> np.ndarray:
    """(N, 2) points about ``POINTS_APART`` from each other along a line through (M, 2) points."""
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    along = np.linspace(0.0, lengths[-1], 1 + max(1, round(lengths[-1] / POINTS_APART)))
    return np.stack([np.interp(along, lengths, points[:, axis]) for axis in (0, 1)], axis=-1)


def _spline_points(curve: bpy.types.Object) -> tuple[np.ndarray, bool]:
    """(N, 3) world: the first spline as a line, without its thickness; and whether it is closed (its last point is then its first)."""
    line = curve.data.copy()
    line.bevel_depth = line.extrude = line.offset = 0.0
    line.bevel_object = None
    line.fill_mode = "FULL" if line.dimensions == "3D" else "NONE"
    while len(line.splines) > 1:
        line.splines.remove(line.splines[-1])
    holder = bpy.data.objects.new("", line)
    try:
        mesh = holder.to_mesh()
        if mesh is None or len(mesh.vertices) < 2:
            raise JobError(f"The curve '{curve.name}' has fewer than two points: draw it longer, or choose another one.")
        points = [curve.matrix_world @ vertex.co for vertex in mesh.vertices]
        closed = line.splines[0].use_cyclic_u
        return np.array(points + points[:1] if closed else points), closed
    finally:
        holder.to_mesh_clear()
        bpy.data.objects.remove(holder)
        bpy.data.curves.remove(line)
