"""Try which gait can change into which directly."""

from __future__ import annotations

from concurrent.futures import Executor

from .. import presets
from ..control.gait import load_gait
from ..control.walker import Walker
from ..errors import SimulationError
from ..jobs import make_job
from ..methods.gait import walk

BEFORE, AFTER = 5.0, 8.0  # s in the first gait, and s that the second must last
MOMENTS, LATER = 2, 0.7  # a change must work at several moments, so many s apart, since it meets the cycle at any phase


def holds(first: str, second: str) -> bool:
    """Whether ``first`` can be left for ``second`` at once."""
    return all(_holds_at(first, second, BEFORE + LATER * moment) for moment in range(MOMENTS))


def _holds_at(first: str, second: str, when: float) -> bool:
    """Whether it can be left at ``when`` (s)."""
    asked = False

    def ask(walker: Walker, time: float) -> None:
        nonlocal asked
        if time >= when and not asked:
            asked = True
            walker.go_through([second])

    try:
        return not walk(make_job({"gait": first, "duration": when + AFTER}), supervise=ask).outcome["fell"]
    except SimulationError:
        return False


def gaits_in_3d() -> list[str]:
    return [name for name in presets.names("gaits") if not load_gait(name).planar]


def direct_changes(gaits: list[str], executor: Executor) -> dict[str, list[str]]:
    """For each of ``gaits``, those of the others that it can change into."""
    pairs = [(first, second) for first in gaits for second in gaits if first != second]
    passed = executor.map(holds, *zip(*pairs, strict=True))
    table: dict[str, list[str]] = {name: [] for name in gaits}
    for (first, second), fine in zip(pairs, passed, strict=True):
        if fine:
            table[first].append(second)
    return table
