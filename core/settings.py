"""Settings: what can be set about a method, declared once.

A method's ``Settings`` is a frozen dataclass whose fields are made with ``setting(default, kind, help)``. From these declarations a job's
fields are checked, the command line's options are made, and so are the properties of Blender's panels with their tooltips.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeVar

from .errors import JobError

REQUIRED = MISSING  # as a default: a job has to say it

T = TypeVar("T")


@dataclass(frozen=True)
class Number:
    """A number from ``low`` to ``high``. ``unit``: for messages. ``soft``: the range that a slider shows.

    ``label``: as a panel calls it where it is one of several ``Numbers``; by default its name there.
    """

    low: float
    high: float
    unit: str = ""
    soft: tuple[float, float] | None = None
    label: str = ""

    def check(self, where: str, value: object) -> float:
        return number(where, value, self.low, self.high, self.unit)


@dataclass(frozen=True)
class Switch:
    """On or off. ``seconds``: on the command line it may also say for how many seconds, which is then the job's duration."""

    seconds: bool = False

    def check(self, where: str, value: object) -> bool:
        return choice(where, value, (True, False))


@dataclass(frozen=True)
class Choice:
    """One of ``options``: each with a line on what it means, as a menu shows it."""

    options: Mapping[str, str]

    def check(self, where: str, value: object) -> str:
        return choice(where, value, tuple(self.options))


@dataclass(frozen=True)
class Choices:
    """A list of some of ``options``."""

    options: tuple[str, ...]

    def check(self, where: str, value: object) -> tuple[str, ...]:
        return tuple(choice(f"{where}[{n}]", item, self.options) for n, item in enumerate(a_list(where, value)))


@dataclass(frozen=True)
class Preset:
    """The name of a preset of a kind ("gaits"), or the path of such a file. ``without``: where there need be none, a line on what "none" means."""

    kind: str
    without: str = ""

    def check(self, where: str, value: object) -> str:
        if not isinstance(value, str):
            raise JobError(f"{where} is {value!r}; allowed is the name of a {self.kind[:-1]}.")
        return value


@dataclass(frozen=True)
class Clips:
    """Paths of recordings: from ``least`` to ``most``."""

    most: int | None = 1
    least: int = 1

    def check(self, where: str, value: object) -> tuple[str, ...]:
        paths = a_list(where, value)
        if len(paths) < self.least or not all(isinstance(path, str) for path in paths):
            raise JobError(f"{where} must be a list of {'one or more ' if self.least else ''}paths of BVH, AMC or DeepMimic files.")
        if self.most and len(paths) > self.most:
            most = "one" if self.most == 1 else self.most
            raise JobError(f"{where} names {len(paths)} recordings, but this method follows {most}: leave the others out.")
        return tuple(str(path) for path in paths)


@dataclass(frozen=True)
class File:
    """The path of a file. ``without``: where there need be none, a line on what "" means. ``listed``: whether panels have a list of such files, from
    which it is chosen."""

    without: str = ""
    listed: bool = False

    def check(self, where: str, value: object) -> str:
        if not isinstance(value, str) or not (value or self.without):
            raise JobError(f"{where} is {value!r}; allowed is the path of a file.")
        return value


@dataclass(frozen=True)
class Numbers:
    """An object of numbers, each with its usual value, its kind and a line of help; what is left out has its usual value."""

    items: Mapping[str, tuple[float, Number, str]]

    def check(self, where: str, value: object) -> dict[str, float]:
        given = record(where, value, {name: usual for name, (usual, _, _) in self.items.items()})
        return {name: kind.check(f"{where}.{name}", given[name]) for name, (_, kind, _) in self.items.items()}

    @property
    def usual(self) -> dict[str, float]:
        return {name: usual for name, (usual, _, _) in self.items.items()}


@dataclass(frozen=True)
class Place:
    """A place on the ground, (x, y) m in the world of the job. ``without``: a line on what it means that there is none."""

    without: str

    def check(self, where: str, value: object) -> tuple[float, ...] | None:
        return None if value is None else vector(where, value, -1e4, 1e4, "m", size=2)


@dataclass(frozen=True)
class Data:
    """Anything that ``checked(where, value)`` makes of a job's value; nothing that a menu or an option could show."""

    checked: Callable[[str, Any], Any]

    def check(self, where: str, value: object) -> Any:
        return self.checked(where, value)


Kind = Number | Switch | Choice | Choices | Preset | Clips | File | Numbers | Place | Data


@dataclass(frozen=True)
class Setting:
    """One declared setting: its name, its default (``REQUIRED``: none), its kind, one line of help, the name that panels show, and its option on the
    command line."""

    name: str
    default: Any
    kind: Kind
    help: str
    label: str
    option: str


def setting(default: Any, kind: Kind, help: str, label: str = "", option: str = "") -> Any:
    """A field of a ``Settings`` dataclass.

    Args:
        help: one line, as a tooltip shows it.
        label, option: as a panel and the command line show it; by default the name.
    """
    about = {"kind": kind, "help": help, "label": label, "option": option}
    if isinstance(default, dict):
        return field(default_factory=lambda: dict(default), metadata=about)
    return field(metadata=about) if default is REQUIRED else field(default=default, metadata=about)


def title(name: str) -> str:
    """A setting's or a preset's name as a panel shows it."""
    return name.replace("_", " ").title()


def declared(settings: type) -> list[Setting]:
    """The settings of a ``Settings`` class, in order."""
    found = []
    for item in fields(settings):
        default = item.default_factory() if item.default_factory is not MISSING else item.default
        about = item.metadata
        found.append(Setting(item.name, default, about["kind"], about["help"], about["label"] or title(item.name),
                             about["option"] or f"--{item.name.replace('_', '-')}"))
    return found


def read(settings: type, data: Mapping[str, Any], owner: str) -> Any:
    """An instance from a job's values, checked. ``owner``: whose settings these are, for messages."""
    known = declared(settings)
    names = [item.name for item in known]
    for key in data:
        if key not in names:
            raise JobError(f"{owner} has no setting '{key}'; it has {', '.join(names)}.")
    values = {}
    for item in known:
        if item.name in data:
            values[item.name] = item.kind.check(item.name, data[item.name])
        elif item.default is REQUIRED:
            raise JobError(f"{owner} needs '{item.name}': {item.help[0].lower()}{item.help[1:]}")
    return settings(**values)


# -- checks that jobs share ------------------------------------------------------------------------------------------------


def number(where: str, value: object, low: float, high: float, unit: str = "", whole: bool = False) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high and (not whole or value == math.floor(value)):
        return int(value) if whole else float(value)
    allowed = f"a whole number from {low:.0f} to {high:.0f}" if whole else f"a number from {low:g} to {high:g}"
    raise JobError(f"{where} is {value!r}; allowed is {allowed} {unit}".rstrip() + ".")


def choice(where: str, value: object, allowed: Sequence[T]) -> T:
    """The one of ``allowed`` that a value is. 1 is not True, though they are equal."""
    for option in allowed:
        if type(value) is type(option) and value == option:
            return option
    raise JobError(f"{where} is {value!r}; allowed are {', '.join(repr(option) for option in allowed)}.")


def a_list(where: str, value: object) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise JobError(f"{where} is {value!r}; allowed is a list.")
    return value


def vector(where: str, value: object, low: float = -1e6, high: float = 1e6, unit: str = "", size: int = 3) -> tuple[float, ...]:
    if not isinstance(value, (list, tuple)) or len(value) != size:
        raise JobError(f"{where} is {value!r}; allowed is a list of {size} numbers.")
    return tuple(number(f"{where}[{n}]", item, low, high, unit) for n, item in enumerate(value))


def record(where: str, value: object, defaults: Mapping[str, Any], kind: str = "") -> dict[str, Any]:
    """An object with its ``defaults`` filled in (``REQUIRED``: must be there); what is unknown is refused. ``kind``: of it, for messages."""
    about = f"{where} ({kind})" if kind else where
    if not isinstance(value, Mapping):
        raise JobError(f"{where} is {value!r}; allowed is an object with {', '.join(defaults)}.")
    for key in value:
        if key not in defaults and key != "type":
            raise JobError(f"{about} has no field '{key}'; known are {', '.join(defaults) or 'none'}.")
    for key, default in defaults.items():
        if default is REQUIRED and key not in value:
            raise JobError(f"{about} lacks '{key}'.")
    return {**defaults, **value}
