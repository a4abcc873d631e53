"""What becomes of hits on moving clips: a table, one line each as it is done, and a summary.

    python benchmarks/hits.py [CLIP …] [--each 4] [--seed 1] [--engine auto] [--workers 2] [-o table.jsonl] [--against table.jsonl]

Each clip is hit ``--each`` times, at random moments, parts of the body and directions, with the strengths that presets/hits.json names shove, blow
and tackle in turn, and takes it as it will (response ``auto``). The hits of a clip depend on the seed and on its name alone. Without clips:
pybullet_data's. Each hit has one core; ``--workers`` hits are taken side by side. Rows that are in the table already are left out, so that stopped
work goes on. ``--against``: a table of the same hits, taken before; those that stayed up then and fall now are named.

``core_s``: processor time. ``held``: what has held the body: a style of balance, an attempt to track the clip, or the knots of a plan. ``slide_mm``:
the most that a foot slides in one stance after the hit, while it bears 0.3 of the weight or more, until the body is as in the clip.
``fell_s``, ``rest_s``: s after the hit, at which a body that has fallen was lost, and from which on it lies still.
``off_mm``: of the worst joint from the clip, moved and turned on the ground once, from ``BACK_S`` after the hit on, or at the end where the clip is
over before that. ``off_deg``: by which a joint is turned otherwise than in the clip, then.
``seam``: the fastest joint, seen from the pelvis, where the clip is left and come back to, over the clip's own fastest.
``beyond_deg``: the most that a joint is beyond its limit, and beyond where the clip has it.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from benchmarks import table
from core.context import Context
from core.errors import FootfallError
from core.feet.slide import bearing_slides
from core.hit.settings import STRENGTHS
from core.hit.take import as_before
from core.jobs import make_job, run
from core.kinematics import fastest, link_poses
from core.measure.limits import limit_excess
from core.reference.recordings import Recording, own_length
from core.result import Result
from core.skeleton import Skeleton

USUAL = ("kick", "dance_a", "jump", "run", "walk", "punch")
PARTS = ("chest", "head", "pelvis", "hand.L", "hand.R", "thigh.L", "thigh.R", "torso")
KINDS = ("shove", "blow", "tackle")
MARGIN_S = 0.1  # of the clip, in which it is not hit: at its beginning and its end
FPS, STILL_M_S, BACK_S = 60.0, 0.05, 3.0
BACK_MM, BACK_DEG = 5.0, 0.5  # of every joint: who is nearer than this is back


def hits(clip: Path, each: int, seed: int) -> Iterator[dict]:
    """The hits on a clip."""
    random = np.random.default_rng((seed, zlib.crc32(clip.stem.encode())))
    length = own_length(Recording(str(clip)))
    for number in range(each):
        kind, angle = KINDS[number % len(KINDS)], random.uniform(-np.pi, np.pi)
        newtons, seconds = STRENGTHS[kind]
        yield {"clip": clip.name, "number": number, "kind": kind, "part": str(random.choice(PARTS)), "direction_deg": round(float(np.degrees(angle))),
               "time_s": round(float(random.uniform(MARGIN_S, max(2.0 * MARGIN_S, length - MARGIN_S))), 2),
               "force": [round(newtons * float(np.cos(angle)), 1), round(newtons * float(np.sin(angle)), 1), 0.0], "seconds": seconds}


def taken(clip: Path, row: dict, engine: str) -> dict:
    """The row of a hit, with what became of it."""
    event = {"type": "push", "time": row["time_s"], "duration": row["seconds"], "force": row["force"], "part": row["part"], "frame": "heading"}
    began = time.process_time()
    try:
        result = run(make_job({"method": "hit", "clips": [str(clip)], "fps": FPS, "engine": engine, "events": [event]}), Context(workers=1))
    except FootfallError as error:
        return {**row, "error": str(error)}
    row = {**row, "core_s": round(time.process_time() - began, 2), "response": result.outcome["response"],
           "held": next(iter(result.outcome.get("held", {})), None), "fell": result.outcome["fell"]}
    if result.outcome["fell"]:
        moves = np.flatnonzero(fastest(result) > STILL_M_S)
        return {**row, "fell_s": round(result.outcome["fell_at"] - row["time_s"], 2), "rest_s": round(float(moves[-1] + 1) / FPS - row["time_s"], 2)}
    slide = max(bearing_slides(result, round(row["time_s"] * FPS), ~as_before(result)), default=0.0)
    millimetres, degrees = off(result)
    return {**row, "slide_mm": round(1000.0 * slide, 1), "off_mm": round(millimetres, 1), "off_deg": round(degrees, 2),
            "seam": round(seam(result), 2), "beyond_deg": round(beyond(result), 1)}


def off(result: Result) -> tuple[float, float]:
    """mm and degrees, see above: of frames from ``BACK_S`` after the hits on, and of the last one. A clip that goes on after its end has angles to
    compare with only until then."""
    # The last frame may be later than the recording ends, by part of a frame: the one before it is the last that has angles to compare with.
    whole = np.append(True, np.diff(result.clip_times) > 0.9 / FPS)
    first = min(int((result.outcome["hit_s"][1] + BACK_S) * FPS), result.frames - 1 - (whole[-2] and not whole[-1]))
    own = whole[first:]
    turns = np.degrees(2.0 * np.arccos(np.clip(np.abs((result.rotations * result.clip_rotations)[first:, 1:].sum(axis=-1)), 0.0, 1.0)))
    positions, clip = link_poses(result)[0][first:], result.reference_positions[first:]
    # One move on the ground: about the vertical and along it, by what fits the frames best.
    here, there = ((points - points.mean(axis=(0, 1)))[..., 0] + 1j * (points - points.mean(axis=(0, 1)))[..., 1] for points in (positions, clip))
    turn = np.angle((here * there.conj()).sum())
    away = np.abs(here - there * np.exp(1j * turn))
    return 1000.0 * float(np.hypot(away, positions[..., 2] - clip[..., 2]).max()), float(turns[own].max(initial=0.0))


def _clip_positions(result: Result) -> np.ndarray:
    return Skeleton(tuple(result.link_names), result.parents, result.offsets).forward_kinematics(result.clip_roots, result.clip_rotations)[0]


def seam(result: Result) -> float:
    def speeds(positions: np.ndarray) -> np.ndarray:
        return np.linalg.norm(np.diff(positions - positions[:, :1], axis=0), axis=-1).max(axis=1)

    own = float(speeds(_clip_positions(result)).max())
    as_clip = as_before(result)
    seams = np.flatnonzero(as_clip[1:] != as_clip[:-1])
    return float(speeds(link_poses(result)[0])[seams].max()) / max(own, 1e-9) if len(seams) else 0.0


def beyond(result: Result) -> float:
    after = int(result.outcome["hit_s"][0] * FPS) + 1
    ours, own = (np.maximum(limit_excess(one)[:, 1:], 0.0) for one in (result, replace(result, rotations=result.clip_rotations)))
    return float(np.degrees((ours[after:] - own.max(axis=0)).max(initial=0.0)))


def summary(rows: list[dict]) -> str:
    told = [row for row in rows if "error" not in row]
    stood = [row for row in told if not row["fell"]]
    costs = np.sort([row["core_s"] for row in told])
    back = [row["off_mm"] <= BACK_MM and row["off_deg"] <= BACK_DEG for row in stood]
    slides = np.array([row["slide_mm"] for row in stood])

    def percent(values: object) -> str:
        return f"{100.0 * float(np.mean(values)):.0f} %"

    falls = [(row["rest_s"], row["rest_s"] - row["fell_s"]) for row in told if row["fell"]]
    return "\n".join((
        f"{len(stood)} of {len(told)} hits stayed up ({len(rows) - len(told)} could not be tried)",
        f"core-seconds: median {np.median(costs):.1f}, 90th percentile {np.quantile(costs, 0.9):.1f}, worst {costs[-1]:.1f}",
        f"back within {BACK_MM:g} mm and {BACK_DEG:g}°: {percent(back)}",
        f"slide at most 10 mm: {percent(slides <= 10.0)}, 20 mm: {percent(slides <= 20.0)}",
        f"seams at most 3 times as fast as the clip: {percent([row['seam'] <= 3.0 for row in stood])}",
        f"joints at most 5° beyond: {percent([row['beyond_deg'] <= 5.0 for row in stood])}",
        f"falls that lie still within 3 s: of the hit {sum(rest <= 3.0 for rest, _ in falls)}, of being lost {sum(rest <= 3.0 for _, rest in falls)} "
        f"of {len(falls)}"))


def usual() -> list[Path]:
    """pybullet_data's clips."""
    import pybullet_data

    return [Path(pybullet_data.getDataPath()) / "data" / "motions" / f"humanoid3d_{name}.txt" for name in USUAL]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="*", type=Path)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--against", type=Path)
    options = parser.parse_args()
    rows = table.rows(options.output)
    known = {(row["clip"], row["number"]) for row in rows}
    # One of each clip first, so that work that is stopped has seen all kinds.
    tasks = sorted(((clip, row) for clip in options.clips or usual() for row in hits(clip, options.each, options.seed)
                    if (row["clip"], row["number"]) not in known), key=lambda task: task[1]["number"])
    with ProcessPoolExecutor(options.workers) as pool:
        for done in as_completed([pool.submit(taken, clip, row, options.engine) for clip, row in tasks]):
            rows.append(done.result())
            table.add(options.output, rows[-1])
    print(summary(rows))
    before = {(row["clip"], row["number"]): row for row in table.rows(options.against)}
    lost = [row for row in rows if row.get("fell") and before.get((row["clip"], row["number"]), {}).get("fell") is False]
    for row in lost:
        print(f"fell, and did not before: {row['clip']} {row['number']}, {row['kind']} on {row['part']} at {row['time_s']} s")


if __name__ == "__main__":
    main()
