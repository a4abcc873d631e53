"""Try which gait can change into which directly."""

from __future__ import annotations

from concurrent.futures import Executor

from .. import presets
from ..control.gait import load_gait
from ..control.walker import Walker
from ..jobs import make_job
from ..methods.gait import walk

BEFORE, AFTER = 5.0, 8.0  # s in the first gait, and s that the second must last
MOMENTS = 2  # a change must work at several moments, since it meets the cycle at any phase


def holds(first: str, second: str) -> bool:
    """Whether ``first`` can be left for ``second`` at once."""
    for moment in range(MOMENTS):
        when, asked = BEFORE + 0.7 * moment, False

        def ask(walker: Walker, time: float) -> None:
            nonlocal asked
            if time >= when and not asked:
                asked = True
                walker.go_through([second])

        if walk(make_job({"gait": first, "duration": when + AFTER}), supervise=ask).outcome["fell"]:
            return False
    return True


def direct_changes(executor: Executor) -> dict[str, list[str]]:
    """For each gait in 3D, the gaits that it can change into."""
    gaits = [name for name in presets.names("gaits") if not load_gait(name).planar]
    pairs = [(first, second) for first in gaits for second in gaits if first != second]
    passed = executor.map(holds, *zip(*pairs))
    table: dict[str, list[str]] = {name: [] for name in gaits}
    for (first, second), fine in zip(pairs, passed):
        if fine:
            table[first].append(second)
    return table
