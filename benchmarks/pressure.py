"""What is recognised from foot pressure: a table, one line each as it is done.

    python benchmarks/pressure.py [--clips FOLDER] [--pad 64x80@12Hz] [-o table.jsonl]

The pad is simulated under motions that people do on one (``--clips``: the folder of the recordings named below, by default ../shared/mocap with pad
and cmu in it). Nobody has marked them: onsets are found by how the body moves (core/pressure/segments.py), and an action is called after its clip, or
by the rule in ``named``. Actions that last much longer or shorter than most of their clip, and those that begin with it, are neither learnt nor
judged.

Recognition is streamed: an action counts as ``correct`` once, if its name is said with an onset within 0.25 s of its own; ``precision``: the share of
what was said that is correct. ``latency_s``: from the onset until it is said, at most; "offline": the whole recording is there.

- "same person": the first half of the repetitions of each clip is learnt, the second half is judged, with what came before as history. Settings were
  chosen the other way round: by how well the first half is recognised from the second. The judged half was looked at three times while working, and
  one rule was replaced after a bad figure there, so its figures are slightly optimistic.
- "stance subtracted": how somebody stands does not count, only how it changes within a window.
- "control": the onset is given, and only what was until 0.2 s before it is looked at. What it can tell is not the action, but how the take was done.
- "another person": kicks, leg raises and punches of others, learnt from the first person; "calibrated": with two other repetitions of each of that
  person's actions besides (one, where the recordings hold no more, as is so for most), and also steps and squats, which only others do. What
  that person does counts instead of what the first one does under the same name. ``ENOUGH`` was chosen with an eye on these rows.
- "extent": of what was named rightly, how often the action that it is most like is in the same half of all by its extent (height of the kick, length
  of the lunge), and how the extents of both go together (``r``).
- "feet": the share of the force that is taken for the other foot's, on the pad without faults, and what it would be by nearest centres.
- "quiet standing": what is said in ``minutes`` of it, that nobody asked for.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from benchmarks import table
from core.errors import FootfallError
from core.formats import read_clip
from core.pressure.database import take_of
from core.pressure.examples import Action, Event, Example, between, windows
from core.pressure.features import STANCE
from core.pressure.feet_in_grid import whose
from core.pressure.footsee import FootSee
from core.pressure.nearest import Nearest
from core.pressure.pad import Felt, feel, holding
from core.pressure.recording import Recording
from core.pressure.segments import POINTS, body_points
from core.pressure.sensors import EIGHT_BITS, Device, device_named
from core.pressure.tread import of_reference
from core.pressure.warping import Warping
from core.reference import Reference, prepare

CLIPS = Path(__file__).resolve().parents[2] / "shared" / "mocap"
PERSON = {"144_05_front_kicks_right": "kick right", "144_09_front_kicks_left": "kick left", "144_11_lunges_left": "lunge left",
          "144_17_lunges_right": "lunge right", "144_13_punches_left": "punch", "144_20_punches_right": "punch"}
OTHERS = {"143": ("143_24_kicking",), "14": ("14_20_jacks_twists_reach_bend",), "10": ("10_01_soccer_kick",), "13": ("13_17_boxing",)}
STEPS = {"83_01_side_step_right_large": ("side step right",), "83_66_side_step_right_short": ("side step right",),
         "83_33_side_step_right_and_back": ("side step right", "side step left", "side step right"),
         "83_19_side_step_left_medium": ("side step left",),
         "83_20_step_forward_medium": ("step forward",), "83_18_step_left_forward_short": ("step left forward",)}
STANDING = ("111_28_standing", "140_06_idle_stand_cut")  # learnt as quiet standing
QUIET = ("139_02_weight_shift", "83_01_side_step_right_large", "83_33_side_step_right_and_back", "83_66_side_step_right_short", "22_14_squats",
         "82_08_stand_then_walk_cut", "83_19_side_step_left_medium", "83_20_step_forward_medium", "10_01_soccer_kick", "49_19_one_leg")
WITHIN_S = 0.25  # s from the onset
LATENCIES = (1.0, 0.5, 0.3)
NOISY = replace(EIGHT_BITS, noise=0.1, lost=0.05, seed=1)
BEFORE_S, CONTROL_S = 0.2, 1.0  # s before the onset at which the control's window ends, and that it lasts
KICK_M, PUNCH_M_S = 0.22, 4.0  # a foot that rises so much further than the other kicks; a hand that gets so fast punches
QUIET_SEEDS = range(20)


@dataclass(frozen=True, eq=False)
class Marked:
    """A clip with its examples, clean and noisy, and the extents (N,) of its actions."""

    clean: Example
    noisy: Example
    extents: np.ndarray


def read(folder: Path, clip: str, device: Device, name: str | None, noisy: bool = True) -> Marked:
    path = next((path for path in (folder / "pad" / f"{clip}.bvh", folder / "cmu" / f"{clip}.bvh", folder / f"{clip}.bvh") if path.is_file()), None)
    if path is None:
        raise FootfallError(f"The clip '{clip}.bvh' is not in '{folder}': name the folder of the recordings with --clips.")
    reference = prepare(read_clip(str(path)), repair=True)
    examples = []
    for sensing in (EIGHT_BITS, NOISY) if noisy else (EIGHT_BITS,):
        example = take_of(reference, "average_man", device, sensing).example
        actions = [replace(action, name=named(reference, action) if name is None else name if action.name else "") for action in example.actions]
        examples.append(replace(example, actions=actions))
    return Marked(examples[0], examples[-1], np.array([extent(reference, action) for action in examples[0].actions]))


def _during(reference: Reference, action: Action) -> np.ndarray:
    fps = reference.motion.fps
    return body_points(reference)[int(action.start * fps):int(action.end * fps) + 1]


def named(reference: Reference, action: Action) -> str:
    """What somebody does about whom the clip's name says too little: a kick, a punch, or nothing that is known."""
    points = _during(reference, action)
    left, right = (points[:, POINTS.index(f"foot.{side}"), 2].max() for side in "LR")
    if abs(left - right) > KICK_M:
        return "kick left" if left > right else "kick right"
    hands = points[:, [POINTS.index("hand.L"), POINTS.index("hand.R")]]
    pace = np.linalg.norm(hands[12:] - hands[:-12], axis=-1).max() * reference.motion.fps / 12 if len(points) > 12 else 0.0
    return "punch" if pace > PUNCH_M_S else ""


def extent(reference: Reference, action: Action) -> float:
    """m, how high a foot gets, or how far apart the feet are if that is more."""
    points = _during(reference, action)
    feet = points[:, [POINTS.index("foot.L"), POINTS.index("foot.R")]]
    return float(max(feet[..., 2].max(), np.linalg.norm(feet[:, 0, :2] - feet[:, 1, :2], axis=1).max()))


def scored(said: Iterable[tuple[list[Event], Example, Callable[[float], bool]]]) -> dict:
    """Correct and precision over streams: what was said, what is true, and which moments are judged."""
    right = wrong = total = 0
    for events, truth, judged in said:
        asked = [action for action in truth.actions if action.name and judged(action.start)]
        unknown = [action for action in truth.actions if not action.name]
        open_ = list(asked)
        total += len(asked)
        for event in events:
            if not judged(event.onset) or any(action.start - WITHIN_S <= event.onset <= action.end for action in unknown):
                continue
            near = [action for action in open_ if abs(action.start - event.onset) <= WITHIN_S and action.name == event.name]
            if near:
                open_.remove(min(near, key=lambda action: abs(action.start - event.onset)))
                right += 1
            else:
                wrong += 1
    return {"actions": total, "correct": _share(right, total), "precision": _share(right, right + wrong)}


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 3) if whole else None


def middle_of(example: Example) -> float:
    """s between the two halves of the repetitions."""
    return example.actions[len(example.actions) // 2].start - 0.3


def methods(learnt: list[Example]) -> Iterable[tuple[str, str, float | str, Callable[[Example], list[Event]]]]:
    """Name, stance, latency, and what recognises, of all that are compared."""
    for latency in LATENCIES:
        thesis = FootSee(learnt, latency)
        yield "thesis", "counts", latency, lambda heard, thesis=thesis: thesis.stream(heard.track.ten, heard.track.times)
    for stance in (True, False):
        told = "counts" if stance else "subtracted"
        for latency in LATENCIES:
            ours = Nearest(learnt, latency, stance=stance)
            yield "nearest", told, latency, lambda heard, ours=ours: ours.stream(heard.track.per_foot, heard.track.times)
        whole = Warping(learnt, stance=stance)
        yield "warping", told, "offline", lambda heard, whole=whole: whole.recognise(heard.track.per_foot, heard.track.times)


def same_person(person: list[Marked], still: list[Example], add: Callable[[dict], None]) -> None:
    halves = [middle_of(marked.clean) for marked in person]
    learnt = [between(marked.clean, 0.0, half) for marked, half in zip(person, halves, strict=True)] + still
    for method, stance, latency, recognise in methods(learnt):
        row = {"what": "same person", "method": method, "stance": stance, "latency_s": latency}
        for kind in ("clean", "noisy"):
            truths = [getattr(marked, kind) for marked in person]
            said = [(recognise(truth), truth, lambda time, half=half: time >= half) for truth, half in zip(truths, halves, strict=True)]
            add({**row, "pad": kind, **scored(said)})
            if kind == "clean" and method == "nearest" and stance == "counts":
                add({"what": "extent", "method": method, "latency_s": latency, **extents(person, said)})
    for stance in (True, False):
        add({"what": "control", "stance": "counts" if stance else "subtracted", **control(person, halves, stance)})


def extents(person: list[Marked], said: list[tuple[list[Event], Example, Callable[[float], bool]]]) -> dict:
    """How the extents of actions that were named rightly go with those of the actions that they are most like; see above. Punches have none."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for marked, (events, truth, judged) in zip(person, said, strict=True):
        for event in events:
            for number, action in enumerate(truth.actions):
                right = action.name == event.name != "punch" and abs(action.start - event.onset) <= WITHIN_S
                if right and judged(action.start) and event.action >= 0 and event.example < len(person):
                    pairs.setdefault(action.name, []).append((marked.extents[number], person[event.example].extents[event.action]))
    same = count = 0
    centred = []
    for name, found in pairs.items():
        every = np.concatenate([marked.extents[[action.name == name for action in marked.clean.actions]] for marked in person])
        half = float(np.median(every))
        same += sum((one > half) == (other > half) for one, other in found)
        count += len(found)
        centred += [(one - half, other - half) for one, other in found]
    together = np.corrcoef(np.array(centred).T)[0, 1] if len(centred) > 2 else np.nan
    return {"actions": count, "correct": _share(same, count), "r": round(float(together), 2)}


def control(person: list[Marked], halves: list[float], stance: bool) -> dict:
    """Actions by the nearest window that ends before the onset."""
    rows, names, judged = [], [], []
    for marked, half in zip(person, halves, strict=True):
        example = marked.clean
        for action in example.actions:
            if action.name:
                frame = example.frame(action.start - BEFORE_S)
                rows.append(windows(example.track.per_foot, np.array([frame]), round(CONTROL_S * example.track.rate), 0)[0])
                names.append(action.name)
                judged.append(action.start >= half)
    table_, asked = np.array(rows), np.array(judged)
    if not stance:
        table_[:, :, STANCE] -= table_[:, :1, STANCE]
    flat = (table_ / np.maximum(table_.std(axis=(0, 1)), 1e-9)).reshape(len(table_), -1)
    learnt = np.flatnonzero(~asked)
    right = sum(names[learnt[np.linalg.norm(flat[learnt] - flat[one], axis=1).argmin()]] == names[one] for one in np.flatnonzero(asked))
    return {"actions": int(asked.sum()), "correct": _share(right, int(asked.sum()))}


def another_person(person: list[Marked], others: dict[str, list[Marked]], more: list[list[Marked]], still: list[Example],
                   add: Callable[[dict], None]) -> None:
    known = [marked.clean for marked in person] + still
    for method, stance, latency, recognise in methods(known):
        said = [(recognise(marked.clean), marked.clean, lambda time: True) for clips in others.values() for marked in clips]
        add({"what": "another person", "method": method, "stance": stance, "latency_s": latency, "pad": "clean", **scored(said)})
    for stance in (True, False):
        for latency in (0.5, "offline"):
            said = [one for clips in (*others.values(), *more) for one in calibrated(known, clips, stance, latency)]
            add({"what": "another person, calibrated", "method": "nearest" if latency == 0.5 else "warping",
                 "stance": "counts" if stance else "subtracted", "latency_s": latency, "pad": "clean", **scored(said)})


def calibrated(known: list[Example], clips: list[Marked], stance: bool, latency: float | str) -> Iterable[tuple]:
    """Each action of a person, by what was learnt and two other repetitions of each of that person's actions."""
    every = [(marked, action) for marked in clips for action in marked.clean.actions if action.name]
    for marked, action in every:
        same = [one for _, one in every if one.name == action.name]
        if len(same) < 2:
            continue
        shown = []
        for name in {one.name for _, one in every}:
            rest = [(of, one) for of, one in every if one.name == name and one is not action][:2]
            shown += [replace(between(of.clean, one.start - 1.0, one.end + 1.0), actions=[one]) for of, one in rest]
        own = {one.name for _, one in every}
        learnt = [replace(example, actions=[replace(one, name="" if one.name in own else one.name) for one in example.actions]) for example in known]
        recogniser = Nearest(learnt + shown, latency, stance=stance) if isinstance(latency, float) else Warping(learnt + shown, stance=stance)
        heard = marked.clean.track
        events = (recogniser.stream if isinstance(recogniser, Nearest) else recogniser.recognise)(heard.per_foot, heard.times)
        yield events, marked.clean, lambda time, action=action: action.start - WITHIN_S <= time <= action.end - WITHIN_S


def _called(marked: Marked, names: tuple[str, ...]) -> Marked:
    """With the names of its actions, one after the other."""
    clean = replace(marked.clean, actions=[replace(action, name=name) for action, name in zip(marked.clean.actions, names, strict=False)])
    return replace(marked, clean=clean)


def quiet_standing(folder: Path, device: Device, learnt: list[Example], add: Callable[[dict], None]) -> None:
    tracks = []
    for clip in QUIET:
        path = next(path for path in (folder / "pad" / f"{clip}.bvh", folder / "cmu" / f"{clip}.bvh", folder / f"{clip}.bvh") if path.is_file())
        reference = prepare(read_clip(str(path)), repair=True)
        for seed in QUIET_SEEDS:
            example = take_of(reference, "average_man", device, replace(NOISY, seed=seed)).example
            tracks += [between(example, start, end).track for start, end in example.quiet if end - start > 1.0]
    seconds = sum(len(track.times) / track.rate for track in tracks)
    thesis = FootSee(learnt, 1.0)
    rows = [("thesis", "counts", 1.0, sum(len(thesis.stream(track.ten, track.times)) for track in tracks))]
    for stance in (True, False):
        ours = Nearest(learnt, 0.5, stance=stance)
        rows.append(("nearest", "counts" if stance else "subtracted", 0.5, sum(len(ours.stream(track.per_foot, track.times)) for track in tracks)))
    for method, told, latency, count in rows:
        add({"what": "quiet standing", "method": method, "stance": told, "latency_s": latency, "pad": "noisy", "minutes": round(seconds / 60, 1),
             "said": count, "in_5_minutes": round(count / seconds * 300, 2)})


def feet_told_apart(folder: Path, device: Device, add: Callable[[dict], None]) -> None:
    """The share of the force that is taken for the other foot's, of every clip that is used here."""
    found = []
    for clip in sorted({*PERSON, *STEPS, *STANDING, *QUIET, *(clip for clips in OTHERS.values() for clip in clips)}):
        path = next(path for path in (folder / "pad" / f"{clip}.bvh", folder / "cmu" / f"{clip}.bvh", folder / f"{clip}.bvh") if path.is_file())
        tread = of_reference(prepare(read_clip(str(path)), repair=True))
        felt = feel(tread, holding(device, tread))
        owners = whose(Recording("pad", felt.layout, felt.times, felt.pressures.sum(axis=1)))
        found.append([_taken_wrongly(felt.pressures, owners), _taken_wrongly(felt.pressures, _nearest_centres(felt))])
        add({"what": "feet", "clip": clip, "wrong": round(found[-1][0], 3), "wrong_by_nearest_centre": round(found[-1][1], 3)})
    mean = np.mean(found, axis=0)
    add({"what": "feet", "clip": "mean", "wrong": round(float(mean[0]), 3), "wrong_by_nearest_centre": round(float(mean[1]), 3)})


def _taken_wrongly(pressures: np.ndarray, owners: np.ndarray) -> float:
    return float((pressures[:, 0] * (owners == 1) + pressures[:, 1] * (owners == 0)).sum() / pressures.sum())


def _nearest_centres(felt: Felt) -> np.ndarray:
    """(T, S) whose foot it would be by two means, which begin to the left and right of the middle."""
    owners = np.full((len(felt.times), len(felt.layout.areas)), -1)
    for frame, pressures in enumerate(felt.pressures.sum(axis=1)):
        on = np.flatnonzero(pressures > 0.0)
        places, weights = felt.layout.centres[on], pressures[on]
        left = places[:, 1] > (weights @ places[:, 1] / weights.sum() if len(on) else 0.0)
        for _ in range(8):
            if left.any() and not left.all():
                one, other = (np.average(places[part], axis=0, weights=weights[part]) for part in (left, ~left))
                left = np.linalg.norm(places - one, axis=1) < np.linalg.norm(places - other, axis=1)
        owners[frame, on] = np.where(left, 0, 1)
    return owners


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=Path, default=CLIPS, help="the folder of the recordings")
    parser.add_argument("--pad", default="64x80@12Hz", help="rows x columns and rate, or pedar or moticon")
    parser.add_argument("-o", "--output", type=Path, help="also keep the table in this file")
    options = parser.parse_args()
    try:
        device = device_named(options.pad)
        person = [read(options.clips, clip, device, name) for clip, name in PERSON.items()]
        still = [replace(read(options.clips, clip, device, "", noisy=False).clean, actions=[]) for clip in STANDING]
        steps = [_called(read(options.clips, clip, device, "?", noisy=False), names) for clip, names in STEPS.items()]
        squats = [read(options.clips, "22_14_squats", device, "squat", noisy=False)]
        others = {who: [read(options.clips, clip, device, None, noisy=False) for clip in clips] for who, clips in OTHERS.items()}
    except FootfallError as error:
        sys.exit(str(error))

    def add(row: dict) -> None:
        table.add(options.output, {"device": device.name, **row})

    same_person(person, still, add)
    another_person(person, others, [steps, squats], still, add)
    if device.kind == "grid":
        feet_told_apart(options.clips, device, add)
    quiet_standing(options.clips, device, [marked.clean for marked in person] + still, add)


if __name__ == "__main__":
    main()
