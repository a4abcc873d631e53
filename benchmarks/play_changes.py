"""How safely a body that is played goes from walk to run, and from run to stand, and how safely it sets off with a turn: on several bodies, grounds
and engines, told at several moments.

    python benchmarks/play_changes.py                     # with the values of presets/steering.json: falls of each change
    python benchmarks/play_changes.py --search -o FILE    # other values, too: lines of JSON, the best ones last
    python benchmarks/play_changes.py --set-off           # told to walk, and to another side at once
"""

import argparse
import json
import os
import random
import sys
from collections import Counter
from dataclasses import replace
from itertools import product
from multiprocessing import Pool
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core import presets
from core.control import walker
from core.jobs import begin, command, make_job

BODIES = ({"body": "average_man"}, {"body": "average_woman"}, {"body": "average_man", "step_width": 0.13}, {"body": "short"})
FRICTIONS, ENGINES = (0.6, 0.8, 1.0), ("mujoco", "pybullet")
CHANGES = ("to walk", "to run", "running", "to stand")
VALUES = {"running_blend_steps": (2, 4, 6, 8), "running_dwell_steps": (2, 4, 8), "nearly": (0.8, 0.9), "slowed": (1.1, 1.3, 10.0)}
STOP_S, REST_S = 4.0, 5.0  # s of the run, and after it
TURNS = (-2.7, -1.8, -1.2, 1.2, 1.5, 1.8, 2.4, 3.0)  # rad, out of a stand
SET_OFF_S = 7.0  # s that it walks then


def fallen(task: tuple[dict, dict, int]) -> str:
    """In which of the changes a body falls; "" where it does not. Each case has moments and turns of its own."""
    values, job, seed = task
    walker.GAIT_STEERING = replace(walker.GAIT_STEERING, **values)
    chance = random.Random(seed)
    go, turn = 0.5, 2.0 + 2.0 * chance.random()
    run = turn + 2.0 + 2.0 * chance.random()
    stand = run + STOP_S + 3.0 * chance.random()
    told = [(go, {"type": "gait", "gait": "walk"}), (turn, {"type": "steer", "heading": chance.uniform(-1.6, 1.6)}),
            (run, {"type": "gait", "gait": "run"}), (stand, {"type": "gait", "gait": "stand"})]
    whole = make_job({"played": True, **job})
    play, ran, stopped = begin(whole), False, False
    try:
        while play.time < stand + REST_S and not play.over:
            while told and told[0][0] <= play.time + 1e-6:
                play.tell(command(whole, told.pop(0)[1]))
            before = play.gait_name
            play.beat()
            ran, stopped = ran or play.gait_name == "run", stopped or play.time > stand
            if play.falls or play.over:
                return CHANGES[3] if stopped else CHANGES[0] if not ran else CHANGES[1] if before == "run" and play.time < run + 6.0 else CHANGES[2]
    finally:
        play.close()
    return "" if ran else CHANGES[1]  # it did not get as far as running


def sets_off(body: str, engine: str, turn: float) -> bool:
    """Whether a body falls that sets off and turns, by so many rad."""
    play = begin(make_job({"played": True, "body": body, "engine": engine}))
    try:
        for said in ({"type": "steer", "heading": turn}, {"type": "gait", "gait": "walk"}):
            play.tell(command(play.led, said))
        while play.time < SET_OFF_S and not play.over and not play.falls:
            play.beat()
        return bool(play.falls or play.over)
    finally:
        play.close()


def set_off(workers: int) -> None:
    """Print who falls: the names of bodies, engines, and turns in rad."""
    bodies = [name for name in presets.names("bodies") if not presets.body(name).planar]
    tasks = list(product(bodies, ENGINES, TURNS))
    with Pool(workers, maxtasksperchild=20) as pool:
        falls = pool.starmap(sets_off, tasks, chunksize=1)
    print(json.dumps({"falls": sum(falls), "of": len(falls), "who": [task for task, fell in zip(tasks, falls, strict=True) if fell]}))


def cases(each: int) -> list[tuple[dict, int]]:
    """``each``: how many of every combination of body, ground and engine."""
    kinds = [{**body, "friction": friction, "engine": engine} for body, friction, engine in product(BODIES, FRICTIONS, ENGINES)]
    return [(job, each * number + k) for number, job in enumerate(kinds) for k in range(each)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=2, help="cases of every combination of body, ground and engine")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--search", action="store_true")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--set-off", action="store_true")
    options = parser.parse_args()
    if options.set_off:
        set_off(options.workers)
        return
    tried = [dict(zip(VALUES, row, strict=True)) for row in product(*VALUES.values())] if options.search else [{}]
    random.Random(0).shuffle(tried)
    rows = []
    with Pool(options.workers, maxtasksperchild=20) as pool:
        for values in tried:
            tasks = [(values, job, seed) for job, seed in cases(options.each)]
            falls = pool.map(fallen, tasks, chunksize=1)
            by_engine = Counter(f"{job['engine']} {job['friction']}" for (_, job, _), fall in zip(tasks, falls, strict=True) if fall)
            rows.append({"falls": sum(map(bool, falls)), "of": len(falls), "values": values, "in": Counter(filter(None, falls)), "on": by_engine})
            print(json.dumps(rows[-1]), flush=True)
            if options.output:
                options.output.write_text("".join(json.dumps(row) + "\n" for row in sorted(rows, key=lambda row: -row["falls"])))


if __name__ == "__main__":
    main()
