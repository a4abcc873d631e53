"""Act: play a hit that was simulated as a director asks for it."""

from __future__ import annotations

import numpy as np

from ... import rotation
from ...arrays import Array
from ...body import Body
from ...feet import pin
from ...measure.limits import excess
from ...motion import Motion
from ...result import Result
from ...signals import envelope
from ..flinch import Hit
from ..ranges import in_range
from .arms import out_of_the_trunk
from .effort import with_effort
from .footing import on_its_feet
from .gestures import balancing, guarding, loose
from .hands import held
from .head import lagging, looking
from .scene import Scene
from .steps import Steps
from .strength import scaled
from .task import Acting

TRIED, EVENED_S = 12, 0.06  # shares of the way that are tried for a joint that gets beyond its limits, and s in which it comes back


def acted(result: Result, body: Body, clip: Motion, times: Array, hits: list[Hit], delay: float, acting: Acting) -> Result:
    """The result as it is to be played. ``clip``, ``times``: as for ``Scene.of``. ``delay``: s before the body reacts."""
    scene = Scene.of(body, result, clip, times, hits, delay)
    steps = Steps(scene)
    if not scene.fell:
        if acting.reaction < 1.0:
            steps.smaller(acting.reaction)
        if acting.step_to is not None:
            steps.onto(np.array(acting.step_to))
    played = scaled(scene, acting.reaction) if acting.reaction != 1.0 else scene.motion
    for much, layer in ((acting.effort, with_effort), (acting.head_lag, lagging), (acting.head_look, looking), (acting.loose_arms, loose),
                        (acting.balancing_arms, balancing), (acting.guarding_arms, guarding)):
        if much:
            played = layer(scene, played, much)
    motion = on_its_feet(scene, within_limits(scene, out_of_the_trunk(body, played, scene.motion)), steps)
    found, note = pin.moved(result, body, motion), ""
    if acting.step_to is not None:  # a leg may have to go further than it can
        frames = np.arange(result.frames)
        found = in_range(found, body, clip.rotations, (frames > scene.first) & (frames < max(scene.back, steps.over)))
    if acting.pinned != "free":
        motion, note = held(scene, Motion(body.skeleton, found.fps, found.root_positions, found.rotations), acting.pinned)
        found = pin.moved(found, body, motion)
    found.outcome = result.outcome | {"end_position_m": [round(float(value), 4) for value in found.root_positions[-1]]}
    notes = [one for one in (steps.note, note) if one]
    if notes:
        found.outcome["notes"] = [*result.outcome.get("notes", ()), *notes]
    return found


def within_limits(scene: Scene, motion: Motion) -> Motion:
    """The motion with joints that are no further beyond their limits than physics has them: where one is, it is taken back towards that."""
    limits, own = scene.body.limits, scene.motion.rotations
    allowed = np.maximum(excess(own, limits).max(axis=-1), 0.0) + 1e-3
    if (excess(motion.rotations, limits).max(axis=-1) <= allowed).all():
        return motion
    shares = np.linspace(0.0, 1.0, TRIED)
    sound = np.stack([excess(rotation.slerp(motion.rotations, own, np.full(own.shape[:2], share)), limits).max(axis=-1) <= allowed
                      for share in shares])
    back = shares[np.where(sound.any(axis=0), sound.argmax(axis=0), -1)]
    back[:, 0] = 0.0
    smooth = np.stack([envelope(column, EVENED_S * motion.fps) for column in back.T], axis=1)
    return Motion(motion.skeleton, motion.fps, motion.root_positions, rotation.slerp(motion.rotations, own, smooth))

