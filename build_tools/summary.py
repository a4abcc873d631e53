"""What tests say at their end: how many passed, failed and were skipped, and why. Standard library only.

Each stage of the tests (outside Blender, inside it, in a window) runs in a process of its own and writes its ``Counts`` to the file that the
variable ``FOOTFALL_COUNTS`` names, where there is one. Stages may run side by side.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

VARIABLE = "FOOTFALL_COUNTS"


@dataclass
class Counts:
    """How many tests passed and failed; ``skipped``: how many were skipped for each reason."""

    passed: int = 0
    failed: int = 0
    skipped: dict[str, int] = field(default_factory=dict)

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.passed + other.passed, self.failed + other.failed, dict(Counter(self.skipped) + Counter(other.skipped)))

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {sum(self.skipped.values())} skipped"

    def lines(self) -> list[str]:
        """Why tests were skipped, the most frequent reason first, and last the line with all three numbers."""
        reasons = sorted(self.skipped.items(), key=lambda item: (-item[1], item[0]))
        return [*(f"{number:5d} skipped: {reason}" for reason, number in reasons), str(self)]

    def write(self) -> None:
        """To the file that is asked for, if there is one."""
        if path := os.environ.get(VARIABLE):
            Path(path).write_text(json.dumps(asdict(self)), encoding="utf-8")


@dataclass(frozen=True)
class Stage:
    """One stage that is over: its name, how long it took, whether it passed, and its counts, or None where it did not come to its end."""

    name: str
    seconds: float
    good: bool
    counts: Counts | None

    @property
    def told(self) -> Counts:
        """Its counts, in which a stage that went wrong has at least one failure."""
        counts = self.counts or Counts()
        return counts if self.good or counts.failed else counts + Counts(failed=1)


Environment = dict[str, str]  # variables, by name
Run = Callable[[Environment], int]  # starts the process of a stage in an environment, and gives its exit code


def checked(name: str, run: Run) -> Stage:
    """Run a stage that is one check and counts nothing itself."""
    stage = staged(name, (0,), run)
    return replace(stage, counts=Counts(passed=int(stage.good), failed=int(not stage.good)))


def staged(name: str, passed: Sequence[int], run: Run) -> Stage:
    """Run one stage. ``passed``: exit codes that are no failure."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "counts.json"
        began = time.monotonic()
        good = run({**os.environ, VARIABLE: str(file)}) in passed
        counts = Counts(**json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else None
    return Stage(name, time.monotonic() - began, good, counts)


def closing_lines(stages: Sequence[Stage], slow: bool) -> list[str]:
    """The last lines of all tests; the very last says whether they passed. ``slow``: whether those marked slow ran too."""
    width = max((len(stage.name) for stage in stages), default=0)
    rows = [f"{stage.name:{width}s}  {stage.seconds / 60.0:5.1f} min  {stage.told}" + (" (did not come to its end)" if stage.counts is None else "")
            for stage in stages]
    failed = [stage.name for stage in stages if not stage.good]
    left_out = [] if slow else ["Tests marked slow were left out; --slow runs them too."]
    total = sum((stage.told for stage in stages), Counts())
    return [*rows, *left_out, *total.lines(), f"Failed: {', '.join(failed)}." if failed else "All tests passed."]
