"""How the usual gains of tracking, presets/tracking.json, were found: one change at a time.

    python presets/find_tracking.py --pushed WALK.bvh --held CLIP.bvh … [--level 1.3] [--gains '{"pelvis": [270, 28]}']
        [--workers 2] [--dask ADDRESS]

A candidate walks the loop of the first clip while it is pushed at several phases with the published forces times a level, and follows the other
clips to their ends. The candidates are the usual gains (with ``--gains`` in place of theirs), and then each gain 0.6 and 1.6 times as large.
Printed is how many pushes from front, rear, right and left felled each of them, and how many clips it held.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core import presets
from core.commands.shared import add_workers, context_of
from core.errors import SimulationError
from core.jobs import make_job, run
from core.optimize.pushes import CLIP_PUBLISHED
from core.search.tracking_gains import held

WALKED, RECOVERED = 1.5, 2.5  # s before and after a push
PHASES = (0.0, 0.18, 0.36)  # s: a push meets the walk at these moments of its cycle
FACTORS = (0.6, 1.6)


def pushed(clip: str, level: float) -> list[dict]:
    """The jobs of the pushes, direction by direction."""
    return [{"method": "track", "clips": [clip], "loop": True, "duration": WALKED + phase + 0.4 + RECOVERED,
             "events": [{"type": "push", "time": WALKED + phase, "duration": 0.4, "force": [level * force * x, level * force * y, 0.0]}]}
            for (x, y), force in CLIP_PUBLISHED.items() for phase in PHASES]


def passes(task: tuple[dict, dict]) -> bool:
    """Whether a body stays up in a job, or follows its clip well where there is no push."""
    data, gains = task
    try:
        result = run(make_job({**data, "gains": gains}))
    except SimulationError:
        return False
    return not result.outcome["fell"] if "events" in data else held(result)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pushed", required=True)
    parser.add_argument("--held", nargs="*", default=[])
    parser.add_argument("--level", type=float, default=1.3)
    parser.add_argument("--gains", type=json.loads, default={})
    add_workers(parser)
    options = parser.parse_args()
    usual = {**presets.read_json(presets.FOLDER / "tracking.json")["gains"], **options.gains}
    changes = [options.gains] + [{**options.gains, name: [factor * v for v in value] if isinstance(value, list) else factor * value}
                                 for name, value in usual.items() for factor in FACTORS]
    pushes = pushed(options.pushed, options.level)
    jobs = pushes + [{"method": "track", "clips": [clip]} for clip in options.held]
    # All gains, not the changed ones alone: those that a search has left beside a clip must not come into it.
    tasks = [(job, usual | change) for change in changes for job in jobs]
    with context_of(options).executor() as (executor, _):
        results = list(executor.map(passes, tasks))
    for number, change in enumerate(changes):
        done = results[number * len(jobs):(number + 1) * len(jobs)]
        fell = [len(PHASES) - sum(done[n:n + len(PHASES)]) for n in range(0, len(pushes), len(PHASES))]
        print(f"{change}: felled from front, rear, right, left {fell}, held {sum(done[len(pushes):])} of {len(options.held)} clips")


if __name__ == "__main__":
    main()
