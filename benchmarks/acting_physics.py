"""How many of the actions that a character takes over from foot pressure are held under physics: a table, one line each as it is done, and the share.

    python benchmarks/acting_physics.py [--clips FOLDER] [--device 64x80@12Hz] [--engine mujoco] [--most 7] [--workers 2] [-o table.jsonl]

The database is that of ``benchmarks/acting.py``: the first half of the repetitions of one person's kicks, lunges and punches, and a side step to
either side. The clips are cut at their actions, each with some standing before it and at most 5 s of what follows until the next one; a device feels
the piece, and the character acts it under physics. It is held where it does not fall. Pieces in which nothing is recognised, and those that are
refused, are told apart.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import table
from benchmarks.acting import STEPS, database
from benchmarks.pressure import CLIPS, PERSON
from core import presets
from core.context import Context
from core.errors import FootfallError
from core.jobs import make_job, run
from core.pressure.database import take_of
from core.pressure.devices import plain
from core.pressure.footprint import footprint
from core.pressure.pad import holding, middle_place, record
from core.pressure.recording import Recording
from core.pressure.sensors import EIGHT_BITS, Device, Sensing, device_named
from core.pressure.spread import spots, spread
from core.pressure.tread import of_reference
from core.reference.recordings import Recording as ClipFile
from core.reference.recordings import own_body, reference_of

MORE = ("83_66_side_step_right_short", "83_33_side_step_right_and_back", "83_15_step_forward_short", "83_20_step_forward_medium",
        "83_18_step_left_forward_short", "10_01_soccer_kick", "22_14_squats", "49_19_one_leg", "13_17_boxing", "14_20_jacks_twists_reach_bend")
BEFORE, LONGEST = 1.0, 5.0  # s


def felt(folder: Path, clip: str, device: Device) -> tuple[Recording, str, list[tuple[float, float]]]:
    """What a device feels of a clip, the body of its person, and from when to when its pieces are (s)."""
    file = ClipFile(str(folder / "pad" / f"{clip}.bvh"), repair=True)
    person = own_body(file)
    reference = reference_of(file, presets.body(person))
    tread = of_reference(reference)
    sampled, print_ = tread.at(device.rate), footprint()
    pad = device.kind == "grid"
    place = middle_place(sampled, spread(sampled, print_), spots(sampled, print_)[..., :2]) if pad else None
    recording = record(tread, holding(device, tread), EIGHT_BITS if pad else Sensing(), place)
    begins = [action.start for action in take_of(reference, person, device).example.actions if action.name]
    ends = [*begins, float(recording.times[-1])][1:]
    return recording, person, [(max(0.0, begin - BEFORE), min(end, begin + LONGEST)) for begin, end in zip(begins, ends, strict=True)]


def pieces(folder: Path, device: Device, place: Path, most: int) -> Iterator[dict]:
    """The first actions of each clip, each as a file of its own."""
    for clip in (*PERSON, *STEPS, *MORE):
        recording, person, spans = felt(folder, clip, device)
        for number, (begin, end) in enumerate(spans[:most]):
            inside = (recording.times >= begin) & (recording.times < end)
            path = place / f"{clip}_{number}.csv"
            plain.write(path, replace(recording, times=recording.times[inside] - recording.times[inside][0], pressures=recording.pressures[inside]))
            yield {"clip": clip, "number": number, "recording": str(path), "body": person}


def held(task: tuple[dict, str, str]) -> dict:
    piece, learnt, engine = task
    row = {"clip": piece["clip"], "number": piece["number"]}
    try:
        result = run(make_job({"method": "pressure", "recording": piece["recording"], "database": learnt, "body": piece["body"], "how": "physics",
                               "engine": engine}), Context(workers=1))
    except FootfallError as error:
        return {**row, "actions": [], "held": False, "refused": str(error)}
    return {**row, "actions": [action["name"] for action in result.outcome["actions"]], "held": not result.outcome["fell"],
            "fell_at": result.outcome["fell_at"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=Path, default=CLIPS)
    parser.add_argument("--device", default="64x80@12Hz")
    parser.add_argument("--engine", default="mujoco")
    parser.add_argument("--most", type=int, default=7, help="actions of a clip (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path)
    wish = parser.parse_args()
    device = device_named(wish.device)
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(wish.workers) as executor:
        learnt = Path(folder, "learnt.npz")
        database(wish.clips, device).save(learnt)
        done = []
        for row in executor.map(held, [(piece, str(learnt), wish.engine) for piece in pieces(wish.clips, device, Path(folder), wish.most)]):
            table.add(wish.output, row)
            done.append(row)
    recognised = [row for row in done if row["actions"]]
    held_of, refused = sum(row["held"] for row in recognised), sum("refused" in row for row in done)
    print(f"{held_of} of {len(recognised)} recognised actions held; {len(done) - len(recognised) - refused} not recognised, {refused} refused")


if __name__ == "__main__":
    main()
