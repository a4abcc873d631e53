"""A character that is played: the worker simulates by the clock, and is told what the keys and the mouse say; the take becomes keys."""

from __future__ import annotations

import json
import time
from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from math import hypot
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from ..core import rotation
from ..core.errors import FormatError, JobError
from ..core.jobs import check
from ..core.result import Result
from ..core.skeleton import LINKS
from . import baking, files, gamepad, light_view, method, preview, scene
from .controls import Controls
from .live import Live
from .overlays.over import Cover
from .overlays.playing import draw_over, played
from .overlays.simple_view import SimpleView, simple_view_of
from .overlays.written import Written
from .preferences import worker_python
from .redraw import redraw_over
from .selection import NEXT
from .span import Span
from .worker import Pose, Status

PULL, STRONGEST = 150.0, 300.0  # N for each metre on a person that the mouse is away from what it pulls at; and at most
PULLED_S = 0.1  # s from one pull to the next, for which each lasts
BALL = {"mass": 2.0, "radius": 0.12}  # kg, m
BALL_SPEED = 7.0  # m/s
BEHIND = 0.95  # of the clock's speed, below which it is told that this computer cannot keep up
WANTED = 24.0  # pictures a second, below which the views are lightened, and then drawn simply
PICTURES, FEW = 12, 4  # pictures that tell how fast they are drawn; the fewest of them
DRAWING = 0.5  # of the time from one picture to the next, from which on it is drawing that takes it
UNSEEN_S = 0.3  # s after which a picture that is laid over the views and was not drawn is not seen: the status bar is hidden, say
ROOT_S = 0.25  # s over which is seen how fast the character goes


@dataclass
class Pull:
    """What the mouse holds. ``part``: of the body; ``mouse``: where it is, world; ``told``: s, of the clock, when the last pull was told."""

    part: str
    mouse: Vector
    told: float = 0.0


class Playing(Live):
    """Who is played.

    Attributes:
        level: whether the ground is. controls: the keys. pad: the gamepad. played: how it goes, as ``core.commands.play`` tells it.
        pull: what the mouse holds, or None.
        pose: the last one that was shown, and shown: how many were. place: (3,) of the hips in it, world; None before there was one.
        followed: the address of the view that goes along with it; 0: none does yet.
        light: whether the views are lightened, because they are drawn too slowly. simple: what is drawn in their place, because that is not enough.
        written: how it goes, over the views.
    """

    gone = "nobody plays it any more"

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object):
        super().__init__(context, armature)
        if others := played():
            raise JobError(f"'{others[0].name}' is being played already, and hears the same keys: stop that first (Esc).")
        job, character = scene.job_of(context, armature, played=True)
        check(job)
        python, motion = worker_python(), armature.footfall.motion
        python.check_engine(job["engine"])
        self.level = job.get("ground", {}).get("type", "plane") == "plane"
        self.controls = controls_of(motion)
        self.played: dict = {}
        self.pull: Pull | None = None
        self.pose: Pose | None = None
        self.shown, self.followed, self.light, self.place = 0, 0, False, None
        self.simple: SimpleView | None = None
        self.written = Written()
        self._cover: Cover | None = None  # while the simple picture lies over the views
        self._stood: Vector | None = None  # where the rig was put last, as ``place``; None while it stands as before
        self._drawn, self._showed = 0, 0.0  # which pose was drawn last; s, of the clock, when one was shown
        self._pictures: deque[tuple[float, float]] = deque(maxlen=PICTURES)  # s, of the clock, of the last pictures, and s that each took to draw
        self._roots: list[tuple[float, np.ndarray]] = []  # s of the play, m: of the last moments
        self._height = scene.stature(character.fit)
        self.begin(armature, character, job, "play")
        self.pad = gamepad.find()

    @property
    def placement(self):
        return self._retarget.placement

    @property
    def seconds(self) -> float:
        return self.played.get("time", 0.0)

    @property
    def rate(self) -> float:
        """s of the play that go by in a second, lately."""
        return self.played.get("rate") or 1.0

    @property
    def is_behind(self) -> bool:
        """Whether this computer cannot keep up."""
        return self.rate < BEHIND

    @property
    def balls(self) -> list[tuple[Vector, float]]:
        """Where they are, world, and their radii in Blender units."""
        return [(Vector(self.placement.to_world(np.array(ball[:3]))), ball[3] * self.placement.scale) for ball in self.played.get("balls", ())]

    def tell(self, command: dict) -> None:
        self._worker.tell(command)

    def steer(self, ahead: Vector) -> None:
        """Tell what the keys say to who looks ``ahead`` (level, world)."""
        x, y, _ = self.placement.direction_to_job(np.array(ahead))
        for command in self.controls.commands((float(x), float(y))):
            self.tell(command)

    def pull_on(self, at: Vector) -> None:
        """Pull at what the mouse holds, which is at ``at`` (world) now."""
        now = time.monotonic()
        if self.pull is None or now < self.pull.told + PULLED_S:
            return
        self.pull.told = now
        force = self.force(at)
        if force.length > 1.0:
            along = self.placement.direction_to_job(np.array(force))
            self.tell({"type": "push", "part": self.pull.part, "frame": "world", "duration": PULLED_S, "force": [round(float(v), 1) for v in along]})

    def force(self, at: Vector) -> Vector:
        """N, world, of the pull at ``at``."""
        way = (self.pull.mouse - at) * (PULL / self.placement.scale)
        return way * min(1.0, STRONGEST / max(way.length, 1e-6))

    def throw(self, viewer: Vector) -> None:
        """Throw a ball from the side of who looks from ``viewer`` (world), so that it meets the chest of a character that goes on as it goes."""
        if not self._roots:
            return
        (then, before), (now, root) = self._roots[0], self._roots[-1]
        velocity = (root - before) / max(now - then, 1e-6) if now > then else np.zeros(3)
        side = self.placement.to_job(np.array(viewer)) - root
        far = max(hypot(side[0], side[1]), 1e-6)
        start = root + scene.BALL_DISTANCE * np.array([side[0] / far, side[1] / far, 0.0])
        seconds = scene.BALL_DISTANCE / BALL_SPEED
        chest = np.array([root[0], root[1], scene.BALL_HEIGHT * self._height])
        start[2] = chest[2]
        flight = (chest - start) / seconds + np.array([velocity[0], velocity[1], 0.5 * scene.GRAVITY * seconds])
        self.tell({"type": "ball", **BALL, "frame": "world", "position": start.round(3).tolist(), "velocity": flight.round(3).tolist()})

    def end(self) -> None:
        """Stop: what was played becomes keys."""
        self.tell({"type": "stop"})

    def finish(self, context: bpy.types.Context) -> str:
        """Write the take onto the rig, and what was told beside it; returns the report."""
        armature = self._armature()
        self.pause()
        try:
            source = self._worker.poll().result
            last = Result.load(source).frames - 1
            text = baking.bake(context, armature, self._retarget, Span(self._first, self._first + last, self._fps), source)
            kept = files.new_file(f"{armature.name} take", ".json")
            files.copy(source.with_suffix(".json"), kept)
            armature.footfall.playing.take = files.stored(kept)
            self.warns = armature.footfall.bake.fell
            return text
        finally:
            self.cancel()

    def pause(self) -> None:
        try:
            super().pause()
        finally:
            self._stood = None
            self._uncover()
            light_view.put_back()

    def cancel(self) -> None:
        try:
            super().cancel()
        finally:
            self.pad.close()

    def drawn(self) -> None:
        """A view was drawn."""
        if self._drawn != self.shown:
            self._drawn, now = self.shown, time.monotonic()
            self._pictures.append((now, now - self._showed))

    @property
    def slow(self) -> bool:
        """Whether fewer pictures than are wanted are drawn, as a rule of late, and that because of the drawing."""
        if len(self._pictures) < FEW:
            return False
        gaps = sorted(after - before for (before, _), (after, _) in pairwise(self._pictures))
        took = sorted(seconds for _, seconds in self._pictures)
        return gaps[len(gaps) // 2] * WANTED > 1.0 and took[len(took) // 2] * WANTED > DRAWING

    @property
    def is_covered(self) -> bool:
        """Whether a simple picture lies over the views and is drawn: the rig stays as it is then."""
        return self._cover is not None and time.monotonic() < self._cover.drawn + UNSEEN_S

    def ahead(self, view: bpy.types.RegionView3D) -> Vector:
        """How far the simple picture is ahead of where Blender has its view, where that goes along with the character."""
        armature = self._find()
        follows = armature and armature.footfall.playing.follow and view.as_pointer() == self.followed and view.view_perspective != "CAMERA"
        way = self.place - self._stood if self.is_covered and follows else Vector()
        return Vector((way.x, way.y, 0.0))

    def ends(self, part: str) -> tuple[Vector, Vector]:
        """Where a part of the body begins and ends in the last pose, world."""
        body, link = self._retarget.fit.simulated, LINKS.index(part)
        joints, turns = body.skeleton.forward_kinematics(self.pose.root, self.pose.rotations)
        name, dot, side = part.partition(".")
        after = NEXT.get(name, "") + dot + side
        end = joints[LINKS.index(after)] if after in LINKS else joints[link] + rotation.rotate(turns[link], 2.0 * np.array(body.shapes[link].center))
        return Vector(self.placement.to_world(joints[link])), Vector(self.placement.to_world(end))

    def middle(self, part: str) -> Vector:
        """Where a part of the body is in the last pose, world."""
        start, end = self.ends(part)
        return (start + end) / 2

    def _take_in(self, status: Status) -> None:
        self.played = status.played
        if status.frames:
            recent = [(at, root) for at, root in self._roots if at >= self.seconds - ROOT_S]
            self._roots = [*recent, (self.seconds, np.array(status.frames[-1].root))]

    def _show(self, armature: bpy.types.Object) -> None:
        if not self._coming:
            return
        if armature.footfall.playing.light and self.slow and self.simple is None:
            self._quicken(armature)
        if self.light:
            light_view.lighten()
        self.pose = self._coming[-1]
        self._coming.clear()
        self.place = Vector(self.placement.to_world(np.array(self.pose.root)))
        self.shown, self._showed = self.shown + 1, time.monotonic()
        if self.simple:
            self.simple.pose(np.array(self.pose.root), np.array(self.pose.rotations))
            if self._stood is not None:  # else the rig, and the view that goes along with it, are not where the cover begins
                self._cover = self._cover or Cover(self._draw_over, self._is_in)
        if self.is_covered:
            redraw_over()
        else:
            self._stood = self.place.copy()
            preview.show_pose(armature, self._retarget, self.pose)

    def _quicken(self, armature: bpy.types.Object) -> None:
        """Have less to draw."""
        if self.light:
            self.simple = simple_view_of(bpy.context, armature, self._retarget, self.level)
        self.light = True
        self._pictures.clear()

    def _draw_over(self, area: bpy.types.Area, region: bpy.types.Region, looks: bpy.types.RegionView3D) -> None:
        draw_over(self, area, region, looks)

    def _is_in(self, window: bpy.types.Window) -> bool:
        """Whether the scene that a window shows is one of the character's."""
        return self.name in window.scene.objects

    def _uncover(self) -> None:
        if self._cover:
            self._cover.take_off()
            self._cover = None


def controls_of(motion: bpy.types.PropertyGroup) -> Controls:
    """The keys of a character that moves so."""
    return Controls(motion.gait if method.has(motion, "gait") else None)


def take_of(armature: bpy.types.Object) -> dict:
    """The take that is chosen for a character, as a job."""
    path = files.found(armature.footfall.playing.take) if armature.footfall.playing.take else None
    if path is None or not Path(path).is_file():
        raise JobError("There is no take: play one, or choose the file of one.")
    try:
        job = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FormatError(f"'{path}' cannot be read as a take ({error}): choose another file.") from error
    if not isinstance(job, dict) or not job.get("played"):
        raise FormatError(f"'{path}' holds no take: choose a file that Play Live has made.")
    return job


def again(context: bpy.types.Context, armature: bpy.types.Object) -> dict:
    """The job in which a character does what its take says: by the take's method and with what was told in it, with its own body, where it stands."""
    take, (own, _) = take_of(armature), scene.job_of(context, armature, played=True)
    if take["method"] != own["method"]:
        raise JobError(f"The take was played by the method '{take['method']}': choose that in the Motion panel.")
    told = {key: take[key] for key in ("events", "duration", "fps", "seed", "time_step", "engine", "gait", "style", "exaggerate") if key in take}
    return own | told
