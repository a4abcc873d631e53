"""Motions that no physics has made, as a Result: a clip on another body, or a clip that was changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..body import Body
from ..feet import depths
from ..job import Job
from ..motion import Motion
from ..reference import Reference
from ..result import Result

GRAVITY = 9.81  # m/s²


def retargeted(job: Job, reference: Reference) -> Result:
    """The reference's motion from the origin, facing the job's heading, at the job's frame rate."""
    motion = reference.motion.resample(job.fps).facing(job.facing)
    return shown(job, reference, motion, motion)


def shown(job: Job, reference: Reference, motion: Motion, clip: Motion, times: Array | None = None) -> Result:
    """A motion on the reference's body, with the contacts of the clip that it follows, both at the job's rate. ``times``: (F,) s of the reference at
    each frame; by default those of the frames."""
    times = np.arange(motion.frames) / job.fps if times is None else times
    return as_result(job.to_dict(), reference.body, reference.name, motion, reference.contacts_during(times), clip.world()[0], times)


def as_result(job: dict[str, Any], body: Body, name: str, motion: Motion, contacts: Bools, followed: Array | None = None,
              times: Array | None = None) -> Result:
    """A motion on a body that nothing simulates, called ``name``. contacts: (F, 2) which feet stand. followed: (F, L, 3) m, the joints of what it
    follows, at ``times`` (F,) s of that; None: nothing."""
    roots, rotations = motion.root_positions, motion.rotations
    frames, links = len(roots), len(body.names)
    # A recording has no forces, but readers of a Result see by them which feet stand: these share the body's weight.
    forces = np.zeros((frames, 2, 3))
    forces[:, :, 2] = contacts / np.maximum(contacts.sum(axis=1, keepdims=True), 1) * GRAVITY * body.mass
    return Result(
        fps=motion.fps, link_names=list(body.names), parents=body.parents, offsets=body.offsets, masses=body.masses, com_offsets=body.com_offsets,
        inertias=body.inertias, half_extents=np.array([shape.half_extents for shape in body.shapes]),
        shape_centers=np.array([shape.center for shape in body.shapes]), limits=body.limits, sole_links=body.sole_links, sole_points=body.sole_points,
        root_positions=roots, rotations=rotations, torques=np.zeros((frames, links, 3)), foot_forces=forces,
        foot_cops=np.full((frames, 2, 3), np.nan), penetrations=depths(body, motion), ground_heights=np.zeros((frames, 2)),
        stance=np.where(contacts[:, 1] & ~contacts[:, 0], 1, 0), states=np.zeros(frames, dtype=int), gait_names=[name],
        gaits=np.zeros(frames, dtype=int), headings=np.unwrap(rotation.heading(rotations[:, 0])), speeds=np.full(frames, np.nan),
        reference_positions=np.zeros((0, links, 3)) if followed is None else followed, clip_times=np.zeros(0) if times is None else times,
        object_names=[], object_positions=np.zeros((frames, 0, 3)), object_rotations=np.zeros((frames, 0, 4)),
        job=job, outcome={"fell": False, "fell_at": None, "simulated_s": round((frames - 1) / motion.fps, 6),
                          "end_position_m": [round(float(v), 4) for v in roots[-1]], "gait": name})
