"""A score on a body: feet on their places, a centre of mass that moves over them as a body must, legs that reach, trunk and arms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ... import rotation
from ...arrays import Array, Bools
from ...body import Body
from ...feet import link, soles
from ...feet.legs import lowered, reaching
from ...feet.stances import Stance
from ...kinematics import GRAVITY, acceleration, momentum_about_com, velocity
from ...measure.balance import zero_moment
from ...motion import Motion
from ...reference import RATE, Reference
from ...reference.fragments import cut
from ...signals import local_fit, nearby, runs, smooth_step
from .paths import carried, hermite, through
from .score import EASE, Score

FPS = 60.0  # frames a second at which balance is looked for
USUAL_LEG = 0.84  # m, of the man whose times are written down
ROLL_S, DOWN_S = 0.22, 0.12  # s in which a heel leaves the floor before its toes, and a foot comes down flat
ALONG = 0.17  # of a foot's length, from the ankle to where a foot at rest is pressed in the middle
ON_ONE, ON_TWO, FREELY = 0.006, 0.015, 1e3  # m that the middle of pressure may be off: on one foot, on two, and in the air
SWAY = (0.004, 0.0025)  # m, of the middle of pressure in quiet standing, ahead and to the side
SWAY_HZ = (0.12, 0.23, 0.41, 0.67, 0.95, 1.4, 2.1)
UNSTEADY = 2.0  # times as much of it on one foot
ROUNDS = 6  # of looking for the pelvis under which the body balances
STILL_ARMS = 0.7  # share of what the trunk leans that the head makes good
STRAIGHT = np.radians(8.0)  # of a knee that carries, at least; and so many s before it does and after, or it would snap
SOON_S = 0.1
LEAVES, HIGHEST, ARRIVES = 0.12, 0.36, 0.04  # of its time in the air: when a foot sets off, is highest, and is there before it lands
ON_THE_FLOOR = 0.12  # m, of a foot whose toes still lie flat as its heel rises


@dataclass(frozen=True, eq=False)
class Feet:
    """F frames of both feet: ankles (F, 2, 3) m as if the feet were flat, turns (F, 2) rad to the left, pitch (F, 2) rad of toes that point down,
    toes (F, 2) rad, and down (F, 2)."""

    flat: Array
    turns: Array
    pitch: Array
    down: Bools


def perform(score: Score, body: Body, name: str, seed: int = 0, sway: float = 1.0) -> Reference:
    """The score done by a body. ``sway``: how unsteady it stands, times what is usual; ``seed``: of that."""
    pace, leg = pace_of(body), body.leg_length
    frames = int(score.seconds * pace * FPS) + 1
    times = np.arange(frames) / FPS / pace
    held = _held(score, times)
    feet = _feet(score, body, times, held)
    wanted, off = _pressed(score, body, times, feet, held)
    wanted += sway * _swaying(times * pace, feet.down, seed)
    tops = _heights(score, times, pace, leg)
    roots = np.concatenate([wanted, np.full((frames, 1), body.standing_height)], axis=1)
    roots[:, 2] -= held["sink"] * leg
    goal = wanted.copy()
    motion = _posed(body, roots, held, feet)
    for _ in range(ROUNDS):
        com, push, spin = _momentum(body, motion)
        pressed = zero_moment(com, push, spin, body.mass, 0.0)
        missing = np.where(np.isfinite(pressed) & (off < FREELY)[:, None], wanted - pressed, 0.0)
        goal += local_fit(missing, FPS, 0.15, 1)
        way = carried(goal, off, com[:, 2], push[:, 2], FPS)
        roots[:, :2] += way - com[:, :2]
        if tops is not None:
            roots[:, 2] += tops + com[0, 2] - com[:, 2]
        motion = _posed(body, roots, held, feet)
    motion = motion.resample(RATE)
    stances = [Stance(foot, start, end) for foot in (0, 1) for start, end in runs(_at_rate(feet.down[:, foot], motion.frames))]
    stances.sort(key=lambda stance: (stance.start, stance.foot))
    return Reference(name, body, motion, stances, cut(motion, stances), RATE, [])


def pace_of(body: Body) -> float:
    """How many times as long as it is written down a body takes: small ones are quick, as pendulums are."""
    return float(np.sqrt(body.leg_length / USUAL_LEG))


def _at_rate(on: Bools, frames: int) -> Bools:
    return on[np.minimum(np.round(np.arange(frames) * FPS / RATE).astype(int), len(on) - 1)]


def _held(score: Score, times: Array) -> dict[str, Array]:
    """(F,) of every part of a pose."""
    found = {}
    for name, rest in EASE.items():
        keys = [(time, pose[name]) for time, pose in score.poses if name in pose]
        keys = [(0.0, rest), *keys, (score.seconds, rest)]
        marks = sorted(dict(keys).items())
        found[name] = through(np.array([time for time, _ in marks]), np.array([value for _, value in marks]), times)
    return found


def _feet(score: Score, body: Body, times: Array, held: dict[str, Array]) -> Feet:
    frames, leg = len(times), body.leg_length
    ankle = -float(body.sole_points[body.sole_links == link(body, "foot", 0), 2].min())
    flat, turns, pitch = np.zeros((frames, 2, 3)), np.zeros((frames, 2)), np.zeros((frames, 2))
    down = np.ones((frames, 2), dtype=bool)
    for foot, side in ((0, 1.0), (1, -1.0)):
        place = score.places[foot]
        ways = [(0.0, place.ahead * leg, place.left * leg, side * place.out)]
        ups, tilts = [(0.0, 0.0)], [(0.0, 0.0)]
        for swing in (swing for swing in score.swings if swing.foot == foot):
            air = swing.lands - swing.lifts
            start, end = ways[-1], (swing.lands, swing.to.ahead * leg, swing.to.left * leg, side * swing.to.out)
            # It goes up before it goes anywhere, or toes would scrape the floor.
            ways += [(swing.lifts + LEAVES * air * (swing.shift > 0.0), *start[1:])]
            ways += [(swing.lifts + via.after, via.ahead * leg, via.left * leg, start[3]) for via in swing.via]
            ways.append((swing.lands - ARRIVES * air, *end[1:]))
            ups += [(swing.lifts, 0.0), *((swing.lifts + via.after, via.up * leg) for via in swing.via)]
            ups += [(swing.lands, 0.0)] if swing.via else [(swing.lifts + HIGHEST * air, swing.up * leg), (swing.lands, 0.0)]
            tilts += [(max(swing.lifts - ROLL_S, tilts[-1][0] + 0.01), 0.0), (swing.lifts, swing.rolls_off)]
            tilts += [(swing.lifts + via.after, via.point) for via in swing.via]
            tilts += [(swing.lands, swing.rolls_on), (swing.lands + DOWN_S, 0.0)]
            down[(times > swing.lifts) & (times < swing.lands), foot] = False
        way = _keyed(ways, times)
        flat[:, foot, :2], turns[:, foot] = way[:, :2], way[:, 2]
        flat[:, foot, 2] = _keyed(ups, times)[:, 0]
        pitch[:, foot] = _keyed(tilts, times)[:, 0] + held[f"heel.{'LR'[foot]}"]
    flat[..., 2] += ankle
    return Feet(flat, turns, pitch, down)


def _keyed(keys: Sequence[tuple[float, ...]], times: Array) -> Array:
    """(F, D) through keys of a time and D values, of which the last of the same time counts."""
    table = np.array(keys)
    table = table[np.append(np.diff(table[:, 0]) > 1e-9, True)]
    return through(table[:, 0], table[:, 1:], times)


def _ankles(body: Body, feet: Feet) -> tuple[Array, Array, Array]:
    """Ankles (F, 2, 3) m, turns (F, 2, 4) and toes (F, 2) rad: feet tilt on the ball, with toes that stay on the floor, or on the heel."""
    turned = rotation.from_axis_angle((0.0, 0.0, 1.0), feet.turns)
    tilted = rotation.hinge(feet.pitch)
    corners = body.sole_points[body.sole_links == link(body, "foot", 0)]
    ball, heel = body.offsets[link(body, "toes", 0)], np.array([corners[:, 0].min(), 0.0, corners[:, 2].min()])
    pivot = np.where(feet.pitch[..., None] > 0.0, ball, heel) * np.array([1.0, 0.0, 1.0])
    ankles = feet.flat + rotation.rotate(turned, pivot - rotation.rotate(tilted, pivot))
    lifted = feet.flat[..., 2] - feet.flat[..., 2].min()
    toes = -np.clip(feet.pitch, 0.0, 1.0) * (1.0 - smooth_step(lifted / ON_THE_FLOOR))
    return ankles, rotation.multiply(turned, tilted), toes


def _pressed(score: Score, body: Body, times: Array, feet: Feet, held: dict[str, Array]) -> tuple[Array, Array]:
    """Where the ground is to press, (F, 2) m, and how far that may be off, (F,) m."""
    ahead = np.stack([np.cos(feet.turns), np.sin(feet.turns)], axis=-1)
    ball = float(body.offsets[link(body, "toes", 0), 0])
    # A foot whose heel is up is pressed under its ball.
    along = ALONG * body.foot_length + (ball - ALONG * body.foot_length) * smooth_step(feet.pitch / 0.3)
    along = along + held["weight ahead"][:, None] * body.foot_length
    places = _stood(feet.flat[..., :2], feet.down) + along[..., None] * ahead
    share = _shares(score, times)
    wanted = share[:, None] * places[:, 0] + (1.0 - share)[:, None] * places[:, 1]
    count = feet.down.sum(axis=1)
    return wanted, np.where(count == 2, ON_TWO, np.where(count == 1, ON_ONE, FREELY))


def _swaying(times: Array, down: Bools, seed: int) -> Array:
    """(F, 2) m that the middle of pressure sways, ahead and to the left."""
    random = np.random.default_rng(seed)
    phases, sizes = random.uniform(0.0, 2.0 * np.pi, (2, len(SWAY_HZ))), random.uniform(0.3, 1.0, (2, len(SWAY_HZ)))
    clock = times[:, None, None] * np.array(SWAY_HZ) * 2.0 * np.pi
    steady = np.where(down.all(axis=1), 1.0, UNSTEADY)[:, None]
    return local_fit(steady, FPS, 0.3, 1) * np.array(SWAY) * (sizes * np.sin(clock + phases)).sum(axis=2)


def _stood(places: Array, down: Bools) -> Array:
    """(F, 2, 2) m where feet stand or stood last, of where they are."""
    frames = np.arange(len(places))
    return np.stack([places[np.maximum.accumulate(np.where(down[:, foot], frames, 0)), foot] for foot in (0, 1)], axis=1)


def _shares(score: Score, times: Array) -> Array:
    """(F,) the share of the weight on the left foot."""
    keys: list[tuple[float, float]] = []
    for swing in score.swings:
        if swing.shift <= 0.0:
            continue
        on = 1.0 if swing.foot == 0 else 0.0  # the share that means all on this foot
        before = [key for key in keys if key[0] <= swing.lifts - swing.shift]
        last = before[-1][1] if before else 0.5
        if len(before) == len(keys):
            # There is time to begin from rest.
            first = last + swing.away * (on - last) * 2.0 * min(last, 1.0 - last)
            keys += [(swing.lifts - swing.shift, last), (swing.lifts - 0.55 * swing.shift, first)]
        else:
            # Still on its way from the step before: straight on.
            keys = [key for key in keys if key[0] <= swing.lifts - 0.1]
        keys += [(swing.lifts, 1.0 - on), (swing.lands, 1.0 - on), (swing.lands + swing.settles, 1.0 - on + swing.takes * (2.0 * on - 1.0))]
    keys += list(score.loads)
    marks = sorted({0.0: keys[0][1] if keys and keys[0][0] <= 0.0 else 0.5, **dict(sorted(keys))}.items())
    evenly = through(np.array([time for time, _ in marks]), np.array([share for _, share in marks]), times)
    return np.interp(evenly, [0.0, 0.5, 1.0], [0.0, score.rests, 1.0])


def _heights(score: Score, times: Array, pace: float, leg: float) -> Array | None:
    """(F,) m that the centre of mass is above where it is in standing, of a score with leaps: in the air it falls as everything does."""
    if not score.leaps:
        return None
    keys, values, speeds, pushes = [0.0], [0.0], [0.0], [0.0]
    for leap in score.leaps:
        lifts, lands = leap.lifts * pace, leap.lands * pace
        fast, top = GRAVITY * (lands - lifts) / 2, leap.stretch * leg
        for moment, value, speed, push in ((lifts - 0.8 * pace, 0.0, 0.0, 0.0), (lifts - 0.3 * pace, -leap.before * leg, 0.0, 0.6 * GRAVITY),
                                           (lifts, top, fast, -GRAVITY), (lands, top, -fast, -GRAVITY),
                                           (lands + 0.22 * pace, -leap.after * leg, 0.0, 0.5 * GRAVITY), (lands + 0.75 * pace, 0.0, 0.0, 0.0)):
            keys.append(moment)
            values.append(value)
            speeds.append(speed)
            pushes.append(push)
    keys.append(max(score.seconds * pace, keys[-1] + 0.01))
    return hermite(np.array(keys), np.array([*values, 0.0]), np.array([*speeds, 0.0]), np.array([*pushes, 0.0]), times * pace)


def _momentum(body: Body, motion: Motion) -> tuple[Array, Array, Array]:
    """(F, 3) each: centre of mass, m, its acceleration, m/s², and the change of angular momentum about it, N m."""
    positions, orientations = motion.world()
    coms = positions + rotation.rotate(orientations, body.com_offsets)
    com = np.einsum("l,fld->fd", body.masses / body.mass, coms)
    return com, acceleration(com, motion.fps), velocity(momentum_about_com(body.masses, body.inertias, coms, orientations, motion.fps), motion.fps)


def _posed(body: Body, roots: Array, held: dict[str, Array], feet: Feet) -> Motion:
    """The body over its feet with trunk and arms as they are held."""
    frames = len(roots)
    rotations = rotation.identity((frames, len(body.names)))

    def turned(yaw: Array, pitch: Array, roll: Array) -> Array:
        return rotation.from_euler(np.stack([yaw, pitch, roll], axis=-1), "zyx")

    rotations[:, 0] = turned(held["pelvis yaw"], held["pelvis pitch"], held["pelvis roll"])
    trunk = turned(held["trunk yaw"], held["trunk pitch"], held["trunk roll"])
    rotations[:, body.names.index("torso")] = trunk
    steadied = [-STILL_ARMS * (held[f"pelvis {axis}"] + held[f"trunk {axis}"]) for axis in ("yaw", "pitch", "roll")]
    rotations[:, body.names.index("head")] = turned(steadied[0] + held["head yaw"], steadied[1] + held["head pitch"], steadied[2])
    for foot, side in enumerate("LR"):
        sign = 1.0 if side == "L" else -1.0
        arm = np.stack([sign * held[f"arm out.{side}"], -held[f"arm ahead.{side}"], sign * held[f"arm twist.{side}"]], axis=-1)
        rotations[:, body.names.index(f"upper_arm.{side}")] = rotation.from_euler(arm)
        rotations[:, body.names.index(f"forearm.{side}")] = rotation.hinge(-held[f"elbow.{side}"])
        # The knee points where the foot does, for the greater part.
        out = 0.7 * (feet.turns[:, foot] - held["pelvis yaw"]) + sign * held[f"knee out.{side}"]
        rotations[:, link(body, "shin", foot)] = rotation.hinge(STRAIGHT)
        rotations[:, link(body, "thigh", foot)] = rotation.from_axis_angle((0.0, 0.0, 1.0), out)
    motion = Motion(body.skeleton, FPS, roots, rotations)
    ankles, turns, toes = _ankles(body, feet)
    near = np.stack([nearby(feet.down[:, foot], SOON_S * FPS) for foot in (0, 1)], axis=1)
    motion = lowered(body, motion, ankles, near, STRAIGHT)
    motion = reaching(body, motion, ankles, turns, toes)
    deep = np.maximum(0.0, -soles(body, motion)[..., 2].min(axis=2))
    if deep.max() > 1e-4:
        ankles[..., 2] += deep
        motion = reaching(body, motion, ankles, turns, toes)
    return motion
