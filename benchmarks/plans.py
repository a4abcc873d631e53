"""How well any clip is followed by planning: a table of clips, one line each as it is done, after the last smoothing and planting of feet.

    python benchmarks/plans.py CLIP … [--quality normal] [--engine mujoco] [--workers 2] [--dask ADDRESS] [-o table.jsonl]

Clips that are in the table already are left out, so that stopped work goes on; benchmarks/tables/plans.jsonl is what was measured so far.

``core_s_per_s``: core-seconds for a second of the clip, of all threads and processes of this machine; nobody counts those of a Dask cluster.
``slide_mm``: of a foot in a stance of the clip, while it bears weight, on average over the stances. ``drag_mm_s``: what feet that bear weight slide
besides, in a second: in pivots and slides of the clip itself, or where a swinging foot scrapes the floor. Drift and penetration are the largest.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from benchmarks import table
from core import presets, rotation
from core.commands.shared import add_workers, context_of
from core.errors import FootfallError
from core.feet.slide import frame_slides
from core.jobs import make_job, run
from core.measure.following import following
from core.reference.recordings import Recording, reference_of
from core.result import Result
from core.signals import local_fit, runs

FPS = 60.0
COLUMNS = ("joint_error_cm", "drift_cm", "penetration_mm", "slide_mm", "drag_mm_s", "acceleration_ratio", "core_s_per_s", "retries")


def spent() -> float:
    """s of processor time of this process and its ended children."""
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def unrest(rotations: np.ndarray) -> float:
    """RMS of the joints' acceleration, as second derivatives of their quaternions."""
    return float(np.sqrt((local_fit(rotation.make_continuous(rotations), FPS, 0.05, 2, 2)[:, 1:] ** 2).mean()))


def slides(result: Result, contacts: np.ndarray) -> tuple[float, float]:
    """mm that a foot slides in a stance of the clip, on average, and mm/s that feet slide outside of them. ``contacts``: (F, 2) of the clip."""
    moved = 1000.0 * frame_slides(result)
    # A frame in which a foot lands or leaves is only half a stance's.
    within = [(slice(start + 1, end - 1), foot) for foot in (0, 1) for start, end in runs(contacts[:, foot])]
    standing = [float(moved[span].sum()) for span in within]
    return float(np.mean(standing or [0.0])), (moved.sum() - sum(standing)) * result.fps / len(moved)


def settings(options: argparse.Namespace) -> list:
    """What a row depends on beside its clip."""
    return [options.quality, options.strength, options.engine, options.seed]


def followed(clip: str, options: argparse.Namespace) -> dict:
    """The row of a clip."""
    data = {"method": "plan", "clips": [clip], "quality": options.quality, "strength": options.strength, "repair": True, "fps": FPS,
            "engine": options.engine, "seed": options.seed}
    before = spent()
    try:
        job = make_job(data)
        result = run(job, context_of(options))
        cost = spent() - before
    except FootfallError as error:
        return {"clip": Path(clip).name, "settings": settings(options), "held": False, "why": str(error)}
    seconds = (len(result.root_positions) - 1) / FPS
    body = presets.body(job.body)
    reference = reference_of(Recording(clip, repair=True), body)
    own = reference.motion.resample(FPS).rotations[:len(result.rotations)]
    slide, drag = slides(result, reference.contacts_at(FPS, len(result.rotations)))
    row = {"clip": Path(clip).name, "settings": settings(options), "held": not result.outcome["fell"], "seconds": round(seconds, 2),
           "joint_error_cm": round(100 * following(result)["joint_error_m"], 2),
           "drift_cm": round(100 * float(np.linalg.norm(result.root_positions[:, :2] - result.reference_positions[:, 0, :2], axis=1).max()), 1),
           "penetration_mm": round(1000 * float(result.penetrations.max()), 1), "slide_mm": round(slide, 1),
           "drag_mm_s": round(drag, 1),
           "acceleration_ratio": round(unrest(result.rotations) / max(unrest(own), 1e-9), 2),
           "core_s_per_s": None if options.dask else round(cost / max(seconds, 1e-9), 1), "retries": result.outcome["retries"]}
    return row | ({"why": result.outcome["reason"]} if result.outcome["fell"] else {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clips", nargs="+")
    parser.add_argument("--quality", default="normal")
    parser.add_argument("--strength", default="human")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--seed", type=int, default=0)
    add_workers(parser)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    rows = table.rows(options.output)
    for clip in options.clips:
        if any(row["clip"] == Path(clip).name and row["settings"] == settings(options) for row in rows):
            continue
        rows.append(followed(clip, options))
        table.add(options.output, rows[-1])
    rows = [row for row in rows if row["settings"] == settings(options)]
    held = [row for row in rows if row["held"]]
    print(f"{len(held)} of {len(rows)} held; joints {np.mean([row['joint_error_cm'] for row in held] or [np.nan]):.1f} cm off on average; largest of "
          f"the held: " + ", ".join(f"{name} {max(values)}" for name in COLUMNS if (values := [row[name] for row in held if row[name] is not None])))


if __name__ == "__main__":
    main()
