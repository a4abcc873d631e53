"""DeepMimic files: pybullet's own clips, and broken ones."""

import json
import random
import warnings
from pathlib import Path

import numpy as np
import pytest

from core import rotation
from core.errors import FormatError
from core.formats import read_clip
from core.formats.deepmimic import read_deepmimic
from tests.core.made_clips import said, write


def deepmimic_folder():
    pybullet_data = pytest.importorskip("pybullet_data", reason="pybullet_data, which brings DeepMimic's clips, is not installed")
    return Path(pybullet_data.getDataPath()) / "data" / "motions"


def test_deepmimic_clips_of_pybullet():
    paths = sorted(deepmimic_folder().glob("humanoid3d_*.txt"))
    assert len(paths) == 15
    for path in paths:
        clip = read_clip(path)
        lowest = np.percentile(clip.points()[..., 2].min(axis=1), 10)
        assert abs(lowest) < 0.07, path.name
        if "crawl" not in path.name and "punch" not in path.name:  # a boxer stands low
            assert 0.8 < clip.hip_height() < 1.1, path.name


def test_deepmimic_walk_goes_where_it_faces():
    clip = read_clip(deepmimic_folder() / "humanoid3d_walk.txt")
    assert clip.motion.fps == 30.0 and said(clip, "cycle")
    assert clip.mean_speed() == pytest.approx(0.98, rel=0.02)
    knee, hip, ankle = (clip.motion.world()[0][:, clip.skeleton.index(f"left_{name}")] for name in ("knee", "hip", "ankle"))
    heading = rotation.heading(clip.motion.rotations[:, 0])
    forward = np.stack([np.cos(heading), np.sin(heading), 0.0 * heading], axis=-1)
    travel = np.diff(clip.motion.root_positions, axis=0)
    assert np.sum(travel * forward[:-1]) > 0.95 * np.linalg.norm(travel[:, :2], axis=-1).sum()
    assert (np.sum((knee - 0.5 * (hip + ankle)) * forward, axis=-1) > -0.01).all()  # knees bend forward
    left = clip.motion.world()[0][:, clip.skeleton.index("left_hip")] - clip.motion.root_positions
    assert (np.cross(forward, left)[:, 2] > 0).all()


def good_row() -> list:
    """One frame of someone who stands: duration, root position, and each joint's rotation or angle."""
    ball, hinge = [1, 0, 0, 0], [0]
    limb = [*ball, *hinge, *ball, *ball, *hinge]  # hip, knee, ankle, shoulder, elbow
    return [0.0333, 0, 0.9, 0, *ball, *ball, *ball, *limb, *limb]


def test_broken_deepmimic_files(tmp_path):
    row = json.dumps(good_row())
    good = '{"Loop": "wrap", "Frames": [\n' + row + ",\n" + row + "\n]}"
    assert read_clip(write(tmp_path / "good.txt", good)).motion.frames == 2
    cases = {
        good[:-20]: r"bad.txt', line 3: this is no DeepMimic motion, or no whole one",
        '{"Frames": []}': "has no frames",
        '{"Pictures": []}': "it has no list of 'Frames'",
        good.replace("0.9", "NaN", 1): "not a usable number in frame 0: NaN, the root's position",
        good.replace("0.9", '"high"', 1): "not a usable number in frame 0: \"high\", the root's position",
        good.replace("0.9", "null", 1): "not a usable number in frame 0: null",
        good.replace("0.9", "true", 1): "not a usable number in frame 0: true",
        good.replace("0.9", "[0.9]", 1): "not a usable number in frame 0: a list, the root's position",
        good.replace("0.9", "1" + 400 * "0", 1): "not a usable number in frame 0: 1000",
        good.replace("0.9", "1" + 5000 * "0", 1): "holds a number of more digits than can be read",
        good.replace("0.9", "1e300", 1): "not a usable number in frame 0: 1e\\+300",
        good.replace("0]\n]", "null]\n]"): "not a usable number in frame 1: null, the rotation of 'left_elbow'",
        good.replace("0.0333", "1e-300"): "has frames of 1e-300 s",
        good.replace("[0.0333, ", "[", 1): "has 43 numbers in frame 0, but a DeepMimic humanoid has 44",
        good.replace("1, 0, 0, 0", "0, 0, 0, 0", 1): "a rotation of length 0 instead of 1 for 'root' in frame 0",
        good.replace("0.0333", "0"): "must last longer",
        "": "is empty",
        "Once upon a time": "is no motion file",
    }
    for text, words in cases.items():
        with pytest.raises(FormatError, match=words) as caught:
            read_clip(write(tmp_path / "bad.txt", text))
        assert "bad.txt" in str(caught.value) and "\n" not in str(caught.value)


STRANGE = (None, True, False, "word", "1.0", "", [], [1.0], {}, {"a": 1},
           10**400, -(10**30), 1e308, -1e308, 1e-308, float("nan"), float("inf"), 0, -1.0, 1e9)


def mutated(chance: random.Random) -> object:
    """A DeepMimic motion of three frames with one to three things changed: a value, a row, the frames or the whole."""
    data: dict = {"Loop": "wrap", "Frames": [good_row() for _ in range(3)]}
    for _ in range(chance.randint(1, 3)):
        rows, strange = data["Frames"], chance.choice((*STRANGE, *(chance.uniform(-0.5, 0.5) for _ in STRANGE)))
        row = chance.randrange(len(rows)) if isinstance(rows, list) and rows else None
        kind = chance.choices(("value", "row", "length", "key", "whole"), (12, 2, 2, 1, 1))[0]
        if kind == "whole":
            return strange
        if kind == "key":
            data[chance.choice(("Frames", "Loop", "Other"))] = strange
        elif row is None:
            continue
        elif kind == "row":
            rows[row] = strange
        elif kind == "length" and isinstance(rows[row], list):
            rows[row] = rows[row][: chance.randint(0, 44)] * chance.randint(1, 2)
        elif isinstance(rows[row], list) and rows[row]:
            rows[row][chance.randrange(len(rows[row]))] = strange
    return data


def test_every_mutated_file_is_read_or_refused_in_one_sentence(tmp_path):
    chance, path, read = random.Random(7), tmp_path / "mutated.json", 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # numbers that overflow on the way are no numbers of a motion either
        for _ in range(2000):
            text = json.dumps(mutated(chance))
            if chance.random() < 0.1:  # cut off, or with a stray character
                at = chance.randrange(len(text) + 1)
                text = text[:at] + chance.choice(("", "x" + text[at:], "," + text[at:], chr(34) + text[at:]))
            path.write_text(text, encoding="utf-8")
            try:
                clip = read_deepmimic(path)
            except FormatError as error:
                said = str(error)
                assert str(path) in said and said.endswith(".") and "\n" not in said and len(said) < len(str(path)) + 200, said
            else:
                read += 1
                assert np.isfinite(clip.motion.fps) and np.isfinite(clip.points()).all()
    assert 200 < read < 1800, "mutations that are all read, or all refused, test little"


def test_another_animal_is_refused():
    path = deepmimic_folder() / "laikago_walk.txt"
    if not path.is_file():
        pytest.skip("this pybullet_data has no laikago_walk.txt")
    with pytest.raises(FormatError, match="20 numbers in frame 0"):
        read_clip(path)
