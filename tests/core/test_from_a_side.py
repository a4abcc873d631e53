"""What comes from a side of a walker comes by where it is to face, not by its pelvis, which turns to and fro in each step."""

import numpy as np
import pytest

from core import rotation
from core.jobs import make_job, run
from tests.cases import quick

AHEAD = 0.7  # rad, where it faces
ASIDE = np.array([np.cos(AHEAD), np.sin(AHEAD)])


def walked(*events, gait="walk"):
    return run(make_job({"gait": gait, "duration": 4.0, "heading": AHEAD, "fps": 60.0, "engine": "pybullet", "events": list(events)}))


@pytest.fixture(scope="module")
def turned_at():
    """s, when the pelvis of the walk is turned furthest to the left, and to the right."""
    result = walked()
    off = rotation.wrap(rotation.heading(result.rotations[:, 0]) - AHEAD)[150:210]
    assert off.max() > np.radians(3.0) and off.min() < -np.radians(3.0)
    return [(150 + int(number)) / 60.0 for number in (np.argmax(off), np.argmin(off))]


@pytest.mark.parametrize("side", quick((0, 1), 0), ids=("left", "right"))
def test_a_ball(turned_at, side):
    ball = {"type": "ball", "time": turned_at[side], "position": [3.0, 0.0, 1.5], "velocity": [-6.0, 0.0, 0.0]}
    result = walked(ball)
    frame = round(turned_at[side] * 60.0)
    away = result.object_positions[frame, 0, :2] - result.root_positions[frame, :2]
    flown = result.object_positions[frame + 6, 0, :2] - result.object_positions[frame, 0, :2]
    for way, sign in ((away, 1.0), (flown, -1.0)):
        assert sign * way / np.linalg.norm(way) == pytest.approx(ASIDE, abs=0.01)


def test_a_push(turned_at):
    push = {"type": "push", "time": turned_at[0], "duration": 0.2, "force": [0.0, 60.0, 0.0]}
    seen = walked(push)
    given = walked(push | {"frame": "world", "force": [-60.0 * ASIDE[1], 60.0 * ASIDE[0], 0.0]})
    assert np.allclose(seen.root_positions, given.root_positions, atol=1e-4)
