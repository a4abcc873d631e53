"""Quiet and active pieces of a clip, told by how the body moves: an action leaves the pose that the person comes back to, and ends on return.

Foot pressure cannot cut a clip: where actions are repeated there is no quiet gap between them, and some of them hardly show under the feet.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..feet import speeds
from ..reference import Reference
from ..signals import local_fit, runs

POINTS = ("pelvis", "head", "forearm.L", "forearm.R", "hand.L", "hand.R", "foot.L", "foot.R")
# m, mean distance of these points from where they rest: an action goes beyond the first, and between two actions the pose comes within the second,
# or within this share of how far the lesser of both gets.
AWAY, BACK, BACK_SHARE = 0.09, 0.06, 0.45
# An action begins, going back from where it is plain, where all points but one are slower than this share of the greatest speed on the way out, or
# than so many m/s; or else where the fastest is slowest. One point alone is a hand that fidgets.
SLOW_SHARE, SLOW = 0.12, 0.12
SHORTEST_S, LONGEST_S = 0.25, 6.0  # of an action
QUIET_S = 0.3  # s without action that are quiet
SMOOTH_S, SAMPLE_S = 0.1, 0.06  # s, over which speeds are measured, and between the poses that may be the one of rest
LATELY_S = 1.5  # s around a moment in which the person comes back to the same pose (one sigma)
UPRIGHT = 0.1  # m that a pelvis is lower, or one ankle higher than the other, in a pose that is e times less likely to be one of rest


@dataclass(frozen=True)
class Segment:
    """From ``start`` until before ``end``, s of the clip. ``active``: an action, or else quiet standing. ``peak``: s at which the pose is furthest
    away."""

    start: float
    end: float
    active: bool
    peak: float


def segments(reference: Reference) -> list[Segment]:
    """The actions and quiet pieces of a clip, in order of time. What is neither, such as settling down between two actions, is left out."""
    fps = reference.motion.fps
    points = body_points(reference)
    away = local_fit(distance_from_rest(reference), fps, SMOOTH_S, 1)
    pace, second = fastest(points, fps)
    found = []
    busy = np.zeros(len(away), dtype=bool)
    for start, end in _excursions(away):
        first = _onset(pace, second, away, start, end)
        last = len(away) - _onset(pace[::-1], second[::-1], away[::-1], len(away) - end, len(away) - start)
        if SHORTEST_S <= (last - first) / fps <= LONGEST_S:
            peak = start + int(np.argmax(away[start:end]))
            found.append(Segment(first / fps, last / fps, True, peak / fps))
        busy[first:last] = True
    still: Bools = ~busy & (away < AWAY) & (second < 2 * SLOW)
    found += [Segment(start / fps, end / fps, False, start / fps) for start, end in runs(still) if end - start >= QUIET_S * fps]
    return sorted(found, key=lambda segment: segment.start)


def fastest(points: Array, fps: float) -> tuple[Array, Array]:
    """(F,) m/s, twice: how fast the fastest and the second fastest of points (F, P, 3) m are."""
    pace = np.sort(speeds(points, fps, SMOOTH_S), axis=1)
    return pace[:, -1], pace[:, -2]


def body_points(reference: Reference) -> Array:
    """(F, P, 3) m, world: pelvis, head, elbows, wrists and ankles."""
    body = reference.body
    positions, orientations = reference.motion.world()
    found = []
    for name in POINTS:
        if name.startswith("hand"):
            # The forearm's link reaches to the finger tips: its shape's far end.
            link = body.names.index(f"forearm.{name[-1]}")
            tip = np.array([0.0, 0.0, 2.0 * body.shapes[link].center[2]])
            found.append(positions[:, link] + rotation.rotate(orientations[:, link], tip))
        else:
            found.append(positions[:, body.names.index(name)])
    return np.stack(found, axis=1)


def distance_from_rest(reference: Reference) -> Array:
    """(F,) m, mean distance of the body's points from where they are in the pose that the person comes back to at that time: a boxer's guard is
    one."""
    points = body_points(reference)
    fps = reference.motion.fps
    pace, _ = fastest(points, fps)
    rows = _seen_from_feet(reference, points)
    at = np.arange(0, len(rows), max(1, round(SAMPLE_S * fps)))
    sample = rows[at]
    apart = np.linalg.norm(sample[:, None] - sample[None], axis=-1).mean(axis=-1)
    # The pose that many slow frames are near to: those of the rest are, also where it is never held for long. People rest upright, on
    # both feet.
    height, ankles = sample[:, POINTS.index("pelvis"), 2], sample[:, -2:, 2]
    slow = np.exp((height - height.max() - np.ptp(ankles, axis=1)) / UPRIGHT) / (SLOW + pace[at])
    lately = np.exp(-0.5 * ((at[:, None] - at) / (LATELY_S * fps)) ** 2)
    likeness = (lately * slow) @ np.exp(-0.5 * (apart / BACK) ** 2) * lately * slow
    rests = sample[np.argmax(likeness, axis=1)]
    nearest = np.minimum(np.round(np.arange(len(rows)) / (at[1] if len(at) > 1 else 1)).astype(int), len(at) - 1)
    return np.linalg.norm(rows - rests[nearest], axis=-1).mean(axis=-1)


def _seen_from_feet(reference: Reference, points: Array) -> Array:
    """(F, P, 3) m of points (F, P, 3): seen from between the feet, ahead, to the left and up, so that a step away is not an action for ever."""
    names = POINTS.index("foot.L"), POINTS.index("foot.R")
    middle = points[:, names].mean(axis=1) * (1.0, 1.0, 0.0)
    heading = local_fit(np.unwrap(rotation.heading(reference.motion.rotations[:, 0])), reference.motion.fps, 0.5, 1)
    turn = rotation.from_axis_angle((0.0, 0.0, 1.0), -heading)
    return rotation.rotate(turn[:, None], points - middle[:, None])


def _excursions(away: Array) -> list[tuple[int, int]]:
    """(start, end) of every time that the distance (F,) from rest is plain, cut where it comes back in between."""
    found = []
    for start, end in runs(away > BACK):
        piece = away[start:end]
        if piece.max() < AWAY:
            continue
        # Valleys between peaks, the deepest first, as long as they are deep enough compared with the peaks on both sides.
        valleys = np.flatnonzero((piece[1:-1] <= piece[:-2]) & (piece[1:-1] < piece[2:])) + 1
        kept: list[int] = []
        for valley in sorted(valleys, key=lambda v: piece[v]):
            edges = sorted([0, *kept, len(piece)])
            before = max(e for e in edges if e <= valley)
            after = min(e for e in edges if e > valley)
            lesser = min(piece[before:valley + 1].max(), piece[valley:after].max())
            if piece[valley] < BACK_SHARE * lesser and lesser > AWAY:
                kept.append(int(valley))
        cuts = [0, *sorted(kept), len(piece)]
        found += [(start + one, start + other) for one, other in pairwise(cuts) if piece[one:other].max() >= AWAY]
    return found


def _onset(pace: Array, second: Array, away: Array, start: int, end: int) -> int:
    """The frame on which an excursion (start, end) begins; see above."""
    peak = start + int(np.argmax(away[start:end]))
    plain = start + int(np.argmax(away[start:peak + 1] >= min(AWAY, away[peak])))
    limit = max(SLOW, SLOW_SHARE * float(pace[start:peak + 1].max()))
    frame = plain
    while frame > 0 and second[frame] > limit:
        # Where the pose is nearest to rest between two actions, the one before ends.
        if frame <= start and away[frame - 1] > away[frame] and pace[frame - 1] > pace[frame]:
            break
        frame -= 1
    return frame
