"""BVH: the skeleton as a tree of joints, then one row of numbers a frame."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from .. import rotation
from ..arrays import Array
from ..whole_file import whole_file
from . import anatomy
from .bvh_hierarchy import Hierarchy, Joint, parse
from .clip import Clip
from .lines import complaint, is_number, parse_numbers, read_lines
from .normalise import Recording, finish, snap_rate

# A joint that strays from its usual place by more than this share of the longest bone's length moves; less is rounding.
STRAY = 0.02
# What is written: centimetres, Y up, the order most programs write. Six decimals of a degree are far below a micrometre at the toes.
WRITTEN_UNIT = 0.01  # metres
WRITTEN_ORDER = "zxy"
PELVIS_NAMES = re.compile("hip|pelvis", re.IGNORECASE)


def read_bvh(path: str | Path, *, unit: float | None = None, up: str | None = None, fps: float | None = None) -> Clip:
    """Read a BVH file. ``unit`` (metres), ``up`` ('Y' or 'Z') and ``fps`` overrule what is recognised."""
    path = Path(path)
    lines = read_lines(path)
    hierarchy = parse(path, lines)
    values, row_lines, rate = _read_motion(path, lines, hierarchy)
    recording = _make_recording(path, hierarchy, values, row_lines, fps or rate)
    return finish(recording, unit=unit, up=up)


def _read_motion(path: Path, lines: list[str], hierarchy: Hierarchy) -> tuple[Array, list[int], float]:
    """All rows (F, C), the line of each, and the frames a second."""
    filled = [index for index in range(hierarchy.end + 1, len(lines)) if lines[index].strip()]
    if len(filled) < 2:
        raise complaint(path, len(lines), "the file ends where its frames should begin: it is cut off")
    promised = _header(path, lines, filled[0], "Frames:")
    if not promised.isdigit():
        raise complaint(path, filled[0] + 1, f"the number of frames is '{promised[:40]}'")
    written = _header(path, lines, filled[1], "Frame Time:")
    if not is_number(written) or not 0.0 < float(written) < 10.0:
        raise complaint(path, filled[1] + 1, f"the frame time is '{written[:40]}', but must be a number of seconds above 0")
    rows = [lines[index].split() for index in filled[2:]]
    width = len(hierarchy.columns)
    for index, row in zip(filled[2:], rows, strict=True):
        if len(row) != width:
            cut = index == filled[-1] and len(row) < width
            ending = ": the file is cut off there" if cut else ""
            raise complaint(path, index + 1, f"{len(row)} numbers stand where the skeleton has {width} channels{ending}")
    if len(rows) < max(int(promised), 1):
        raise complaint(path, len(lines), f"the file ends after {len(rows)} of {promised} frames: it is cut off")
    if len(rows) > int(promised):
        hierarchy.notes.append(f"The file says {promised} frames, but has {len(rows)}: all were read.")
    row_lines = [index + 1 for index in filled[2:]]
    values = parse_numbers(path, rows, row_lines.__getitem__, lambda _, column: hierarchy.columns[column])
    rate = snap_rate(float(written), written)
    hierarchy.notes.append(f"{rate:.5g} frames a second.")
    return values.reshape(len(rows), width), row_lines, rate


def _header(path: Path, lines: list[str], index: int, key: str) -> str:
    """What stands behind ``key`` in a line of the motion's header."""
    line = " ".join(lines[index].split())
    if not line.lower().startswith(key.lower()):
        raise complaint(path, index + 1, f"'{key}' should stand here, not '{line[:40]}'")
    return line[len(key) :].strip()


def _make_recording(path: Path, hierarchy: Hierarchy, values: Array, row_lines: list[int], fps: float) -> Recording:
    """Joints below the pelvis with fixed offsets; whatever stands above it is merged into it."""
    joints, notes = hierarchy.joints, hierarchy.notes
    rotations = _rotations(joints, values)
    chain = anatomy.find_pelvis([joint.parent for joint in joints])
    places = {n: _places(joint, values) for n, joint in enumerate(joints) if joint.positions}
    contained = _contain_offset(joints, places, chain)
    size = float(max(np.linalg.norm(joint.offset) for joint in joints)) or 1.0
    offsets = _fixed_offsets(joints, places, chain, contained, size, notes)
    roots, turned, root_offset = _merge(joints, places, rotations, chain, contained)
    kept = _kept(joints, chain)
    _note_merge(joints, kept, chain, places, size, notes)
    names = [joints[n].name for n in kept]
    names[0] = next((joints[n].name for n in reversed(chain) if PELVIS_NAMES.search(joints[n].name)), names[0])
    new_index = {old: new for new, old in enumerate(kept)}
    return Recording(
        path=path,
        names=names,
        parents=[-1, *(new_index[joints[n].parent] for n in kept[1:])],
        offsets=np.array([np.zeros(3), *(offsets[n] for n in kept[1:])]),
        root_positions=roots,
        rotations=np.concatenate([turned[:, None], rotations[:, kept[1:]]], axis=1),
        fps=fps,
        line_of=row_lines.__getitem__,
        tips={new_index[n]: tip for n in kept if (tip := joints[n].tip) is not None},
        root_offset=root_offset,
        notes=notes,
    )


def _rotations(joints: list[Joint], values: Array) -> Array:
    """(F, J, 4) from the rotation channels; joints with the same order of channels are done together."""
    rotations = rotation.identity((len(values), len(joints)))
    by_order: dict[str, list[int]] = {}
    for n, joint in enumerate(joints):
        if joint.rotations:
            by_order.setdefault("".join(axis for axis, _ in joint.rotations), []).append(n)
    for order, members in by_order.items():
        columns = np.array([[column for _, column in joints[n].rotations] for n in members])
        angles = np.zeros((len(values), len(members), 3))
        angles[..., : len(order)] = np.radians(values[:, columns])
        full = order + "".join(axis for axis in rotation.AXES if axis not in order)
        rotations[:, members] = rotation.from_euler(angles, full)
    return rotations


def _places(joint: Joint, values: Array) -> Array:
    """(F, 3) the position channels of a joint; an axis without one is 0."""
    places = np.zeros((len(values), 3))
    for axis, column in joint.positions:
        places[:, axis] = values[:, column]
    return places


def _contain_offset(joints: list[Joint], places: dict[int, Array], chain: list[int]) -> bool:
    """Whether position channels below the pelvis hold the whole offset of their joint, as they mostly do, or what is added to it."""
    whole = added = 0.0
    for n in places.keys() - set(chain):
        middle = np.median(places[n], axis=0)
        whole += float(np.linalg.norm(middle - joints[n].offset))
        added += float(np.linalg.norm(middle))
    return whole <= added


def _fixed_offsets(
    joints: list[Joint], places: dict[int, Array], chain: list[int], contained: bool, size: float, notes: list[str]
) -> list[Array]:
    """One offset for each joint, also where position channels move it: bones have one length."""
    offsets = [joint.offset for joint in joints]
    strays = {}
    below = sorted(places.keys() - set(chain))
    for n in below:
        moved = places[n] if contained else places[n] + joints[n].offset
        offsets[n] = np.median(moved, axis=0)
        stray = np.linalg.norm(moved - offsets[n], axis=-1).max()
        if stray > STRAY * size:
            strays[n] = stray
    if below:
        notes.append(f"{len(below)} joints besides the root have position channels: their bones keep one length.")
    if strays:
        worst = max(strays, key=strays.__getitem__)
        percent = 100.0 * strays[worst] / size
        notes.append(f"{len(strays)} of them really move, '{joints[worst].name}' most, by {percent:.0f} % of the longest bone: that is left out.")
    return offsets


def _merge(
    joints: list[Joint], places: dict[int, Array], rotations: Array, chain: list[int], contained: bool
) -> tuple[Array, Array, Array]:
    """World positions (F, 3) and orientations (F, 4) of the pelvis, and an offset (3,) that these positions may lack."""
    positions = np.zeros((len(rotations), 3))
    orientations = rotation.identity((len(rotations),))
    lacking = np.zeros(3)
    for n in chain:
        local = places.get(n, np.broadcast_to(joints[n].offset, positions.shape))
        if n in places and not contained and n != chain[0]:
            local = local + joints[n].offset
        elif n in places:
            # Mostly contained, but some exporters write the way from the rest pose: the feet on the floor will tell.
            lacking = lacking + rotation.rotate(orientations[0], joints[n].offset)
        positions = positions + rotation.rotate(orientations, local)
        orientations = rotation.multiply(orientations, rotations[:, n])
    return positions, orientations, lacking


def _kept(joints: list[Joint], chain: list[int]) -> list[int]:
    """The pelvis and all joints below it, in order."""
    kept = [chain[-1]]
    for n, joint in enumerate(joints):
        if joint.parent in kept:
            kept.append(n)
    return kept


def _note_merge(joints: list[Joint], kept: list[int], chain: list[int], places: dict[int, Array], size: float, notes: list[str]) -> None:
    pelvis = joints[chain[-1]].name
    if not any(n in places for n in chain):
        notes.append("The root has no position channels: the motion stays in place.")
    if len(chain) > 1:
        above = " and ".join(f"'{joints[n].name}'" for n in chain[:-1])
        still = all(np.ptp(places[n], axis=0).max() <= STRAY * size for n in chain[:-1] if n in places)
        if still and chain[-1] in places:
            notes.append(f"The travel is in '{pelvis}' and not in {above}, which stands still: '{pelvis}' is the root now.")
        else:
            notes.append(f"{above} above the hips was merged into '{pelvis}', which is the root now.")
    lost = [joint.name for n, joint in enumerate(joints) if n not in kept and n not in chain]
    if lost:
        notes.append(f"Left out, since it does not hang from '{pelvis}': {', '.join(lost)}.")


def write_bvh(path: str | Path, clip: Clip) -> None:
    """Write a clip as a BVH file: centimetres, Y up, faced to +Z at rest, with the tips as end sites."""
    skeleton, motion = clip.skeleton, clip.motion
    below = anatomy.children(skeleton.parents.tolist())
    # Z up to Y up: the inverse of reading.
    vector, quaternion = [1, 2, 0], [0, 2, 3, 1]
    offsets = skeleton.offsets[:, vector] / WRITTEN_UNIT
    text, order = ["HIERARCHY"], []
    channels = " ".join(f"{axis.upper()}rotation" for axis in WRITTEN_ORDER)

    def write_joint(joint: int, indent: str) -> None:
        root = joint == 0
        offset = np.zeros(3) if root else offsets[joint]
        moves = f"6 Xposition Yposition Zposition {channels}" if root else f"3 {channels}"
        order.append(joint)
        text.extend([f"{indent}{'ROOT' if root else 'JOINT'} {skeleton.names[joint]}", indent + "{"])
        text.extend([f"{indent}\tOFFSET {_numbers(offset)}", f"{indent}\tCHANNELS {moves}"])
        for child in below[joint]:
            write_joint(child, indent + "\t")
        tip = clip.tips.get(skeleton.names[joint])
        if tip is not None or not below[joint]:
            end = np.zeros(3) if tip is None else tip[vector] / WRITTEN_UNIT
            text.extend([f"{indent}\tEnd Site", indent + "\t{", f"{indent}\t\tOFFSET {_numbers(end)}", indent + "\t}"])
        text.append(indent + "}")

    write_joint(0, "")
    angles = rotation.to_euler(motion.rotations[:, order][..., quaternion], WRITTEN_ORDER)
    angles = np.degrees(np.unwrap(angles, axis=0)).reshape(motion.frames, -1)
    rows = np.concatenate([motion.root_positions[:, vector] / WRITTEN_UNIT, angles], axis=1)
    text.extend(["MOTION", f"Frames: {motion.frames}", f"Frame Time: {1.0 / motion.fps:.8f}"])
    pattern = " ".join(["%.6f"] * rows.shape[1])
    text.extend(pattern % tuple(row) for row in rows.tolist())
    with whole_file(path) as file:
        file.write(("\n".join(text) + "\n").encode())


def _numbers(values: Array) -> str:
    return " ".join(f"{value:.6f}" for value in values)
