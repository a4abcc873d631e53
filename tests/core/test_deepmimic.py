"""DeepMimic files: pybullet's own clips, and broken ones."""

from pathlib import Path

import numpy as np
import pytest

from core import rotation
from core.errors import FormatError
from core.formats import read_clip
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


def test_broken_deepmimic_files(tmp_path):
    ball, hinge = ["1", "0", "0", "0"], ["0"]
    limb = [*ball, *hinge, *ball, *ball, *hinge]  # hip, knee, ankle, shoulder, elbow
    row = "[" + ", ".join(["0.0333", "0", "0.9", "0", *ball, *ball, *ball, *limb, *limb]) + "]"
    good = '{"Loop": "wrap", "Frames": [\n' + row + ",\n" + row + "\n]}"
    assert read_clip(write(tmp_path / "good.txt", good)).motion.frames == 2
    cases = {
        good[:-20]: r"bad.txt', line 3: this is no DeepMimic motion, or a part of one",
        '{"Frames": []}': "has no frames",
        '{"Pictures": []}': "it has no list of 'Frames'",
        good.replace("0.9", "NaN", 1): "not a number in frame 0",
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


def test_another_animal_is_refused():
    path = deepmimic_folder() / "laikago_walk.txt"
    if not path.is_file():
        pytest.skip("this pybullet_data has no laikago_walk.txt")
    with pytest.raises(FormatError, match="20 numbers in frame 0"):
        read_clip(path)
