"""Scene → job: what the panels say and what lies around the character, as the simulation takes it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ..core.anatomy.bones import BoneMap
from ..core.errors import JobError
from . import colliders, fits, held, mapping, method, others, preferences, pressures, references, steering
from .aside import aside
from .object_motion import plays, worlds
from .properties.methods import values
from .rig.fit import Fit, Placement, fit
from .rig.flesh import Skin
from .rig.read import read_bones
from .rig.retarget import current_pose, where_it_stands
from .rig.skin import read_skin
from .spaces import placement_in, space_of
from .span import Span, span_of

BALL_DISTANCE = 2.5  # m from the character to where a ball is thrown
BALL_HEIGHT = 0.72  # of the stature: the chest, where balls are aimed
BALL_FROM = {"FRONT": (1.0, 0.0), "LEFT": (0.0, 1.0), "RIGHT": (0.0, -1.0), "BACK": (-1.0, 0.0)}
GRAVITY = 9.81
SAMPLES = 9  # frames on which an object that moves by itself is looked at before the simulation
LOOK_AHEAD = 0.5  # s in which hips must have gone somewhere, for that to be their way
GOES = 0.25  # m/s on a person: hips that are slower than this sway


@dataclass(frozen=True)
class Character:
    """A character measured where it stands: everything that is needed to write a result onto it. ``world``: (4, 4) of the armature object then."""

    bone_map: BoneMap
    fit: Fit
    placement: Placement
    world: np.ndarray


def measure(armature: bpy.types.Object, now: bool = False) -> Character:
    """Fit a body to the character and place it where it starts, or with ``now`` where the current frame shows it."""
    return _measured(armature, armature, read_skin(armature), None if now else kept_placement(armature))


def _measured(armature: bpy.types.Object, shown: bpy.types.Object, skin: Skin | None, placement: Placement | None = None) -> Character:
    """A character as ``shown``, itself or an evaluated copy, has it; placed where it stands in that, unless ``placement`` says otherwise."""
    settings, bone_map = armature.footfall, mapping.bone_map(armature)
    mass = None if settings.own_mass else settings.mass
    world = np.array(shown.matrix_world)
    if skin and shown != armature:
        skin = skin.moved(world @ np.linalg.inv(np.array(armature.matrix_world)))
    fitted = fit(read_bones(shown), bone_map, mass, settings.sex, base=world[2, 3], skin=skin)
    return Character(bone_map, fitted, placement or where_it_stands(shown, bone_map, fitted), world)


def measure_at_start(scene: bpy.types.Scene, armature: bpy.types.Object, first: int, roughly: bool = False) -> Character:
    """Where a bake begins that starts on frame ``first``, whatever frame is shown. Who plays no animation goes the way it faces. Who plays one goes
    the way its hips go on that frame, or where they go nowhere, the way they face; on what it plays itself hits begin where that begins.
    *Direction* then turns it. ``roughly``: bones alone, without the skin."""
    motion, skin, kept = armature.footfall.motion, None if roughly else read_skin(armature), kept_placement(armature)
    if not plays(armature):
        character = _measured(armature, armature, skin, kept)
    else:
        here = scene.frame_current == first and scene.frame_subframe == 0.0  # then a pose that has no keys yet counts, too
        with aside(armature) as at:
            character = _measured(armature, armature if here else at(first), skin, kept)
            if not (kept or method.follows_clip(motion)):
                character = replace(character, placement=_the_way_it_goes(character, at, first, scene.render.fps / scene.render.fps_base))
    return replace(character, placement=character.placement.turned(direction_of(motion)))


def _the_way_it_goes(character: Character, at: Callable[[float], bpy.types.Object], first: int, fps: float) -> Placement:
    """The placement of a character, turned to where its hips go from a frame on, if they do."""
    hips = character.bone_map.bones["pelvis"][0]
    places = []
    for frame in (first, first + LOOK_AHEAD * fps):
        shown = at(frame)
        places.append(np.array(shown.matrix_world @ shown.pose.bones[hips].head))
    away = places[1] - places[0]
    if math.hypot(away[0], away[1]) < GOES * LOOK_AHEAD * character.placement.scale:
        return character.placement
    return replace(character.placement, yaw=math.atan2(away[1], away[0]))


def direction_of(motion: bpy.types.PropertyGroup) -> float:
    """By how much (rad) the character is turned before it sets off; hits happen where they happen."""
    return 0.0 if method.takes_hits(motion) else motion.direction


def kept_placement(armature: bpy.types.Object) -> Placement | None:
    """Where the last bake began, while the character still plays it: baking again starts there again, whatever the current frame shows."""
    bake, data, motion = armature.footfall.bake, armature.animation_data, armature.footfall.motion
    from_pose = method.has(motion, "start") and motion.start == "POSE"
    if from_pose or bake.action is None or data is None or data.action != bake.action:
        return None
    return replace(placement_in(space_of(armature, bake)), direction=bake.direction)


def job_of(context: bpy.types.Context, armature: bpy.types.Object, roughly: bool = False, played: bool = False) -> tuple[dict, Character]:
    """The job that the panels describe, and the character as it was measured for it. Length, speed and way are left out where they are as in the
    recording, or as the method has them. ``roughly``: of bones alone, without the skin, and without what hits it. ``played``:
    somebody else says what happens, and where to go."""
    span, motion, ground = span_of(context.scene, armature), armature.footfall.motion, context.scene.footfall.ground
    if span.last <= span.first and not played:
        raise JobError(f"The frames {span.first} to {span.last} hold no motion: set the end after the start.")
    method.refuse_unknown(motion)
    character = measure_at_start(context.scene, armature, span.first, roughly)
    worlds(armature, np.linspace(span.first, span.last, SAMPLES), character.world)  # says what cannot be made up for
    job = {
        "method": method.name_of(motion),
        **_settings(context, armature, span, character),
        "body": character.fit.body,
        "engine": preferences.engine(),
        "fps": span.fps,
        "friction": ground.friction,
        "events": [] if roughly or played else _events(context.scene, armature, span, character),
    }
    if method.has(motion, "step_width"):
        job["self_collision"] = motion.collide
    else:
        job["body"] = character.fit.bare_body
    if method.has(motion, "like") and not roughly:
        job["like"] = held.before(armature, job)
    if played:
        job["played"] = True
    elif method.goes_on(motion):
        job["duration"] = span.seconds
    if method.steered(motion) and not played:
        job |= steering.speed_of(armature, span) | steering.heading_of(context.scene, armature, span, character.placement)
    if ground.kind == "MESHES":
        job |= colliders.ground_of(context, armature, character.placement, span.first)
    if armature.footfall.others_in_way and method.method_of(motion).STEERED:
        job["obstacles"] = [*job.get("obstacles", []), *others.in_the_way(context.scene, armature, character.placement, span)]
    return job, character


def _settings(context: bpy.types.Context, armature: bpy.types.Object, span: Span, character: Character) -> dict:
    """The settings of the method: its properties, and what they leave to the recordings, to the body, to the pose and to the ground."""
    motion, ground = armature.footfall.motion, context.scene.footfall.ground
    found = values(motion, method.name_of(motion))
    for name, value in found.items():
        if isinstance(value, bpy.types.Object):  # it marks a place on the ground, if it is still in a scene
            place = character.placement.to_job(np.array(value.matrix_world.translation))[:2]
            found[name] = [round(float(way), 4) for way in place] if value.users_scene else None
    if method.follows_clip(motion):
        found |= references.clips_of(context.scene, motion)
    if method.follows_feet(motion):
        found |= pressures.recording_of(context.scene, motion)
    if "arm_spread" in found:
        found["arm_spread"] = round(character.fit.arm_spread + found["arm_spread"], 4)
    if method.has(motion, "legs_apart"):
        found["legs_apart"] = not motion.collide
    if found.get("step_width") == 0.0:
        found["step_width"] = round(character.fit.step_width, 4)
    if method.has(motion, "start"):
        found["start"] = _start(context, armature, span, character)
    if method.has(motion, "fits"):
        found["fits"] = fits.of_job(armature)
    if method.has(motion, "slope_adaptation") and ground.kind == "MESHES":
        found["slope_adaptation"] = ground.adapt
    return found


def _start(context: bpy.types.Context, armature: bpy.types.Object, span: Span, character: Character) -> str | dict:
    start = armature.footfall.motion.start
    if start != "POSE":
        return start.lower()
    shown = context.scene.frame_current
    if shown != span.first:
        raise JobError(f"The pose of frame {shown} is shown, but the bake starts on frame {span.first}: go there, or set the start frame to {shown}.")
    return {"rotations": current_pose(armature, character.bone_map, character.fit, character.placement)}


def _events(scene: bpy.types.Scene, armature: bpy.types.Object, span: Span, character: Character) -> list[dict]:
    """Pushes and balls; none without physics, where nothing would feel them."""
    motion = armature.footfall.motion
    if not method.has_physics(motion):
        return []
    chosen = method.method_of(motion)
    events = _pushes(armature, span, character.placement) + _balls(scene, armature, span, character)
    for event in events:
        if event["type"] not in chosen.EVENTS:
            plural = {"push": "pushes", "ball": "balls"}[event["type"]]
            raise JobError(f"The method {chosen.LABEL} takes no {plural}: remove them, or choose {method.others_taking(motion, event['type'])}.")
    return events


def _pushes(armature: bpy.types.Object, span: Span, placement: Placement) -> list[dict]:
    return [push_event(push, span, placement) for push in armature.footfall.pushes if span.holds(push.frame)]


def push_event(push: bpy.types.PropertyGroup, span: Span, placement: Placement) -> dict:
    """As a job has it."""
    newtons, seconds = push.force
    force = newtons * placement.direction_to_job(push_direction(push))
    return {"type": "push", "time": span.time(push.frame), "duration": seconds, "part": push.part, "frame": "world",
            "force": [float(value) for value in force]}


def push_direction(push: bpy.types.PropertyGroup) -> np.ndarray:
    """(3,) unit vector, world: where a push goes."""
    direction = push.aim.matrix_world.col[2].to_3d() if push.aim else push.direction
    size = math.sqrt(sum(value * value for value in direction))
    if size < 1e-9:
        raise JobError(f"The push at frame {push.frame} has no direction: set one of X, Y, Z.")
    return np.array([value / size for value in direction])


def _balls(scene: bpy.types.Scene, armature: bpy.types.Object, span: Span, character: Character) -> list[dict]:
    events = []
    for ball in armature.footfall.balls:
        if span.holds(ball.frame):
            thrown = ball.source == "OBJECT"
            flight = _flight_from_object(ball, character.placement) if thrown else _flight_at_character(scene, ball, armature, character)
            events.append({"type": "ball", "time": span.time(ball.frame), "mass": ball.kilograms, "radius": ball.radius, **flight})
    return events


def _flight_from_object(ball: bpy.types.PropertyGroup, placement: Placement) -> dict:
    if ball.thrower is None:
        raise JobError(f"The ball at frame {ball.frame} has no object to be thrown from: choose one, or another side.")
    matrix = ball.thrower.matrix_world
    velocity = ball.speed * placement.direction_to_job(np.array(matrix.col[2].to_3d().normalized()))
    return {"frame": "world", "position": placement.to_job(np.array(matrix.translation)).tolist(), "velocity": velocity.tolist()}


def _flight_at_character(scene: bpy.types.Scene, ball: bpy.types.PropertyGroup, armature: bpy.types.Object, character: Character) -> dict:
    """A throw that meets the chest of a character that walks on while the ball flies; a method that knows where the chest will be aims there."""
    height = BALL_HEIGHT * stature(character.fit)
    time = BALL_DISTANCE / ball.speed
    walking = steering.usual_speed(scene, armature.footfall.motion)
    ahead, left = BALL_FROM[ball.source]
    return {"frame": "heading", "position": [BALL_DISTANCE * ahead, BALL_DISTANCE * left, height],
            "velocity": [walking - ball.speed * ahead, -ball.speed * left, 0.5 * GRAVITY * time], "part": "torso"}


def stature(fitted: Fit) -> float:
    """About how tall the simulated body is, m: the hips are at 53 % of a person's height."""
    return float(fitted.joints["pelvis"][2]) / 0.53
