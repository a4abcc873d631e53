"""How well the push database foretells what a simulation does: pushes that are in no database, simulated and looked up side by side.

    python benchmarks/pushes.py [--count 60] [--seed 1] [--workers 2] [--database FILE …] [--keep FOLDER] [--only-simulate] [--stronger 0.02]

Clips of ``tests/clips`` that stand and walk, on the average man and woman, are pushed at random moments, in random directions, on pelvis, torso,
chest and head, with up to ``FASTEST``. Each is simulated as a hit (response ``auto``) and kept in a folder, so that stopped work goes on.

``same``: whether both stay in place, step or fall. ``step_cm``: between the places of the first steps, where both step. ``off_cm``: of joints, on
average, from the push until the answer is over. ``slide_mm``: the most that a foot of the answer slides in one stance while it bears the body.
``zmp``: frames from the end of the push on, on which the zero moment point is within the feet, of those on which both feet stand; and of those on
which any does. ``sim``: the same of the simulation, which is measured as the answer is, by its motion alone.
``limit_deg``: degrees beyond a joint's limit, at most, over what the clip has itself. ``ms``: of one answer.

With ``--stronger`` each push is simulated once more, by that share stronger, and simulation is compared with simulation: as far as these differ by
themselves, no answer can be right.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import as_completed
from math import cos, pi, sin
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from core import presets
from core.commands.push import answered
from core.commands.shared import add_workers, context_of
from core.context import Context
from core.errors import FootfallError
from core.feet.loads import loaded
from core.feet.slide import bearing_slides
from core.jobs import make_job, run
from core.kinematics import link_poses
from core.measure.balance import margins, support_polygons, zero_moment_point
from core.measure.limits import limit_excess
from core.optimize.push_responses import landings
from core.pushes.database import Database, shipped
from core.result import Result
from core.signals import nearby

ROOT = Path(__file__).resolve().parent.parent
FPS, PUSH_S = 60.0, 0.15
BODIES, PARTS = ("average_man", "average_woman"), ("pelvis", "torso", "chest", "head")
# The clip, s from when to when it is pushed, m/s that the strongest push gives the body, and what the clip does where it ends too early.
KINDS = (("stand", 0.4, 1.2, 1.6, "hold"), ("stand", 0.4, 1.2, 1.6, "hold"), ("walk", 1.0, 2.5, 1.0, "auto"))
WEAKEST = 0.1  # m/s


def pushes(count: int, seed: int, stronger: float = 0.0) -> list[dict]:
    """Jobs of the method "hit": two of three stand. ``stronger``: share by which all are."""
    random, jobs = np.random.default_rng(seed), []
    for number in range(count):
        name, start, end, fastest, after = KINDS[number % len(KINDS)]
        body = BODIES[number // len(KINDS) % len(BODIES)]
        direction, speed = 2.0 * pi * random.random(), WEAKEST + (fastest - WEAKEST) * random.random()
        newtons = (1.0 + stronger) * speed * presets.body(body).mass / PUSH_S
        event = {"type": "push", "time": round(start + (end - start) * random.random(), 3), "duration": PUSH_S, "frame": "heading",
                 "force": [newtons * cos(direction), newtons * sin(direction), 0.0], "part": PARTS[random.integers(len(PARTS))]}
        jobs.append({"method": "hit", "clips": [str(ROOT / "tests" / "clips" / f"{name}.bvh")], "body": body, "fps": FPS, "end": after,
                     "events": [event]})
    return jobs


def simulated(job: dict, file: str) -> str:
    """Simulate a push and keep it; returns what became of it."""
    try:
        result = run(make_job(job), Context(workers=1))
    except FootfallError as error:
        return str(error)
    result.save(file)
    return strategy(result)


def strategy(result: Result) -> str:
    outcome = result.outcome
    if outcome["fell"]:
        return "fall"
    if outcome["response"] == "flinch":
        return "in place"
    return "in place" if outcome["response"] == "balance" and not outcome["recovery_steps"] else "steps"


def compared(job: dict, simulation: Result, database: Database) -> dict:
    """The row of one push."""
    whole = make_job(job)
    answers, _, _ = answered(whole, database)
    answers, spent, result = answered(whole, database)  # the second time, as while an arrow is dragged
    one, event = answers[-1], whole.events[0]
    first, last = one.first, min(one.last, simulation.frames - 1, result.frames - 1)
    places = [link_poses(motion)[0][first:last + 1] for motion in (simulation, result)]
    row = {"clip": Path(job["clips"][0]).stem, "body": job["body"], "part": event["part"], "simulated": strategy(simulation), "answer": one.strategy,
           "m_s": round(float(np.linalg.norm(event["force"])) * PUSH_S / presets.body(job["body"]).mass, 2),
           "off_cm": round(100.0 * float(np.linalg.norm(places[0] - places[1], axis=-1).mean()), 1), "ms": round(spent[-1], 1)}
    if row["simulated"] == row["answer"] == "steps":
        steps = [landings(motion, first, last, 0.0) for motion in (simulation, result)]
        if len(steps[0]) and len(steps[1]):
            row["step_cm"] = round(100.0 * float(np.linalg.norm(steps[0][0, 2:4] - steps[1][0, 2:4])), 1)
    if row["simulated"] != "fall":
        row["sim"] = standing(simulation, first, last, round(PUSH_S * FPS))
    if row["answer"] != "fall":
        row["slide_mm"] = round(1000.0 * max(bearing_slides(result, first), default=0.0), 1)
        row |= standing(result, first, last, round(PUSH_S * FPS))
    return row


def apart(job: dict, one: Result, other: Result) -> dict:
    """How far two simulations of nearly the same push are apart; keys as of ``compared``."""
    first = round(job["events"][0]["time"] * FPS)
    last = min(one.frames, other.frames) - 1
    places = [link_poses(motion)[0][first:last + 1] for motion in (one, other)]
    row = {"clip": Path(job["clips"][0]).stem, "simulated": strategy(one), "answer": strategy(other),
           "off_cm": round(100.0 * float(np.linalg.norm(places[0] - places[1], axis=-1).mean()), 1)}
    steps = [landings(motion, first, last, 0.0) for motion in (one, other)]
    if row["simulated"] == row["answer"] == "steps" and len(steps[0]) and len(steps[1]):
        row["step_cm"] = round(100.0 * float(np.linalg.norm(steps[0][0, 2:4] - steps[1][0, 2:4])), 1)
    return row


def standing(result: Result, first: int, last: int, push: int) -> dict:
    """Zero moment point and limits from the push on. Derivatives look at some frames around each: those that see the push itself are left out."""
    frames = np.arange(result.frames)
    pushed = nearby((frames >= first) & (frames <= first + push), 0.15 * result.fps)
    stands = loaded(result)
    free = (frames > first) & (frames <= last) & ~pushed
    room = margins(zero_moment_point(result), support_polygons(result))
    free &= np.isfinite(room)
    both, any_foot = free & stands.all(axis=1), free & stands.any(axis=1)
    excess = limit_excess(result)
    own = excess[:first + 1].max(axis=0)
    return {"zmp": [int((room[both] > 0.0).sum()), int(both.sum()), int((room[any_foot] > 0.0).sum()), int(any_foot.sum())],
            "limit_deg": round(float(np.degrees(np.maximum(excess[first:last + 1] - np.maximum(own, 0.0), 0.0).max())), 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", action="append", default=[], metavar="FILE", help="of a body; by default those that are shipped")
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "pushes", help="a folder for what was simulated (default: %(default)s)")
    parser.add_argument("--half", choices=("odd", "even"), help="only pushes with such a number")
    parser.add_argument("--only-simulate", action="store_true", help="look nothing up")
    parser.add_argument("--stronger", type=float, metavar="SHARE", help="compare simulations with those of pushes that are stronger by this share")
    add_workers(parser)
    options = parser.parse_args()
    jobs = pushes(options.count, options.seed)
    options.keep.mkdir(parents=True, exist_ok=True)
    files = [options.keep / f"{options.seed}-{number}.npz" for number in range(len(jobs))]
    again = [options.keep / f"{options.seed}-{number}-{options.stronger}.npz" for number in range(len(jobs) if options.stronger else 0)]
    work = [*zip(jobs, files, strict=True), *zip(pushes(options.count, options.seed, options.stronger or 0.0), again, strict=False)]
    with context_of(options).executor() as (executor, _):
        waiting = {executor.submit(simulated, job, str(file)): file for job, file in work if not file.exists()}
        for task in as_completed(waiting):
            print(f"{waiting[task].name}: {task.result()}", file=sys.stderr, flush=True)
    if options.only_simulate:
        return
    if options.stronger:
        pairs = [(job, one, other) for job, one, other in zip(jobs, files, again, strict=True) if one.exists() and other.exists()]
        rows = [apart(job, Result.load(one), Result.load(other)) for job, one, other in pairs]
        print(*rows, sep="\n")
        summarise(rows)
        return
    known = {database.person: database for database in map(Database.load, options.database)}
    rows = []
    for number, (job, file) in enumerate(zip(jobs, files, strict=True)):
        if file.exists() and options.half in (None, ("even", "odd")[number % 2]):
            body = job["body"]
            if body not in known:
                known[body] = Database.load(shipped(presets.body(body)))
            rows.append(compared(job, Result.load(file), known[body]))
            print(rows[-1], flush=True)
    summarise(rows)


def summarise(rows: list[dict]) -> None:
    same = [row for row in rows if row["simulated"] == row["answer"]]
    steps, up = [row["step_cm"] for row in rows if "step_cm" in row], [row for row in rows if "slide_mm" in row]
    print(f"{len(rows)} pushes: the same strategy in {len(same)} ({len(same) / len(rows):.0%})")
    for kind in ("stand", "walk"):
        own = [row for row in rows if row["clip"] == kind]
        print(f"  {kind}: {sum(row['simulated'] == row['answer'] for row in own)} of {len(own)}")
    if steps:
        print(f"first step: {np.median(steps):.1f} cm in the median, within 12 cm in {sum(cm <= 12.0 for cm in steps)} of {len(steps)}")
    for name, some in (("all", rows), ("same strategy", same), ("same strategy, stays up", [row for row in same if row["answer"] != "fall"])):
        off = [row["off_cm"] for row in some]
        print(f"joints, {name}: {np.mean(off):.1f} cm on average, {np.median(off):.1f} in the median")
    if not up:
        return
    slides = [row["slide_mm"] for row in up]
    print(f"feet: slide within 1 cm in {sum(mm <= 10.0 for mm in slides)} of {len(up)}, {max(slides):g} mm at most")
    for name, some in (("answers", up), ("simulations", [row["sim"] for row in rows if "sim" in row])):
        both, frames, within, all_frames = np.sum([row["zmp"] for row in some], axis=0)
        print(f"zero moment point within the feet, {name}: on {both / max(frames, 1):.1%} of {frames} frames on both feet, on "
              f"{within / max(all_frames, 1):.1%} of all {all_frames}")
        print(f"joints beyond their limits by more than 5°, {name}: in {sum(row['limit_deg'] > 5.0 for row in some)} of {len(some)}")
    print(f"an answer takes {np.median([row['ms'] for row in rows]):.1f} ms in the median, {max(row['ms'] for row in rows):.1f} at most")


if __name__ == "__main__":
    main()
