"""The HIERARCHY section of a BVH file: joints, offsets and which column of the motion moves what."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..arrays import Array
from .lines import complaint, is_usable

POSITIONS = {"xposition": 0, "yposition": 1, "zposition": 2}
ROTATIONS = {"xrotation": "x", "yrotation": "y", "zrotation": "z"}
# No body is deeper; something that is was not written by an exporter.
MAX_DEPTH = 200


@dataclass
class Joint:
    """One joint as written.

    Attributes:
        parent: its index; −1 for the root.
        offset: (3,) in the file's unit and axes. tip: (3,) of its end site, or None.
        positions, rotations: an axis and the column of the motion that moves along it or turns about it, in the file's order.
    """

    name: str
    parent: int
    offset: Array = field(default_factory=lambda: np.zeros(3))
    positions: list[tuple[int, int]] = field(default_factory=list)
    rotations: list[tuple[str, int]] = field(default_factory=list)
    tip: Array | None = None


@dataclass
class Hierarchy:
    """All joints, parents first; the name of every column; the index of the line after the hierarchy; and what was noticed."""

    joints: list[Joint]
    columns: list[str]
    end: int
    notes: list[str]


class _Reader:
    """Goes through the lines once and keeps which joint is open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.joints: list[Joint] = []
        self.columns: list[str] = []
        self.notes: list[str] = []
        self.open: list[int | None] = []  # joints whose braces are open; None is an end site
        self.pending: int | None = None  # what the next brace opens
        self.waiting = False

    def feed(self, number: int, statement: str) -> None:
        """Take in one statement of line ``number``."""
        word, _, rest = statement.partition(" ")
        word = word.lower()
        if statement == "{":
            if not self.waiting:
                raise complaint(self.path, number, "a brace opens that belongs to no joint")
            self.open.append(self.pending)
            self.waiting = False
        elif statement == "}":
            if not self.open:
                raise complaint(self.path, number, "a brace closes that was never opened")
            self.open.pop()
        elif word in ("root", "joint"):
            self._joint(number, word, rest.strip())
        elif word == "end":
            self._expect(number, None)
        elif word == "offset":
            self._offset(number, rest.split())
        elif word == "channels":
            self._channels(number, rest.split())
        else:
            raise complaint(self.path, number, f"'{statement[:40]}' does not belong into the hierarchy of a BVH file")

    def _expect(self, number: int, joint: int | None) -> None:
        if self.waiting:
            raise complaint(self.path, number, "an opening brace is missing before this line")
        if joint is None and (not self.open or self.open[-1] is None):
            raise complaint(self.path, number, "an End Site stands outside of any joint")
        self.pending, self.waiting = joint, True

    def _joint(self, number: int, word: str, name: str) -> None:
        if word == "root" and self.joints:
            raise complaint(self.path, number, "a second ROOT begins; export each character to a file of its own")
        parent = self.open[-1] if self.open else -1
        if parent is None or (word == "joint" and not self.open):
            raise complaint(self.path, number, f"joint '{name}' stands outside of any other joint")
        if not name:
            raise complaint(self.path, number, "a joint has no name")
        if len(self.open) > MAX_DEPTH:
            raise complaint(self.path, number, f"more than {MAX_DEPTH} joints hang one below the other, which is no skeleton")
        unique = self._unique(name)
        if unique != name:
            self.notes.append(f"Two joints are named '{name}' (line {number}): the second is called '{unique}'.")
        self._expect(number, len(self.joints))
        self.joints.append(Joint(unique, parent))

    def _unique(self, name: str) -> str:
        taken = {joint.name for joint in self.joints}
        copies = (f"{name}.{count:03}" for count in range(1, len(taken) + 2))
        return name if name not in taken else next(copy for copy in copies if copy not in taken)

    def _current(self, number: int, what: str) -> Joint | None:
        if not self.open:
            raise complaint(self.path, number, f"{what} stands outside of any joint")
        return None if self.open[-1] is None else self.joints[self.open[-1]]

    def _offset(self, number: int, words: list[str]) -> None:
        joint = self._current(number, "an OFFSET")
        if len(words) != 3 or not all(is_usable(word) for word in words):
            raise complaint(self.path, number, f"an OFFSET needs three numbers, but is '{' '.join(words)[:40]}'")
        offset = np.array([float(word) for word in words])
        if joint is not None:
            joint.offset = offset
        elif offset.any() and (above := self.open[-2]) is not None:
            self.joints[above].tip = offset

    def _channels(self, number: int, words: list[str]) -> None:
        joint = self._current(number, "a CHANNELS line")
        names = [word.lower() for word in words[1:]]
        if joint is None or not words or words[0] != str(len(names)):
            raise complaint(self.path, number, f"a CHANNELS line says {words[0] if words else 'nothing'} but names {len(names)} channels")
        if joint.positions or joint.rotations or len(set(names)) != len(names):
            raise complaint(self.path, number, f"joint '{joint.name}' has a channel twice")
        for name, written in zip(names, words[1:], strict=True):
            if name in POSITIONS:
                joint.positions.append((POSITIONS[name], len(self.columns)))
            elif name in ROTATIONS:
                joint.rotations.append((ROTATIONS[name], len(self.columns)))
            else:
                raise complaint(self.path, number, f"'{written[:40]}' is no channel of a BVH file")
            self.columns.append(f"{written} of joint '{joint.name}'")


def parse(path: Path, lines: list[str]) -> Hierarchy:
    """The hierarchy at the beginning of a BVH file, up to and without the line MOTION."""
    start = next(n for n, line in enumerate(lines) if line.strip())
    if lines[start].strip().upper() != "HIERARCHY":
        raise complaint(path, start + 1, "a BVH file begins with HIERARCHY, and this one does not")
    reader = _Reader(path)
    for index in range(start + 1, len(lines)):
        line = " ".join(lines[index].split())
        if line.upper() == "MOTION":
            return _checked(reader, index)
        for statement in filter(None, (piece.strip() for piece in re.split(r"([{}])", line))):
            reader.feed(index + 1, statement)
    raise complaint(path, len(lines), "the file ends before its MOTION: it is cut off")


def _checked(reader: _Reader, index: int) -> Hierarchy:
    if reader.open or reader.waiting:
        raise complaint(reader.path, index + 1, "the MOTION begins, but a joint has no closing brace")
    if not reader.joints:
        raise complaint(reader.path, index + 1, "the MOTION begins, but there are no joints")
    if not reader.columns:
        raise complaint(reader.path, index + 1, "the MOTION begins, but no joint has channels")
    return Hierarchy(reader.joints, reader.columns, index, reader.notes)
