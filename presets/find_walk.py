"""Find a walk as people's from one that only walks: a search result, or a gait that was set by hand.

    python presets/find_walk.py START.json -o walk.json [--generations 6] [--rounds 22] [--last 21] [--trials 64] [--workers 2]

The start is given what a search may move and it does not have: numbers of each state at what the law does without them, and with them a level head,
soft changes of state, and a last swing that ends with how far the hips are. Then it is searched for people's curves above all: by CMA in a few
directions, by least squares in all of them, and by least squares with twice the trials once the gains are settled. After 3.2 core-hours from a start
with 90, 78 and 55 % of hip, knee and ankle within two standard deviations these are 100, 90 and 88 %. The shipped walk was found in such steps over a
longer time (its "made_by").
"""

import argparse
import json
import shlex
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.commands.shared import add_workers, context_of, say
from core.optimize.continuation import Continuation, Effort
from core.optimize.search import write_preset
from core.optimize.walking import wish_for
from core.physics import ENGINES

SPEED, STEP_LENGTH = 1.25, 0.66  # m/s, m
OPENED = {"turn": [0.0, 0.0], "drop": 0.0,
          **dict.fromkeys(("swing_hip_gain", "swing_knee_gain", "stance_knee_gain", "swing_ankle_gain", "stance_ankle_gain", "toe_gain"), 1.0)}
STYLE = {"ankle_ease": 0.03, "level_head": 0.6, "feels_slope": 1.0}
LEAST_EASE = 0.03  # s
SHAPE = {"curves": 30.0, "steps": 4.0, "power": 0.0}  # weights with which the curves come first: they are what takes longest
LAST_SWING, AHEAD = 0.3, 0.14  # s, m: a state that ends with how far the hips are, so that the stance ankle pushes off before the other foot strikes


def opened(gait: dict) -> dict:
    """The gait with all that a search may move."""
    gait = {key: value for key, value in gait.items() if key not in ("variants", "stride")}  # they are of the start
    states = [{**OPENED, **state} for state in gait["states"]]
    if "ahead" not in states[-2]:
        states[-2] |= {"duration": LAST_SWING, "ahead": AHEAD}
    style = {**STYLE, **gait.get("style", {})}
    return {"time_step": 0.002, **gait, "states": states, "style": {**style, "ease": max(LEAST_EASE, style.get("ease", 0.0))}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("start", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--generations", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=22, help="with the gains (default: %(default)s)")
    parser.add_argument("--last", type=int, default=21, help="rounds without them, of twice the trials (default: %(default)s)")
    parser.add_argument("--trials", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    add_workers(parser)
    options = parser.parse_args()
    gait, began = opened(json.loads(options.start.read_text(encoding="utf-8"))), time.monotonic()
    wish = {**wish_for(speed=SPEED, step_length=STEP_LENGTH, engines=ENGINES), "weights": SHAPE}

    def tell(line: str) -> None:
        say(f"{(time.monotonic() - began) / 60.0:.1f} min, {line}")

    stages = (Effort(generations=options.generations or None, rounds=options.rounds, population=32, trials=options.trials, sigma=0.3, few=True,
                     seed=options.seed),
              Effort(rounds=options.last, trials=2 * options.trials, reach=0.04, gains=False, seed=options.seed))
    with context_of(options).executor() as (executor, _):
        for effort in stages:
            gait, cost = Continuation("walk", executor, effort, say=tell).find(gait, [wish])
            write_preset(options.output, gait, f"python presets/find_walk.py {shlex.join(sys.argv[1:])}")
    say(f"cost {cost:.2f}")


if __name__ == "__main__":
    main()
