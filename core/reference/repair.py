"""Faults of recordings: a root that drops out, single frames in which a joint jumps away and back, ankles turned as no ankle turns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from .. import feet, rotation
from ..arrays import Array
from ..body import Body
from ..errors import FormatError
from ..formats import Clip
from ..formats.normalise import IMPOSSIBLE_SPEED
from ..motion import Motion
from ..retarget import joints_of
from ..signals import nearby, runs

# Seconds: a root that is lost for longer cannot be interpolated.
LONGEST_S = 1.0
# In a spike a joint turns away and back faster than this (radians a second), and this many times as far as from the frame before to the frame after.
SPIKE_SPEED, SPIKE_FACTOR = np.radians(1500.0), 5.0
# Radians by which an ankle may exceed its limits: people and markers differ.
ANKLE_MARGIN = np.radians(25.0)
# Seconds by which a fault begins earlier and ends later than it seems to; faults that then touch are one.
MARGIN_S = 0.03

DROPOUT = "drops out"
SPIKE = "jumps away and back"
# Frames that are listed in a note before the rest is only counted.
LISTED = 5


@dataclass(frozen=True)
class Fault:
    """Frames ``start`` until before ``end`` in which a joint cannot be trusted; ``what`` says why, after its name."""

    start: int
    end: int
    joint: str
    what: str


def faults(clip: Clip) -> list[Fault]:
    """What is wrong with a clip, in order of time; frame 0 is the first. Joints that no body has (fingers) do not count."""
    used = {name for names in joints_of(clip).values() for name in names}
    spikes = [fault for fault in _spikes(clip.motion) if fault.joint in used]
    return sorted(_dropouts(clip.motion) + spikes, key=lambda fault: fault.start)


def mended(clip: Clip, found: Iterable[Fault], repair: bool) -> tuple[Clip, list[str]]:
    """The clip with its faults interpolated, if ``repair``, and a sentence for each fault.

    Raises:
        FormatError: for a root that drops out and is not to be repaired, or for too long: such a clip cannot be followed.
    """
    found = list(found)
    motion = clip.motion
    roots, rotations = motion.root_positions.copy(), motion.rotations.copy()
    for fault in found:
        joint = motion.skeleton.index(fault.joint)
        if fault.what == DROPOUT:
            span = f"frames {fault.start}–{fault.end - 1}"
            if (fault.end - fault.start) > LONGEST_S * motion.fps or fault.start == 0 or fault.end == motion.frames:
                raise FormatError(f"'{clip.name}' cannot be used: the root {DROPOUT} in {span}, too long to mend: cut these frames off.")
            if not repair:
                raise FormatError(f"'{clip.name}' cannot be used as it is: the root {DROPOUT} in {span}; turn on repair to interpolate.")
            # Where the root is lost, so is all that was solved with it.
            for lost in range(len(motion.skeleton.names)):
                _bridge(rotations, fault.start, fault.end, lost)
        if repair:
            ends = [fault.start - 1, fault.end]
            for axis in range(3) if joint == 0 else ():
                roots[fault.start:fault.end, axis] = np.interp(np.arange(fault.start, fault.end), ends, roots[ends, axis])
            _bridge(rotations, fault.start, fault.end, joint)
    done = "interpolated" if repair else "turn on repair to interpolate"
    notes = [f"{sentence}: {done}." for sentence in summary(found)]
    return replace(clip, motion=replace(motion, root_positions=roots, rotations=rotations)) if found and repair else clip, notes


def summary(found: Iterable[Fault]) -> list[str]:
    """One line for each joint and kind of fault: "'LeftToeBase' jumps away and back in frames 34, 48 and 2 more"."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for fault in found:
        span = str(fault.start) if fault.end == fault.start + 1 else f"{fault.start}–{fault.end - 1}"
        kinds.setdefault((fault.joint, fault.what), []).append(span)
    lines = []
    for (joint, what), spans in kinds.items():
        more = f" and {len(spans) - LISTED} more" if len(spans) > LISTED else ""
        lines.append(f"'{joint}' {what} in frame{'s' if len(spans) > 1 or '–' in spans[0] else ''} {', '.join(spans[:LISTED])}{more}")
    return lines


def _dropouts(motion: Motion) -> list[Fault]:
    """Spans between a jump of the root, faster than any pelvis, and the jump back to near where it was."""
    steps = np.linalg.norm(np.diff(motion.root_positions, axis=0), axis=1)
    jumps = list(np.flatnonzero(steps * motion.fps > IMPOSSIBLE_SPEED) + 1)
    found = []
    while jumps:
        start = jumps.pop(0)
        before = motion.root_positions[start - 1]
        # Back is where the way on from the last good place could have led at a speed that a person has.
        back = next((end for end in jumps if np.linalg.norm(motion.root_positions[end] - before) < 0.5 * steps[start - 1]), motion.frames)
        found.append(Fault(int(start), int(back), motion.skeleton.names[0], DROPOUT))
        jumps = [jump for jump in jumps if jump > back]
    return found


def _spikes(motion: Motion) -> list[Fault]:
    """Single frames in which one joint turns away and back at once."""
    if motion.frames < 5:
        return []

    def turn(apart: int) -> Array:
        dots = np.abs(np.sum(motion.rotations[apart:] * motion.rotations[:-apart], axis=-1))
        return 2.0 * np.arccos(np.clip(dots, 0.0, 1.0))

    steps, leaps = turn(1), turn(2)
    away = np.minimum(steps[1:], steps[:-1])
    spike = (away > SPIKE_SPEED / motion.fps) & (away > SPIKE_FACTOR * leaps)
    names = motion.skeleton.names
    return [Fault(int(frame) + 1, int(frame) + 2, names[joint], SPIKE) for frame, joint in np.argwhere(spike)]


def with_sound_ankles(body: Body, motion: Motion) -> tuple[Motion, list[str]]:
    """The motion, whose soles are level, with ankles interpolated where a foot is turned as no ankle turns; and a sentence for each such span.

    Solvers of recordings flip a foot backwards in fast swings; nothing of the foot is to be believed there.
    """
    rotations = motion.rotations.copy()
    said = []
    for foot, side in enumerate(("left", "right")):
        ankle = feet.link(body, "foot", foot)
        angles = rotation.to_euler(rotations[:, ankle], "xyz")
        low, high = body.limits[ankle, :, 0] - ANKLE_MARGIN, body.limits[ankle, :, 1] + ANKLE_MARGIN
        wrong = np.any((angles < low) | (angles > high), axis=1)
        if wrong.mean() > 0.5:
            continue
        for start, end in runs(nearby(wrong, MARGIN_S * motion.fps)):
            _bridge(rotations, start, end, ankle)
            said.append(f"{start / motion.fps:.2f}–{end / motion.fps:.2f} s: the {side} foot is turned as no ankle turns: interpolated.")
    return replace(motion, rotations=rotations), said


def _bridge(rotations: Array, start: int, end: int, joint: int) -> None:
    """Turn evenly from the frame before ``start`` to ``end``; at either end of the clip hold what is known."""
    frames = len(rotations)
    first, last = start - 1, end
    if first < 0 and last >= frames:
        return
    first, last = (last if first < 0 else first), (first if last >= frames else last)
    share = (np.arange(start, end) - (start - 1)) / (end - start + 1)
    rotations[start:end, joint] = rotation.slerp(rotations[first, joint], rotations[last, joint], share)
