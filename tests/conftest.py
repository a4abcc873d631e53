"""Outside Blender the repository itself is the add-on's package: ``from footfall.blender_addon.worker import Worker``.

At the end all tests, also those inside Blender, say how many were skipped and why.
"""

import os
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # tests run side by side: one core each

if "footfall" not in sys.modules:  # inside Blender it is the installed add-on
    package = ModuleType("footfall")
    package.__path__ = [str(Path(__file__).resolve().parent.parent)]
    sys.modules["footfall"] = package

from build_tools.summary import Counts


def pytest_unconfigure(config) -> None:
    """The last lines, behind pytest's own. Where several processes test, only the one that hears of all has a reporter."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or config.option.collectonly:
        return
    found = {outcome: reporter.stats.get(outcome, []) for outcome in ("passed", "failed", "error", "skipped")}
    reasons = Counter(_reason(report) for report in found["skipped"])
    counts = Counts(len(found["passed"]), len(found["failed"]) + len(found["error"]), dict(reasons))
    for line in counts.lines():
        reporter.write_line(line)
    counts.write()


def _reason(report) -> str:
    """Why a test was skipped, as it says."""
    where = report.longrepr
    return (where[2] if isinstance(where, tuple) else str(where)).removeprefix("Skipped: ")
