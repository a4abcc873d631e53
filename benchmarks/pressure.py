"""What is recognised from foot pressure: a table, one line each as it is done.

    python benchmarks/pressure.py [--clips FOLDER] [--pad 64x80@12Hz] [-o table.jsonl]

The pad is simulated under motions that people do on one (``--clips``: the folder of the recordings named below, by default ../shared/mocap with pad
and cmu in it). Nobody has marked them: onsets are found by how the body moves (core/pressure/segments.py), and an action is called after its clip, or
by the rule in ``named``. Actions that last much longer or shorter than most of their clip, and those that begin with it, are neither learnt nor
judged.

Recognition is streamed: an action counts as ``correct`` once, if its name is said with an onset within 0.25 s of its own; ``precision``: the share of
what was said that is correct. ``latency_s``: from the onset until it is said, at most; "offline": the whole recording is there.

What is judged is heard frame by frame, as of a device; what is learnt is known as a whole.

- "same person": the first half of the repetitions of each clip is learnt, the second half is judged, with what came before as history. Settings were
  chosen the other way round, by how well the first half is recognised from the second, and by the rows of persons 83 and 143. In earlier versions of
  this table the judged half was looked at three times.
- "stance subtracted": how somebody stands does not count, only how it changes within a window.
- "control": the onset is given, and only what was until 0.2 s before it is looked at. What it can tell is not the action, but how the take was done.
- "another person": kicks, leg raises and punches of others, learnt from person 144.
- "another person, calibrated": two repetitions of each of that person's actions are learnt besides what others do, and count instead of what others
  do under the same names. "144": the first two of each clip are shown, others are in the database, and the second half of each clip is judged. Else
  every action is judged by two others of its name, with person 144 in the database; "one shown": those of which the recordings hold only one other.
  When what is shown begins is taken from the motion here; the command and the panel find it by the pressure.
- "stranger, shipped database": what the project's own database knows, which nobody of these people had a part in; without and with two repetitions of
  each action of person 144 shown. The first half of 144 was looked at while working, and 83 and 143, the rest was not.
- Steps are called after where the foot lands, seen from the other: "side step" if that is further aside than ahead, which is so for the clip that
  its makers call "step left forward".
- "extent": height of a kick, length of a lunge or step, told by the pressure of the whole action (core/pressure/extents.py), learnt from other takes
  only. "same_half": in the same half of all of its kind; "within_one_class": in the same or the next of three classes with as many each, which is so
  for 78 % by chance.
- "feet": the share of the force that is taken for the other foot's, on the pad without faults, and what it would be by nearest centres.
- "quiet standing": what is said in ``minutes`` of it, that nobody asked for; and how much of that later than in the first second of a piece, in which
  people still shift their weight from foot to foot after a step.
- "speed": share of one core that following the feet and recognising take, of a pad with 100 frames a second.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from benchmarks import table
from core.errors import FootfallError
from core.formats import read_clip
from core.pressure.database import TRACK_RATE, Database, take_of
from core.pressure.examples import Action, Event, Example, between, windows, without
from core.pressure.extents import Extents, Shown, kind_of, measured, signs_of
from core.pressure.features import STANCE, Watch, heard
from core.pressure.feet_in_grid import whose
from core.pressure.footsee import FootSee
from core.pressure.nearest import Ear, Nearest
from core.pressure.pad import Felt, feel, holding, record, sensed
from core.pressure.recording import Recording
from core.pressure.segments import POINTS, body_points, segments
from core.pressure.sensors import EIGHT_BITS, Device, Sensing, device_named
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
         "83_20_step_forward_medium": ("step forward",), "83_15_step_forward_short": ("step forward",),
         "83_18_step_left_forward_short": ("side step left",)}
STANDING = ("111_28_standing", "140_06_idle_stand_cut")  # learnt as quiet standing
QUIET = ("139_02_weight_shift", "83_01_side_step_right_large", "83_33_side_step_right_and_back", "83_66_side_step_right_short", "22_14_squats",
         "82_08_stand_then_walk_cut", "83_19_side_step_left_medium", "83_20_step_forward_medium", "10_01_soccer_kick", "49_19_one_leg")
WITHIN_S = 0.25  # s from the onset
LATENCIES = (1.0, 0.5, 0.3)
NOISY = replace(EIGHT_BITS, noise=0.1, lost=0.05, seed=1)
BEFORE_S, CONTROL_S = 0.2, 1.0  # s before the onset at which the control's window ends, and that it lasts
KICK_M, PUNCH_M_S = 0.22, 4.0  # a foot that rises so much further than the other kicks; a hand that gets so fast punches
QUIET_SEEDS = range(20)
SETTLING_S = 1.0  # s after an action in which people shift their weight from foot to foot, which is no quiet standing
CALIBRATED = {1: "another person, one shown", 2: "another person, calibrated"}


@dataclass(frozen=True, eq=False)
class Marked:
    """A clip: what is learnt from it, what is heard of it, clean and noisy, and how high a foot gets and how far apart the feet are in each of its
    actions (N, 2), m."""

    learnt: Example
    clean: Example
    noisy: Example
    reached: np.ndarray


def path_of(folder: Path, clip: str) -> Path:
    path = next((path for path in (folder / "pad" / f"{clip}.bvh", folder / "cmu" / f"{clip}.bvh", folder / f"{clip}.bvh") if path.is_file()), None)
    if path is None:
        raise FootfallError(f"The clip '{clip}.bvh' is not in '{folder}': name the folder of the recordings with --clips.")
    return path


def read(folder: Path, clip: str, device: Device, name: str | None) -> Marked:
    reference = prepare(read_clip(str(path_of(folder, clip))), repair=True)
    tread = of_reference(reference)
    example = take_of(reference, "average_man", device).example
    actions = [replace(action, name=named(reference, action) if name is None else name if action.name else "") for action in example.actions]
    learnt = replace(example, actions=actions)
    recording = record(tread, holding(device, tread), Sensing())
    clean, noisy = (replace(learnt, track=heard(sensed(recording, sensing), learnt.track.rate)) for sensing in (EIGHT_BITS, NOISY))
    return Marked(learnt, clean, noisy, np.array([reached(reference, action) for action in actions]).reshape(-1, 2))


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


def reached(reference: Reference, action: Action) -> tuple[float, float]:
    """m, how high a foot gets, and how far apart the feet are."""
    points = _during(reference, action)
    feet = points[:, [POINTS.index("foot.L"), POINTS.index("foot.R")]]
    return float(feet[..., 2].max()), float(np.linalg.norm(feet[:, 0, :2] - feet[:, 1, :2], axis=1).max())


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


def methods(learnt: list[Example], latencies: tuple[float, ...] = LATENCIES) -> Iterable[tuple[dict, Callable[[Example], list[Event]]]]:
    """What is compared: how it is called, and what recognises."""
    for latency in latencies:
        thesis = FootSee(learnt, latency)
        yield ({"method": "thesis", "stance": "counts", "latency_s": latency},
               lambda example, thesis=thesis: thesis.stream(example.track.ten, example.track.times))
    for stance in (True, False):
        told = "counts" if stance else "subtracted"
        for latency in latencies:
            ours = Nearest(learnt, latency, stance=stance)
            yield ({"method": "nearest", "stance": told, "latency_s": latency},
                   lambda example, ours=ours: ours.stream(example.track.per_foot, example.track.times))
        whole = Warping(learnt, stance=stance)
        yield ({"method": "warping", "stance": told, "latency_s": "offline"},
               lambda example, whole=whole: whole.recognise(example.track.per_foot, example.track.times))


def same_person(person: list[Marked], still: list[Example], add: Callable[[dict], None]) -> None:
    halves = [middle_of(marked.learnt) for marked in person]
    learnt = [between(marked.learnt, 0.0, half) for marked, half in zip(person, halves, strict=True)] + still
    for row, recognise in methods(learnt):
        for kind in ("clean", "noisy"):
            truths = [getattr(marked, kind) for marked in person]
            said = [(recognise(truth), truth, lambda time, half=half: time >= half) for truth, half in zip(truths, halves, strict=True)]
            add({"what": "same person", **row, "pad": kind, **scored(said)})
    every = [(marked.clean, action, action.start >= half) for marked, half in zip(person, halves, strict=True) for action in marked.clean.actions]
    for stance in (True, False):
        add({"what": "control", "stance": "counts" if stance else "subtracted",
             **control([(example, action) for example, action, asked in every if not asked and action.name],
                       [(example, action) for example, action, asked in every if asked and action.name], stance)})


def control(learnt: list[tuple[Example, Action]], asked: list[tuple[Example, Action]], stance: bool) -> dict:
    """Actions by the nearest window that ends before the onset."""
    def before(pairs: list[tuple[Example, Action]]) -> np.ndarray:
        found = np.array([windows(example.track.per_foot, np.array([example.frame(action.start - BEFORE_S)]),
                                  round(CONTROL_S * example.track.rate), 0)[0] for example, action in pairs])
        if not stance:
            found[:, :, STANCE] -= found[:, :1, STANCE]
        return found

    known, heard_ = before(learnt), before(asked)
    scale = np.maximum(np.concatenate([known, heard_]).std(axis=(0, 1)), 1e-9)
    right = sum(learnt[int((((known - row) / scale) ** 2).sum(axis=(1, 2)).argmin())][1].name == action.name
                for row, (_, action) in zip(heard_, asked, strict=True))
    return {"actions": len(asked), "correct": _share(right, len(asked))}


def extents(takes: dict[str, list[Marked]], add: Callable[[dict], None]) -> None:
    """How far actions go, told by those of other takes; see above. ``takes``: by what kind they are."""
    for what, marked in takes.items():
        for pad in ("clean", "noisy"):
            shown = [(number, Shown(what, signs_of(example.track, action.start, _following(example, action)), *one.reached[which]))
                     for number, one in enumerate(marked) for example in (getattr(one, pad),)
                     for which, action in enumerate(example.actions) if action.name and kind_of(action.name) == what]
            everything = [one for _, one in shown]
            true = np.array([measured(one, everything) for one in everything])
            told = np.array([Extents(other for of, other in shown if of != number).tell(what, one.signs) for number, one in shown])
            classes = np.quantile(true, [1 / 3, 2 / 3])
            apart = np.abs(np.searchsorted(classes, told) - np.searchsorted(classes, true))
            half = float(np.median(true))
            add({"what": "extent", "kind": what, "pad": pad, "actions": len(true),
                 "same_half": _share(((told > half) == (true > half)).sum(), len(true)),
                 "within_one_class": _share((apart <= 1).sum(), len(true)), "r": round(float(np.corrcoef(told, true)[0, 1]), 2),
                 "error_m": round(float(np.abs(told - true).mean()), 3)})


def _following(example: Example, action: Action) -> float:
    return min((one.start for one in example.actions if one.start > action.start), default=np.inf)


def another_person(person: list[Marked], others: dict[str, list[Marked]], more: dict[str, list[Marked]], still: list[Example],
                   add: Callable[[dict], None]) -> None:
    known = [marked.learnt for marked in person] + still
    for row, recognise in methods(known):
        said = [(recognise(marked.clean), marked.clean, lambda time: True) for clips in others.values() for marked in clips]
        add({"what": "another person", **row, "pad": "clean", **scored(said)})
    everybody = {**others, **more}
    for row, said in shown_first(person, [marked.learnt for clips in everybody.values() for marked in clips] + still):
        add({"what": CALIBRATED[2], "person": "144", **row, "pad": "clean", **said})
    totals: dict[tuple, list[tuple]] = {}
    for who, clips in everybody.items():
        for row, shown, said in shown_besides(known, clips):
            add({"what": CALIBRATED[shown], "person": who, **row, "pad": "clean", **scored(said)})
            totals.setdefault((shown, *row.items()), []).extend(said)
    for (shown, *row), said in totals.items():
        add({"what": CALIBRATED[shown], "person": "all but 144", **dict(row), "pad": "clean", **scored(said)})


def strangers(person: list[Marked], others: dict[str, list[Marked]], add: Callable[[dict], None]) -> None:
    """By the database that is shipped."""
    known = Database.load("").examples
    halves = [middle_of(marked.learnt) for marked in person]
    what = "stranger, shipped database"
    for row, recognise in methods(known, (1.0, 0.5)):
        for who, clips in others.items():
            add({"what": what, "person": who, **row, "pad": "clean",
                 **scored([(recognise(marked.clean), marked.clean, lambda time: True) for marked in clips])})
        said = [(recognise(marked.clean), marked.clean, lambda time, half=half: time >= half) for marked, half in zip(person, halves, strict=True)]
        add({"what": what, "person": "144", **row, "pad": "clean", **scored(said)})
    for row, said in shown_first(person, known):
        if row["method"] != "control":
            add({"what": f"{what}, calibrated", "person": "144", **row, "pad": "clean", **said})


def calibrated(known: list[Example], shown: list[Example]) -> list[Example]:
    own = {action.name for example in shown for action in example.actions}
    return [without(example, own) for example in known] + shown


def piece(example: Example, action: Action) -> Example:
    """An action with a second around it."""
    return replace(between(example, action.start - 1.0, action.end + 1.0), actions=[action])


def shown_first(person: list[Marked], known: list[Example]) -> Iterable[tuple[dict, dict]]:
    """A person whose first two repetitions of each clip are shown, and the second half is judged."""
    shown = [(marked, action) for marked in person for action in [action for action in marked.learnt.actions if action.name][:2]]
    halves = [middle_of(marked.learnt) for marked in person]
    for row, recognise in methods(calibrated(known, [piece(marked.learnt, action) for marked, action in shown]), (1.0, 0.5)):
        yield row, scored([(recognise(marked.clean), marked.clean, lambda time, half=half: time >= half)
                           for marked, half in zip(person, halves, strict=True)])
    for stance in (True, False):
        asked = [(marked.clean, action) for marked, half in zip(person, halves, strict=True) for action in marked.clean.actions
                 if action.name and action.start >= half]
        yield ({"method": "control", "stance": "counts" if stance else "subtracted"},
               control([(marked.clean, action) for marked, action in shown], asked, stance))


def shown_besides(known: list[Example], clips: list[Marked]) -> Iterable[tuple[dict, int, list[tuple]]]:
    """Each action of a person, by what was learnt and two other repetitions of each of that person's actions, or one where there are no more."""
    every = [(marked, number, action) for marked in clips for number, action in enumerate(marked.learnt.actions) if action.name]
    found: dict[tuple, tuple[dict, int, list[tuple]]] = {}
    for marked, _, action in every:
        shown = [(of, one) for name in sorted({one.name for _, _, one in every})
                 for of, one in [(of, one) for of, _, one in every if one.name == name and one is not action][:2]]
        count = sum(one.name == action.name for _, one in shown)
        if not count:
            continue
        for row, recognise in methods(calibrated(known, [piece(of.learnt, one) for of, one in shown]), (1.0, 0.5)):
            _, _, said = found.setdefault((count, *row.items()), (row, count, []))
            said.append((recognise(marked.clean), marked.clean,
                         lambda time, action=action: action.start - WITHIN_S <= time <= action.end - WITHIN_S))
    yield from found.values()


def _called(marked: Marked, names: tuple[str, ...]) -> Marked:
    """With the names of its actions, one after the other."""
    actions = [replace(action, name=name) for action, name in zip(marked.learnt.actions, names, strict=False)]
    return replace(marked, **{kind: replace(getattr(marked, kind), actions=actions) for kind in ("learnt", "clean", "noisy")})


def quiet_standing(folder: Path, device: Device, learnt: list[Example], add: Callable[[dict], None]) -> None:
    tracks = []
    for clip in QUIET:
        reference = prepare(read_clip(str(path_of(folder, clip))), repair=True)
        tread = of_reference(reference)
        recording = record(tread, holding(device, tread), Sensing())
        quiet = [(segment.start, segment.end) for segment in segments(reference) if not segment.active]
        for seed in QUIET_SEEDS:
            example = Example(heard(sensed(recording, replace(NOISY, seed=seed)), TRACK_RATE), [], quiet)
            tracks += [between(example, start, end).track for start, end in quiet if end - start > 1.0]
    seconds = sum(len(track.times) / track.rate for track in tracks)
    thesis = FootSee(learnt, 1.0)
    rows = [("thesis", "counts", 1.0, lambda track: thesis.stream(track.ten, track.times))]
    for stance in (True, False):
        ours = Nearest(learnt, 0.5, stance=stance)
        rows.append(("nearest", "counts" if stance else "subtracted", 0.5, lambda track, ours=ours: ours.stream(track.per_foot, track.times)))
    for method, told, latency, recognise in rows:
        since = [event.onset - track.times[0] for track in tracks for event in recognise(track)]
        add({"what": "quiet standing", "method": method, "stance": told, "latency_s": latency, "pad": "noisy", "minutes": round(seconds / 60, 1),
             "said": len(since), "said_after_settling": sum(time > SETTLING_S for time in since),
             "in_5_minutes": round(len(since) / seconds * 300, 2)})


def feet_told_apart(folder: Path, device: Device, add: Callable[[dict], None]) -> None:
    """The share of the force that is taken for the other foot's, of every clip that is used here."""
    found = []
    for clip in sorted({*PERSON, *STEPS, *STANDING, *QUIET, *(clip for clips in OTHERS.values() for clip in clips)}):
        tread = of_reference(prepare(read_clip(str(path_of(folder, clip))), repair=True))
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


def speed(folder: Path, device: Device, learnt: list[Example], add: Callable[[dict], None]) -> None:
    """Feet that stand apart, and feet that touch, which is the most work."""
    ours = Nearest(learnt, 0.5)
    for clip in ("144_05_front_kicks_right", "83_66_side_step_right_short"):
        tread = of_reference(prepare(read_clip(str(path_of(folder, clip))), repair=True))
        quick = replace(device, rate=100.0)
        recording = record(tread, holding(quick, tread), EIGHT_BITS)
        watch, ear = Watch(recording.layout), Ear(ours)
        began = time.process_time()
        for moment in (moment for at, frame in zip(recording.times, recording.pressures, strict=True) for moment in watch.hear(float(at), frame)):
            ear.hear(moment.time, moment.per_foot)
        took = time.process_time() - began
        add({"what": "speed", "clip": clip, "rate": 100, "learnt_from_s": round(sum(len(one.track.times) / one.track.rate for one in learnt)),
             "of_a_core": round(took / float(recording.times[-1]), 3)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=Path, default=CLIPS, help="the folder of the recordings")
    parser.add_argument("--pad", default="64x80@12Hz", help="rows x columns and rate, or pedar or moticon")
    parser.add_argument("-o", "--output", type=Path, help="also keep the table in this file")
    options = parser.parse_args()
    try:
        device = device_named(options.pad)
        person = [read(options.clips, clip, device, name) for clip, name in PERSON.items()]
        still = [replace(read(options.clips, clip, device, "").learnt, actions=[]) for clip in STANDING]
        steps = [_called(read(options.clips, clip, device, "?"), names) for clip, names in STEPS.items()]
        squats = [read(options.clips, "22_14_squats", device, "squat")]
        others = {who: [read(options.clips, clip, device, None) for clip in clips] for who, clips in OTHERS.items()}
    except FootfallError as error:
        sys.exit(str(error))

    def add(row: dict) -> None:
        table.add(options.output, {"device": device.name, **row})

    everything = [marked.learnt for marked in person] + still
    same_person(person, still, add)
    another_person(person, others, {"83": steps, "22": squats}, still, add)
    if device.name == Database.load("").device:
        strangers(person, {**others, "83": steps, "22": squats}, add)
    extents({what: [marked for marked in person + steps if any(kind_of(action.name) == what for action in marked.learnt.actions if action.name)]
             for what in ("kick left", "lunge left", "side step left")}, add)
    if device.kind == "grid":
        feet_told_apart(options.clips, device, add)
        speed(options.clips, device, everything, add)
        speed(options.clips, device, Database.load("").examples, add)
    quiet_standing(options.clips, device, everything, add)


if __name__ == "__main__":
    main()
