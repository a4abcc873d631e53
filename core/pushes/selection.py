"""Selection: the response that suits a push on a pose (Yin 2007, section 4.4).

A response was recorded from the pose Ω₀ that was pushed. Its recoverable momentum r is that of its push, until the body has slowed down from it
(equation 4.4). It may serve for weaker pushes, which are easier to take, but not for stronger ones: r ≽ m + P. From what strength on a body has to
step, and from what on it falls, is interpolated between the pushes that were simulated around this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Bools
from ..rotation import wrap
from .database import Database
from .leading import Led
from .response import BALL, FALL, IN_PLACE, SPEED, STEPS

# Weights of the distances of equations 4.5 and 4.6: of strength against direction, of the pose, and of the height that is struck (leg lengths).
K_STRENGTH, W_POSE, W_HEIGHT = 1.0, 4.0, 0.2
W_ANGLES = 1.0  # the same of joint angles (rad) in the middle of a response
W_TWIST, TWISTED = 0.05, 0.6  # the same of feet that turn further against the pelvis than this (rad): what has tangled its legs is seldom shown
W_STEP, W_SECOND, W_COUNT = 4.0, 2.0, 0.3  # the same of how far (leg lengths) the first two steps are from where they are led, and of their number
W_FALL = 10.0  # the same of the direction of a fall: who lies turned about lies on other limbs
TOO_WEAK = 4.0  # times as bad as too strong: a response to a weaker push, where there is no other
ALIKE, SOFT, FAR_M = 8, 0.03, 0.1  # responses that are compared, the distance from one to a worse one, and m by which that must differ less
CAUGHT = 1.4  # times as strong as where a tracked walk fell, up to which a hit still catches who walks, by planning
NEAR = 6  # pushes of other directions and heights between which limits are interpolated
LEAST_M_S = 0.02  # m/s: what is slower than this rests
FAR = 0.16  # leg lengths, root mean square of features: walks and stances are nearer than this to those that were pushed, runs and kicks further


@dataclass(frozen=True)
class Push:
    """A push as it is looked up: ``direction`` rad, 0 forward, positive to the left; ``speed`` m/s that it gives a body as large as the database's;
    ``height`` in leg lengths."""

    direction: float
    speed: float
    height: float


@dataclass(frozen=True)
class Choice:
    """A response, from one of its frames on, and how it is to be changed.

    Attributes:
        number: in the database's index. frame: of the response, from which on it is shown; 0 for a push on a pose without a response.
        strategy: what becomes of the body. scale: α of equation 4.8, at most 1. turn: rad about the vertical.
    """

    number: int
    frame: int
    strategy: int
    scale: float
    turn: float


def chosen(database: Database, features: Array, push: Push, led: Sequence[Led] = ()) -> Choice:
    """The response to a push on a pose with ``features`` (D,), as ``response.features`` gives them (equations 4.5 and 4.6).

    ``led``: the steps of a body that stands, in the size of the database's, which the response is to be led to: then it is one that makes such steps,
    with the same foot first."""
    index = database.index
    poses = _away(database, features)
    strategy = _strategy(database, poses, push)
    away = np.abs(wrap(index.directions - push.direction)) / np.pi
    stronger = (index.speeds - push.speed) / index.speeds.max()
    if strategy != FALL:
        stronger = np.where(stronger < -1e-6, TOO_WEAK * stronger, stronger)
    distance = away**2 * (W_FALL if strategy == FALL else 1.0) + K_STRENGTH * stronger**2
    distance = distance + W_POSE * poses[index.start] + W_HEIGHT * (index.heights - push.height) ** 2
    distance = distance + W_TWIST * np.maximum(index.twists - TWISTED, 0.0) ** 2
    # Who stands is not shown with the steps of a walk, nor a walk with feet that stay.
    known = (index.strategies == strategy) & (index.walks[index.start] == index.walks[np.argmin(poses)])
    enough = (index.speeds >= push.speed - 1e-6) | (strategy == FALL)
    if led and (alike := known & (index.first == led[0].foot)).any():
        number = int(np.argmin(np.where(alike & enough if (alike & enough).any() else alike, distance + _off(database, push, led), np.inf)))
    else:
        number = _usual(database, np.where(known | ~known.any(), distance, np.inf), enough)
    scale = 1.0 if strategy == FALL else min(1.0, push.speed / float(index.speeds[number]))
    return Choice(number, 0, strategy, scale, float(wrap(push.direction - index.directions[number])))


def _off(database: Database, push: Push, led: Sequence[Led]) -> Array:
    """(R,) how far the steps of responses are from those that they are to be led to."""
    index, leg = database.index, database.body.leg_length
    turn = push.direction - index.directions
    c, s = np.cos(turn), np.sin(turn)
    off: Array = np.asarray(W_COUNT * (index.caught - len(led)) ** 2, dtype=float)
    for number, (one, weight) in enumerate(zip(led, (W_STEP, W_SECOND), strict=False)):
        x, y = index.places[:, number].T
        away = ((c * x - s * y - one.place[0]) ** 2 + (s * x + c * y - one.place[1]) ** 2) / leg**2
        off = off + weight * np.where(np.isnan(away), 1.0, away)
    return off


def knows(database: Database, features: Array) -> bool:
    """Whether a pose with ``features`` (D,) is like one that was pushed."""
    return bool(database.responses) and bool(_away(database, features).min() < FAR**2)


def _away(database: Database, features: Array) -> Array:
    """(S,) how far a pose with ``features`` (D,) is from those that were pushed."""
    away: Array = ((database.index.starts - features) ** 2).mean(axis=1)
    return away


def strategies(database: Database, features: Array, pushes: list[Push]) -> list[int]:
    """What becomes of a body in a pose with ``features`` (D,) after each of these pushes."""
    poses = _away(database, features)
    return [_strategy(database, poses, push) for push in pushes]


def _usual(database: Database, distance: Array, enough: Bools) -> int:
    """The response, of all at a ``distance`` (R,), that is most like those which suit about as well. Near the limits of balance little things decide
    what a body does: a single response may be the odd one. ``enough``: (R,) which are to pushes that are as strong; others only where there is none
    of them (equation 4.4)."""
    near = np.argsort(distance)[:ALIKE]
    if enough[near].any():
        near = near[enough[near]]
    weights = np.exp((distance[near[0]] - distance[near]) / SOFT)
    traces = database.index.traces[near]
    apart = np.linalg.norm(traces[:, None] - traces[None], axis=-1)
    return int(near[np.argmin(apart @ weights / weights.sum() + FAR_M * (distance[near] - distance[near[0]]) / SOFT)])


def _strategy(database: Database, poses: Array, push: Push) -> int:
    """What becomes of a body that is pushed in a pose ``poses`` (S,) away from those that were."""
    index = database.index
    start, direction, height = index.cells.T
    away = (wrap(direction - push.direction) / np.pi) ** 2 + W_POSE * poses[start.astype(int)] + W_HEIGHT * (height - push.height) ** 2
    caught = np.where(index.walks[start.astype(int)], CAUGHT, 1.0)
    calm, held = (_between(limits, away) for limits in (index.calm, caught * index.held))
    return FALL if push.speed > held else STEPS if push.speed > calm else IN_PLACE


def _between(limits: Array, away: Array) -> float:
    """The limit (C,) of pushes that are ``away`` (C,), interpolated between the nearest for which it is known; infinite where it is for none."""
    known = np.flatnonzero(np.isfinite(limits))
    if not len(known):
        return np.inf
    near = known[np.argsort(away[known])[:NEAR]]
    weights = 1.0 / (away[near] + 1e-4)
    return float(weights @ limits[near] / weights.sum())


def chosen_again(database: Database, features: Array, now: Array, feet: Bools, given: Array, height: float) -> Choice:
    """The response to a push in the middle of another one, from any frame of any response on (equations 4.6 and 4.7).

    Args:
        features: (D,) of the motion without any push, at that moment. now: (COLUMNS,) how the body differs from it, as a response has it.
        feet: (2,) whether the left and right foot stand. height: as of ``Push``.
        given: (2,) m/s, heading frame: what the push gives the body; it adds to what is left of the one before.
    """
    moving = now[SPEED] + given
    push = Push(float(np.arctan2(moving[1], moving[0])), float(np.linalg.norm(moving)), height)
    rows = database.rows
    # From a foot in the air to one that stands there is no way: such poses are infinitely far.
    fits = np.flatnonzero((rows.contacts == feet).all(axis=1))
    if _strategy(database, _away(database, features), push) == FALL or not len(fits):
        return chosen(database, features, push)
    away = wrap(rows.directions[fits] - push.direction) / np.pi
    stronger = (rows.speeds[fits] - push.speed) / database.index.speeds.max()
    distance = away**2 + K_STRENGTH * np.where(stronger < 0.0, TOO_WEAK * stronger, stronger) ** 2
    distance = distance + W_ANGLES * ((rows.angles[fits] - now[BALL]) ** 2).mean(axis=1)
    best = fits[int(np.argmin(distance))]
    number, speed = int(rows.numbers[best]), max(float(rows.speeds[best]), LEAST_M_S)
    return Choice(number, int(rows.at[best]), int(database.index.strategies[number]), min(1.0, push.speed / speed),
                  float(wrap(push.direction - rows.directions[best])))
