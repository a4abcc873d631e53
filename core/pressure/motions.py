"""Motions by their files: how the body of a result or of a clip treads on the ground."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import presets
from ..arrays import Array
from ..reference.recordings import Recording as ClipFile
from ..reference.recordings import own_body, reference_of
from ..result import Result
from .tread import Tread, ground_of, of_reference, of_result


@dataclass(frozen=True, eq=False)
class Trodden:
    """name: of the motion. tread: of its body. ground: (F, 2) m, height of the ground under each foot."""

    name: str
    tread: Tread
    ground: Array


def tread_in(path: str | Path, person: dict[str, Any] | None = None) -> Trodden:
    """Of a result (.npz), or of a clip as it is, on its own measures and over its own ground; ``person``: "mass" (kg) and "sex" of who does the
    clip."""
    path = Path(path)
    if path.suffix.lower() == ".npz":
        result = Result.load(path)
        return Trodden(path.stem, of_result(result), result.ground_heights)
    clip = ClipFile(str(path), repair=True)
    reference = reference_of(clip, presets.body({**own_body(clip), **(person or {})}))
    return Trodden(path.stem, of_reference(reference), ground_of(reference))
