"""Clips of a kick, a lunge, a side step, a punch and a walk, with the foot pressure under them, for the sheet that `demo/feet.py` makes.

The pressure is all that the character gets. What it looks things up in does not hold the piece of the clip that is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.acting import database
from core import presets
from core.body import Body
from core.formats import Clip, write_bvh
from core.motion import Motion
from core.pressure.database import take_of
from core.pressure.devices import plain
from core.pressure.motions import tread_in
from core.pressure.pad import holding, record
from core.pressure.recording import Recording
from core.pressure.repertoire import actions
from core.pressure.repertoire.perform import pace_of, perform
from core.pressure.repertoire.takes import Manner, chained
from core.pressure.sensors import device_named
from core.reference.recordings import Recording as ClipFile
from core.reference.recordings import lasting, own_body, reference_of
from tests.clips.make import tips

WALK = ".venv/**/pybullet_data/data/motions/humanoid3d_walk.txt"  # of a person
BODY, SEED = "average_man", 1001  # who does what is written down, and how: the database that is shipped has others
PAD, INSOLES = "64x80@12Hz", "pedar"
STILL = 1.0  # s of standing before and after an action that is written down
BEFORE, AFTER = 0.2, 0.3  # s around an action that are shown with it
WALKED, STRIDE = 6.0, (1.9, 3.1)  # s of that walk, and those that are shown
# Of one person; the first half of the repetitions is learnt, and the first of the others is shown. The side step is another one than those learnt.
PEOPLE = {"kick": "pad/144_05_front_kicks_right", "lunge": "pad/144_17_lunges_right", "side step": "pad/83_66_side_step_right_short",
          "punch": "pad/144_20_punches_right"}
PERSON_WALKS, PERSONS_STRIDE = "cmu/82_08_stand_then_walk_cut", (4.2, 5.5)


@dataclass(frozen=True, eq=False)
class Row:
    """A row of the sheet: what is done, the file of the clip, what was felt under it with the file of that, the file of the database, "" for the one
    that is shipped, and from when to when (s) it is shown."""

    name: str
    clip: Path
    felt: Recording
    recording: Path
    database: str
    shown: tuple[float, float]


def written(folder: Path) -> Iterator[Row]:
    """Of what is at hand: scores of this project, done as nobody does them in the database that is shipped; and the walk of a person."""
    manner, body = Manner(SEED, brisk=True), presets.body(BODY)
    scores = {"kick": actions.kick(manner.stance(), 0.9 * manner.far),
              "lunge": actions.lunge(manner.stance((0.16, 0.3), 0.08), 0.9 * manner.far, 0.25),
              "side step": actions.step(manner.stance((0.13, 0.3), 0.04), "left", 0.6 * manner.far),
              "punch": actions.punches(actions.stance(0.45, 0.4), 4)}
    for name, score in scores.items():
        still = actions.stand(score.places, STILL)
        whole = chained([still, manner.does(score), still])
        done, pace = whole.marks[len(whole.marks) // 2], pace_of(body)
        motion = perform(whole, body, name, SEED, manner.sway).motion
        yield _row(name, _kept(folder, name, body, motion), folder, PAD, (pace * done.start - BEFORE, pace * done.end + AFTER))
    walk = ClipFile(str(next(Path(__file__).resolve().parents[1].glob(WALK))), loop=True)
    yield _row("walk", _kept(folder, "walk", body, lasting(walk, body, WALKED).motion.slice(0.0, WALKED)), folder, INSOLES, STRIDE)


def recorded(folder: Path, clips: Path) -> Iterator[Row]:
    """Of recordings of people; ``clips``: the folder that holds those named above."""
    learnt = folder / "people.npz"
    database(clips, device_named(PAD)).save(learnt)
    for name, clip in ((name, clips / f"{clip}.bvh") for name, clip in PEOPLE.items()):
        yield _row(name, clip, folder, PAD, _second_half(clip), str(learnt))
    yield _row("walk", clips / f"{PERSON_WALKS}.bvh", folder, INSOLES, PERSONS_STRIDE)


def _kept(folder: Path, name: str, body: Body, motion: Motion) -> Path:
    clip = folder / f"{name}.bvh"
    write_bvh(clip, Clip(motion, name, tips(body)))
    return clip


def _second_half(clip: Path) -> tuple[float, float]:
    """When, s, the first action of the second half is done that is like most in the clip."""
    file = ClipFile(str(clip), repair=True)
    person = own_body(file)
    found = take_of(reference_of(file, presets.body(person)), person, device_named(PAD)).example.actions
    action = next(action for action in found[len(found) // 2:] if action.name)
    return action.start - BEFORE, action.end + AFTER


def _row(name: str, clip: Path, folder: Path, device: str, shown: tuple[float, float], learnt: str = "") -> Row:
    tread, recording = tread_in(clip).tread, folder / f"{clip.stem}.csv"
    felt = record(tread, holding(device_named(device), tread))
    plain.write(recording, felt)
    return Row(name, clip, felt, recording, learnt, shown)
