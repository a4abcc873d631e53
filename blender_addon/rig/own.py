"""What a character plays itself, and how hits change that: where the simulated body is as in the clip, it stays what it is."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ...core import rotation
from ...core.result import Result
from .retarget import Channels, Retarget
from .shoulders import follow
from .standing import Moved, legs_reach
from .turns import bone_turns, link_paths, link_turns

SAME = 1e-4  # rad, and of a metre: changes below this are none


@dataclass(frozen=True)
class Own:
    """An animation of the character itself, of which a result with F frames came by hits, and how the character looks in it from the first hit on:
    N frames, the last of the result.

    Attributes:
        action, slot: that it plays; None where NLA tracks alone play.
        shows: (F,) the frame of this animation that each frame of the result shows.
        worlds: (N, 4, 4) of the armature object.
        posed: {bone: (N, 4, 4)} in the armature's axes, of all bones that are keyed or shown.
        turns: {bone: (N, 4)} the rotation that the bone has of its own. values: {bone: (N, 3 or 4)} the same in its rotation mode, as it is keyed.
        places: {bone: (N, 3)} local locations.
        switches: {(bone, property): (N,)} values of the bone map's switches.
    """

    action: bpy.types.Action | None
    slot: object
    shows: np.ndarray
    worlds: np.ndarray
    posed: dict[str, np.ndarray]
    turns: dict[str, np.ndarray]
    values: dict[str, np.ndarray]
    places: dict[str, np.ndarray]
    switches: dict[tuple[str, str], np.ndarray]

    @property
    def start(self) -> int:
        """The frame of the result from which on hits may have changed something."""
        return len(self.shows) - len(self.worlds)


def hit_channels(retarget: Retarget, own: Own, result: Result) -> Channels:
    """The channels from the first hit on, (N, …): what the character plays itself, changed as the simulated body differs from the clip."""
    simulated, clip = result.rotations[own.start:], result.clip_rotations[own.start:]
    now, before = (link_turns(retarget.fit, retarget.placement, rotations) for rotations in (simulated, clip))
    changes = {name: _between(turn, was) for (name, turn), was in
               zip(bone_turns(retarget.controls, now).items(), bone_turns(retarget.controls, before).values(), strict=True)}
    shown = {name: own.worlds @ own.posed[bone] @ np.linalg.inv(retarget.rest[bone]) @ retarget.rest[name] for name, bone in retarget.shown.items()}
    for clavicle in retarget.clavicles:
        along = shown[clavicle.forearm][:, :3, 3] - shown[clavicle.arm][:, :3, 3]
        along /= np.linalg.norm(along, axis=-1, keepdims=True)
        above = changes[clavicle.above] if clavicle.above else rotation.identity((len(along),))
        changes[clavicle.name] = follow(above, changes[clavicle.arm], along)
        shown[clavicle.name] = own.worlds @ own.posed[clavicle.name]
    for name, link in retarget.hanging.items():
        changes[name], shown[name] = _between(now[link], before[link]), own.worlds @ own.posed[name]
    roots = [(result.root_positions[own.start:], simulated), (result.clip_roots[own.start:], clip)]
    path, was = (link_paths(retarget.fit, retarget.placement, *motion) for motion in roots)
    heads = {name: matrices[:, :3, 3] for name, matrices in shown.items()}
    goals = {name: path[link] + rotation.rotate(_between(now[link], before[link]), heads[name] - was[link])
             for name, link in (retarget.travellers | retarget.hanging).items()}
    turned = {name: _between(turns_of(shown[name]), turns_of((retarget.world @ retarget.rest[name])[None])) for name in retarget.names}
    legs_reach(retarget, heads, turned, changes, goals, Moved(now, path), Moved(before, was))
    wanted = {name: rotation.multiply(change, turns_of(shown[name])) for name, change in changes.items()}
    actual = {name: turns_of(own.worlds @ own.posed[name]) for name in changes}
    rotations = {}
    for name in changes:
        base = rotation.multiply(actual[name], rotation.conjugate(own.turns[name]))
        parent = retarget.carriers[name]
        if parent:
            base = rotation.multiply(_between(wanted[parent], actual[parent]), base)
        rotations[name] = rotation.normalize(rotation.multiply(rotation.conjugate(base), wanted[name]))
    locations = {}
    for name, head in goals.items():
        away = np.einsum("fij,fj->fi", np.linalg.inv(own.worlds[:, :3, :3]), head - (own.worlds @ own.posed[name])[:, :3, 3])
        locations[name] = own.places[name] + np.einsum("fij,fj->fi", np.linalg.inv(_shifts(retarget, own, name)), away)
    return Channels(rotations, locations)


def _shifts(retarget: Retarget, own: Own, name: str) -> np.ndarray:
    """(N, 3, 3) how far a bone goes in armature space for each unit of its location, where what it hangs on is on that frame."""
    base = rotation.multiply(turns_of(own.posed[name]), rotation.conjugate(own.turns[name]))
    turned = _between(base, turns_of(retarget.free[name][None]))
    return rotation.to_matrix(turned) @ retarget.shifts[name]


def is_back(result: Result, own: Own) -> np.ndarray:
    """(N,) whether the body is where the clip has it, on that frame and on all that follow."""
    turned = rotation.log(rotation.multiply(rotation.conjugate(result.clip_rotations), result.rotations)[own.start:])
    away = np.abs(result.clip_roots - result.root_positions)[own.start:].max(axis=-1)
    same = (away < SAME) & (np.abs(turned).max(axis=(1, 2)) < SAME)
    return np.logical_and.accumulate(same[::-1])[::-1]


def turns_of(matrices: np.ndarray) -> np.ndarray:
    """(F, 4) of matrices (F, 4, 4) that may scale."""
    axes = matrices[:, :3, :3]
    return rotation.from_matrix(axes / np.linalg.norm(axes, axis=-2, keepdims=True))


def _between(turn: np.ndarray, was: np.ndarray) -> np.ndarray:
    """The turn about the axes of the world that leads from ``was`` to ``turn``."""
    return rotation.multiply(turn, rotation.conjugate(was))
