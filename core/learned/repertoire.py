"""Repertoire: controllers of one body, and how one of them may give way to another. A state machine that is data (Figure 5 of the paper).

    {"body": "planar_biped", "first": "walk",
     "controllers": {"walk": "planar_walk.npz", "run": "planar_run.npz"},         files beside this one
     "transitions": [{"from": "walk", "to": "run", "by": "planar_walk_to_run.npz"},         by a controller of its own; or
                                                                                   and may say how near a state must be to its samples for it to
                                                                                   begin, "begins", and to those of the other one for it to be over,
                                                                                   "ends", instead of a share of what is abnormal for each; then it is
                                                                                   entered early, at one of its first moments
                     {"from": "run", "to": "walk", "over": 1.5},                          what one chooses fades into what the other one does, in s;
                     {"from": "walk", "to": "stand"}, …],                                 without either, one takes over from the other as it is
     "acts": {"jump": {"at": "stand", "by": "jump.npz", "over": 0.3}, …},         what is done once when it is asked for, by a change of its own that
                                                                                   begins and ends there; in and out of it they fade, in s
     "rescues": [{"from": "stand", "to": "walk", "towards": 90, "beyond": 0.2, "over": 0.15, "lasts": 2}, …]}
                                                                                   who takes over, unasked, from a body that is pushed towards there
                                                                                   (degrees to the left of where it faces), faster than that (m/s),
                                                                                   for so many s at least, before it does again what it was told to
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from math import radians
from pathlib import Path
from typing import Any

from .. import presets
from ..errors import FormatError, JobError
from ..settings import number
from .controller import TRANSITION, Controller, load

FIELDS = ("description", "made_by", "planar", "body", "first", "controllers", "transitions", "acts", "rescues")
LEAST_S, MOST_S = 0.001, 1000.0  # of a fade
FARTHEST, FASTEST = 1000.0, 100.0  # distance in features, and m/s


@dataclass(frozen=True)
class Rescue:
    """``to``: the name of a controller that takes over ``over`` so many s from one whose body is pushed away. ``towards``: rad, to the left of where
    the body faces: the direction for which it is. ``beyond``: m/s of the pelvis, over which it is needed. ``lasts``: s before it leads back."""

    to: str
    towards: float
    beyond: float
    over: float
    lasts: float


@dataclass(frozen=True)
class Act:
    """What is done once: the change ``by`` begins and ends in the controller of the name ``at``; they fade into each other in ``over`` s."""

    at: str
    by: Controller
    over: float


@dataclass(frozen=True)
class Repertoire:
    """Attributes:
        first: the name of the controller that a simulation begins with.
        controllers: stationary ones by their names. transitions: by from and to; None where one takes over from the other as it is, or fades into it.
        fades: s over which one controller fades into another, by from and to. acts: what can be done once, by its name.
        near: how near to the samples of a transition it begins, and how near to those of the controller that it leads to it is over, by from and to.
        rescues: who takes over from one that is pushed away, by its name.
    """

    name: str
    body: str | dict[str, Any]
    first: str
    controllers: dict[str, Controller]
    transitions: dict[tuple[str, str], Controller | None] = field(default_factory=dict)
    rescues: dict[str, tuple[Rescue, ...]] = field(default_factory=dict)
    fades: dict[tuple[str, str], float] = field(default_factory=dict)
    near: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)
    acts: dict[str, Act] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """What it can be told to do."""
        return [*self.controllers, *self.acts]

    @property
    def changes(self) -> list[Controller]:
        """Those that lead from one controller to another, or back."""
        return [*(by for by in self.transitions.values() if by), *(act.by for act in self.acts.values())]

    @property
    def whole(self) -> list[Controller]:
        """All that it knows: those that go on for ever, and those that change."""
        return [*self.controllers.values(), *self.changes]

    @property
    def time_step(self) -> float:
        """s of the engine, for which its controllers were learned."""
        return self.controllers[self.first].time_step

    def after(self, refinements: int) -> Repertoire:
        """With controllers as they were after so many refinements, or with all of theirs."""
        def known(controller: Controller) -> Controller:
            return controller.after(min(refinements, controller.refinements))

        return replace(self, controllers={name: known(one) for name, one in self.controllers.items()},
                       transitions={edge: by and known(by) for edge, by in self.transitions.items()},
                       acts={name: replace(act, by=known(act.by)) for name, act in self.acts.items()})

    def way(self, start: str, goal: str) -> list[str]:
        """The controllers to go through from one to another, or to an act, without the first; a JobError where no transition leads there."""
        before: dict[str, str] = {start: ""}
        waiting = deque([start])
        while waiting:
            here = waiting.popleft()
            for one, other in [*self.transitions, *((act.at, name) for name, act in self.acts.items())]:
                if one == here and other not in before:
                    before[other] = here
                    waiting.append(other)
        if goal not in before:
            raise JobError(f"'{self.name}' has no way from '{start}' to '{goal}'; it has {', '.join(self.names)}.")
        way = [goal]
        while way[0] != start:
            way.insert(0, before[way[0]])
        return way[1:]


def alone(path: str | Path) -> Repertoire:
    """A repertoire of one controller, of its file."""
    controller = load(path)
    return Repertoire(controller.name, controller.body, controller.name, {controller.name: controller})


def load_repertoire(name: str) -> Repertoire:
    """By a preset's name, or the path of a JSON file."""
    data = presets.load("controllers", name)
    folder = Path(name).parent if presets.is_path(name) else presets.FOLDER / "controllers"
    for key in data:
        if key not in FIELDS:
            raise FormatError(f"The controllers '{name}' have no field '{key}'; known are {', '.join(FIELDS)}.")
    try:
        found = _read(name, folder, data)
    except (KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"The controllers '{name}' lack {error}: see core/learned/repertoire.py for what belongs there.") from error
    _check(found, name)
    return found


def _read(name: str, folder: Path, data: dict[str, Any]) -> Repertoire:
    """What a file says. ``folder``: where the controllers' own files are."""
    def read(where: str, item: dict[str, Any], field: str, low: float, high: float) -> float:
        return number(f"{where}.{field} of the controllers '{name}'", item[field], low, high)

    controllers = {key: load(folder / file) for key, file in data["controllers"].items()}
    transitions = {(edge["from"], edge["to"]): load(folder / edge["by"]) if "by" in edge else None for edge in data.get("transitions", ())}
    fades: dict[tuple[str, str], float] = {}
    near: dict[tuple[str, str], tuple[float, float]] = {}
    for n, edge in enumerate(data.get("transitions", ())):
        where, between = f"transitions[{n}]", (edge["from"], edge["to"])
        if "over" in edge:
            fades[between] = read(where, edge, "over", LEAST_S, MOST_S)
        if "begins" in edge:
            near[between] = (read(where, edge, "begins", 0.0, FARTHEST), read(where, edge, "ends", 0.0, FARTHEST))
    rescues: dict[str, tuple[Rescue, ...]] = {}
    for n, rescue in enumerate(data.get("rescues", ())):
        where = f"rescues[{n}]"
        one = Rescue(rescue["to"], radians(read(where, rescue, "towards", -360.0, 360.0)), read(where, rescue, "beyond", 0.0, FASTEST),
                     read(where, rescue, "over", LEAST_S, MOST_S), read(where, rescue, "lasts", 0.0, MOST_S))
        rescues[rescue["from"]] = (*rescues.get(rescue["from"], ()), one)
    acts = {key: Act(act["at"], load(folder / act["by"]), read(f"acts.{key}", act, "over", LEAST_S, MOST_S))
            for key, act in data.get("acts", {}).items()}
    return Repertoire(Path(name).stem, data["body"], data["first"], controllers, transitions, rescues, fades, near, acts)


def _check(found: Repertoire, name: str) -> None:
    """Refuse what would end a simulation in its middle."""
    controllers = found.controllers
    led = [(one, rescue.to) for one, rescues in found.rescues.items() for rescue in rescues]
    named = {found.first, *(end for edge in (*found.transitions, *led) for end in edge), *(act.at for act in found.acts.values())}
    if named - set(controllers):
        raise FormatError(f"The controllers '{name}' name '{sorted(named - set(controllers))[0]}', which is not among them.")
    fading = [(here, there, controllers[there]) for here, there in [*found.fades, *led]]
    for here, there, by in [*fading, *((act.at, key, act.by) for key, act in found.acts.items())]:
        if controllers[here].following != by.following:
            raise FormatError(f"The controllers '{name}' let '{here}' fade into '{there}', which is followed in another way: leave it out.")
    for change in found.changes:
        if change.kind != TRANSITION:
            raise FormatError(f"The controllers '{name}' change by '{change.name}', which goes on for ever: learn it with --kind transition.")
    for saved, saver in led:
        try:
            found.way(saver, saved)
        except JobError as error:
            raise FormatError(f"The controllers '{name}' let '{saver}' save '{saved}', but no transition leads back: add one.") from error
    bodies = {str(one.body) for one in found.whole}
    if bodies != {str(found.body)}:
        raise FormatError(f"The controllers '{name}' are not all of the body '{found.body}': learn them again on one body.")
