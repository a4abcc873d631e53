"""Motions by their files: how the body of a result or of a clip treads on the ground."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import presets
from ..arrays import Array
from ..formats import read_clip
from ..reference.whole import gone_round
from ..result import Result
from ..retarget import body_of
from .tread import Tread, ground_of, of_reference, of_result


@dataclass(frozen=True, eq=False)
class Trodden:
    """tread: of the body. ground: (F, 2) m, height of the ground under each foot. belt: (2,) m/s, how the ground goes under one who walks in place;
    the tread goes over ground that stands still."""

    tread: Tread
    ground: Array
    belt: Array = field(default_factory=lambda: np.zeros(2))


def tread_in(path: str | Path, person: dict[str, Any] | None = None) -> Trodden:
    """Of a result (.npz), or of a clip as it is, on its own measures and over its own ground; ``person``: "mass" (kg) and "sex" of who does the
    clip."""
    path = Path(path)
    if path.suffix.lower() == ".npz":
        result = Result.load(path)
        return Trodden(of_result(result), result.ground_heights)
    clip = read_clip(path)
    reference = gone_round(clip, presets.body({**body_of(clip), **(person or {})}), clip.motion.duration, repair=True, which="none")
    return Trodden(of_reference(reference), ground_of(reference), reference.ground)
