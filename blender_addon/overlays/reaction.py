"""The ghost of what is expected of hits: the pose of the current frame, what comes after the chosen hit, and its steps on the floor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import gpu
import numpy as np

from ..reaction import Outlook
from . import figure, shapes
from .last_bake import last_bake
from .over import is_over

if TYPE_CHECKING:
    from ...core.body import Body

COLORS = {"in place": (0.38, 0.62, 1.0), "steps": (0.98, 0.90, 0.32), "fall": (1.0, 0.36, 0.34)}  # of STRATEGIES
MEANINGS = {"The hit makes it fall": (*COLORS["fall"], 1.0), "The hit makes it step": (*COLORS["steps"], 1.0),
            "It takes the hit in place": (*COLORS["in place"], 1.0)}
NOW, WIDTH = 1.0, 4.0  # opacity and width of the pose of the current frame
FIRST, LAST = 0.08, 0.9  # opacity of the first and of the last of the poses that come
THIN, THICK = 1.5, 3.5  # width of the same
MARK, MARK_LINE = 0.35, 0.95  # opacity of a footstep and of its outline
LIFT = 0.006  # m over the ground
SAME = 1e-3  # N and s by which hits may differ that are the same


def is_shown(character: bpy.types.Object, outlook: Outlook) -> bool:
    """Whether there is something to show, which was not simulated just so: then the bake itself tells."""
    if not outlook.answers:
        return False
    bake = last_bake(character)
    return bake is None or not _same(outlook, [event for event in bake.events if event["type"] == "push"])


def _same(outlook: Outlook, events: list[dict]) -> bool:
    def numbers(time, force, seconds, part) -> tuple:
        return (part, *(round(value / SAME) for value in (time, *force, seconds)))

    hit = sorted(numbers(hit.time, hit.force, hit.seconds, hit.part) for hit in outlook.hits)
    return hit == sorted(numbers(event["time"], event["force"], event["duration"], event["part"]) for event in events)


def draw(context: bpy.types.Context, character: bpy.types.Object, outlook: Outlook) -> None:
    clip = outlook.clip
    color = COLORS[(outlook.answer or outlook.answers[-1]).strategy]
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(clip.space(character))
        shown = _figure(clip.ready.body)
        if not context.screen.is_animation_playing:
            if not is_over():  # where nothing tells how far away the scene is
                gpu.state.depth_test_set("LESS_EQUAL")
            for _, _, outline in outlook.marks:
                points = [(x, y, z + LIFT) for x, y, z in outline]
                shapes.triangles(shapes.fan(points), (*color, MARK))
                shapes.lines(shapes.loop(points), (*color, MARK_LINE), 2.0)
            gpu.state.depth_test_set("NONE")
            for joints, part in zip(outlook.stages, np.linspace(0.0, 1.0, len(outlook.stages)) ** 2, strict=True):
                figure.draw(shown, joints, (*color, FIRST + part * (LAST - FIRST)), THIN + part * (THICK - THIN))
        frame = clip.frame(context.scene.frame_current_final)
        if frame > outlook.answers[0].first:
            figure.draw(shown, outlook.joints(frame), (*color, NOW), WIDTH)


def _figure(body: Body) -> figure.Figure:
    return figure.figure_of(body.names, body.parents, [shape.half_extents for shape in body.shapes])
