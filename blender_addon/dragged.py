"""The hit that is being dragged, as it is while the mouse has it: known to all who show it, and not written yet."""

from __future__ import annotations

from dataclasses import dataclass

from mathutils import Vector


@dataclass(frozen=True)
class Dragged:
    """``number``: of the push in its character's list; ``direction``: unit vector, world."""

    number: int
    direction: Vector
    newtons: float


_dragged: dict[str, Dragged] = {}  # by the character's name


def hold(name: str, dragged: Dragged) -> None:
    """Let all show this push of a character so, until ``let_go``."""
    _dragged[name] = dragged


def held(name: str, number: int) -> Dragged | None:
    """How a push of a character is while it is dragged; None of any other."""
    found = _dragged.get(name)
    return found if found and found.number == number else None


def let_go(name: str) -> None:
    _dragged.pop(name, None)


def let_go_of_all(*_: object) -> None:
    """Before another file is opened."""
    _dragged.clear()
