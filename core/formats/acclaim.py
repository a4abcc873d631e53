"""Acclaim: an ASF file holds the skeleton, an AMC file the motion.

A bone of an ASF file has a direction and a length; its joint sits where it begins, which is the end of the bone above it. An angle of
the motion turns a bone about axes of its own, which stand at ``axis`` in the world while the skeleton is at rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .. import rotation
from ..arrays import Array
from .clip import Clip
from .lines import complaint, is_usable, parse_numbers, read_lines
from .normalise import Recording, finish

# An AMC file does not say its rate; this is the one of CMU's library, which nearly all of them come from.
USUAL_FPS = 120.0
INCH = 0.0254  # metres
ROOT = "root"
# Columns of the root and of bones, by what they do: move along x, y, z, turn about x, y, z, or stretch the bone.
MOVES = ("tx", "ty", "tz")
TURNS = ("rx", "ry", "rz")
STRETCH = "l"


@dataclass
class _Bone:
    """A bone as written; ``step`` (3,) leads from its begin to its end, in the file's unit; ``axis`` (4,) turns its axes out of the world's."""

    name: str
    line: int
    direction: Array = field(default_factory=lambda: np.zeros(3))
    length: float = 0.0
    axis: Array = field(default_factory=rotation.identity)
    dof: tuple[str, ...] = ()

    @property
    def step(self) -> Array:
        return self.direction * self.length


@dataclass
class _Skeleton:
    """An ASF file: the bones with the root first, parents before their children."""

    path: Path
    bones: list[_Bone]
    parents: list[int]
    root_offset: Array
    unit: float
    degrees: bool


def read_amc(
    path: str | Path, *, skeleton: str | Path | None = None, unit: float | None = None, up: str | None = None, fps: float | None = None
) -> Clip:
    """Read an AMC file with the ASF file ``skeleton``, or with the one that lies beside it.

    ``unit`` (metres), ``up`` ('Y' or 'Z') and ``fps`` overrule what is recognised.
    """
    path = Path(path)
    lines = read_lines(path)
    asf = _read_asf(Path(skeleton) if skeleton is not None else _find_asf(path))
    values, columns, lines_of, degrees = _read_frames(path, lines, asf)
    notes = [f"The skeleton is '{asf.path.name}'."]
    if fps is None:
        notes.append(f"An AMC file does not say its frame rate: {USUAL_FPS:g} frames a second were taken.")
    roots, rotations = _pose(asf, values, columns, degrees, notes)
    begins = [np.zeros(3), *(asf.bones[parent].step for parent in asf.parents[1:])]
    ends = {n: bone.step for n, bone in enumerate(asf.bones) if n not in asf.parents and bone.length > 0.0}
    recording = Recording(
        path, [bone.name for bone in asf.bones], asf.parents, np.array(begins), roots, rotations, fps or USUAL_FPS,
        line_of=lines_of.__getitem__, tips=ends, root_offset=asf.root_offset, notes=notes,
    )
    return finish(recording, unit=unit, up=up, file_unit=asf.unit)


def _find_asf(path: Path) -> Path:
    """The ASF file beside an AMC file: of the same name, of the name's beginning ('07.asf' for '07_01.amc'), or the only one."""
    beside = sorted(file for file in path.parent.iterdir() if file.suffix.lower() == ".asf")
    fitting = [file for file in beside if path.stem == file.stem or path.stem.startswith((f"{file.stem}_", f"{file.stem}-"))]
    if fitting:
        return max(fitting, key=lambda file: len(file.stem))
    if len(beside) == 1:
        return beside[0]
    which = "there is none" if not beside else "none of those there has its name"
    raise complaint(path, None, f"needs the ASF file of its skeleton beside it, and {which}: put it into the same folder or name it")


def _read_frames(path: Path, lines: list[str], asf: _Skeleton) -> tuple[Array, dict[str, slice], list[int], bool]:
    """All numbers (F, C), which columns belong to which bone, the line of each frame, and whether angles are degrees."""
    words, numbers = [], []
    degrees = asf.degrees
    for number, line in enumerate(lines, 1):
        if line.startswith(":"):
            degrees = True if line.strip().upper() == ":DEGREES" else False if line.strip().upper() == ":RADIANS" else degrees
        elif line.strip() and not line.lstrip().startswith("#"):
            words.append(line.split())
            numbers.append(number)
    starts = [n for n, row in enumerate(words) if len(row) == 1 and row[0].isdigit()]
    if not starts or starts[0] != 0:
        where = numbers[0] if numbers else len(lines)
        raise complaint(path, where, "an AMC file begins with the number of its first frame, and this one does not")
    layout = words[1 : starts[1] if len(starts) > 1 else len(words)]
    dofs = {bone.name: len(bone.dof) for bone in asf.bones}
    names = [row[0] for row in layout]
    for row, number in zip(layout, numbers[1:], strict=False):
        if row[0] not in dofs:
            raise complaint(path, number, f"the skeleton '{asf.path.name}' has no bone '{row[0][:40]}'; choose the one that belongs to this motion")
    _check_layout(path, words, numbers, names, dofs, starts)
    ends = np.cumsum([dofs[name] for name in names])
    columns = {name: slice(int(end) - dofs[name], int(end)) for name, end in zip(names, ends, strict=True)}
    stride = len(names) + 1
    rows = [row[1:] for n, row in enumerate(words) if n % stride]
    at = [number for n, number in enumerate(numbers) if n % stride]
    values = parse_numbers(path, rows, at.__getitem__, lambda row, column: f"number {column + 1} of bone '{names[row % len(names)]}'")
    return values.reshape(len(starts), -1), columns, [numbers[start] for start in starts], degrees


def _check_layout(path: Path, words: list[list[str]], numbers: list[int], names: list[str], dofs: dict[str, int], starts: list[int]) -> None:
    """Every frame must list the same bones in the same order, each with all of its numbers."""
    if ROOT not in names:
        raise complaint(path, numbers[0], "the first frame does not place the root")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise complaint(path, numbers[0], f"the first frame lists bone '{twice}' twice")
    stride = len(names) + 1
    begun = set(starts)
    for n, (row, number) in enumerate(zip(words, numbers, strict=True)):
        place = n % stride
        if place == 0:
            if n not in begun:
                raise complaint(path, number, f"'{row[0][:40]}' stands where the number of the next frame should")
        elif row[0] != names[place - 1]:
            found = "the next frame begins" if n in begun else f"'{row[0][:40]}' stands"
            raise complaint(path, number, f"{found} where bone '{names[place - 1]}' should")
        elif len(row) - 1 != dofs[row[0]]:
            cut = ": the file is cut off there" if n == len(words) - 1 else ""
            raise complaint(path, number, f"the count of numbers for bone '{row[0]}' is {len(row) - 1} instead of {dofs[row[0]]}{cut}")
    if len(words) % stride:
        missing = names[len(words) % stride - 1]
        raise complaint(path, numbers[-1], f"the last frame ends before bone '{missing}': the file is cut off")


def _pose(asf: _Skeleton, values: Array, columns: dict[str, slice], degrees: bool, notes: list[str]) -> tuple[Array, Array]:
    """Root positions (F, 3) and rotations (F, J, 4) relative to the parent, in the file's unit and axes."""
    roots = np.zeros((len(values), 3))
    rotations = rotation.identity((len(values), len(asf.bones)))
    unused = []
    for n, bone in enumerate(asf.bones):
        if bone.name not in columns:
            continue
        numbers = values[:, columns[bone.name]]
        turns = [(dof, column) for column, dof in enumerate(bone.dof) if dof in TURNS]
        for column, dof in enumerate(bone.dof):
            if dof in MOVES and n == 0:
                roots[:, MOVES.index(dof)] = numbers[:, column]
            elif dof not in TURNS:
                unused.append(bone.name)
        if turns:
            angles = numbers[:, [column for _, column in turns]]
            turned = _euler("".join(dof[1] for dof, _ in turns), np.radians(angles) if degrees else angles)
            rotations[:, n] = rotation.multiply(rotation.multiply(bone.axis, turned), rotation.conjugate(bone.axis))
    if unused:
        notes.append(f"Bones that move or stretch were kept at one length: {', '.join(dict.fromkeys(unused))}.")
    return roots, rotations


def _euler(order: str, angles: Array) -> Array:
    """(..., 4) from angles (..., n) in radians about fixed axes, one after the other in the order written: the last stands leftmost."""
    full = np.zeros((*angles.shape[:-1], 3))
    full[..., 3 - len(order) :] = angles[..., ::-1]
    others = "".join(axis for axis in rotation.AXES if axis not in order)
    return rotation.from_euler(full, others + order[::-1])


class _AsfReader:
    """Goes through the lines of an ASF file once, section by section."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.section = ""
        self.bones = {ROOT: _Bone(ROOT, 0)}
        self.bone: _Bone | None = None
        self.above: dict[str, str] = {}
        self.root_offset = np.zeros(3)
        self.root_axis = "XYZ"
        self.orientation: tuple[int, list[float]] = (0, [0.0, 0.0, 0.0])
        self.length_unit = 1.0
        self.degrees = True

    def feed(self, number: int, line: str) -> None:
        if line.startswith(":"):
            self.section = line.split()[0][1:].lower()
            return
        words = line.split()
        if self.section == "units":
            self._units(number, words)
        elif self.section == "root":
            self._root(number, words)
        elif self.section == "bonedata":
            self._bone(number, words)
        elif self.section == "hierarchy":
            self._hierarchy(number, words)

    def _floats(self, number: int, words: list[str], count: int, what: str) -> list[float]:
        if len(words) < count or not all(is_usable(word) for word in words[:count]):
            raise complaint(self.path, number, f"{what} needs {count} number{'s' if count > 1 else ''}, but is '{' '.join(words)[:40]}'")
        return [float(word) for word in words[:count]]

    def _units(self, number: int, words: list[str]) -> None:
        if words[0].lower() == "length":
            self.length_unit = self._floats(number, words[1:], 1, "the unit of length")[0]
            if self.length_unit <= 0.0:
                raise complaint(self.path, number, "the unit of length must be above 0")
        elif words[0].lower() == "angle":
            self.degrees = len(words) < 2 or not words[1].lower().startswith("rad")

    def _root(self, number: int, words: list[str]) -> None:
        key, rest = words[0].lower(), words[1:]
        if key == "order":
            self.bones[ROOT].dof = self._dof(number, rest)
        elif key == "axis":
            self.root_axis = rest[0] if rest else "XYZ"
        elif key == "position":
            self.root_offset = np.array(self._floats(number, rest, 3, "the root's position"))
        elif key == "orientation":
            self.orientation = (number, self._floats(number, rest, 3, "the root's orientation"))

    def _bone(self, number: int, words: list[str]) -> None:
        key, rest = words[0].lower(), words[1:]
        if key == "begin":
            self.bone = _Bone("", number)
        elif key == "end":
            self._end_bone(number)
        elif self.bone is None:
            raise complaint(self.path, number, f"'{words[0][:40]}' stands outside of any bone")
        elif key == "name":
            self.bone.name = " ".join(rest)
        elif key == "direction":
            direction = np.array(self._floats(number, rest, 3, "the direction of a bone"))
            self.bone.direction = direction / (np.linalg.norm(direction) or 1.0)
        elif key == "length":
            self.bone.length = self._floats(number, rest, 1, "the length of a bone")[0]
        elif key == "axis":
            angles = self._floats(number, rest, 3, "the axis of a bone")
            self.bone.axis = self._axis(number, angles, rest[3] if len(rest) > 3 else "XYZ")
        elif key == "dof":
            self.bone.dof = self._dof(number, rest)

    def _end_bone(self, number: int) -> None:
        if self.bone is None or not self.bone.name:
            raise complaint(self.path, number, "a bone ends that has no name")
        if self.bone.name in self.bones:
            raise complaint(self.path, number, f"two bones are named '{self.bone.name}'")
        self.bones[self.bone.name] = self.bone
        self.bone = None

    def _dof(self, number: int, words: list[str]) -> tuple[str, ...]:
        dof = tuple(word.lower() for word in words)
        wrong = [word for word in words if word.lower() not in (*MOVES, *TURNS, STRETCH)]
        if wrong or len(set(dof)) != len(dof):
            raise complaint(self.path, number, f"'{' '.join(words)[:40]}' is no list of ways in which a bone can move")
        return dof

    def _axis(self, number: int, angles: list[float], order: str) -> Array:
        if sorted(order.lower()) != list(rotation.AXES):
            raise complaint(self.path, number, f"'{order[:40]}' is no order of axes")
        return _euler(order.lower(), np.radians(angles) if self.degrees else np.array(angles))

    def _hierarchy(self, number: int, words: list[str]) -> None:
        if words[0].lower() in ("begin", "end") and len(words) == 1:
            return
        for name in words:
            if name not in self.bones:
                raise complaint(self.path, number, f"the hierarchy names a bone '{name[:40]}' that is nowhere described")
        for child in words[1:]:
            if child in self.above or child == ROOT:
                raise complaint(self.path, number, f"bone '{child}' hangs from two others")
            self.above[child] = words[0]

    def skeleton(self) -> _Skeleton:
        """The bones in order, parents first."""
        number, angles = self.orientation
        self.bones[ROOT].axis = self._axis(number, angles, self.root_axis)
        order = [ROOT]
        for name in order:  # grows while it is walked
            order.extend(child for child, parent in self.above.items() if parent == name)
        if len(order) < 2:
            raise complaint(self.path, None, "has no bones that hang from its root, or is cut off")
        lost = next((bone for name, bone in self.bones.items() if name not in order), None)
        if lost is not None:
            raise complaint(self.path, lost.line, f"bone '{lost.name}' hangs from no other, or the file is cut off")
        parents = [-1, *(order.index(self.above[name]) for name in order[1:])]
        bones = [self.bones[name] for name in order]
        return _Skeleton(self.path, bones, parents, self.root_offset, INCH / self.length_unit, self.degrees)


def _read_asf(path: Path) -> _Skeleton:
    reader = _AsfReader(path)
    for number, line in enumerate(read_lines(path), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            reader.feed(number, line.strip())
    return reader.skeleton()
