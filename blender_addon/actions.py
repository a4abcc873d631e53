"""Actions that Footfall replaces: those of the user are kept in the file, its own earlier ones may go."""

from __future__ import annotations

import bpy

MARK = "footfall"


def current(owner: bpy.types.Object) -> bpy.types.Action | None:
    return owner.animation_data.action if owner.animation_data else None


def mark_replaced(old: bpy.types.Action | None, new: bpy.types.Action) -> None:
    """``new``, one of ours, plays instead of ``old``, which must survive saving the file unless it is one of ours too."""
    new[MARK] = True
    if old is not None and MARK not in old:
        old.use_fake_user = True
