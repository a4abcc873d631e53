"""A Result onto a rig: a new Action, the old animation kept."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ...core.anatomy.bones import limb
from ...core.errors import RigError
from ...core.result import Result
from ..compat import action_curves, assign_action, places_of_curves
from . import others
from .action import make_action
from .compensation import compensated
from .hit_action import hit_action
from .ik_controls import When, key_ik_controls
from .loop import one_cycle
from .own import Own, hit_channels, is_back
from .retarget import Channels, Retarget

BLEND = 3.0  # frames in which a layer sets in and out


@dataclass(frozen=True)
class BakeOptions:
    """How to bake.

    Attributes:
        name: of the Action. first_frame: of its first key. step: scene frames from one simulated frame to the next.
        to_nla: push the old Action to an NLA track (muted, so that it does not mix in) instead of just leaving it in the file.
        only: names of the bones to key; None: all that were simulated.
        loop: one cycle, on the spot, that repeats without a seam.
        others_go_on: what is not simulated goes on as the rig plays it now; else it holds still as it is on the first frame.
        own: what the rig plays itself, of which the result came by hits: that is kept, with what the hits have changed.
        ik_controls: the IK controls of the rig are keyed, too.
        worlds: (F, 4, 4) the armature object on the frames of the result, where it moves by itself.
        layer: first and last frame of the result that are keyed, in an NLA strip above the animation that is there; None: all, as the rig's Action.
    """

    name: str = "Footfall"
    first_frame: float = 1.0
    step: float = 1.0
    to_nla: bool = False
    only: frozenset[str] | None = None
    loop: bool = False
    others_go_on: bool = False
    own: Own | None = None
    layer: tuple[int, int] | None = None
    worlds: np.ndarray | None = None
    ik_controls: bool = False


def write_result(armature: bpy.types.Object, retarget: Retarget, result: Result, options: BakeOptions) -> bpy.types.Action:
    """Bake a result onto the rig that it was fitted to. Returns the new Action, which the rig now plays."""
    own, first = options.own, options.first_frame
    if own:
        channels, start = hit_channels(retarget, own, result), own.start
    else:
        channels, start = retarget.channels(*(one_cycle(result) if options.loop else (result.root_positions, result.rotations))), 0
        if options.worlds is not None and not options.loop:
            channels = compensated(channels, retarget, options.worlds)
    channels = _chosen(channels, options.only)
    missing = [name for name in channels.rotations if name not in armature.pose.bones]
    if missing:
        raise RigError(f"Bone '{missing[0]}' is not in '{armature.name}' any more: recognise the rig again.")
    switches = _needed(armature, retarget, options.only)
    data = armature.animation_data or armature.animation_data_create()
    if options.layer:
        cut, end = options.layer
        action = make_action(armature, options.name, channels.cut(cut - start, end + 1 - start), switches, first + options.step * cut, options.step)
        _lay_over(armature, data, action, ends=end < result.frames - 1)
        if options.ik_controls:
            key_ik_controls(armature, retarget.bone_map, action, When(first + options.step * np.arange(cut, end + 1)), options.only)
        return action
    if own:
        action = hit_action(armature, options.name, own, result, channels, switches, first, options.step)
    else:
        action = make_action(armature, options.name, channels, switches, first, options.step)
        if options.loop:
            _repeat(action)
        curves, last = places_of_curves(action)[0], None if options.loop else first + options.step * (result.frames - 1)
        others.take_along(armature, retarget.names - channels.rotations.keys(), curves, last)
        if options.others_go_on:
            others.go_on(armature, retarget.held, retarget.bystanders, curves, last)
        others.hold(retarget.held, curves, first)
    if options.to_nla and data.action:
        _push_down(data)
    assign_action(armature, action)
    if options.ik_controls:
        key_ik_controls(armature, retarget.bone_map, action, _when(result, action, options), options.only)
    return action


def _when(result: Result, action: bpy.types.Action, options: BakeOptions) -> When:
    """The frames on which a bake that is no layer has changed the pose."""
    frames, own = options.first_frame + options.step * np.arange(result.frames), options.own
    if own:
        back = is_back(result, own)
        return When(frames[own.start:], frames[:own.start], int(np.argmax(back)) if back.any() else None)
    return When(frames[frames <= action.frame_range[1] + 1e-3] if options.loop else frames, repeat=options.loop)


def _needed(armature: bpy.types.Object, retarget: Retarget, only: frozenset[str] | None) -> list[tuple[str, str, float]]:
    """The switches to key: all, or those of the limbs that have a chosen bone. A switch belongs to the limb on whose joint its bone sits."""
    switches = retarget.bone_map.switches
    if only is None:
        return switches
    bones = armature.data.bones
    limb_of = {name: limb(slot) for slot, chain in retarget.controls.items() for name in chain}
    chosen = {limb_of[name] for name in only if name in limb_of}

    def sits_on(bone: str) -> str:
        return limb_of[min(limb_of, key=lambda name: (bones[name].head_local - bones[bone].head_local).length)]

    return [switch for switch in switches if sits_on(switch[0]) in chosen]


def _chosen(channels: Channels, only: frozenset[str] | None) -> Channels:
    if only is None:
        return channels
    return Channels({name: values for name, values in channels.rotations.items() if name in only},
                    {name: values for name, values in channels.locations.items() if name in only},
                    {name: values for name, values in channels.scales.items() if name in only})


def _lay_over(armature: bpy.types.Object, data: bpy.types.AnimData, action: bpy.types.Action, ends: bool) -> None:
    """Put the action in a strip above what the rig plays. ``ends``: whether the animation below goes on after it."""
    if data.action:
        _push_down(data).mute = False
        assign_action(armature, None)
    strip = _track_of(data, action).strips[0]
    strip.extrapolation = "NOTHING" if ends else "HOLD_FORWARD"
    strip.blend_in = min(BLEND, strip.frame_end - strip.frame_start)
    if ends:
        strip.blend_out = min(BLEND, strip.frame_end - strip.frame_start - strip.blend_in)


def _push_down(data: bpy.types.AnimData) -> bpy.types.NlaTrack:
    """What the rig plays as a track, muted."""
    track = _track_of(data, data.action)
    track.mute = True
    return track


def _track_of(data: bpy.types.AnimData, action: bpy.types.Action) -> bpy.types.NlaTrack:
    """A new track above the others with an action on it, at its own frames."""
    track = data.nla_tracks.new()
    track.name = action.name
    track.strips.new(action.name, int(action.frame_range[0]), action)
    return track


def _repeat(action: bpy.types.Action) -> None:
    for curve in action_curves(action):
        curve.modifiers.new("CYCLES")
