"""Stumble: a hit on any clip that the body takes on its feet, by planning ahead from the moment when it notices.

Before the hit the clip is as it was. Then physics has the body, for the reaction delay without a thought, and from there on with plans that know
where it is and keep it up; they follow the clip in its own time and go back to its way where they can. Once it is back, it is the clip again.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from .. import rotation
from ..job import Job
from ..kinematic.retargeted import shown
from ..motion import Motion
from ..plan.aim import FPS
from ..plan.follow import follow
from ..plan.stage import first_hit
from ..progress import Progress
from ..reference import Reference
from ..reference.curves import smooth_step
from ..result import Result

BACK = 0.03  # m that every joint is off the clip at most, for someone who is back …
BACK_S = 0.3  # … for so many s …
FADE_S = 0.4  # … after which what is left fades in so many s


def stumbled(job: Job, reference: Reference, clip: Motion, progress: Progress | None, workers: int | None) -> Result:
    """``clip``: the reference's motion as the result is to begin, at the job's rate."""
    found = follow(dataclasses.replace(job, fps=FPS), progress, workers)
    begin = first_hit(job) / FPS
    times = np.arange(clip.frames) / clip.fps
    hit = np.flatnonzero(times > begin + 1e-9)
    hit = hit[times[hit] - begin <= (found.frames - 1) / FPS + 1e-9]
    own = Motion(reference.body.skeleton, FPS, found.root_positions, rotation.make_continuous(found.rotations))
    roots, rotations = clip.root_positions.copy(), clip.rotations.copy()
    roots[hit], rotations[hit] = own.sample(times[hit] - begin)
    frames = int(hit[-1]) + 1 if len(hit) else clip.frames
    frames = frames if found.outcome["fell"] else clip.frames
    moved = Motion(clip.skeleton, clip.fps, roots[:frames], rotations[:frames])
    result = shown(job, reference, _returned(moved, Motion(clip.skeleton, clip.fps, clip.root_positions[:frames], clip.rotations[:frames]), hit), clip)
    at = np.minimum(np.round((times[hit] - begin) * FPS).astype(int), found.frames - 1)
    for name in ("foot_forces", "foot_cops", "torques", "penetrations"):
        getattr(result, name)[hit] = getattr(found, name)[at]
    fell = found.outcome["fell_at"]
    result.outcome |= {"fell": found.outcome["fell"], "fell_at": None if fell is None else begin + fell, "retries": found.outcome["retries"]}
    if "reason" in found.outcome:
        result.outcome["reason"] = found.outcome["reason"]
    return result


def _returned(motion: Motion, clip: Motion, hit: np.ndarray) -> Motion:
    """The motion, which is the clip again once it has been near it for a while."""
    away = np.linalg.norm(motion.world()[0] - clip.world()[0], axis=-1).max(axis=1)
    far = np.flatnonzero(away > BACK)
    back = (int(far[-1]) + 1 if len(far) else int(hit[0])) + round(BACK_S * clip.fps)
    return motion.blend(clip, smooth_step((np.arange(clip.frames) - back) / (FADE_S * clip.fps)))
