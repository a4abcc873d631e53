"""Actions that Footfall replaces: those of the user are kept in the file, its own earlier ones may go."""

from __future__ import annotations

import bpy

MARK = "footfall"
LAYER_OF = "footfall_layer_of"  # the name of the reference whose hits a layer shows


def current(owner: bpy.types.Object) -> bpy.types.Action | None:
    return owner.animation_data.action if owner.animation_data else None


def mark_replaced(old: bpy.types.Action | None, new: bpy.types.Action) -> None:
    """``new``, one of ours, plays instead of ``old``, which must survive saving the file unless it is one of ours too."""
    new[MARK] = True
    if old is not None and MARK not in old:
        old.use_fake_user = True


def is_layer_of(track: bpy.types.NlaTrack, reference: str) -> bool:
    """Whether an NLA track holds nothing but what came of hitting a reference."""
    return bool(track.strips) and all(strip.action and strip.action.get(LAYER_OF) == reference for strip in track.strips)


def replace_layers(owner: bpy.types.Object, new: bpy.types.Action, reference: str) -> None:
    """``new`` shows the hits on a reference; the layers that showed them before go."""
    for track in list(owner.animation_data.nla_tracks):
        if is_layer_of(track, reference) and track.strips[0].action != new:
            owner.animation_data.nla_tracks.remove(track)
    new[LAYER_OF] = reference
