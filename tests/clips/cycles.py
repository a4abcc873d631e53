"""One cycle of this project's own walk, as games have them: in place or travelling, with or without its first pose once more at the end."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from core.formats import read_clip, write_bvh
from core.motion import Motion
from core.reference import prepare
from core.reference.loop import closed

from . import path_of


def write_cycle(path: Path, *, in_place: bool, last: bool = True, fps: float = 30.0, rounds: int = 1) -> Path:
    """Write a stride of the walk, whose ends meet, as a BVH. ``last``: whether its last pose is the first one again. ``rounds``: how often it is
    there."""
    clip = read_clip(path_of("walk"))
    reference = prepare(clip)
    first, second = [step for step in reference.fragments if step.whole][2:4]
    begin, end = first.start / reference.motion.fps, second.end / reference.motion.fps
    frames = round((end - begin) * fps)
    stride = closed(Motion(clip.motion.skeleton, fps, *clip.motion.sample(np.linspace(begin, end, frames + 1))))
    way = (stride.root_positions[-1] - stride.root_positions[0]) * (1.0, 1.0, 0.0)
    if in_place:
        stride = stride.displace(-np.outer(np.arange(frames + 1) / frames, way))
    at = np.arange(rounds * frames + last) % frames
    whole = np.arange(rounds * frames + last) // frames
    roots = stride.root_positions[at] + np.outer(whole, 0.0 * way if in_place else way)
    write_bvh(path, replace(clip, motion=Motion(stride.skeleton, fps, roots, stride.rotations[at])))
    return path
