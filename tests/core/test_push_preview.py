"""What a preview of pushes needs: the clip made ready by a command, and what becomes of pushes from all sides, as the answers themselves have it."""

import json
from pathlib import Path

import numpy as np
import pytest

from core import presets
from core.__main__ import main
from core.motion import Motion
from core.pushes.answer import answer, fates, known
from core.pushes.database import Database, shipped
from core.pushes.ready import Ready
from core.result import Result

CLIPS = Path(__file__).resolve().parents[1] / "clips"
FPS, PUSH_S = 24.0, 0.15


@pytest.fixture(scope="module")
def database() -> Database:
    return Database.load(shipped(presets.body("average_man")))


def ready_clip(folder: Path, name: str) -> Ready:
    """A clip as the command gives it."""
    job, output = folder / "job.json", folder / "clip.npz"
    job.write_text(json.dumps({"method": "hit", "clips": [str(CLIPS / f"{name}.bvh")], "fps": FPS, "body": "average_man"}))
    assert main(["push-ready", str(job), "-o", str(output), "--stream"]) == 0
    result = Result.load(output)
    body = presets.body(result.job["body"])
    assert np.linalg.norm(result.outcome["ground_m_s"]) < 1e-9, "it goes over ground that stands still"
    return Ready.of(body, Motion(body.skeleton, result.fps, result.root_positions, result.rotations), result.foot_forces[:, :, 2] > 0.0)


def test_a_clip_is_made_ready_by_a_command(tmp_path, database, capsys):
    clip = ready_clip(tmp_path, "stand")
    assert clip.motion.duration > 6.0 and clip.contacts[:24].all(), "it goes on for pushes at its end"
    assert known(database, clip, 1.0)
    (tmp_path / "other.json").write_text(json.dumps({"method": "retarget", "clips": [str(CLIPS / "stand.bvh")]}))
    assert main(["push-ready", str(tmp_path / "other.json"), "-o", str(tmp_path / "other.npz")]) == 2
    assert "'hit'" in capsys.readouterr().err


def test_who_lies_is_not_known(tmp_path, database):
    clip = ready_clip(tmp_path, "fall")
    assert known(database, clip, 0.1) and not known(database, clip, 4.0)


@pytest.mark.parametrize("name", ["stand", "walk"])
def test_fates_are_those_of_the_answers(tmp_path, database, name):
    """From all sides and ever stronger, on the clip and in the middle of an answer's steps."""
    clip = ready_clip(tmp_path, name)
    random = np.random.default_rng(7)
    angles, sizes = 2.0 * np.pi * random.random(40), clip.body.mass * 2.5 * random.random(40)
    impulses = np.stack([sizes * np.cos(angles), sizes * np.sin(angles), 0.0 * sizes], axis=1)
    found = fates(database, clip, 1.0, "torso", impulses)
    assert found == [answer(database, clip, 1.0, "torso", impulse / PUSH_S, PUSH_S).strategy for impulse in impulses]
    assert len(set(found)) > 1
    before = answer(database, clip, 1.0, "torso", (0.0, 250.0, 0.0), PUSH_S)
    again = fates(database, clip, 1.3, "torso", impulses, before)
    answers = [answer(database, clip, 1.3, "torso", impulse / PUSH_S, PUSH_S, before).strategy for impulse in impulses]
    # In the middle of a response a frame of another one is shown, wherever that came from: only the falls have to agree.
    assert [one == "fall" for one in again] == [one == "fall" for one in answers]
