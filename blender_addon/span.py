"""The frames that are baked."""

from __future__ import annotations

import math
from dataclasses import dataclass

import bpy

from . import method, pressures, references


@dataclass(frozen=True)
class Span:
    """Frames of the scene that are baked: ``first`` to ``last``, both included, at ``fps``."""

    first: int
    last: int
    fps: float

    @property
    def seconds(self) -> float:
        return (self.last - self.first) / self.fps

    def time(self, frame: float) -> float:
        """Seconds since the first frame."""
        return (frame - self.first) / self.fps

    def times(self, step: float = 0.1) -> list[float]:
        """Moments about ``step`` seconds apart that cover the span."""
        count = max(1, math.ceil(self.seconds / step))
        return [self.seconds * n / count for n in range(count + 1)]

    def frame(self, time: float) -> float:
        return self.first + time * self.fps

    def holds(self, frame: float) -> bool:
        return self.first <= frame < self.last


def span_of(scene: bpy.types.Scene, armature: bpy.types.Object) -> Span:
    """The frames that the panel asks for, empty or not; of a recording that is followed once, all of it."""
    motion, fps = armature.footfall.motion, scene.render.fps / scene.render.fps_base
    recording = None
    if method.follows_feet(motion):
        recording = pressures.find(scene, motion.pressure)
    elif not method.goes_on(motion):
        recording = references.find(scene, motion.reference)
    if recording:
        first = scene.frame_start if motion.span == "SCENE" else motion.frame_start
        return Span(first, first + round(recording.seconds * fps), fps)
    if motion.span == "SCENE":
        return Span(scene.frame_start, scene.frame_end, fps)
    if motion.span == "FRAMES":
        return Span(motion.frame_start, motion.frame_end, fps)
    return Span(motion.frame_start, motion.frame_start + round(motion.seconds * fps), fps)
