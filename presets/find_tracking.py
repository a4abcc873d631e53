"""How the usual gains of tracking, presets/tracking.json, were found: one change at a time.

    python presets/find_tracking.py --pushed WALK.bvh --held CLIP.bvh … [--level 1.3] [--gains '{"pelvis": [270, 28]}']

A candidate walks the loop of the first clip while it is pushed at several phases with the published forces times a level, and follows the other
clips to their ends. Printed
are the usual gains (with ``--gains`` in place of theirs), and then each gain 0.6 and 1.6 times as large: how many pushes from front, rear, right
and left fell it, how many clips it held.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.control.tracker import gains_of  # noqa: E402
from core.errors import SimulationError  # noqa: E402
from core.job import make_job  # noqa: E402
from core.optimize.pushes import CLIP_PUBLISHED  # noqa: E402
from core.optimize.tracking import held  # noqa: E402
from core.simulate import simulate  # noqa: E402

WALKED, RECOVERED = 1.5, 2.5  # s before and after a push
PHASES = (0.0, 0.18, 0.36)  # s: a push meets the walk at these moments of its cycle
FACTORS = (0.6, 1.6)


def pushed(clip: str, level: float) -> list[dict]:
    """The jobs of the pushes, direction by direction."""
    return [{"reference": {"clips": [clip], "loop": True}, "duration": WALKED + phase + 0.4 + RECOVERED,
             "events": [{"type": "push", "time": WALKED + phase, "duration": 0.4, "force": [level * force * x, level * force * y, 0.0]}]}
            for (x, y), force in CLIP_PUBLISHED.items() for phase in PHASES]


def passes(task: tuple[dict, dict]) -> bool:
    """Whether a body stays up in a job, or follows its clip well where there is no push."""
    source, gains = task
    try:
        result = simulate(make_job(source), gains=gains_of(gains))
    except SimulationError:
        return False
    return not result.outcome["fell"] if "events" in source else held(result)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pushed", required=True)
    parser.add_argument("--held", nargs="*", default=[])
    parser.add_argument("--level", type=float, default=1.3)
    parser.add_argument("--gains", type=json.loads, default={})
    options = parser.parse_args()
    usual = {**json.loads((Path(__file__).parent / "tracking.json").read_text(encoding="utf-8"))["gains"], **options.gains}
    candidates = [options.gains] + [{**options.gains, name: [factor * v for v in value] if isinstance(value, list) else factor * value}
                                    for name, value in usual.items() for factor in FACTORS]
    pushes = pushed(options.pushed, options.level)
    jobs = pushes + [{"reference": {"clips": [clip]}} for clip in options.held]
    with ProcessPoolExecutor(os.cpu_count()) as executor:
        results = list(executor.map(passes, [(job, candidate) for candidate in candidates for job in jobs]))
    for number, candidate in enumerate(candidates):
        done = results[number * len(jobs):(number + 1) * len(jobs)]
        fell = [len(PHASES) - sum(done[n:n + len(PHASES)]) for n in range(0, len(pushes), len(PHASES))]
        print(f"{candidate}: felled from front, rear, right, left {fell}, held {sum(done[len(pushes):])} of {len(options.held)} clips")


if __name__ == "__main__":
    main()
