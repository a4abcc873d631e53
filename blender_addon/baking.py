"""A result onto the character and the scene: keys, moving boxes and balls, the report, what the overlays need."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
from mathutils import Matrix

from ..core.errors import FootfallError, FormatError, RigError
from ..core.result import Result
from ..core.skeleton import LINKS
from . import actions, compat, files, loose_objects, object_motion, others, references, report, spaces
from .forecast import Forecast, against
from .own import OwnReader
from .rig.retarget import Retarget
from .rig.write import BakeOptions, write_result
from .span import Span


def bake(context: bpy.types.Context, armature: bpy.types.Object, retarget: Retarget, span: Span, source: Path,
         half_way: bool = False, reader: OwnReader | None = None, forecast: Forecast | None = None) -> str:
    """Write the result in file ``source`` onto the character; returns the report. A FootfallError leaves all as it was.

    ``half_way``: the result covers only the part of the span that was simulated when it was stopped. ``reader``: of what it plays itself, as
    ``own_reader`` gives it, where that was begun before. ``forecast``: what was expected of its hits.
    """
    options, placement = armature.footfall.bake, retarget.placement
    only = bones_to_key(armature)
    result = Result.load(source)
    if tuple(result.link_names) != tuple(LINKS):
        raise FormatError("This result is of a body with other parts than a person's: simulate with a gait that is not planar.")
    name = f"{armature.name} {_what(result.job)}"
    step = span.fps / result.fps
    text = report.sentence(result, span.first, step, span.seconds if half_way else None) + report.of_left_behind(retarget.left_behind)
    text += against(forecast, result)
    text += others.sentence(context.scene, armature, placement, result, span.first, step)
    moving = object_motion.worlds(armature, [span.first + step * frame for frame in range(result.frames)], retarget.world)
    reader = reader or own_reader(context, armature, retarget, span, source)
    if reader:
        reader.go_on()
    kept = keep(source, name)
    own = reader.own() if reader else None
    # What plays NLA strips alone gets one more: an action would hold its first pose before the hit.
    layer = options.layer or (own is not None and own.action is None)
    before = actions.current(armature)
    try:
        action = write_result(armature, retarget, result, BakeOptions(
            name=name, first_frame=span.first, step=step, to_nla=options.push_to_nla, loop=options.in_place, only=only,
            others_go_on=options.others_go_on, layer=_hit_frames(result) if layer else None, own=own, worlds=moving, ik_controls=options.ik_controls))
    except FootfallError:
        files.remove(files.found(kept))
        raise
    actions.mark_replaced(before, action)
    reference = _hit_itself(context.scene, armature, result)
    if reference:
        actions.replace_layers(armature, action, reference.name)
    loose_objects.bake_objects(context, armature, placement, result, span.first, step)
    options.result, options.frame, options.step, options.action = kept, span.first, step, action
    spaces.keep_space(options, Matrix(placement.matrix()), Matrix(retarget.world), moving is not None)
    options.looped, options.direction = options.in_place, placement.direction
    options.report, options.fell = text, bool(result.outcome.get("fell")) and not report.asked_to_fall(result)
    return text


def _hit_frames(result: Result) -> tuple[int, int] | None:
    """The first and the last frame that hits have changed; None where nothing was hit. Who has gone elsewhere stays there to the end."""
    if "hit_s" not in result.outcome:
        return None
    (first, last), end = result.outcome["hit_s"], result.frames - 1
    if result.outcome.get("response") == "flinch":
        end = min(end, math.ceil((last + result.job["manner"]["back"]) * result.fps))
    return int(first * result.fps + 1e-6), end


def own_reader(context: bpy.types.Context, armature: bpy.types.Object, retarget: Retarget, span: Span, source: Path) -> OwnReader | None:
    """Begin to read what the character plays itself on the frames of a result that was made by hitting that; None for any other result."""
    result = Result.load(source)
    reference = _hit_itself(context.scene, armature, result)
    if reference is None:
        return None
    return OwnReader(armature, references.animation_of(reference), references.frames_of(reference)[0], retarget, result,
                     span.fps / result.fps)


def _hit_itself(scene: bpy.types.Scene, armature: bpy.types.Object, result: Result) -> bpy.types.PropertyGroup | None:
    """The reference of which a result came by hits, where that is what the character plays itself."""
    once = len(result.clip_roots) and not result.job.get("loop")
    reference = references.of_file(scene, result.job["clips"][0]) if once else None
    return reference if reference is not None and reference.kind == "ACTION" and reference.owner == armature else None


def _what(job: dict) -> str:
    """What the character does, for the name of its action: the recording that it follows, the gait, or else the method."""
    if job.get("played"):
        return "take"
    followed = job["clips"][0] if job.get("clips") else job.get("recording")
    return files.plain_name(followed) if followed else job.get("gait", job["method"])


def bones_to_key(armature: bpy.types.Object) -> frozenset[str] | None:
    """Names of the bones to key, or None for all that were simulated."""
    if not armature.footfall.bake.only_selected:
        return None
    names = compat.selected_bones(armature)
    if not names:
        raise RigError(f"No bone of '{armature.name}' is selected: select some in Pose Mode, or turn Only Selected Bones off.")
    return frozenset(names)


def keep(source: Path, name: str) -> str:
    """Copy a result to where the overlays find it again. Returns the path as Blender writes it ("//" is the .blend's folder)."""
    kept = files.new_file(name, ".npz")
    files.copy(source, kept)
    return files.stored(kept)
