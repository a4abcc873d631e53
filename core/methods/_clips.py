"""What methods have in common that follow recordings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import JobError
from . import Request

if TYPE_CHECKING:
    from ..reference.recordings import Recording

TIME_STEP = 0.002  # s

CLIPS = "Paths of BVH, AMC or DeepMimic files; the first one is followed."
REPAIR = "Interpolate where the recording has dropped out."
LOOP = "Go on after the end of the recording, which must hold some steps that repeat."


def refuse_planar(request: Request) -> None:
    if request.given.get("body") == "planar_biped":
        raise JobError(f"'{request.method}' needs a body in 3D, not the planar biped.")


def completed(request: Request, seconds: float | None = None) -> Request:
    """With the body of the person in the clip, and as long as the clip, or ``seconds``, where the request does not say."""
    from ..reference.recordings import own_body, own_length  # slow to load; not needed to know what a method's settings are

    recording = recording_of(request.settings)
    given = {"time_step": TIME_STEP, **request.given}
    if "body" not in given:
        given["body"] = own_body(recording)
    if "duration" not in given:
        given["duration"] = seconds if seconds is not None else own_length(recording)
    return replace(request, given=given)


def recording_of(settings: Any) -> Recording:
    """The recording that settings name."""
    from ..reference.recordings import Recording

    return Recording(settings.clips[0], settings.repair, getattr(settings, "loop", False), getattr(settings, "end", None))
