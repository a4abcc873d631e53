"""DeepMimic: JSON with one row a frame for one fixed humanoid; pybullet_data brings some (humanoid3d_*.txt).

The format holds angles only and is Y up, in metres, faced to +X. The skeleton that it means is measured here to the millimetre.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from .. import rotation
from ..arrays import Array
from ..motion import Motion
from ..skeleton import Skeleton
from .clip import Clip
from .lines import LARGEST, QUOTE_LENGTH, complaint, read_lines
from .normalise import snap_rate

# name, parent, offset in metres with Z up (forward, left, up), whether it is a ball (4 numbers, a quaternion) or a hinge (1 angle).
# In the order of a row, after the frame's duration and the root's position.
JOINTS = (
    ("root", "", (0.0, 0.0, 0.0), True),
    ("chest", "root", (0.0, 0.0, 0.236), True),
    ("neck", "chest", (0.0, 0.0, 0.224), True),
    ("right_hip", "root", (0.0, -0.085, 0.0), True),
    ("right_knee", "right_hip", (0.0, 0.0, -0.422), False),
    ("right_ankle", "right_knee", (0.0, 0.0, -0.410), True),
    ("right_shoulder", "chest", (-0.024, -0.183, 0.244), True),
    ("right_elbow", "right_shoulder", (0.0, 0.0, -0.275), False),
    ("left_hip", "root", (0.0, 0.085, 0.0), True),
    ("left_knee", "left_hip", (0.0, 0.0, -0.422), False),
    ("left_ankle", "left_knee", (0.0, 0.0, -0.410), True),
    ("left_shoulder", "chest", (-0.024, 0.183, 0.244), True),
    ("left_elbow", "left_shoulder", (0.0, 0.0, -0.275), False),
)
# Toe tips, wrists and the top of the head, in the frame of their joint.
TIPS = {"neck": (0.0, 0.0, 0.278)} | {
    f"{side}_{joint}": tip for side in ("right", "left") for joint, tip in (("ankle", (0.134, 0.0, -0.050)), ("elbow", (0.0, 0.0, -0.259)))
}
POSITION = slice(1, 4)
ROW_LENGTH = 4 + sum(4 if ball else 1 for *_, ball in JOINTS)
# Columns of a Y-up vector that become x, y, z, and their signs: (x, y, z) → (x, −z, y).
AXES, SIGNS = (0, 2, 1), (1.0, -1.0, 1.0)
# s: no capture is as fast, and rates beyond it end in infinities.
SHORTEST_FRAME = 1e-6
# Relative difference of frame durations from which a clip does not run evenly.
UNEVEN = 0.02
# Clips that were made by blending hold rotations whose length is off; further than the second figure it is damaged data.
LENGTH_NOTED, LENGTH_REFUSED = 0.005, 0.5


def read_deepmimic(path: str | Path, *, fps: float | None = None) -> Clip:
    """Read a DeepMimic clip of the humanoid. ``fps`` overrules the rate in the file."""
    path = Path(path)
    data = _read_json(path)
    rows = _rows(path, data)
    notes = ["Lengths are in metres, as always in this format.", "Y is up in the file: turned to Z up."]
    rotations = _rotations(path, rows, notes)
    rate = fps or _rate(path, rows, notes)
    notes.append(f"{rate:.5g} frames a second.")
    notes.append("The skeleton has no hands and no toes: the arms end with the forearms, the legs with the feet.")
    if data.get("Loop") == "wrap":
        notes.append("The file calls the motion a cycle.")
    names = [name for name, *_ in JOINTS]
    parents = [names.index(parent) if parent else -1 for _, parent, *_ in JOINTS]
    skeleton = Skeleton(tuple(names), np.array(parents), np.array([offset for _, _, offset, _ in JOINTS]))
    positions = rows[:, POSITION][:, AXES] * SIGNS
    motion = Motion(skeleton, rate, positions, rotation.make_continuous(rotations))
    return Clip(motion, path.stem, {name: np.array(tip) for name, tip in TIPS.items()}, None, notes)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads("\n".join(read_lines(path)))
    except json.JSONDecodeError as error:
        raise complaint(path, error.lineno, f"this is no DeepMimic motion, or no whole one: {error.msg[:1].lower()}{error.msg[1:]}") from error
    except RecursionError as error:
        raise complaint(path, None, "is no DeepMimic motion") from error
    except ValueError as error:  # Python reads whole numbers of a few thousand digits at most
        raise complaint(path, None, "holds a number of more digits than can be read: repair it") from error
    if not isinstance(data, dict) or not isinstance(data.get("Frames"), list):
        raise complaint(path, None, "is no DeepMimic motion: it has no list of 'Frames'")
    if not data["Frames"]:
        raise complaint(path, None, "has no frames")
    return data


def _rows(path: Path, data: dict[str, Any]) -> Array:
    """(F, 44) numbers. Rows of JSON need not stand on lines of their own, so that a complaint names the frame (the first is 0)."""
    for frame, row in enumerate(data["Frames"]):
        if not isinstance(row, list) or len(row) != ROW_LENGTH:
            found = f"{len(row)} numbers" if isinstance(row, list) else "no list of numbers"
            raise complaint(path, None, f"has {found} in frame {frame}, but a DeepMimic humanoid has {ROW_LENGTH}")
        for column, value in enumerate(row):
            if not _usable(value):
                word = "a list" if isinstance(value, list) else "an object" if isinstance(value, dict) else json.dumps(value)[:QUOTE_LENGTH]
                what = f"has something that is not a usable number in frame {frame}: {word}, {_meaning(column)}; repair that frame"
                raise complaint(path, None, what)
    return np.array(data["Frames"], dtype=float)


def _usable(value: object) -> bool:
    """Whether a value of JSON is a number that can be a duration, a length or a component of a rotation. NaN fails every comparison."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < LARGEST


def _meaning(column: int) -> str:
    """What the number in a column of a row is, for a complaint."""
    if column < POSITION.start:
        return "the frame's duration"
    if column < POSITION.stop:
        return "the root's position"
    end = POSITION.stop
    for name, _, _, ball in JOINTS:
        end += 4 if ball else 1
        if column < end:
            return f"the rotation of '{name}'"
    raise IndexError(f"A row has no column {column}.")


def _rotations(path: Path, rows: Array, notes: list[str]) -> Array:
    """(F, J, 4) of each joint relative to its parent, Z up."""
    rotations = rotation.identity((len(rows), len(JOINTS)))
    column, worst = POSITION.stop, 0.0
    for joint, (name, _, _, ball) in enumerate(JOINTS):
        if not ball:
            # A hinge turns about the file's z axis, which points to the right: −Y here.
            rotations[:, joint] = rotation.from_axis_angle((0.0, -1.0, 0.0), rows[:, column])
            column += 1
            continue
        quaternions = rows[:, column : column + 4]
        lengths = np.linalg.norm(quaternions, axis=-1)
        errors = np.abs(lengths - 1.0)
        frame = int(errors.argmax())
        if errors[frame] > LENGTH_REFUSED:
            what = f"has a rotation of length {lengths[frame]:.3g} instead of 1 for '{name}' in frame {frame}: repair that frame"
            raise complaint(path, None, what)
        worst = max(worst, float(errors[frame]))
        rotations[:, joint, 0] = quaternions[:, 0] / lengths
        rotations[:, joint, 1:] = quaternions[:, 1:][:, AXES] * SIGNS / lengths[:, None]
        column += 4
    if worst > LENGTH_NOTED:
        notes.append(f"Some rotations are not of length 1, by up to {100.0 * worst:.0f} %: set to 1.")
    return rotations


def _rate(path: Path, rows: Array, notes: list[str]) -> float:
    """Frames a second. The last frame's duration says nothing: no frame follows."""
    durations = rows[:-1, 0] if len(rows) > 1 else rows[:, 0]
    usual = float(np.median(durations))
    if not usual > SHORTEST_FRAME:
        raise complaint(path, None, f"has frames of {usual:g} s, but a frame must last longer than {SHORTEST_FRAME:g} s")
    if np.abs(durations - usual).max() > UNEVEN * usual:
        notes.append(f"The frames do not all last as long: {usual:g} s was taken for each.")
    return snap_rate(usual, f"{usual:.5f}")
