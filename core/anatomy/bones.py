"""Bones of a rig at rest, and the map that says which of them are which part of the body. Plain data, no Blender."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Point = tuple[float, float, float]

SIDES = ("L", "R")
ARM = ("shoulder", "upper_arm", "forearm", "hand")
LEG = ("thigh", "shin", "foot", "toes")
TRUNK = ("pelvis", "torso", "head")
CHAINS = ("torso", "head")  # slots of several bones, named by the lowest one, that share the turn of one joint
SLOTS = (*TRUNK, *(f"{part}.{side}" for limb in (ARM, LEG) for side in SIDES for part in limb))
REQUIRED = ("pelvis", *(f"{part}.{side}" for side in SIDES for part in LEG[:3]))
# The slot of the same limb that comes before.
ABOVE = {f"{part}.{side}": f"{above}.{side}" for limb in (ARM, LEG) for above, part in pairwise(limb) for side in SIDES}


def limb(slot: str) -> str:
    """The limb that a slot belongs to: "arm.L", "leg.R", …, or "trunk"."""
    part, _, side = slot.partition(".")
    return f"arm.{side}" if part in ARM else f"leg.{side}" if part in LEG else "trunk"


@dataclass(frozen=True)
class Bone:
    """A bone at rest.

    Attributes:
        head, tail: (3,) Blender units, world axes with Z up. The head is a joint; the tail may be anywhere, until ``ends`` has looked at it.
        deform: whether it moves the mesh.
        properties: names of the custom properties of its pose bone.
    """

    name: str
    parent: str | None
    head: Point
    tail: Point
    deform: bool = True
    properties: tuple[str, ...] = ()


@dataclass
class BoneMap:
    """Which bones are which part of the body.

    Attributes:
        bones: slot → the bones whose joints are measured, from the trunk outwards. Spine and neck are chains that bend all along; in a limb the
            first bone turns and the others (twist bones in line) follow. A slot may hold bones side by side: five toes, or a pelvis in halves.
        controls: slot → the bones that get keys: the same bones, but for control rigs.
        switches: (bone, custom property, value) that make the rig listen to ``controls``.
        family: whose names these are ("Mixamo"), or "by shape".
    """

    bones: dict[str, tuple[str, ...]] = field(default_factory=dict)
    controls: dict[str, tuple[str, ...]] = field(default_factory=dict)
    switches: list[tuple[str, str, float]] = field(default_factory=list)
    family: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, to be written as JSON."""
        return {
            "family": self.family,
            "bones": {slot: list(names) for slot, names in self.bones.items()},
            "controls": {slot: list(names) for slot, names in self.controls.items()},
            "switches": [list(switch) for switch in self.switches],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> BoneMap:
        """The reverse of ``to_dict``; data of another form is a ValueError, KeyError, TypeError or AttributeError."""
        bones, controls = ({slot: tuple(map(str, names)) for slot, names in data[key].items()} for key in ("bones", "controls"))
        unknown = {*bones, *controls}.difference(SLOTS)
        if unknown:
            raise ValueError(f"a body has no part '{min(unknown)}'")
        return cls(bones, controls, [(str(bone), str(key), float(value)) for bone, key, value in data["switches"]], str(data["family"]))


def label(slot: str) -> str:
    """'upper_arm.L' → 'left upper arm'."""
    part, _, side = slot.partition(".")
    return {"L": "left ", "R": "right ", "": ""}[side] + part.replace("_", " ")


class Tree:
    """Bones by name, and what hangs on what."""

    def __init__(self, bones: Iterable[Bone]):
        self.bones = {bone.name: bone for bone in bones}
        self.children: dict[str, list[str]] = {name: [] for name in self.bones}
        for bone in self.bones.values():
            if bone.parent in self.bones:
                self.children[bone.parent].append(bone.name)

    def head(self, name: str) -> Point:
        return self.bones[name].head

    def tail(self, name: str) -> Point:
        return self.bones[name].tail

    def up(self, name: str | None) -> Iterator[str]:
        """The bone and all that it hangs on, nearest first."""
        while name in self.bones:
            yield name
            name = self.bones[name].parent

    def below(self, name: str) -> Iterator[str]:
        """The bone and all that hang on it, parents first."""
        waiting = [name]
        while waiting:
            found = waiting.pop()
            yield found
            waiting += self.children[found]

    def path(self, top: str, end: str) -> list[str]:
        """The bones from ``top`` down to ``end``, both included; none where ``end`` does not hang on ``top``."""
        climb = []
        for name in self.up(end):
            climb.append(name)
            if name == top:
                return climb[::-1]
        return []

    def common(self, names: Iterable[str]) -> str | None:
        """The nearest bone that is, or carries, all of ``names``."""
        first, *others = (list(self.up(name)) for name in names)
        return next((name for name in first if all(name in other for other in others)), None)
