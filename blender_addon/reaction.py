"""What is expected to become of a character that is hit, before it is simulated: from the push database, quickly enough to follow the mouse.

The clip is made ready once, by a worker. From then on each change of a hit is answered when it is drawn. Nothing of it is kept in the file.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix

from ..core import presets, rotation
from ..core.errors import FootfallError, JobError
from ..core.motion import Motion
from ..core.places import struck
from ..core.pushes.answer import Answer, answer, fates, known
from ..core.pushes.database import Database, shipped
from ..core.pushes.ready import Ready
from ..core.result import Result
from ..core.settings import title
from . import method, references, scene
from .dragged import held
from .object_motion import may_move, plays
from .preferences import worker_python_so_far
from .properties.methods import values
from .rig.fit import Placement
from .selection import find_character
from .span import Span, span_of
from .worker import Worker

WAIT, TICK = 0.15, 0.1  # s after a change, before the clip is looked at; s between two looks at the worker
TAKEN_AS_IT_COMES = ("auto", "balance", "stumble")  # responses that the database knows; others are asked for, whatever the push would do
READING = "The clip is being made ready for the preview of its hits."
FALLEN_S, CALM_S = 2.5, 0.9  # s after a hit that a fall, and a body that stays in place, are shown
AFTER_STEP_S = 0.3  # s after the last step that it is shown
SHOWN = 5  # moments after a hit that are shown at once
FLAT_S = 0.12  # s after a foot comes down, at which it lies flat
STOPS_S = 0.5  # s after a hit that brings it down, when the belt stops of a clip in place
STRONGEST = 2.0  # m/s that the strongest hit gives the body, where no database says


@dataclass(frozen=True, eq=False)
class Clip:
    """A clip that can be hit.

    Attributes:
        job: it is of, without what hits it. span: its frames in the scene. placement: of the simulated world in Blender's, where the armature object
            is at ``world``; it goes with that unless ``in_world``.
        ready: the clip itself, over ground that stands still. ground: (2,) m/s, of the belt that one in place walks on.
        database: None where there is none, and ``why`` says why.
    """

    job: dict
    span: Span
    placement: Placement
    world: Matrix
    in_world: bool
    ready: Ready
    ground: np.ndarray
    database: Database | None
    why: str

    def space(self, armature: bpy.types.Object) -> Matrix:
        """From simulated metres to the world, where the armature object is now."""
        simulated = Matrix(self.placement.matrix())
        return simulated if self.in_world else armature.matrix_world @ self.world.inverted() @ simulated

    def frame(self, shown: float) -> int:
        """Of the clip, when the scene shows a frame."""
        return min(max(round(shown - self.span.first), 0), self.ready.motion.frames - 1)

    @property
    def strongest(self) -> float:
        """N·s of the strongest push that the database has, on this body."""
        body, base = self.ready.body, self.database
        if base is None:
            return STRONGEST * body.mass
        return float(base.index.speeds.max() * (body.leg_length / base.body.leg_length) ** 0.5 * body.mass)

    def struck(self, time: float, part: str) -> np.ndarray:
        """(3,) m: where a part is struck at a moment (s)."""
        at, (link, point) = self.ready.frame(time), struck(self.ready.body, part)
        return self.ready.places[at, link] + rotation.rotate(self.ready.turns[at, link], point) + self.carried(np.array(time))

    def carried(self, times: np.ndarray) -> np.ndarray:
        """(..., 3) m by which the belt has carried the body at times (...) s."""
        return times[..., None] * np.array([*self.ground, 0.0])


@dataclass(frozen=True)
class Hit:
    """One of the hits on a clip: its number in the panel's list, its frame in the scene, s of the clip, the part, N (job's axes) and s."""

    number: int
    frame: int
    time: float
    part: str
    force: tuple[float, float, float]
    seconds: float


@dataclass(frozen=True, eq=False)
class Outlook:
    """What is expected of the hits as they are now.

    Attributes:
        clip: None while it is not known. hits: in their order. answers: to the first of them. chosen: the one that is chosen in the panel's list;
            None where it is not on the clip. why: a sentence, where that has no answer.
    """

    clip: Clip | None = None
    hits: tuple[Hit, ...] = ()
    answers: tuple[Answer, ...] = ()
    chosen: int | None = None
    why: str = ""

    @property
    def answer(self) -> Answer | None:
        """To the chosen hit."""
        return None if self.chosen is None or self.chosen >= len(self.answers) else self.answers[self.chosen]

    @property
    def before(self) -> Answer | None:
        """To the hit before the chosen one."""
        return self.answers[self.chosen - 1] if self.chosen and self.chosen <= len(self.answers) else None

    def joints(self, frame: int) -> np.ndarray:
        """(L, 3) m, of the ghost at a frame of the clip."""
        motion = self.answers[-1].motion
        return self._joints(np.array([min(frame, motion.frames - 1)]))[0]

    @cached_property
    def stages(self) -> np.ndarray:
        """(N, L, 3) m: the ghost at some moments after the chosen hit, the last of them when it is clear what becomes of the body."""
        one = self.answer
        if one is None:
            return np.zeros((0, 0, 3))
        fps, last = one.motion.fps, self.answers[-1].motion.frames - 1
        caught = self.marks[-1][0] / fps + AFTER_STEP_S if self.marks else CALM_S
        end = min(one.first + (FALLEN_S if one.way.fell else caught) * fps, last)
        return self._joints(np.round(np.linspace(one.first, end, SHOWN + 1)[1:]).astype(int))

    def _joints(self, frames: np.ndarray) -> np.ndarray:
        motion = self.answers[-1].motion
        frames = np.minimum(frames, motion.frames - 1)
        joints = Motion(motion.skeleton, motion.fps, motion.root_positions[frames], motion.rotations[frames]).world()[0]
        return joints + self._carried(frames)[:, None]

    def _carried(self, frames: np.ndarray) -> np.ndarray:
        """(n, 3) m by which the belt has carried the ghost; it stops soon under one that falls."""
        last = self.answers[-1]
        times = frames / last.motion.fps
        return self.clip.carried(np.minimum(times, last.first / last.motion.fps + STOPS_S) if last.way.fell else times)

    @cached_property
    def marks(self) -> list[tuple[int, int, np.ndarray]]:
        """Where the steps after the chosen hit come down: frames after the hit, foot, (N, 3) outline."""
        one, body = self.answer, self.clip.ready.body
        found = []
        for foot, seconds, *_ in one.places if one else ():
            after = round(seconds * one.motion.fps)
            frame = min(one.first + after + round(FLAT_S * one.motion.fps), one.motion.frames - 1)
            places, turns = Motion(one.motion.skeleton, one.motion.fps, one.motion.root_positions[frame:frame + 1],
                                   one.motion.rotations[frame:frame + 1]).world()
            own = [n for n, link in enumerate(body.sole_links) if body.names[link].endswith(".LR"[1 + int(foot)])]
            links = np.asarray(body.sole_links)[own]
            points = places[0, links] + rotation.rotate(turns[0, links], np.asarray(body.sole_points)[own]) + self._carried(np.array([frame]))
            away = points - points.mean(axis=0)
            found.append((after, int(foot), points[np.argsort(np.arctan2(away[:, 1], away[:, 0]))] * (1.0, 1.0, 0.0)))
        return found


def walks(clip: Clip, one: Answer) -> bool:
    """Whether the response is of somebody who walks."""
    index = clip.database.index
    return bool(index.walks[index.start[one.choice.number]])


@dataclass(eq=False)
class _Known:
    """What is known of a character: from what it was found, and when that was looked at; the clip, or why there is none; how it is found; what was
    asked last."""

    seen: tuple = ()
    looked: float = float("-inf")
    clip: Clip | None = None
    why: str = READING
    work: Iterator[Clip | None] | None = None
    asked: tuple = ()
    outlook: Outlook = field(default_factory=Outlook)


_all: dict[str, _Known] = {}  # by the character's name


def outlook_of(context: bpy.types.Context) -> Outlook | None:
    """What is expected of the hits of the selected character; None where nothing hits it. What is not known yet is found as soon as Blender rests."""
    armature = find_character(context)
    if not method.has_hits(armature):
        return None
    one = _all.setdefault(armature.name, _Known())
    now = time.monotonic()
    if now > one.looked + WAIT:  # several parts of one drawing ask
        one.looked = now
        if (one.work or one.seen != _seen(context.scene, armature)) and not bpy.app.timers.is_registered(_go_on):
            bpy.app.timers.register(_go_on, first_interval=WAIT)
    return _outlook(one, armature)


def known_outlook(armature: bpy.types.Object) -> Outlook | None:
    """The same of any character, as far as it is known by now."""
    one = _all.get(armature.name)
    if one is None or one.work or one.seen != _seen(bpy.context.scene, armature) or not method.takes_hits(armature.footfall.motion):
        return None
    return _outlook(one, armature)


def wait_for_outlook(context: bpy.types.Context, armature: bpy.types.Object) -> Outlook:
    """The same, once all is known."""
    one = _all.setdefault(armature.name, _Known())
    while not _found(context, armature, one):
        time.sleep(TICK)
    return _outlook(one, armature)


def forget_all(*_: object) -> None:
    """Before another file is opened."""
    for one in _all.values():
        _give_up(one)
    _all.clear()
    if bpy.app.timers.is_registered(_go_on):
        bpy.app.timers.unregister(_go_on)


def _give_up(one: _Known) -> None:
    if one.work:
        one.work.close()
        one.work = None


def _go_on() -> float | None:
    """Go on with what has to be found for the selected character."""
    context = bpy.context
    for name in [name for name in _all if name not in bpy.data.objects]:
        _give_up(_all.pop(name))
    armature = find_character(context) if context.screen else None
    for name, one in _all.items():
        if one.work and not (armature and name == armature.name):  # begun again when it is looked at
            _give_up(one)
            one.seen = ()
    if not method.has_hits(armature) or armature.mode == "EDIT":
        return None
    if context.screen.is_animation_playing:
        return 1.0
    if not _found(context, armature, _all.setdefault(armature.name, _Known())):
        return TICK
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
    return None


def _found(context: bpy.types.Context, armature: bpy.types.Object, one: _Known) -> bool:
    """Go on a little; whether the clip is known now, or why there is none."""
    seen = _seen(context.scene, armature)
    if one.seen != seen:
        _give_up(one)
        one.seen, one.work = seen, _looking(context, armature.name, one.clip)
    if one.work is None:
        return True
    try:
        clip = next(one.work)
    except FootfallError as error:
        one.clip, one.why, one.work, one.asked = None, str(error), None, ()
        return True
    except BaseException:
        one.clip, one.work, one.asked = None, None, ()
        raise
    if clip is None:
        return False
    _give_up(one)
    one.clip, one.why, one.asked = clip, "", ()
    return True


def _seen(scene_: bpy.types.Scene, armature: bpy.types.Object) -> tuple:
    """Everything on which the clip and its place depend, but not what hits it; cheaply."""
    settings, motion, data = armature.footfall, armature.footfall.motion, armature.animation_data
    reference, span = references.find(scene_, motion.reference), span_of(scene_, armature)
    hips = armature.pose.bones.get(settings.parts["pelvis"].bone) if "pelvis" in settings.parts else None
    moves = may_move(armature)
    shown = [] if moves else [armature.matrix_world] if hips is None or plays(armature) else [armature.matrix_world, hips.matrix]
    return (motion.method, motion.reference, reference and (reference.filepath, reference.repair), str(values(motion, method.name_of(motion))),
            span, settings.bone_map, settings.own_mass or settings.mass, settings.sex, tuple(bone.name for bone in armature.data.bones),
            data and data.action and data.action.name, settings.bake.action and settings.bake.action.name, moves,
            tuple(value for matrix in shown for row in matrix for value in row))


def _looking(context: bpy.types.Context, name: str, before: Clip | None) -> Iterator[Clip | None]:
    """Find the clip of a character, a little at a time: None until it is there. ``before``: the one that was known, used again if it is the same."""
    armature = bpy.data.objects[name]
    span = span_of(context.scene, armature)
    job, character = scene.job_of(context, armature, roughly=True)
    place = {"job": job, "span": span, "placement": character.placement, "world": Matrix(character.world),
             "in_world": may_move(armature)}
    if before and _same_clip(before.job, job):
        yield replace(before, **place)
        return
    yield None
    while (python := worker_python_so_far()) is None:
        yield None
    worker = Worker(job, Path(bpy.app.tempdir), python, ("push-ready",))
    try:
        while not (status := worker.poll()).done:
            yield None
        if status.error:
            raise JobError(status.error)
        result = Result.load(status.result)
    finally:
        worker.cancel()
    yield None
    body = presets.body(result.job["body"])
    ready = Ready.of(body, Motion(body.skeleton, result.fps, result.root_positions, result.rotations), result.foot_forces[:, :, 2] > 0.0)
    database, why = None, ""
    try:
        file = shipped(body)
        yield None
        database = _database(str(file), file.stat().st_mtime_ns)
        yield None
        _ = database.index
        yield None
        _ = database.rows
    except FootfallError as error:
        why = str(error)
    yield Clip(ready=ready, ground=np.array(result.outcome["ground_m_s"]), database=database, why=why, **place)


def _same_clip(one: dict, other: dict) -> bool:
    """Whether two jobs differ in what hits the clip at most, and in how it is taken."""
    return all(one.get(key) == other.get(key) for key in ("clips", "repair", "end", "loop", "body", "fps", "duration"))


@lru_cache(maxsize=4)
def _database(path: str, _: int) -> Database:
    return Database.load(path)


def _outlook(one: _Known, armature: bpy.types.Object) -> Outlook:
    """What is expected of the hits as they are now; found again where one of them has changed."""
    clip = one.clip
    if clip is None:
        return Outlook(why=one.why)
    hits = []
    for number, push in enumerate(armature.footfall.pushes):
        if clip.span.holds(push.frame):
            with suppress(JobError):  # of one that goes nowhere: Simulate says it
                event, dragged = scene.push_event(push, clip.span, clip.placement), held(armature.name, number)
                if dragged:
                    event["force"] = dragged.newtons * clip.placement.direction_to_job(np.array(dragged.direction))
                hits.append(Hit(number, push.frame, event["time"], event["part"], tuple(map(float, event["force"])), event["duration"]))
    hits.sort(key=lambda hit: hit.time)
    asked = clip, armature.footfall.active_push, tuple(hits)
    if asked != one.asked:
        one.asked, one.outlook = asked, _expected(clip, tuple(hits), armature.footfall.active_push)
    return one.outlook


def _expected(clip: Clip, hits: tuple[Hit, ...], active: int) -> Outlook:
    chosen = next((at for at, hit in enumerate(hits) if hit.number == active), None)
    answers: list[Answer] = []
    why = clip.why or _asked_for(clip.job["response"])
    for hit in hits if not why else ():
        before = answers[-1] if answers else None
        if before and before.way.fell:
            why = f"The hit at frame {hits[len(answers) - 1].frame} is expected to bring it down before this one."
        elif not known(clip.database, clip.ready, hit.time, before):
            why = f"At frame {hit.frame} the character neither stands nor walks as the push database knows it: simulate to see what the hit does."
        if why:
            break
        answers.append(answer(clip.database, clip.ready, hit.time, hit.part, hit.force, hit.seconds, before))
    if chosen is None and not why:
        why = "The chosen hit is outside of the clip, or goes nowhere."
    return Outlook(clip, hits, tuple(answers), chosen, why if chosen is None or chosen >= len(answers) else "")


def _asked_for(response: str) -> str:
    """Why there is no preview of a response that is asked for; empty where there is one."""
    if response in TAKEN_AS_IT_COMES:
        return ""
    return f"The response '{title(response)}' is asked for, and the push database has none of these: simulate to see it."


def fates_of(outlook: Outlook, impulses: np.ndarray) -> list[str]:
    """What would become of the body if the chosen hit were one of these (n, 3) N·s, job's axes."""
    hit = outlook.hits[outlook.chosen]
    return fates(outlook.clip.database, outlook.clip.ready, hit.time, hit.part, impulses, outlook.before)
