"""Variations: the same hits a little stronger or weaker, from a little further left or right, a little sooner or later."""

from __future__ import annotations

import copy
from math import cos, radians, sin
from random import Random
from typing import Any

STRONGER, ASIDE, SOONER_S = 0.25, radians(20.0), 0.12  # of the force, rad and s, by which a hit varies at most
BALL_KG = 1.0  # of a ball whose mass a job does not say


def varied(data: dict[str, Any], count: int, seed: int = 0) -> list[dict[str, Any]]:
    """``count`` jobs like ``data``, the first of them as it is; the same ones for the same ``seed``."""
    random = Random(seed)
    jobs = [copy.deepcopy(data) for _ in range(count)]
    for job in jobs[1:]:
        # All hits of a variation change alike: two blows in a row stay two blows in a row.
        factor, angle, later = 1.0 + random.uniform(-STRONGER, STRONGER), random.uniform(-ASIDE, ASIDE), random.uniform(-SOONER_S, SOONER_S)
        for event in job["events"]:
            event["time"] = max(0.0, event["time"] + later)
            if event["type"] == "push":
                event["force"] = [factor * value for value in _turned(event["force"], angle)]
                continue
            event["mass"] = factor * event.get("mass", BALL_KG)
            if event.get("frame", "heading") == "heading":  # as seen from the body: it comes from further left or right
                event |= {name: _turned(event[name], angle) for name in ("position", "velocity")}
    return jobs


def _turned(vector: list[float], angle: float) -> list[float]:
    x, y, z = vector
    return [x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle), z]
