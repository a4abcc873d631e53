"""What becomes of hits on moving clips: a table, one line each as it is done.

    python benchmarks/hits.py [CLIP:S,S,S …] [--impulses 30,60] [--side left] [--part chest] [--engine auto] [--workers 2] [-o table.jsonl]

Each clip is hit on a part of the body for 0.2 s with each impulse (N·s) at each moment (s), and takes it as it will (response ``auto``).
Without clips: pybullet_data's kick, dance, jump (as it lands) and run. Rows that are in the table already are left out, so that stopped work goes on.

``slide_mm``: the most that a foot slides in one stance after the hit, while it bears 0.3 of the weight or more.
``rest_s``: s after the hit, from which on a body that has fallen lies still.
``off_cm``: of joints seen from the pelvis, on average, at the end of the clip.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import pybullet_data

from benchmarks import table
from core.commands.shared import add_workers, context_of
from core.errors import FootfallError
from core.feet.slide import bearing_slides
from core.jobs import make_job, run
from core.kinematics import fastest
from core.measure.following import off_clip
from core.places import PARTS
from core.result import Result

MOTIONS = Path(pybullet_data.getDataPath()) / "data" / "motions"
USUAL = {"kick": "0.3,0.7,1.1", "dance_a": "0.4,0.8,1.2", "jump": "1.1,1.2,1.3", "run": "0.15,0.35,0.55"}
SIDES = {"left": (0.0, 1.0), "right": (0.0, -1.0), "ahead": (1.0, 0.0), "back": (-1.0, 0.0)}
LOOPED, LOOPED_S = ("run", "walk"), 3.0  # in the name of a clip, which is then looped, for so many s after the hit
HIT_S, FPS, STILL_M_S = 0.2, 60.0, 0.05


def rest(result: Result, time: float) -> float:
    """s after ``time`` from which on no joint moves faster than ``STILL_M_S``."""
    return float(np.flatnonzero(fastest(result) > STILL_M_S)[-1] + 1) / result.fps - time


def taken(clip: Path, impulse: float, time: float, options: argparse.Namespace) -> dict:
    """The row of one hit."""
    force = [impulse / HIT_S * part for part in SIDES[options.side]] + [0.0]
    event = {"type": "push", "time": time, "duration": HIT_S, "force": force, "part": options.part, "frame": "heading"}
    row = {"clip": clip.name, "impulse_Ns": impulse, "time_s": time, "side": options.side, "part": options.part, "engine": options.engine}
    data = {"method": "hit", "clips": [str(clip)], "response": "auto", "fps": FPS, "engine": options.engine, "events": [event]}
    if any(word in clip.name for word in LOOPED):
        data |= {"loop": True, "duration": time + LOOPED_S}
    try:
        result = run(make_job(data), context_of(options))
    except FootfallError as error:
        return row | {"error": str(error)}
    outcome = result.outcome
    slide = max(bearing_slides(result, round(time * FPS)), default=0.0)
    row |= {"response": outcome["response"], "fell": outcome["fell"], "slide_mm": round(1000.0 * slide, 1)}
    return row | ({"rest_s": round(rest(result, time), 2)} if outcome["fell"] else {"off_cm": round(100 * float(off_clip(result)[-6:].mean()), 1)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clips", nargs="*", default=[f"{MOTIONS / f'humanoid3d_{name}.txt'}:{times}" for name, times in USUAL.items()])
    parser.add_argument("--impulses", default="30,60")
    parser.add_argument("--side", choices=SIDES, default="left")
    parser.add_argument("--part", choices=PARTS, default="chest", metavar="PART")
    parser.add_argument("--engine", default="auto")
    add_workers(parser)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    rows = table.rows(options.output)
    known = [[row[name] for name in ("clip", "impulse_Ns", "time_s", "side", "part", "engine")] for row in rows]
    for path, times in (clip.rsplit(":", 1) for clip in options.clips):
        for time in map(float, times.split(",")):
            for impulse in map(float, options.impulses.split(",")):
                if [Path(path).name, impulse, time, options.side, options.part, options.engine] in known:
                    continue
                rows.append(taken(Path(path), impulse, time, options))
                table.add(options.output, rows[-1])
    stood = [row for row in rows if not row.get("fell", True)]
    slid = max((row["slide_mm"] for row in stood), default=0.0)
    print(f"{len(stood)} of {len(rows)} recovered; the most that a foot slid in a stance: {slid:g} mm")


if __name__ == "__main__":
    main()
