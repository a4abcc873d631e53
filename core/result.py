"""Result: what one simulation produced, as plain arrays in a single ``.npz``.

A Result carries its own skeleton and mass distribution, so that it can be measured, drawn or written onto a rig without
the job's presets. World frame: right-handed, Z up, metres; a character with heading 0 faces +X, its left is +Y.
Quaternions are w, x, y, z.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .arrays import Array, Ints
from .errors import FormatError
from .whole_file import whole_arrays, whole_file

FORMAT = 5
STRATEGIES = ("ankle", "hip", "single step", "double step", "several steps")  # how a standing balance was kept, as ``outcome["strategy"]`` says
DATA = ("job", "outcome", "made_with")  # fields that are stored as JSON


@dataclass
class Result:
    """F frames of a character with L links (link 0 is the pelvis), P sole points and O loose objects.

    Attributes:
        fps: output frames a second.
        link_names: L names, as in ``core.skeleton`` ("pelvis", "thigh.L", …).
        parents: (L,) parent index, −1 for the pelvis.
        offsets: (L, 3) metres, joint origin of each link in its parent's frame in the zero pose.
        masses: (L,) kg.
        com_offsets: (L, 3) metres, centre of mass of each link from its joint origin, link frame.
        inertias: (L, 3) kg·m², principal moments about the link's centre of mass along the link axes.
        half_extents: (L, 3) metres, half sizes of the box that bounds each link's shape (centred on ``shape_centers``).
        shape_centers: (L, 3) metres, centre of each link's shape from its joint origin, link frame.
        limits: (L, 3, 2) radians, lower and upper bound of each joint's rotation about x, y, z (0, 0: that axis is locked;
            −inf, inf: free).
        sole_links: (P,) link index of each sole point.
        sole_points: (P, 3) metres, in the frame of that link: heel and ball corners on the feet, toe-tip corners on the toes.
        root_positions: (F, 3) metres, world position of the pelvis joint origin.
        rotations: (F, L, 4) rotation of each link relative to its parent; of the pelvis relative to the world.
        torques: (F, L, 3) N·m, joint torque on each link, in the link's own frame (pelvis: zero).
        foot_forces: (F, 2, 3) N, world, force of the ground on the left and right foot (toes included), mean over the frame.
        foot_cops: (F, 2, 3) metres, world, centre of pressure under each foot; NaN where the foot is unloaded.
        penetrations: (F, 2) metres, deepest penetration of each foot into the ground during the frame, ≥ 0.
        ground_heights: (F, 2) metres, height of the ground under each foot.
        stance: (F,) 0 when the left leg is the controller's stance leg, 1 when it is the right.
        states: (F,) index of the controller's state.
        gait_names: names of the gaits used; gaits: (F,) index into it.
        headings: (F,) radians, commanded facing direction. speeds: (F,) m/s, commanded speed (NaN: none).
        reference_positions: (F, L, 3) metres, world, the joints of the recording that is followed, where its stance foot meets the body's; (0,
            L, 3) if none is.
        clip_times: (F,) seconds of the recording, from its first frame to its last, that each frame of a body that was hit goes with: that of the
            frame until the hit, later another moment of it where steps have waited for the feet or the recording goes round. In a fall, and where
            the last pose is held, it stays. Of other methods (0,), but for a recording that is only shown.
        clip_roots: (F, 3) and clip_rotations: (F, L, 4), as root_positions and rotations: of a body that was hit, the recording at
            clip_times; of others (0, …).
        object_names: O names; object_positions: (F, O, 3); object_rotations: (F, O, 4).
        job: the whole job that made it, as ``Job.to_dict`` gives it: run again, it gives the same result.
        made_with: names and versions of what made it.
        outcome: what happened: ``fell`` (bool), ``fell_at`` (s or None), ``reason``, …
    """

    fps: float
    link_names: list[str]
    parents: Ints
    offsets: Array
    masses: Array
    com_offsets: Array
    inertias: Array
    half_extents: Array
    shape_centers: Array
    limits: Array
    sole_links: Ints
    sole_points: Array
    root_positions: Array
    rotations: Array
    torques: Array
    foot_forces: Array
    foot_cops: Array
    penetrations: Array
    ground_heights: Array
    stance: Ints
    states: Ints
    gait_names: list[str]
    gaits: Ints
    headings: Array
    speeds: Array
    reference_positions: Array
    object_names: list[str]
    object_positions: Array
    object_rotations: Array
    job: dict[str, Any]
    outcome: dict[str, Any]
    clip_times: Array = dataclasses.field(default_factory=lambda: np.zeros(0))
    clip_roots: Array = dataclasses.field(default_factory=lambda: np.zeros((0, 3)))
    clip_rotations: Array = dataclasses.field(default_factory=lambda: np.zeros((0, 0, 4)))
    made_with: dict[str, str] = dataclasses.field(default_factory=dict)

    @property
    def frames(self) -> int:
        return len(self.root_positions)

    @property
    def times(self) -> Array:
        """(F,) seconds from the start."""
        return np.arange(self.frames) / self.fps

    def save(self, path: str | Path) -> None:
        """Whole, or not at all."""
        arrays: dict[str, Any] = {"format": np.array(FORMAT)}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name in DATA:
                value = np.array(json.dumps(value, sort_keys=True))
            elif field.name.endswith("_names"):
                value = np.array(value, dtype=str)
            arrays[field.name] = np.asarray(value)
        with whole_file(path) as file:
            np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, path: str | Path) -> Result:
        with whole_arrays(path, "a Footfall result", "simulate the job again") as data:
            if int(data["format"]) != FORMAT:
                raise FormatError(f"'{path}' was written by another version of Footfall (format {int(data['format'])}, this one reads {FORMAT}): "
                                  "simulate the job again.")
            values: dict[str, Any] = {}
            for field in dataclasses.fields(cls):
                value: Any = data[field.name]
                if field.name in DATA:
                    value = json.loads(str(value))
                elif field.name.endswith("_names"):
                    value = [str(name) for name in value]
                elif field.name == "fps":
                    value = float(value)
                values[field.name] = value
            return cls(**values)
