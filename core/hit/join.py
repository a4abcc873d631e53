"""Join what a hit made of a clip with the clip before it, as one Result."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import rotation
from ..job import Job
from ..kinematic.retargeted import shown
from ..motion import Motion
from ..reference import Reference
from ..result import Result

MEASURED = ("foot_forces", "foot_cops", "torques", "penetrations")  # fields of a Result that only physics knows


def joined(job: Job, reference: Reference, clip: Motion, found: Result, begin: float, back: Callable[[Motion], Motion],
           until: int | None = None) -> Result:
    """The clip until ``begin`` (s), then ``found``, whose own time begins there. A body that fell stays as found to its end. ``back``: leads the
    joined motion of any other one over into the clip, from its frame ``until`` on, if that is given: there, nothing is measured any more."""
    times = np.arange(clip.frames) / clip.fps
    hit = np.flatnonzero((times > begin + 1e-9) & (times - begin <= (found.frames - 1) / found.fps + 1e-9))
    own = Motion(reference.body.skeleton, found.fps, found.root_positions, rotation.make_continuous(found.rotations))
    roots, rotations = clip.root_positions.copy(), clip.rotations.copy()
    roots[hit], rotations[hit] = own.sample(times[hit] - begin)
    moved = Motion(clip.skeleton, clip.fps, roots, rotations)
    if found.outcome["fell"]:
        frames = int(hit[-1]) + 1 if len(hit) else clip.frames
        moved, clip = (Motion(clip.skeleton, clip.fps, motion.root_positions[:frames], motion.rotations[:frames]) for motion in (moved, clip))
    else:
        moved = back(moved)
    shows = times[:moved.frames]
    result = shown(job, reference, moved, clip, np.minimum(shows, begin) if found.outcome["fell"] else shows)
    at = np.minimum(np.round((times[hit] - begin) * found.fps).astype(int), found.frames - 1)
    measured = slice(None) if until is None or found.outcome["fell"] else hit < until
    for name in MEASURED:
        getattr(result, name)[hit[measured]] = getattr(found, name)[at[measured]]
    fell = found.outcome["fell_at"]
    result.outcome |= {"fell": found.outcome["fell"], "fell_at": None if fell is None else begin + fell}
    result.outcome |= {name: found.outcome[name] for name in ("retries", "reason", "strategy", "recovery_steps", "held") if name in found.outcome}
    return result
