"""How the last hit on this character was taken, which the next one like it tries first."""

from __future__ import annotations

from typing import Any

import bpy

from ..core.errors import FootfallError
from ..core.result import Result
from ..core.version import VERSION
from . import files

LIKE_S = 0.3  # s between two hits on a clip, up to which what held for one may hold for the other


def before(armature: bpy.types.Object, job: dict[str, Any]) -> dict[str, Any]:
    """What is kept of that in the last result of the character; nothing where that was of another clip or moment, or is of another version."""
    if not armature.footfall.bake.result:
        return {}
    try:
        last = Result.load(files.found(armature.footfall.bake.result))
    except FootfallError:
        return {}
    times = [min((event["time"] for event in events), default=-LIKE_S) for events in (last.job.get("events", ()), job["events"])]
    same = (last.made_with.get("footfall") == VERSION and last.job["method"] == "hit" and last.job["clips"] == job["clips"]
            and abs(times[1] - times[0]) <= LIKE_S)
    return last.outcome.get("held", {}) if same else {}
