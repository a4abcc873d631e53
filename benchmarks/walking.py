"""The experiments of Wang, Fleet and Hertzmann 2009 (section 5) with Footfall's walk, and its speeds: one JSON, and a table for people.

    python benchmarks/walking.py [--only terms bodies curves slopes friction pushes speeds] [--minutes 10] [--quick] [--workers 2]
                                 [--gaits FOLDER] [-o rows.jsonl] > walking.json

terms     each term of the cost is left out in turn, and the walk is searched on from there: which terms suffer
bodies    the paper's six bodies, each optimised for the cost of transport with no speed wanted, and the speed that each finds
curves    hip, knee and ankle beside people's at the same speed: the share of the cycle within 1 and 2 standard deviations
slopes    +12° and -8°, each with a gait that is found by continuation; 6° that nobody has announced, with the walk itself
friction  0.3, with a gait that is found by continuation
pushes    Table 1: the largest push in eight directions that is taken every 4 s for 40 s
speeds    commanded from 0.7 to 2.0 m/s: what speed it goes at, whether it falls, and what is outside people's bands at that speed

Every search has --minutes; with 0 none is made, and the presets that earlier ones have found are measured instead. Rows that are in the table (-o)
are left out, so that stopped work goes on. --gaits: a folder for the gaits that are found. --quick: few rows, short walks, coarse pushes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import table
from core import presets
from core.commands.shared import add_workers, context_of, say
from core.control.gait import make_gait
from core.errors import SimulationError
from core.jobs import make_job
from core.measure.norms import leg_of, norms_of
from core.measure.span import steady
from core.measure.walking import figures
from core.methods.gait import walk
from core.optimize.continuation import Continuation, Effort, way_to
from core.optimize.pushes import DIRECTIONS, PUBLISHED, largest_push
from core.optimize.walking import WEIGHTS, bands_at, people_for, terms, turns_of, wish_for
from core.physics import ENGINES
from core.result import Result

Row = dict[str, Any]
WALK, STURDY = "walk", "sturdy_walk"
BODIES = ("long_arm", "thin", "short", "stocky", "overweight", "tall")  # of the paper's figure 8
WANG_BEST = (75, 75, 200, 75, 120, 70, 200, 75)  # N: the best of the paper's five controllers in each direction (Table 1)
SHOWN = ("speed", "cadence", "step_length", "step_width", "double_support", "rise", "push_off", "knee_at_strike", "slide")
TRANSPORT = 100.0  # times its weight: effort over distance is what bodies are optimised for
LEFT_OUT = [term for term in WEIGHTS if term != "ordeals"]  # nobody is pushed in these
FOUND = {12.0: "uphill_walk", -8.0: "downhill_walk", 0.3: "icy_walk"}  # presets, by slope and friction


class Bench:
    """What the sections share: the options, the processes, and the rows that are done."""

    def __init__(self, options: argparse.Namespace, executor: Executor):
        self.options, self.executor = options, executor
        self.rows = table.rows(options.output)

    @property
    def seconds(self) -> float:
        return 10.0 if self.options.quick else 60.0

    def missing(self, section: str, rows: Iterable[Row]) -> list[Row]:
        """The keys of rows that are not in the table yet; in a quick run the first two."""
        wanted = [{"section": section, **row} for row in rows]
        wanted = wanted[:2] if self.options.quick else wanted
        return [row for row in wanted if not any(row.items() <= done.items() for done in self.rows)]

    def add(self, row: Row) -> None:
        self.rows.append(row)
        table.add(self.options.output, row, sys.stderr)

    def each(self, section: str, rows: Iterable[Row], measure: Callable[[Any], Row], task: Callable[[Row], Any]) -> None:
        """Measure rows side by side."""
        wanted = self.missing(section, rows)
        for row, found in zip(wanted, self.executor.map(measure, [task(row) for row in wanted]), strict=True):
            self.add({**row, **found})

    def find(self, name: str, wish: dict[str, Any]) -> dict[str, Any]:
        """The gait that a search of the wanted length finds for a wish, beginning with the shipped walk."""
        gait = {key: value for key, value in presets.load("gaits", self.options.gait).items() if key != "variants"}
        effort = Effort(60.0 * self.options.minutes, trials=self.options.trials)
        found, _ = Continuation(self.options.gait, self.executor, effort, say=say).find(gait, way_to(wish, float(gait["speed"])))
        if self.options.gaits:
            self.options.gaits.mkdir(parents=True, exist_ok=True)
            made_by = f"python benchmarks/walking.py, {name}, --minutes {self.options.minutes:g}"
            (self.options.gaits / f"{name}.json").write_text(json.dumps({**found, "made_by": made_by}, indent=1) + "\n", encoding="utf-8")
        return found


def walked(job: dict[str, Any], gait: dict[str, Any] | None = None) -> Result | None:
    """The walk of a job, by a gait's data or by the preset that it names; None where the engine gave up."""
    whole = make_job({"fps": 60.0, **job})
    data = gait or presets.load("gaits", whole.settings.gait)
    try:
        return walk(whole, gaits={whole.settings.gait: make_gait(data, Path(whole.settings.gait).stem)})
    except SimulationError:
        return None


def measured(task: tuple[dict[str, Any], dict[str, Any] | None]) -> Row:
    """What is told of a walk: when it fell, its figures, and those that are outside people's bands at its speed."""
    result = walked(*task)
    if result is None or result.outcome["fell"]:
        return {"fell_at_s": round(result.outcome["fell_at"], 1) if result else 0.0}
    going = steady(result)
    found = figures(going, norms_of(going))
    if not found:
        return {"fell_at_s": None, "walks": False}
    found |= turns_of(going)
    outside = [name for name, (low, high, _) in bands_at(found["speed"], leg_of(result)).items() if not low <= found[name] <= high]
    return {"fell_at_s": None, **{name: round(found[name], 3) for name in SHOWN},
            "torques": [round(found[f"{joint}_torque"], 2) for joint in ("hip", "knee", "ankle")],
            **{f"within_{n}sd": [round(found[f"{joint}_within_{n}sd"], 2) for joint in ("hip", "knee", "ankle")] for n in (1, 2)},
            "outside": outside}


def by_terms(bench: Bench) -> None:
    if not bench.options.minutes:
        return
    whole = wish_for(speed=1.25)
    for row in bench.missing("terms", ({"without": term} for term in ("nothing", *LEFT_OUT))):
        wish = {**whole, "without": [] if row["without"] == "nothing" else [row["without"]]}
        gait = bench.find(f"without_{row['without']}", wish)
        job = {"gait": bench.options.gait, "duration": 10.0}
        result = walked(job, gait)
        costs = {} if result is None else {name: round(cost, 2) for name, cost in terms(result, whole, people_for(result, whole)).items()}
        bench.add({**row, "costs": costs, **measured((job, gait))})


def by_bodies(bench: Bench) -> None:
    rows = bench.missing("bodies", ({"body": body, "engine": engine} for body in BODIES for engine in ENGINES))
    gaits = {}
    for body in dict.fromkeys(row["body"] for row in rows):
        wish = {**wish_for(body, engines=ENGINES), "weights": {"power": TRANSPORT * WEIGHTS["power"]}}
        gaits[body] = bench.find(f"walk_{body}", wish) if bench.options.minutes else presets.load("bodies/gaits", body)
    bench.each("bodies", rows, measured, lambda row: ({"gait": bench.options.gait, "body": row["body"], "engine": row["engine"],
                                                       "duration": bench.seconds, "catches_itself": False}, gaits[row["body"]]))


def by_curves(bench: Bench) -> None:
    rows = [{"commanded": speed, "engine": engine} for speed in (1.25, 0.8, 1.0, 1.5, 1.8) for engine in ENGINES]
    bench.each("curves", rows, measured, lambda row: _commanded(bench, row["commanded"], row["engine"]))


def by_slopes(bench: Bench) -> None:
    for slope, speed in ((12.0, 0.9), (-8.0, 1.1)):
        _found(bench, "slopes", {"degrees": slope}, FOUND[slope], wish_for(speed=speed, slope=slope, engines=ENGINES),
               {"ground": {"type": "slope", "degrees": slope, "start": -1.0}})
    rows = [{"degrees": slope, "gait": bench.options.gait, "unannounced": True, "engine": engine} for slope in (6.0, -6.0) for engine in ENGINES]
    bench.each("slopes", rows, measured, lambda row: ({"gait": row["gait"], "duration": 20.0, "engine": row["engine"],
                                                       "ground": {"type": "slope", "degrees": row["degrees"], "start": 4.0}}, None))


def by_friction(bench: Bench) -> None:
    _found(bench, "friction", {"friction": 0.3}, FOUND[0.3], wish_for(speed=1.0, friction=0.3, engines=ENGINES), {"friction": 0.3})


def _found(bench: Bench, section: str, key: Row, name: str, wish: dict[str, Any], job: dict[str, Any]) -> None:
    """Rows for a gait that is found by continuation or, with no minutes to search, for its preset where that is there."""
    rows = bench.missing(section, ({**key, "gait": name, "engine": engine} for engine in ENGINES))
    if not rows or not (bench.options.minutes or name in presets.names("gaits")):
        return
    gait = bench.find(name, wish) if bench.options.minutes else presets.load("gaits", name)
    for row, found in zip(rows, bench.executor.map(measured, [({**job, "gait": WALK, "duration": bench.seconds, "engine": row["engine"]}, gait)
                                                              for row in rows]), strict=True):
        bench.add({**row, **found})


def by_pushes(bench: Bench) -> None:
    options = bench.options
    walkers = {"natural": (options.gait, options.alone), "sturdy": (STURDY, options.alone)}
    if options.hand_over:
        walkers["hand-over"] = (options.gait, options.hand_over)
    rows = [{"walker": walker, "direction": list(direction)} for walker in walkers for direction in DIRECTIONS]
    resolution = 25.0 if options.quick else 5.0
    bench.each("pushes", rows, _pushed, lambda row: (*walkers[row["walker"]], tuple(row["direction"]), resolution))


def _pushed(task: tuple[str, dict[str, Any], tuple[int, int], float]) -> Row:
    gait, settings, direction, resolution = task
    force = largest_push(presets.load("gaits", gait), gait, direction, "repeated", resolution=resolution, settings=settings)
    place = DIRECTIONS.index(direction)
    return {"force_n": round(force, 1), "wang_n": WANG_BEST[place], "simbicon_n": PUBLISHED["repeated"][place]}


def by_speeds(bench: Bench) -> None:
    rows = [{"commanded": round(0.1 * tenth, 1), "engine": engine} for tenth in range(7, 21) for engine in ENGINES]
    bench.each("speeds", rows, measured, lambda row: _commanded(bench, row["commanded"], row["engine"]))


def _commanded(bench: Bench, speed: float, engine: str) -> tuple[dict[str, Any], None]:
    return {"gait": bench.options.gait, "duration": min(20.0, bench.seconds), "speed": speed, "engine": engine}, None


SECTIONS = {"terms": by_terms, "bodies": by_bodies, "curves": by_curves, "slopes": by_slopes, "friction": by_friction, "pushes": by_pushes,
            "speeds": by_speeds}


def readable(rows: list[Row]) -> str:
    """The rows of each section below each other, for people."""
    lines = []
    for section in SECTIONS:
        mine = [{key: value for key, value in row.items() if key != "section"} for row in rows if row["section"] == section]
        if not mine:
            continue
        names = list(dict.fromkeys(name for row in mine for name in row))
        cells = [names, *([_cell(row.get(name)) for name in names] for row in mine)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines += [section, *("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells), ""]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name} {number:g}" for name, number in value.items() if number >= 0.05)
    if isinstance(value, list):
        return " ".join(map(_cell, value))
    return "-" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS), metavar="SECTION")
    parser.add_argument("--gait", default=WALK, help="the walk that is tried, and where searches begin (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=10.0, help="of each search; 0: none (default: %(default)g)")
    parser.add_argument("--trials", type=int, default=128, help="of a round of a search (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="two rows of each section, short walks, coarse pushes")
    parser.add_argument("--alone", type=json.loads, default={}, metavar="JSON", help="settings of the job in which a walk is pushed and stays itself")
    parser.add_argument("--hand-over", type=json.loads, default={}, metavar="JSON",
                        help="settings of the job in which it goes over into the sturdy walk; without them that column is left out")
    parser.add_argument("--gaits", type=Path, metavar="FOLDER", help="for the gaits that are found")
    parser.add_argument("-o", "--output", type=Path, help="the rows, a line of JSON each as it is done")
    add_workers(parser)
    options = parser.parse_args()
    with context_of(options).executor() as (executor, _):
        bench = Bench(options, executor)
        for section in options.only:
            SECTIONS[section](bench)
    rows = [row for row in bench.rows if row["section"] in options.only]
    print(json.dumps({section: [row for row in rows if row["section"] == section] for section in options.only}))
    print(readable(rows), file=sys.stderr)


if __name__ == "__main__":
    main()
