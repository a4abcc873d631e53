"""How a running simulation tells what it is doing: percents for a person, a stream of poses for a program."""

from __future__ import annotations

import json
import math
import time
from typing import Any, TextIO

from .context import Progress
from .physics import State

STREAM_PAUSE = 1 / 30  # s of wall time between two poses: as many as a live preview can show


def percents(file: TextIO) -> Progress:
    """A line where the next five percent are done, with the time left."""
    began, following = time.monotonic(), 0

    def progress(fraction: float, _: State | None) -> None:
        nonlocal following
        percent = int(100 * fraction)
        if percent >= following:
            following = percent - percent % 5 + 5
            left = _left(began, fraction)
            print(f"{percent:3d} %" + (f", {left:.0f} s left" if left is not None else ""), file=file)

    return progress


def stream(file: TextIO) -> Progress:
    """A line of JSON for an output frame: fraction done (0–1), seconds left (or null), frame, root (3,) and rotations (links, 4) as in a Result.

    Frames that come faster than they can be shown are left out. A search has no pose to show: its lines end with the time left.
    """
    began, frame, last = time.monotonic(), -1, -math.inf

    def progress(fraction: float, state: State | None) -> None:
        nonlocal frame, last
        frame += state is not None
        now = time.monotonic()
        if now - last < STREAM_PAUSE:
            return
        last = now
        left = _left(began, fraction)
        line: dict[str, Any] = {"fraction": round(fraction, 4), "left": None if left is None else round(left, 2)}
        if state is not None:
            line |= {"frame": frame, "root": [round(v, 6) for v in state.position], "rotations": _rotations(state)}
        print(json.dumps(line), file=file, flush=True)

    return progress


def _left(began: float, fraction: float) -> float | None:
    return (time.monotonic() - began) * (1 - fraction) / fraction if fraction > 0.02 else None


def _rotations(state: State) -> list[list[float]]:
    """(links, 4) rotation of each link relative to its parent; of the pelvis relative to the world."""
    balls = (joint if isinstance(joint, tuple) else (math.cos(joint / 2), 0.0, math.sin(joint / 2), 0.0) for joint in state.joints[1:])
    return [[round(v, 6) for v in rotation] for rotation in (state.rotation, *balls)]
