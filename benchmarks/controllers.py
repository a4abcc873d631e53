"""The systems of control beside each other, as a survey compares them, but measured (survey, section 3.4; Sok, Kim and Lee 2007, Figure 6).

    python benchmarks/controllers.py [--seconds 60] [--pushes] [--only SYSTEM …] [--workers N] [--table FILE]
    python benchmarks/controllers.py --refinements CONTROLLER.npz … -o PLOT.png [--seconds 300] [--table FILE]
    python benchmarks/controllers.py --starts 10 [--controllers average_man] [--only CONTROLLER …] [--table FILE]
    python benchmarks/controllers.py --changes 200 [--controllers average_man] [--table FILE]

The first prints a row for each system and way to move: for how long it goes without a fall, how many behaviours there are, what a moment of control
costs (ms of this machine, the law with all that it reads of the state, without the engine), how many samples and refinements it took, and, of those
that follow a recording, how far joints are from it on average (cm). With --pushes also the largest push of 0.4 s on the torso, in newtons, that is
taken from eight sides, up to 400 N, in steps of 40 N, in the middle of the trial: of one walk, run and stand of each system.

The second draws how long controllers hold after each number of refinements.

The third sets each learned controller off wrongly, 1 to 2 s after it began, so many times: the pelvis faster along the ground and the joints turning
otherwise, as in half of the trials of learning. It says for how long each one was held, up to ``--seconds`` (default here: 10).

The fourth goes at random from one learned controller to another, wherever a transition leads, and says how many transitions were kept: those after
which the other one has the body within 15 s, and 1 to 3 s later, when the next one is asked for, it is up, in a state that this one knows. Where a
transition is not kept, the body begins again.

Limit cycles simulate each half cycle a few times before it is made: that is part of what a moment of control costs, on one thread.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from benchmarks import table
from core import presets
from core.context import Context
from core.control.driver import Driver
from core.jobs import make_job, run
from core.learned import clips, planar
from core.learned.controller import load
from core.learned.refine import disturb
from core.learned.repertoire import load_repertoire
from core.measure.plot import new_figure, save_figure
from core.measure.report import measure
from core.methods.learned import begin
from core.result import Result
from core.session import Session

CLIP = str(presets.FOLDER.parent / "tests" / "clips" / "walk.bvh")
DIRECTIONS, PUSH_S, STEP_N, MOST_N, PUSHED_AT_S, AFTER_S = 8, 0.4, 40.0, 400.0, 4.0, 5.0
PUSHED = ("planar_walk", "planar_run", "walk", "run")  # of gaits, cycles and controllers; and whatever follows a clip, or learned to stand
SHORT_S = 0.1  # s of a trial before the one that is clocked
BEFORE_S, GOOD = (1.0, 2.0), 0.9  # s until a body is set off wrongly, and fraction of such starts that are to be held
DWELLS_S, ARRIVES_S, LONGEST_S = (1.0, 3.0), 15.0, 3600.0  # s between a transition and the next, that it may take, and of one simulation


def systems() -> Iterator[tuple[str, dict[str, Any], int]]:
    """Name, job, and how many behaviours the system has."""
    gaits = presets.names("gaits")
    planar = [name for name in gaits if name.startswith("planar_")]
    for gait in ("planar_walk", "planar_run"):
        yield "SIMBICON", {"gait": gait, "body": "planar_biped"}, len(planar)
    for gait in ("sturdy_walk", "walk", "run", "stand"):
        yield "SIMBICON", {"gait": gait}, len(gaits) - len(planar)
    yield "data-driven", {"method": "track", "clips": [CLIP], "body": "average_man", "loop": True}, 1
    for cycle in ("walk", "proud", "sneaky", "tired"):
        yield "limit cycles", {"method": "limit_cycle", "cycle": cycle}, len(presets.names("limit_cycles"))
    for name in presets.names("controllers"):
        data = presets.load("controllers", name)
        for first in data["controllers"]:
            for refinements in (0, None):
                given = {} if refinements is None else {"refinements": refinements}
                yield "learned" + ("" if refinements is None else ", base"), {"method": "learned", "controllers": name, "first": first, **given}, \
                    len(data["controllers"]) + len(data.get("transitions", ()))


def held(job: dict[str, Any], seconds: float) -> tuple[Result, float]:
    """What comes out of a job, and ms of the law in a moment of control, on average."""
    run(make_job({**job, "duration": SHORT_S}), Context(workers=1))  # a law that has not been loaded yet could not be clocked
    spent, moments = 0.0, 0
    # Where servos drive the body, what there is to decide is decided as they are told.
    laws = {(law, name): vars(law)[name] for law in _subclasses(Driver) for name in ("torques", "act") if name in vars(law) and law is not Driver}

    def clocked(law: type[Driver], name: str) -> Any:
        def call(self: Driver, *given: Any) -> Any:
            nonlocal spent, moments
            began = time.thread_time()
            found = laws[law, name](self, *given)
            spent, moments = spent + time.thread_time() - began, moments + (name == "torques")
            return found
        return call

    try:
        for law, name in laws:
            setattr(law, name, clocked(law, name))
        return run(make_job({**job, "duration": seconds}), Context(workers=1)), 1e3 * spent / max(1, moments)
    finally:
        for (law, name), own in laws.items():
            setattr(law, name, own)


def _subclasses(law: type[Driver]) -> list[type[Driver]]:
    return [law, *(below for one in law.__subclasses__() for below in _subclasses(one))]


def largest_push(job: dict[str, Any], angle: float) -> float:
    """N that are taken from a side: up to the first that is not."""
    taken = 0.0
    while taken < MOST_N:
        force = taken + STEP_N
        push = {"type": "push", "time": PUSHED_AT_S, "duration": PUSH_S, "force": [force * math.cos(angle), force * math.sin(angle), 0.0],
                "part": "pelvis" if job.get("body") == "planar_biped" else "torso"}
        if run(make_job({**job, "events": [push], "duration": PUSHED_AT_S + AFTER_S})).outcome["fell"]:
            break
        taken = force
    return taken


def compare(options: argparse.Namespace) -> None:
    done = [(row["system"], row["job"]) for row in table.rows(options.table)]
    todo = [one for one in systems() if (not options.only or one[0] in options.only) and one[:2] not in done]
    with ProcessPoolExecutor(options.workers, max_tasks_per_child=1, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(row_of, *one, options.seconds, options.pushes) for one in todo]):
            table.add(options.table, future.result())


def row_of(system: str, job: dict[str, Any], behaviours: int, seconds: float, pushes: bool) -> dict[str, Any]:
    """What is to be said of one way to move."""
    result, moment_ms = held(job, seconds)
    row: dict[str, Any] = {"system": system, "job": job, "held_s": round(result.outcome["fell_at"] or seconds, 2),
                           "behaviours": behaviours, "moment_of_control_ms": round(moment_ms, 3)}
    if system.startswith("learned"):
        folder = presets.FOLDER / "controllers"
        known = load(folder / presets.load("controllers", job["controllers"])["controllers"][job["first"]])
        known = known.after(0) if "refinements" in job else known
        row |= {"samples": len(known.states), "refinements": known.refinements}
    following = measure(result)["following"]
    if following:
        row["off_the_recording_cm"] = round(100.0 * following["joint_error_m"], 1)
    way = job.get("gait") or job.get("cycle") or job.get("first")
    if pushes and not result.outcome["fell"] and (way in PUSHED or way is None or (system, way) == ("learned", "stand")):
        planar = job.get("body") == "planar_biped" or str(job.get("controllers", "")).startswith("planar")
        angles = [2.0 * math.pi * n / DIRECTIONS for n in range(DIRECTIONS)][::DIRECTIONS // 2 if planar else 1]
        row["pushes_n"] = {f"{math.degrees(angle):.0f}°": largest_push(job, angle) for angle in angles}
    return row


def refinements(paths: list[Path], seconds: float, output: Path, rows: Path | None) -> None:
    """Draw the time to a fall over the number of refinements; ``rows``: a file that keeps what was found."""
    figure = new_figure(7, 4)
    axes = figure.add_subplot()
    for place, path in enumerate(paths):
        count = load(path).refinements
        known = {row["refinements"]: row["held_s"] for row in table.rows(rows) if (row["controller"], row.get("seconds")) == (path.stem, seconds)}
        for number in sorted({min(round(1.3**n) - 1, count) for n in range(40)} - set(known)):
            outcome = run(make_job({"method": "learned", "file": str(path), "refinements": number, "duration": seconds})).outcome
            known[number] = round(outcome["fell_at"] or seconds, 2)
            table.add(rows, {"controller": path.stem, "refinements": number, "seconds": seconds, "held_s": known[number]})
        axes.plot(sorted(known), [known[number] for number in sorted(known)], "o-", color=f"C{place}", label=path.stem)
    axes.set(xlabel="refinements", ylabel="s to a fall", title=f"{seconds:g} s is the end of the trial", yscale="log")
    least, most = axes.get_ylim()
    ticks = [s for s in (1, 2, 5, 10, 20, 60, 120, 300, 600) if least < s < most]
    axes.set_yticks(ticks, [str(s) for s in ticks])
    axes.minorticks_off()
    axes.grid(True, alpha=0.3)
    axes.legend()
    save_figure(figure, output)


def changes(name: str, count: int, seed: int, path: Path | None) -> None:
    """Go through random transitions of the controllers ``name``; a row for each, and one for all of them."""
    repertoire, chance = load_repertoire(name), random.Random(seed)
    kept, done, here = 0, 0, repertoire.first
    while done < count:
        job = make_job({"method": "learned", "controllers": name, "first": here, "duration": LONGEST_S})
        world, driver = begin(job)
        with world:
            session = Session(world, driver, job)
            _go(session, chance.uniform(*DWELLS_S))
            keeps = True
            while done < count and keeps:
                there, asked = chance.choice(sorted(other for one, other in repertoire.transitions if one == here)), world.time
                driver.change(there)
                while session.fell_at is None and not driver.arrived and world.time < asked + ARRIVES_S:
                    session.step()
                took = world.time - asked
                _go(session, chance.uniform(*DWELLS_S))
                keeps = driver.arrived and session.fell_at is None and driver.distance < driver.controller.far
                table.add(path, {"from": here, "to": there, "kept": keeps, "took_s": round(took, 2)})
                kept, done, here = kept + keeps, done + 1, there
    table.add(path, {"transitions": count, "kept": kept, "share": round(kept / count, 3), "seed": seed})


def starts(options: argparse.Namespace) -> None:
    """Set each controller off wrongly; a row for each, and one for all of them."""
    repertoire = load_repertoire(options.controllers)
    off = planar.PERTURBED if repertoire.body == planar.BODY else clips.PERTURBED
    good = 0
    names = [name for name in repertoire.controllers if not options.only or name in options.only]
    for number, name in enumerate(names):
        rng, times = np.random.default_rng([options.seed, number]), []
        for _ in range(options.starts):
            job = make_job({"method": "learned", "controllers": options.controllers, "first": name, "duration": LONGEST_S})
            world, driver = begin(job)
            with world:
                session = Session(world, driver, job)
                _go(session, rng.uniform(*BEFORE_S))
                began = world.time
                disturb(world, off, rng)
                _go(session, options.seconds)
                times.append(round((session.fell_at or world.time) - began, 2))
        kept = sum(seconds >= options.seconds - 0.1 for seconds in times)
        good += kept >= GOOD * options.starts
        table.add(options.table, {"controller": name, "held": kept, "of": options.starts, "held_s": times})
    table.add(options.table, {"controllers": len(names), "held_from_nine_in_ten": good, "seed": options.seed})


def _go(session: Session, seconds: float) -> None:
    end = session.world.time + seconds
    while session.fell_at is None and session.world.time < end:
        session.step()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, help="of a trial (default: 60, of --starts 10)")
    parser.add_argument("--pushes", action="store_true")
    parser.add_argument("--only", nargs="+", metavar="SYSTEM", help="as the rows name them; with --starts, controllers")
    parser.add_argument("--workers", type=int, default=1, help="ways to move that are tried side by side; clock with one (default: 1)")
    parser.add_argument("--table", type=Path, help="keeps rows in this file, and goes on after those that are there")
    parser.add_argument("--refinements", type=Path, nargs="+", metavar="CONTROLLER", help="draw these controllers instead")
    parser.add_argument("--starts", type=int, metavar="N", help="set learned controllers off wrongly so many times instead")
    parser.add_argument("--changes", type=int, metavar="N", help="go through so many transitions instead")
    parser.add_argument("--controllers", default="average_man", help="whose transitions (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, default=Path("refinements.png"))
    options = parser.parse_args()
    options.seconds = options.seconds or (10.0 if options.starts else 60.0)
    if options.starts:
        starts(options)
    elif options.changes:
        changes(options.controllers, options.changes, options.seed, options.table)
    elif options.refinements:
        refinements(options.refinements, options.seconds, options.output, options.table)
    else:
        compare(options)


if __name__ == "__main__":
    main()
