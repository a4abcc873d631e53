"""Which gaits can follow each other directly, and the way round where they cannot."""

from __future__ import annotations

from collections import deque
from functools import cache

from .. import presets
from ..errors import JobError


@cache
def direct() -> dict[str, list[str]]:
    """Gait → gaits it can change into at once, as measured (presets/transitions.json)."""
    return presets.read_json(presets.FOLDER / "transitions.json")["direct"]


def route(start: str, goal: str) -> list[str]:
    """The shortest chain of direct changes from one gait to another, without the start."""
    if start == goal:
        return []
    table = direct()
    if start not in table or goal not in {name for row in table.values() for name in row}:
        return [goal]  # a gait of the user's own: try it directly
    came_from: dict[str, str] = {start: ""}
    queue = deque([start])
    while queue:
        gait = queue.popleft()
        for following in table.get(gait, []):
            if following not in came_from:
                came_from[following] = gait
                queue.append(following)
    if goal not in came_from:
        raise JobError(f"There is no way from '{start}' to '{goal}' through gaits that follow each other; stop in between.")
    chain = [goal]
    while came_from[chain[0]] != start:
        chain.insert(0, came_from[chain[0]])
    return chain
