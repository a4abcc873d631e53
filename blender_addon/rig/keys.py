"""F-curves in time: the same curve up to a frame and to the bit, at other frames, or going on beyond its end."""

from __future__ import annotations

import bpy
import numpy as np

from ..compat import HANDLES, KEY_FIELDS, KEY_HANDLES, read_keys, write_keys

CONSTANT, LINEAR, BEZIER = 0, 1, 2  # of Keyframe.interpolation, as foreach_get gives it
FREE, AUTO, VECTOR, ALIGNED, AUTO_CLAMPED = range(len(HANDLES))
SAME = 1e-3  # frames: keys that are nearer to each other are at one time
Keys = dict[str, np.ndarray]  # as ``read_keys``, (keys, values of one) each


def keys_of(curve: bpy.types.FCurve) -> Keys:
    return {field: np.array(values).reshape(-1, KEY_FIELDS[field]) for field, values in read_keys(curve).items()}


def plain_keys(frames: np.ndarray, values: np.ndarray, interpolation: int = LINEAR) -> Keys:
    """One key for each frame; between dense keys a straight line never overshoots."""
    keys = {field: np.zeros((len(frames), size), dtype=int if size == 1 else float) for field, size in KEY_FIELDS.items()}
    for field in ("co", "handle_left", "handle_right"):
        keys[field] = np.column_stack([frames, values])
    keys["interpolation"][:] = interpolation
    for side in KEY_HANDLES:
        keys[side][:] = AUTO_CLAMPED
    return keys


def write(curve: bpy.types.FCurve, keys: Keys, *later: Keys) -> None:
    """Into an F-curve that has no keys: these, and then others. Where both have a key at one time, it is the same one: the first has its handles."""
    for part in later:
        skipped = int(len(keys["co"]) > 0 and part["co"][0, 0] < keys["co"][-1, 0] + SAME)
        keys = {field: np.concatenate([values, part[field][skipped:]]) for field, values in keys.items()}
    write_keys(curve, {field: values.ravel().tolist() for field, values in keys.items()})
    curve.update()


def is_muted(curve: bpy.types.FCurve) -> bool:
    return curve.mute or bool(curve.group and curve.group.mute)


def moved(keys: Keys, by: float) -> Keys:
    """The keys later by so many frames."""
    return {field: values + (by, 0.0) if values.shape[1] == 2 else values for field, values in keys.items()}


def sampled(curve: bpy.types.FCurve, frames: np.ndarray, shows: np.ndarray) -> Keys:
    """A key on each of the frames, with the value that the curve has on another one; a single one where that never changes."""
    values = np.array([curve.evaluate(frame) for frame in shows])
    steps = len(curve.keyframe_points) > 0 and all(key.interpolation == "CONSTANT" for key in curve.keyframe_points)
    if len(values) and np.ptp(values) == 0.0:
        frames, values = frames[:1], values[:1]
    return plain_keys(frames, values, CONSTANT if steps else LINEAR)


def until(curve: bpy.types.FCurve, frame: float) -> Keys | None:
    """The keys as far as a frame, so that the curve stays as it is as far as there when a key with its value follows at that frame. None where keys
    alone do not tell how the curve goes: it has modifiers, or bounces, or is a straight line without a key."""
    keys = keys_of(curve)
    times = keys["co"][:, 0]
    count = int(np.searchsorted(times, frame - SAME))
    if curve.modifiers or not len(times) or (curve.extrapolation == "LINEAR" and not 0 < count < len(times)):
        return None
    kept = {field: values[:count].copy() for field, values in keys.items()}
    if count == 0:
        return kept
    how = kept["interpolation"][-1, 0] if count < len(times) else LINEAR
    if how > BEZIER and times[count] > frame + SAME:
        return None
    kept["interpolation"][-1] = how
    if how >= BEZIER:
        points = _up_to(_segment(keys, count), frame)
        end = {field: values[count:count + 1].copy() for field, values in keys.items()}
        kept["handle_right"][-1], end["handle_left"][0], end["co"][0], end["handle_right"][0] = points[1], points[2], points[3], points[3]
        end["interpolation"][0] = LINEAR
        kept = {field: np.concatenate([values, end[field]]) for field, values in kept.items()}
    for side in KEY_HANDLES:  # what depends on the keys around would move when those go
        kinds = kept[side]
        kinds[np.isin(kinds, (AUTO, AUTO_CLAMPED))] = ALIGNED
        kinds[kinds == VECTOR] = FREE
        kinds[-2:] = FREE
    return kept


def _up_to(points: np.ndarray, frame: float) -> np.ndarray:
    """(4, 2) Bézier points of the part of a curve up to a frame."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _split(points, middle)[3, 0] < frame else (low, middle)
    return _split(points, high)


def _segment(keys: Keys, count: int) -> np.ndarray:
    """(4, 2) Bézier points of the curve that leads to a key: handles that reach over each other are shortened, as Blender does it."""
    start, right, left, end = keys["co"][count - 1], keys["handle_right"][count - 1], keys["handle_left"][count], keys["co"][count]
    reach, whole = abs(right[0] - start[0]) + abs(end[0] - left[0]), end[0] - start[0]
    part = min(1.0, whole / reach) if reach > 0.0 else 1.0
    return np.array([start, start + part * (right - start), end + part * (left - end), end])


def _split(points: np.ndarray, at: float) -> np.ndarray:
    """(4, 2) Bézier points of the part up to ``at`` (0–1), by de Casteljau."""
    found = [points[0]]
    while len(points) > 1:
        points = points[:-1] + at * np.diff(points, axis=0)
        found.append(points[0])
    return np.array(found)
