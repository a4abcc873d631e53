"""Other frames of a scene without going there: what is shown, and poses that are not keyed yet, stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import bpy


@contextmanager
def aside(thing: bpy.types.Object) -> Iterator[Callable[[float], bpy.types.Object]]:
    """A function that gives the object as it is on a frame, with all that it hangs on, until the next call. It is evaluated in a scene of its own
    for that while: alone, which is also quicker than with everything else that the scene shows."""
    scene = bpy.data.scenes.new("Footfall aside")
    scene.collection.objects.link(thing)

    def at(frame: float) -> bpy.types.Object:
        scene.frame_set(int(frame // 1), subframe=frame % 1)
        return thing.evaluated_get(scene.view_layers[0].depsgraph)

    try:
        yield at
    finally:
        bpy.data.scenes.remove(scene)
