"""From what a file says to a Clip: added T-poses, up axis, root offset and unit are recognised, corrected and said."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .. import rotation
from ..arrays import Array
from ..errors import RigError
from ..motion import Motion
from ..skeleton import Skeleton
from . import anatomy
from .anatomy import Anatomy
from .clip import Clip, standing_height, with_tips
from .lines import complaint

# Metres of one unit, and how it is called. CMU's library counts in 1/0.45 of an inch.
UNITS = {1.0: "metres", 0.0254 / 0.45: "CMU units of 56.4 mm", 0.0254: "inches", 0.01: "centimetres", 0.001: "millimetres"}
# Hip height of a standing adult in metres, and by which factor a body may differ from it before its unit is doubted.
ADULT_HIP_HEIGHT = 0.95
SIZE_FACTOR = 1.6
# Poses that are looked at to recognise up axis, unit and floor.
SAMPLES = 200
# The body points up along an axis where the way from feet to chest has at least this cosine with it.
UPRIGHT = 0.8
# The first rows do not belong to the motion if the step to the next row is this large: the mean turn of the joints (radians, and radians a second),
# the turn of the root (radians) or its travel (share of the hip height); and this many times as large as the largest of the few steps after it.
ROW_TURN, ROW_TURN_SPEED, ROW_ROOT_TURN = np.radians(4.0), np.radians(200.0), np.radians(20.0)
ROW_TRAVEL = 0.25
ROW_FACTOR = 3.0
ROWS_AFTER = 5
# At most so many rows: a T-pose, and a row or two in which the capture had not found the body yet. For the rows after the first the step must be so
# many times larger still: a recording that settles in its first frames is not cut.
MAX_ADDED_ROWS = 3
LATER_ROWS = 4.0
# At most so many rows, after a T-pose, lead from it into the motion: a filter that ran over both leaves them.
MAX_LED_ROWS = 4
# m/s that no pelvis of a human reaches: the recording has lost it.
IMPOSSIBLE_SPEED = 15.0
# Metres from 0 at which the lowest point of the body is worth a note.
FLOOR_TOLERANCE = 0.05
# Usual frames a second.
RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 90.0, 96.0, 100.0, 120.0, 144.0, 150.0, 180.0, 200.0, 240.0, 250.0, 300.0)

# Columns of a vector in the file that become x, y, z with Z up. All are turns, none a mirror: a Y-up file that faces +Z faces +X.
AXES = {"Y": (2, 0, 1), "Z": (0, 1, 2)}


@dataclass(eq=False)
class Recording:
    """What a reader found in a file, in the file's unit and axes; the root is the pelvis.

    Attributes:
        path: of the file.
        names, parents, offsets (J, 3): the skeleton; the root's offset is 0.
        root_positions: (F, 3), world.
        rotations: (F, J, 4) relative to the parent.
        fps: frames a second.
        tips: the ends of last bones in their joint's frame (3,), by joint.
        root_offset: (3,) an offset of the root that the positions may or may not contain.
        line_of: the line of a frame in the file.
        notes: what was recognised so far.
    """

    path: Path
    names: Sequence[str]
    parents: Sequence[int]
    offsets: Array
    root_positions: Array
    rotations: Array
    fps: float
    line_of: Callable[[int], int]
    tips: dict[int, Array] = field(default_factory=dict)
    root_offset: Array = field(default_factory=lambda: np.zeros(3))
    notes: list[str] = field(default_factory=list)


def finish(recording: Recording, *, unit: float | None = None, up: str | None = None, file_unit: float | None = None) -> Clip:
    """A Clip in metres with Z up.

    Args:
        recording: what the file says.
        unit: metres of one unit, to be taken as it is; found from the hip height otherwise.
        up: 'Y' or 'Z', to be taken as it is; found from the poses otherwise.
        file_unit: metres of one unit as the file says; believed if it makes a human.
    """
    if up not in (None, *AXES):
        raise ValueError(f"The up axis of a file is Y or Z, not {up}.")
    notes = list(recording.notes)
    body = anatomy.find(recording.parents, recording.offsets)
    roots, rotations, t_pose, first = _without_added_rows(recording, body, notes)
    poses = _sampled_points(recording, roots, rotations)
    up = up or _up_axis(recording, poses, body)
    roots, shift = _with_root_offset(recording, roots, poses[..., "XYZ".index(up)], body, up, notes)
    notes.append(f"{up} is up in the file." if up == "Z" else "Y is up in the file: turned to Z up.")
    heights = poses[..., "XYZ".index(up)] + shift
    scale = unit or _unit(body, standing_height(heights, heights[:, 0]), file_unit, notes)
    clip = _assemble(recording, roots, rotations, t_pose, AXES[up], scale, notes)
    _note_floor(np.percentile(heights.min(axis=1), 10) * scale, notes)
    _note_jumps(clip.motion, lambda frame: recording.line_of(frame + first), notes)
    _note_missing(recording.names, body, notes)
    return clip


def snap_rate(frame_time: float, written: str = "") -> float:
    """Frames a second from seconds a frame: the usual rate that the written number was rounded from, if there is one."""
    digits = len(written.lower().partition("e")[0].partition(".")[2])
    rounding = max(10.0**-digits if digits and "e" not in written.lower() else 0.0, 2e-5 * frame_time)
    for rates in (RATES, [rate * 1000.0 / 1001.0 for rate in RATES]):
        nearest = min(rates, key=lambda rate: abs(1.0 / rate - frame_time))
        if abs(1.0 / nearest - frame_time) <= min(rounding, 0.02 * frame_time):
            return nearest
    return 1.0 / frame_time


def _without_added_rows(recording: Recording, body: Anatomy, notes: list[str]) -> tuple[Array, Array, Array | None, int]:
    """Root positions, rotations, the pose of a first row that is cut off from the rest (or None), and the first frame of the motion."""
    roots, rotations = recording.root_positions, recording.rotations
    early = slice(0, MAX_ADDED_ROWS + MAX_LED_ROWS + ROWS_AFTER + 1)
    dots = np.abs(np.sum(rotations[early][1:] * rotations[early][:-1], axis=-1)).clip(max=1.0)
    root_turns, turns = 2.0 * np.arccos(dots[:, 0]), 2.0 * np.arccos(dots).mean(axis=-1)
    ways = np.linalg.norm(np.diff(roots[early], axis=0), axis=-1)
    added = 0
    for row in range(min(MAX_ADDED_ROWS, len(turns) - 1)):
        after = slice(row + 1, row + 1 + ROWS_AFTER)
        least = max(ROW_TURN, ROW_TURN_SPEED / recording.fps) * (1.0 if row == 0 else LATER_ROWS)
        turned = turns[row] > max(least, ROW_FACTOR * turns[after].max())
        turned |= root_turns[row] > max(ROW_ROOT_TURN, ROW_FACTOR * root_turns[after].max())
        moved = body.hip_height > 0.0 and ways[row] > max(ROW_TRAVEL * body.hip_height, ROW_FACTOR * ways[after].max())
        if turned or moved:
            added = row + 1
    if not added:
        return roots, rotations, None, 0
    notes.append(f"The first row (line {recording.line_of(0)}) is a pose that was added to the motion, such as a T-pose: taken off.")
    if added > 1:
        zero = " with the root at the origin" if not roots[added - 1].any() else ""
        notes.append(f"Up to line {recording.line_of(added - 1)} the recording has a fault{zero}, cut off from the motion that follows: taken off.")
    led = added + _led_rows(turns[added:], recording.fps)
    if led > added:
        notes.append(f"Up to line {recording.line_of(led - 1)} the rows lead from that pose into the motion, as a filter leaves them: taken off.")
    return roots[led:], rotations[led:], rotations[0], led


def _led_rows(turns: Array, fps: float) -> int:
    """How many rows behind an added pose are still on their way from it, by the mean turn ``turns`` (N,) rad of the joints from each to the next."""
    later = turns[MAX_LED_ROWS:MAX_LED_ROWS + ROWS_AFTER]
    if not len(later):
        return 0
    fast = turns[:MAX_LED_ROWS] > max(ROW_TURN_SPEED / fps, ROW_FACTOR * float(np.median(later)))
    return int(np.argmin(np.append(fast, False)))


def _sampled_points(recording: Recording, roots: Array, rotations: Array) -> Array:
    """(N, J + T, 3) joints and tips in some frames spread over the clip, in the file's unit and axes."""
    frames = np.unique(np.linspace(0, len(roots) - 1, SAMPLES).astype(int))
    try:
        skeleton = Skeleton(tuple(recording.names), np.array(recording.parents), recording.offsets)
    except RigError as error:
        raise complaint(recording.path, None, f"cannot be used: {str(error).rstrip('.')}") from error
    positions, orientations = skeleton.forward_kinematics(roots[frames], rotations[frames])
    return with_tips(positions, orientations, recording.tips)


def _up_axis(recording: Recording, poses: Array, body: Anatomy) -> str:
    """'Y' or 'Z': along which bodies stand, or else the one with a floor, or else the one of the rest pose."""
    votes = _upright(poses, body)
    if votes.max() >= 0.3 and votes.min() <= 0.1:
        return "YZ"[int(votes.argmax())]
    # Someone who crawls or gets up: the lowest point stays on the floor, along other axes the outermost point wanders.
    spans = np.ptp(np.percentile(poses.min(axis=1)[:, 1:], [5, 95], axis=0), axis=0)
    if spans.max() > 0.1 * body.hip_height and spans.min() < 0.5 * spans.max():
        return "YZ"[int(spans.argmin())]
    skeleton = Skeleton(tuple(recording.names), np.array(recording.parents), recording.offsets)
    rest, _ = skeleton.forward_kinematics(np.zeros((1, 3)), rotation.identity((1, len(recording.names))))
    return "YZ"[int(_upright(rest, body).argmax())]


def _upright(positions: Array, body: Anatomy) -> Array:
    """(2,) share of the frames in which the body points up along Y and along Z; positions (N, J…, 3)."""
    feet = [leg[-1] for leg in body.legs]
    trunk = positions[:, body.chest] - (positions[:, feet].mean(axis=1) if feet else positions[:, 0])
    length = np.linalg.norm(trunk, axis=-1, keepdims=True)
    return (trunk[:, 1:] > UPRIGHT * np.maximum(length, rotation.NOISE)).mean(axis=0)


def _with_root_offset(
    recording: Recording, roots: Array, heights: Array, body: Anatomy, up: str, notes: list[str]
) -> tuple[Array, float]:
    """Root positions with the root's offset added where only that puts the feet on the floor, and by how much heights change."""
    offset = recording.root_offset
    if not offset.any():
        return roots, 0.0
    named = "(" + ", ".join(f"{value:g}" for value in offset) + ")"
    floor, shift = np.percentile(heights.min(axis=1), 10), offset["XYZ".index(up)]
    if abs(floor) > 0.2 * body.hip_height and abs(floor + shift) < 0.5 * abs(floor):
        notes.append(f"The root's offset {named} was added to its positions: only so do the feet stand on the floor.")
        return roots + offset, float(shift)
    notes.append(f"The root's offset {named} was left out: its positions contain it already.")
    return roots, 0.0


def _unit(body: Anatomy, standing: float, file_unit: float | None, notes: list[str]) -> float:
    """Metres of one unit, from the hip height that the legs give, or the one seen where there are no legs."""
    height = body.hip_height or standing
    if not (np.isfinite(height) and height > 0.0):
        notes.append("No legs to tell the unit by: taken as metres.")
        return 1.0

    def misfit(candidate: float) -> float:
        return abs(float(np.log(candidate * height / ADULT_HIP_HEIGHT)))

    named = min(UNITS, key=misfit)
    if file_unit is not None and misfit(file_unit) <= np.log(SIZE_FACTOR):
        named = next((known for known in UNITS if abs(known - file_unit) < 1e-3 * known), file_unit)
    if misfit(named) > np.log(SIZE_FACTOR):
        scale = ADULT_HIP_HEIGHT / height
        notes.append(f"No usual unit makes a human of it: scaled by {scale:.4g} so that the hips stand at about {ADULT_HIP_HEIGHT:g} m.")
        return scale
    called = UNITS.get(named, f"units of {named * 1000.0:g} mm")
    notes.append(f"Lengths are in {called}: the hips stand {standing * named:.2f} m high.")
    return named


def _assemble(
    recording: Recording, roots: Array, rotations: Array, t_pose: Array | None, axes: tuple[int, ...], scale: float, notes: list[str]
) -> Clip:
    """The Clip, with columns ``axes`` of the file as x, y, z and ``scale`` metres a unit."""
    vector, quaternion = list(axes), [0, *(axis + 1 for axis in axes)]
    skeleton = Skeleton(tuple(recording.names), np.array(recording.parents), recording.offsets[:, vector] * scale)
    turned = rotation.normalize(rotation.make_continuous(rotations[..., quaternion]))
    return Clip(
        motion=Motion(skeleton, recording.fps, roots[:, vector] * scale, turned),
        name=recording.path.stem,
        tips={recording.names[joint]: np.asarray(tip, dtype=float)[vector] * scale for joint, tip in recording.tips.items()},
        t_pose=None if t_pose is None else t_pose[..., quaternion],
        notes=notes,
    )


def _note_floor(floor: float, notes: list[str]) -> None:
    if abs(floor) > FLOOR_TOLERANCE:
        notes.append(f"The lowest point of the body is mostly at a height of {floor:.2f} m, not at 0.")


def _note_jumps(motion: Motion, line_of: Callable[[int], int], notes: list[str]) -> None:
    """Say where the root jumps; it is left as it is."""
    steps = np.linalg.norm(np.diff(motion.root_positions, axis=0), axis=-1)
    jumps = np.flatnonzero(steps * motion.fps > IMPOSSIBLE_SPEED)
    if len(jumps):
        frame = int(jumps[0]) + 1
        more = f", and {len(jumps) - 1} more times" if len(jumps) > 1 else ""
        notes.append(f"The root jumps by {steps[frame - 1]:.2f} m to frame {frame} (line {line_of(frame)}){more}: the recording has a fault there.")


def _note_missing(names: Sequence[str], body: Anatomy, notes: list[str]) -> None:
    if not body.legs:
        notes.append("No pair of legs was recognised in the skeleton.")
    if not any(re.search("hand|wrist|palm", name, re.IGNORECASE) for name in names):
        notes.append("The skeleton has no hands: the arms end with the forearms.")
