"""How running work tells what it is doing: percents for a person, a stream of poses for a program."""

from __future__ import annotations

import json
import math
import time
from typing import Any, TextIO

from .bar import Bar
from .context import Progress, Seen
from .physics import State

STREAM_PAUSE = 1 / 30  # s of wall time between two poses: as many as a live preview can show


def percents(file: TextIO) -> Progress:
    """A line where the next five percent are done, with the time left and what is being done."""
    bar, following = Bar(), 0

    def progress(fraction: float, _: State | Seen | None, doing: str = "") -> None:
        nonlocal following
        bar.tell(fraction)
        percent = int(100 * bar.shown + 1e-6)
        if percent >= following:
            following = percent - percent % 5 + 5
            print(f"{percent:3d} %" + (f", {bar.left:.0f} s left" if bar.left is not None else "") + (f": {doing}" if doing else ""), file=file)

    return progress


def stream(file: TextIO) -> Progress:
    """A line of JSON for an output frame: fraction done (0–1), seconds left (or null), what is being done, frame, root (3,) and rotations (links, 4),
    both as in a Result.

    Frames that come faster than they can be shown are left out, but never a change of what is being done. Where there is no pose to show, a line ends
    with what is being done.
    """
    bar, frame, last, said = Bar(), -1, -math.inf, ""

    def progress(fraction: float, seen: State | Seen | None, doing: str = "") -> None:
        nonlocal frame, last, said
        frame += seen is not None
        bar.tell(fraction)
        now = time.monotonic()
        if now - last < STREAM_PAUSE and doing == said and fraction < 1.0:
            return
        last, said = now, doing
        line: dict[str, Any] = {"fraction": round(bar.shown, 4), "left": None if bar.left is None else round(bar.left, 2), "doing": doing}
        if seen is not None:
            root, rotations = seen if isinstance(seen, Seen) else (seen.position, rotations_of(seen))
            line |= {"frame": frame, "root": [round(float(v), 6) for v in root],
                     "rotations": [[round(float(v), 6) for v in turn] for turn in rotations]}
        print(json.dumps(line), file=file, flush=True)

    return progress


def rotations_of(state: State) -> list[tuple[float, ...]]:
    """(links, 4) rotation of each link relative to its parent; of the pelvis relative to the world."""
    balls = (joint if isinstance(joint, tuple) else (math.cos(joint / 2), 0.0, math.sin(joint / 2), 0.0) for joint in state.joints[1:])
    return [state.rotation, *balls]
