"""The shared recordings, where they are, as they are read."""

from pathlib import Path

import numpy as np
import pytest

from core.errors import FormatError
from core.formats import read_clip
from tests.core.made_clips import SHARED, needs_shared


def table():
    """Rows of the recordings' README: file, frames, fps, joints, median and top speed, travel."""
    rows = []
    if SHARED.is_dir():
        for line in (SHARED / "README.md").read_text(encoding="utf-8").split("\n"):
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) > 10 and cells[1].endswith(".bvh"):
                median, _, _ = cells[7].partition("/")
                rows.append((cells[1], int(cells[2]), float(cells[3]), int(cells[5].split("/")[0]), float(median or 0), float(cells[8] or 0)))
    return rows


@needs_shared
def test_recordings_are_as_their_table_says():
    rows = table()
    assert len(rows) > 40
    for name, frames, fps, joints, speed, travel in rows:
        path = next(SHARED.glob(f"*/{name}"))
        clip = read_clip(path)
        motion = clip.motion
        added = 1 if path.parent.name == "cmu" or name.startswith(("jlpm22", "threejs")) else 0
        added += "GLITCH" in name  # its second row is all zeros
        added += {"140_06_idle_stand_cut.bvh": 1, "threejs_pirouette.bvh": 3}.get(name, 0)  # rows that lead from the T-pose into the motion
        assert (motion.frames, motion.fps, len(clip.skeleton.names)) == (frames - added, fps, joints), name
        assert (clip.t_pose is not None) == (added > 0), name
        assert 0.8 < clip.hip_height() < 1.1, name
        if frames > 1:
            # The table has two decimals.
            assert np.median(clip.speeds()) == pytest.approx(speed, rel=0.05, abs=0.006), name
        if not name.startswith(("jlpm22", "threejs")) and "GLITCH" not in name:  # their travel counts the rows that were taken off
            net = np.linalg.norm(motion.root_positions[-1, :2] - motion.root_positions[0, :2])
            assert net == pytest.approx(travel, rel=0.05, abs=0.006), name


@needs_shared
def test_every_shared_file_is_read_or_refused_with_one_sentence():
    refused = {}
    for path in sorted(file for file in SHARED.rglob("*") if file.is_file()):
        try:
            read_clip(path)
        except FormatError as error:
            refused[path.name] = str(error)
    assert all(message.count(". ") == 0 and message.endswith(".") and "\n" not in message for message in refused.values())
    assert {Path(name).suffix for name in refused} == {".c3d", ".asf", ".md", ".txt"}


@needs_shared
@pytest.mark.parametrize("name", ["01_01_first600.amc", "11_01.amc"])
def test_shared_amc_files_stand_on_the_floor(name):
    clip = read_clip(SHARED / "asf_amc" / name)
    assert 0.8 < clip.hip_height() < 1.1
    feet = clip.motion.world()[0][:, [clip.skeleton.index(side) for side in ("ltoes", "rtoes")]]
    assert 0.0 < np.percentile(feet[..., 2], 10) < 0.08
    # The standing foot stands still, which it does not if a single axis is mistaken.
    assert np.percentile(np.linalg.norm(np.diff(feet, axis=0), axis=-1).min(axis=1), 30) * clip.motion.fps < 0.1


@needs_shared
def test_two_people_stay_in_one_world():
    one, other = (read_clip(next(SHARED.glob(f"cmu/{name}*"))) for name in ("18_05", "19_05"))
    apart = np.linalg.norm(one.motion.root_positions - other.motion.root_positions, axis=-1)
    assert one.motion.frames == other.motion.frames and apart.min() < 1.0
