"""A database of motion with its foot pressure, made from clips: the pad is simulated under them, and actions are found by how the body moves."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import presets
from ..arrays import Array
from ..body import Body
from ..errors import FormatError, JobError
from ..motion import Motion
from ..reference import Reference
from ..reference.recordings import Recording as ClipFile
from ..reference.recordings import own_body, reference_of
from ..whole_file import whole_arrays, whole_file
from .examples import Action, Example, without
from .features import Track, track
from .pad import holding, record
from .segments import segments
from .sensors import EIGHT_BITS, Device, Sensing, device_named
from .tread import Tread, of_reference

SHIPPED = presets.FOLDER / "pressure" / "repertoire.npz"  # made by presets/make_repertoire.py
FORMAT = 1
STEPS = 32767  # of a number of a quaternion in a file: 0.002°, and half the size
MOTION_RATE = 60.0  # frames a second of the motions
TRACK_RATE = 12.0  # frames a second that are compared, at most; those of the pad of the thesis
# An action gets the name of its clip if it lasts as long as most of the clip's, within these times; others are left for the user to name. So are
# those that begin in the first s of a clip: their onset is not seen.
ALIKE, UNSEEN_S = (0.6, 1.6), 0.25


@dataclass(frozen=True, eq=False)
class Take:
    """A clip of a database.

    Attributes:
        source: the clip's name. person: its body, as a job's "body". motion: on that body.
        example: its pressure, with actions and quiet pieces; both in s of the motion.
    """

    source: str
    person: dict[str, Any] | str
    motion: Motion
    example: Example

    @property
    def body(self) -> Body:
        return presets.body(self.person)


@dataclass(frozen=True, eq=False)
class Database:
    """Attributes:
        device: the pad, as ``device_named`` takes it. takes: the clips. plays: actions that are shown as another one, by name.
        calibration: how the person who is to be recognised does some of the actions; pressure only, what is shown are the takes.
    """

    device: str
    takes: list[Take]
    plays: dict[str, str] = field(default_factory=dict)
    calibration: list[Example] = field(default_factory=list)

    @property
    def calibrated(self) -> list[str]:
        """The names of the actions that the person has shown."""
        return sorted({action.name for example in self.calibration for action in example.actions})

    @property
    def examples(self) -> list[Example]:
        """What recognisers learn from: the takes, then the calibration. Of the actions that the person has shown, only how that person does them."""
        own = set(self.calibrated)
        return [without(take.example, own) for take in self.takes] + self.calibration

    @property
    def names(self) -> list[str]:
        """Of all actions that have one."""
        return sorted({action.name for take in self.takes for action in take.example.actions if action.name})

    def shown(self, name: str) -> str:
        """The action that is shown when an action is recognised."""
        return self.plays.get(name, name)

    def mapped(self, name: str, other: str) -> Database:
        """Where ``name`` is recognised, ``other`` is shown from now on."""
        for one in (name, other):
            self.check(one)
        return replace(self, plays={**{key: value for key, value in self.plays.items() if key != name}, **({name: other} if other != name else {})})

    def named(self, take: str, number: int, name: str) -> Database:
        """Action ``number`` (from 1) of a take gets a name; "" takes it away."""
        which = next((index for index, one in enumerate(self.takes) if one.source == take), None)
        if which is None:
            raise JobError(f"There is no take '{take}' in the database; there are: {', '.join(one.source for one in self.takes)}.")
        example = self.takes[which].example
        if not 1 <= number <= len(example.actions):
            raise JobError(f"Take '{take}' has {len(example.actions)} actions, so there is no number {number}: choose 1 to {len(example.actions)}.")
        actions = list(example.actions)
        actions[number - 1] = replace(actions[number - 1], name=name)
        takes = list(self.takes)
        takes[which] = replace(takes[which], example=replace(example, actions=actions))
        return replace(self, takes=takes)._of_known_names()

    def _of_known_names(self) -> Database:
        """Without what leads to, or was shown of, actions that are in no take any more."""
        known = set(self.names)
        return replace(self, plays={name: other for name, other in self.plays.items() if {name, other} <= known},
                       calibration=[one for one in self.calibration if {action.name for action in one.actions} <= known])

    @property
    def rate(self) -> float:
        """Frames a second at which its features are compared."""
        return min((take.example.track.rate for take in self.takes), default=TRACK_RATE)

    @property
    def kind(self) -> str:
        """Of the device: "grid" for a pad, else that of the insoles."""
        return device_named(self.device).kind

    def check(self, name: str) -> None:
        """That there is an action of this name."""
        if name not in self.names:
            raise JobError(f"There is no action '{name}' in the database; there are: {', '.join(self.names) or 'none'}.")

    def save(self, path: str | Path) -> None:
        """Whole, or not at all."""
        arrays: dict[str, Any] = {"format": np.array(FORMAT)}
        described = []
        for number, take in enumerate(self.takes):
            track = take.example.track
            motion = {"roots": take.motion.root_positions.astype(np.float32), "rotations": np.round(take.motion.rotations * STEPS).astype(np.int16)}
            arrays |= {f"{name}_{number}": values for name, values in {**motion, **_felt(track)}.items()}
            described.append({**_described(take.example), "source": take.source, "person": take.person, "fps": take.motion.fps})
        calibration = []
        for number, example in enumerate(self.calibration):
            arrays |= {f"{name}_of_person_{number}": values for name, values in _felt(example.track).items()}
            calibration.append(_described(example))
        arrays["data"] = np.array(json.dumps({"device": self.device, "plays": self.plays, "takes": described, "calibration": calibration},
                                             sort_keys=True))
        with whole_file(path) as file:
            np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, path: str | Path) -> Database:
        """The database in a file; "" is the one that is shipped."""
        path = path or SHIPPED
        with whole_arrays(path, "a database of foot pressure", "build it again") as data:
            if int(data["format"]) != FORMAT:
                raise FormatError(f"'{path}' was written by another version of Footfall: build the database again.")
            described = json.loads(str(data["data"]))
            takes = [_take(number, one, data) for number, one in enumerate(described["takes"])]
            calibration = [_example(one, data[f"ten_of_person_{number}"], data[f"per_foot_of_person_{number}"])
                           for number, one in enumerate(described.get("calibration", []))]
            return cls(described["device"], takes, described["plays"], calibration)._of_known_names()


def _take(number: int, described: dict[str, Any], data: Any) -> Take:
    body = presets.body(described["person"])
    rotations = data[f"rotations_{number}"].astype(float)
    rotations /= np.linalg.norm(rotations, axis=-1, keepdims=True)
    motion = Motion(body.skeleton, described["fps"], data[f"roots_{number}"].astype(float), rotations)
    return Take(described["source"], described["person"], motion, _example(described, data[f"ten_{number}"], data[f"per_foot_{number}"]))


def _felt(track: Track) -> dict[str, Array]:
    """Its features as they are stored."""
    return {"ten": track.ten.astype(np.float32), "per_foot": track.per_foot.astype(np.float32)}


def _described(example: Example) -> dict[str, Any]:
    """An example, less its features."""
    return {"source": example.source, "rate": example.track.rate, "begins": float(example.track.times[0]),
            "actions": [asdict(action) for action in example.actions], "quiet": example.quiet}


def _example(described: dict[str, Any], ten: Array, per_foot: Array) -> Example:
    felt = Track(described["begins"] + np.arange(len(ten)) / described["rate"], described["rate"], ten.astype(float), per_foot.astype(float))
    return Example(felt, [Action(**action) for action in described["actions"]], [(start, end) for start, end in described["quiet"]],
                   described["source"])


def build(clips: Sequence[str | Path], device: str = "64x80@12Hz", person: str | dict[str, Any] | None = None,
          tell: Callable[[float, str], None] = lambda done, doing: None) -> Database:
    """A database of clips.

    Args:
        device: as ``device_named`` takes it. person: whose body does it, as a job's "body"; where nothing is said, each clip's own.
        tell: is told how much is done, and what is being done.
    """
    pad = device_named(device)
    if not clips:
        raise JobError("A database needs clips: name one or more BVH, AMC or DeepMimic files.")
    takes: list[Take] = []
    for number, clip in enumerate(clips):
        tell(number / len(clips), f"Treading on the pad: {Path(clip).stem}")
        recording = ClipFile(str(clip), repair=True)
        body = person if person is not None else own_body(recording)
        takes.append(take_of(reference_of(recording, presets.body(body)), body, pad))
    doubled = {take.source for take in takes if sum(other.source == take.source for other in takes) > 1}
    if doubled:
        raise JobError(f"Two clips are called '{min(doubled)}': rename one of them, so that its actions can be told apart.")
    return Database(pad.name, takes)


def take_of(reference: Reference, person: str | dict[str, Any], device: Device, sensing: Sensing | None = None, tread: Tread | None = None) -> Take:
    """A clip on a person's body with the pressure that the device feels; its actions are named after the clip. ``tread``: how it treads on the
    ground, where that is known; else it follows from how the clip moves."""
    tread = tread or of_reference(reference)
    pad = holding(device, tread)
    felt = track(record(tread, pad, sensing or (EIGHT_BITS if pad.kind == "grid" else Sensing())), rate=min(TRACK_RATE, pad.rate))
    found = segments(reference)
    active = [segment for segment in found if segment.active]
    usual = float(np.median([segment.end - segment.start for segment in active])) if active else 0.0
    name = clip_name(reference.name)
    actions = [Action(name if ALIKE[0] * usual <= one.end - one.start <= ALIKE[1] * usual and one.start >= UNSEEN_S else "", one.start, one.end)
               for one in active]
    example = Example(felt, actions, [(segment.start, segment.end) for segment in found if not segment.active], reference.name)
    return Take(reference.name, person, reference.motion.resample(MOTION_RATE), example)


def clip_name(source: str) -> str:
    """What the actions of a clip are called: its name without the numbers before it and without underscores."""
    return re.sub(r"[_\s]+", " ", re.sub(r"^[\d_\s-]+", "", source)).strip() or source
