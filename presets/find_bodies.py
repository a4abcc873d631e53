"""Find presets/bodies/gaits: for each of the six bodies of Wang, Fleet and Hertzmann 2009 (their figure 8) the walk that costs it the least.

    python presets/find_bodies.py [BODY …] [--generations 12] [--workers 2] [--folder presets/bodies/gaits]

Each begins with the walk, scaled to it. No speed is wanted: it is judged by its effort for the way that it goes (the cost of transport), and by what
else is known of people's walks at the speed that it has then. CMA moves a few numbers, on both engines.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core import presets
from core.commands.shared import add_workers, context_of, say
from core.optimize.search import search, write_preset
from core.optimize.walking import FALL, WEIGHTS, cost, wish_for
from core.physics import ENGINES
from core.search.minimise import Generation

BODIES = ("long_arm", "thin", "short", "stocky", "overweight", "tall")
TRANSPORT = 100.0  # times its weight: effort over distance is what they are optimised for
POPULATION, NEAR, FAR = 16, 0.3, 0.5  # how far it looks at first, where the walk holds by scaling alone, and where not


def found_for(body: str, executor, generations: int) -> tuple[dict, float]:
    gait = {key: value for key, value in presets.load("gaits", "walk").items() if key not in ("variants", "stride")}
    wish = {**wish_for(body, engines=ENGINES), "weights": {"power": TRANSPORT * WEIGHTS["power"]}}
    before = cost(gait, "walk", wish)
    say(f"{body}: begins at {before:.2f}")

    def report(generation: Generation) -> None:
        say(f"{body}, generation {generation.number}: best {generation.best_cost:.2f}, this one {min(generation.costs):.2f}")

    return search(gait, "walk", wish, executor, generations=generations, few=True, cost=cost, sigma=FAR if before >= FALL else NEAR,
                  population=POPULATION, report=report)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bodies", nargs="*", default=BODIES, metavar="BODY")
    parser.add_argument("--generations", type=int, default=12)
    parser.add_argument("--folder", type=Path, default=Path(presets.FOLDER, "bodies", "gaits"))
    add_workers(parser)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with context_of(options).executor() as (executor, _):
        for body in options.bodies:
            gait, least = found_for(body, executor, options.generations)
            say(f"{body}: {least:.2f}")
            gait["description"] = f"The walk of the body '{body}' that costs it the least."
            write_preset(options.folder / f"{body}.json", gait, f"python presets/find_bodies.py {body} --generations {options.generations}")


if __name__ == "__main__":
    main()
