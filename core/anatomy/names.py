"""Bones by their names: which family of rigs an armature belongs to, and which of its bones are which part of the body.

A family is a file in ``presets/rigs``. Its "slots" give, for each part of the body, a regular expression for the names of its bones, read as
by ``readings``: without namespace, separators, capitals and side ('mixamorig:LeftUpLeg' is 'upleg' on side L). "prefix" may come before any of them;
with a "mark", the family is only looked for where a bone of that name exists. Control rigs also have "controls" (slots again: the bones
to key) and "switches" (bone, custom property, value) that make the rig follow its FK controls. "ik" has the names of its IK controls: those that lie
on a part of the body by that part, "arm_pole" and "leg_pole", under "root" those that carry all, and under "still" those that only add to the others.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from .bones import ABOVE, ARM, LEG, REQUIRED, SIDES, SLOTS, TRUNK, Tree

FOLDER = Path(__file__).resolve().parents[2] / "presets" / "rigs"
COMMON = "common"  # tried after the families that somebody made on purpose
CLOSE = 3  # a family that has so many parts of the body fewer than the best one is left out
Slots = dict[str, list[str]]
Read = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]  # bones' names, each with its readings

_SIDE = {"l": "L", "left": "L", "r": "R", "right": "R"}
_SEPARATOR = re.compile(r"[\W_]+|(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_GLUED = re.compile(r"(?P<first>left|right|l|r)(?P<rest>.+)|(?P<start>.+)(?P<last>left|right)")


@dataclass(frozen=True)
class Match:
    """The bones of a family that an armature has: slot → names, in no order; ``controls`` are empty but for control rigs."""

    family: str
    bones: Slots
    controls: Slots
    switches: list[tuple[str, str, float]]


def matches(tree: Tree) -> list[Match]:
    """The families that an armature may belong to, likeliest first: those with the most parts of the body, each hanging on the one before."""
    prefix = _common_prefix(tree.bones)
    read = tuple((name, tuple(readings(name, prefix))) for name in tree.bones)
    properties = {bone.name: bone.properties for bone in tree.bones.values()}
    found = []
    for file, family in _families().items():
        if "mark" in family and not any(re.fullmatch(family["mark"], key) for _, keys in read for _, key in keys):
            continue
        bones = _slots(tree, read, family["slots"], family.get("prefix"))
        controls = _slots(tree, read, family.get("controls", {}))
        if "controls" in family and not all(slot in controls for slot in REQUIRED):
            continue
        switches = [(bone, key, value) for bone, key, value in family.get("switches", ()) if key in properties.get(bone, ())]
        rank = (_consistent(tree, bones), bool(controls), file != COMMON, sum(map(len, bones.values())))
        found.append((rank, Match(family["name"], bones, controls, switches)))
    most = max((rank[0] for rank, _ in found), default=0)
    return [match for rank, match in sorted(found, key=lambda item: item[0], reverse=True) if rank[0] > max(0, most - CLOSE)]


def ik_controls(family: str, names: Iterable[str]) -> dict[str, list[str]]:
    """The IK controls of a rig of that family: part and side ("foot.L", "leg_pole.R"), "root" or "still" → names; {} where none are known."""
    patterns: dict[str, str] = next((data.get("ik", {}) for data in _families().values() if data["name"] == family), {})
    found: dict[str, list[str]] = {}
    for name in names:
        for side, key in readings(name):
            for role, pattern in patterns.items():
                if re.fullmatch(pattern, key) and (side or role in ("root", "still")):
                    listed = found.setdefault(role if role in ("root", "still") else f"{role}.{side}", [])
                    if name not in listed:
                        listed.append(name)
    return found


def knows_ik(family: str) -> bool:
    """Whether the names of a family's IK controls are known."""
    return any("ik" in data for data in _families().values() if data["name"] == family)


def readings(name: str, prefix: str = "") -> Iterator[tuple[str, str]]:
    """The ways to read a bone's name: (side 'L', 'R' or '', the rest in small letters without separators)."""
    words = [word for word in _SEPARATOR.split(name.rpartition(":")[2]) if word]
    if len(words) > 1 and words[0] == prefix:
        del words[0]
    words = [word.lower() for word in words]
    key = "".join(words)
    yield "", key
    for number, word in enumerate(words):
        if word in _SIDE:
            yield _SIDE[word], "".join(words[:number] + words[number + 1:])
    glued = _GLUED.fullmatch(key)
    if glued:
        yield _SIDE[glued["first"] or glued["last"]], glued["rest"] or glued["start"]


def _common_prefix(names: Iterable[str]) -> str:
    """A first word that most names share ('Bip001', 'Hero'), or ''."""
    words = Counter(_SEPARATOR.split(name.rpartition(":")[2])[0] for name in names)
    word, count = words.most_common(1)[0]
    return word if count > 0.6 * words.total() and count > 2 else ""


@cache
def _families() -> dict[str, dict[str, Any]]:
    """The files of ``FOLDER`` by their names."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def _slots(tree: Tree, read: Read, patterns: dict[str, str], prefix: str | None = None) -> Slots:
    """The bones whose names fit. Where several fit one part of a limb, those nearest to the root."""
    found: Slots = {}
    for part, pattern in patterns.items():
        fitting = _fitting(read, f"(?:{prefix})?(?:{pattern})" if prefix else pattern)
        for side in SIDES if part in ARM + LEG else ("",):
            names = list(fitting.get(side, ()))
            if part not in TRUNK and len(names) > 1:
                depths = {name: len(list(tree.up(name))) for name in names}
                names = [name for name in names if depths[name] == min(depths.values())]
            if names:
                found[f"{part}.{side}" if side else part] = names
    return found


@lru_cache(maxsize=2048)  # a recording is recognised in several poses, all with the same names
def _fitting(read: Read, pattern: str) -> dict[str, tuple[str, ...]]:
    """The names that fit a pattern, by the side that they name."""
    fits = re.compile(pattern)
    found: dict[str, dict[str, None]] = {}
    for name, keys in read:
        for side, key in keys:
            if fits.fullmatch(key):
                found.setdefault(side, {})[name] = None
    return {side: tuple(names) for side, names in found.items()}


def _consistent(tree: Tree, found: Slots) -> int:
    """How many slots hang on the one before, or begin a chain."""
    count = 0
    for slot in SLOTS:
        above = found.get(ABOVE.get(slot, ""))
        if slot in found and (not above or above[0] in tree.up(found[slot][0])):
            count += 1
    return count
