"""Methods: how a motion comes about. Each is one module in this folder, and nothing outside of it asks which method a job has.

A method module has

    LABEL, HELP       as a menu shows it: a name, and one line on what it does
    COMMAND           its command on the command line
    Settings          a frozen dataclass of what can be set about it, declared with ``core.settings.setting``
    EVENTS            which events of a job it takes: "push", "ball", "gait"
    STEERED           whether it takes a job's speed and path
    ENGINES           engines in the order in which it prefers them; none where it needs no physics
    check(request)    refuses what does not go together, with a JobError; at once, without reading a recording
    complete(request) the request with everything filled in that it leaves open; may read recordings
    run(job, context) simulates a whole job and returns its Result

and, where its work can be stopped and what it has found is worth having,

    keep(job, unfinished)   the Result of what was found so far, which is in the file ``unfinished``

and, where some of its settings matter only beside others,

    idle(settings)          the names of those that mean nothing beside what the others are

and, where it has a way without physics beside those that need engines,

    physical(settings)      whether these settings ask for physics

and, where some of its settings choose presets for one body, which no character has,

    OF_ONE_BODY             the names of those, which panels leave out

and, where its body can be played live (see ``core.play``),

    begin(job)              a world with the body in its place, at the origin, and who leads it from there

A new method is a new file here; ``add`` takes one that lives elsewhere.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from ..errors import JobError

if TYPE_CHECKING:
    from pathlib import Path

    from ..context import Context
    from ..control.driver import Driver
    from ..job import Job
    from ..physics import World
    from ..result import Result

USUAL, USUAL_OF_CLIPS = "gait", "track"


@dataclass(frozen=True)
class Request:
    """A job as it was asked for: checked, but what was left out is not filled in yet.

    Attributes:
        settings: of the method. given: the other fields of ``Job`` that were given, checked.
    """

    method: str
    settings: Any
    given: dict[str, Any]


@dataclass(frozen=True)
class Command:
    """The command of a method: its name and one line of help.

    Attributes:
        fps: frames a second that it asks for by default. push_seconds: whether ``--seconds`` is the length of a push, and not of the result.
    """

    name: str
    help: str
    fps: float = 30.0
    push_seconds: bool = False


class Method(Protocol):
    """A method module, as described above."""

    LABEL: str
    HELP: str
    COMMAND: Command
    Settings: type[Any]
    EVENTS: tuple[str, ...]
    STEERED: bool
    ENGINES: tuple[str, ...]

    def check(self, request: Request) -> None: ...

    def complete(self, request: Request) -> Request: ...

    def run(self, job: Job, context: Context) -> Result: ...


@runtime_checkable
class Keeping(Protocol):
    """A method module of which stopped work can be kept."""

    def keep(self, job: Job, unfinished: Path) -> Result: ...


@runtime_checkable
class Choosy(Protocol):
    """A method module some of whose settings matter only beside others."""

    def idle(self, settings: Mapping[str, Any]) -> tuple[str, ...]: ...


@runtime_checkable
class SometimesPhysical(Protocol):
    """A method module that can also do without physics."""

    def physical(self, settings: Mapping[str, Any]) -> bool: ...


@runtime_checkable
class Playable(Protocol):
    """A method module whose body can be played."""

    def begin(self, job: Job) -> tuple[World, Driver]: ...


_added: dict[str, Method] = {}


def usual(clips: bool) -> str:
    """The method that is meant where nobody says. ``clips``: whether a recording is followed."""
    return USUAL_OF_CLIPS if clips else USUAL


def names() -> list[str]:
    """Of all methods; the usual one comes first."""
    found = [module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")]
    return sorted({*found, *_added}, key=lambda name: (name != USUAL, name))


def get(name: str) -> Method:
    """The module of a method."""
    if name not in names():
        raise JobError(f"method is {name!r}; allowed are {', '.join(names())}.")
    return _added[name] if name in _added else cast(Method, importlib.import_module(f".{name}", __name__))


def playable() -> list[str]:
    """The names of those whose body can be played."""
    return [name for name in names() if isinstance(get(name), Playable)]


def idle(method: Method, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of a method's settings that mean nothing beside what the others are."""
    return method.idle(settings) if isinstance(method, Choosy) else ()


def physical(method: Method, settings: Mapping[str, Any]) -> bool:
    """Whether there is physics in what a method does with these settings."""
    return bool(method.ENGINES) and (not isinstance(method, SometimesPhysical) or method.physical(settings))


def add(name: str, method: Method) -> None:
    """Let ``method`` be one, too, as long as this process lasts."""
    _added[name] = method
