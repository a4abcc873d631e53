"""Scene → job: what the panels say and what lies around the character, as the simulation takes it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix

from ..core.anatomy.bones import BoneMap
from ..core.errors import JobError
from . import colliders, mapping, method, preferences, references, steering
from .properties.methods import values
from .rig.fit import Fit, Placement, fit
from .rig.read import read_bones
from .rig.retarget import current_pose, where_it_stands
from .rig.skin import read_skin
from .span import Span, span_of

BALL_DISTANCE = 2.5  # m from the character to where a ball is thrown
BALL_HEIGHT = 0.72  # of the stature: the chest, where balls are aimed
BALL_FROM = {"FRONT": (1.0, 0.0), "LEFT": (0.0, 1.0), "RIGHT": (0.0, -1.0), "BACK": (-1.0, 0.0)}
GRAVITY = 9.81
MOVED = 1e-4  # of a matrix: what moves by less stands still


@dataclass(frozen=True)
class Character:
    """A character measured where it stands: everything that is needed to write a result onto it."""

    bone_map: BoneMap
    fit: Fit
    placement: Placement


def measure(armature: bpy.types.Object, now: bool = False) -> Character:
    """Fit a body to the character and place it where it starts, or with ``now`` where the current frame shows it."""
    settings = armature.footfall
    bone_map = mapping.bone_map(armature)
    mass = None if settings.own_mass else settings.mass
    fitted = fit(read_bones(armature), bone_map, mass, settings.sex, base=armature.matrix_world.translation.z, skin=read_skin(armature))
    from_pose = method.has(settings.motion, "start") and settings.motion.start == "POSE"
    kept = None if now or from_pose else kept_placement(armature)
    return Character(bone_map, fitted, kept or where_it_stands(armature, bone_map, fitted))


def kept_placement(armature: bpy.types.Object) -> Placement | None:
    """Where the last bake began, while the character still plays it: baking again starts there again, whatever the current frame shows."""
    bake, data = armature.footfall.bake, armature.animation_data
    if bake.action is None or data is None or data.action != bake.action:
        return None
    return placement_in(bake_space(armature))


def placement_in(space: Matrix) -> Placement:
    """The placement whose matrix this is."""
    matrix = np.array(space)
    return Placement(matrix[:3, 3], math.atan2(matrix[1, 0], matrix[0, 0]), float(np.cbrt(np.linalg.det(matrix[:3, :3]))))


def bake_space(armature: bpy.types.Object) -> Matrix:
    """The 4×4 matrix from the last bake's simulated metres to the world; it moves with the armature object, as its keys do."""
    return armature.matrix_world @ armature.footfall.bake.space


def job_of(context: bpy.types.Context, armature: bpy.types.Object) -> tuple[dict, Character]:
    """The job that the panels describe, and the character as it was measured for it. Length, speed and way are left out where they are as in the
    recording, or as the method has them."""
    span, motion, ground = span_of(context.scene, armature), armature.footfall.motion, context.scene.footfall.ground
    if span.last <= span.first:
        raise JobError(f"The frames {span.first} to {span.last} hold no motion: set the end after the start.")
    method.refuse_unknown(motion)
    character = _measured_at_start(context, armature, span)
    job = {
        "method": method.name_of(motion),
        **_settings(context, armature, span, character),
        "body": character.fit.body,
        "engine": preferences.engine(),
        "fps": span.fps,
        "friction": ground.friction,
        "events": _events(context.scene, armature, span, character),
    }
    if method.has(motion, "step_width"):
        job["self_collision"] = motion.collide
    else:
        job["body"] = character.fit.bare_body
    if method.goes_on(motion):
        job["duration"] = span.seconds
    if method.steered(motion):
        job |= steering.speed_of(armature, span) | steering.heading_of(context.scene, armature, span, character.placement)
    if ground.kind == "MESHES":
        job |= colliders.ground_of(context, armature, character.placement, span.first)
    return job, character


def _settings(context: bpy.types.Context, armature: bpy.types.Object, span: Span, character: Character) -> dict:
    """The settings of the method: its properties, and what they leave to the recordings, to the body, to the pose and to the ground."""
    motion, ground = armature.footfall.motion, context.scene.footfall.ground
    found = values(motion, method.name_of(motion))
    if method.follows_clip(motion):
        found |= references.clips_of(context.scene, motion)
    if "arm_spread" in found:
        found["arm_spread"] = round(character.fit.arm_spread + found["arm_spread"], 4)
    if method.has(motion, "start"):
        found["start"] = _start(context, armature, span, character)
    if method.has(motion, "slope_adaptation") and ground.kind == "MESHES":
        found["slope_adaptation"] = ground.adapt
    return found


def _measured_at_start(context: bpy.types.Context, armature: bpy.types.Object, span: Span) -> Character:
    """Where the bake starts. Hits on what the character plays itself begin where that begins, whatever the current frame shows."""
    motion, scene = armature.footfall.motion, context.scene
    recording = references.find(scene, motion.reference) if method.takes_hits(motion) else None
    if recording is None or recording.kind != "ACTION":
        return measure(armature)
    shown = scene.frame_current, scene.frame_subframe
    try:
        scene.frame_set(span.last)
        end = armature.matrix_world.copy()
        scene.frame_set(span.first)
        if np.abs(np.array(end) - np.array(armature.matrix_world)).max() > MOVED:
            _refuse_moving(armature)
        return measure(armature)
    finally:
        scene.frame_set(shown[0], subframe=shown[1])


def _refuse_moving(armature: bpy.types.Object) -> None:
    """Bones can be keyed only on an object that stands still."""
    mover = next((f"the constraint '{constraint.name}'" for constraint in armature.constraints if not constraint.mute), None)
    mover = mover or (f"its parent '{armature.parent.name}'" if armature.parent else "its action")
    raise JobError(f"'{armature.name}' is moved as an object by {mover}: bake that into the bones first (Pose > Animation > Bake Action, with Visual "
                   "Keying and Clear Constraints), or hit a recording.")


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
    events = []
    for push in armature.footfall.pushes:
        if span.holds(push.frame):
            newtons, seconds = push.force
            force = newtons * placement.direction_to_job(push_direction(push))
            events.append({"type": "push", "time": span.time(push.frame), "duration": seconds, "part": push.part, "frame": "world",
                           "force": [float(value) for value in force]})
    return events


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
