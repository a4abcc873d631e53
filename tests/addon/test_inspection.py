"""Looking at recordings: real processes, and what is said where they fail."""

import errno
import sys
import tempfile
import time
from pathlib import Path

import pytest
from footfall.blender_addon.inspection import Inspection, Recording, inspect
from footfall.blender_addon.pythons import WorkerPython, find_python
from footfall.core.errors import FormatError


def recording(folder: Path, name: str = "clip.bvh", text: str = "HIERARCHY\nROOT Hips\n") -> Recording:
    (folder / name).write_text(text)
    return Recording(folder / name, folder / f"{name}.png")


def test_a_broken_file_is_the_sentence_of_its_reader(tmp_path):
    with pytest.raises(FormatError) as error:
        inspect(find_python(), recording(tmp_path))
    assert "clip.bvh" in str(error.value) and str(error.value).endswith(".")


def test_a_worker_that_stops_says_so(tmp_path):
    without_core = WorkerPython(sys.executable, "3", (), ())
    with pytest.raises(FormatError, match="'.*clip.bvh' cannot be read, the worker stopped unexpectedly .*core.*: export it again"):
        inspect(without_core, recording(tmp_path))


def test_a_python_that_is_gone(tmp_path):
    with pytest.raises(FormatError, match="'/nowhere/python' cannot be started"):
        inspect(WorkerPython("/nowhere/python", "3", (), ()), recording(tmp_path))


def test_no_space_for_what_is_said(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    python, file = WorkerPython(sys.executable, "3", (), ()), recording(tmp_path)
    file.strip.touch()
    (answer,) = Inspection(python, [file]).answers()
    assert "clip.bvh" in str(answer) and "No space left on device" in str(answer) and not file.strip.exists()


def test_each_of_several_files_has_its_own_answer(tmp_path):
    files = [recording(tmp_path, f"{name}.txt", name) for name in ("one", "two", "three")]
    files[0].strip.touch()
    answers = Inspection(find_python(), files).answers()
    assert ["one" in str(answers[0]), "two" in str(answers[1]), "three" in str(answers[2])] == [True] * 3
    assert not files[0].strip.exists()


def test_a_cancel_leaves_no_pictures(tmp_path):
    files = [recording(tmp_path, f"{number}.bvh") for number in range(12)]
    for file in files:
        file.strip.touch()
    running = Inspection(find_python(), files)
    running.cancel()
    assert not list(tmp_path.glob("*.png"))
    time.sleep(2.0)  # whoever had gone on would have made one by now
    assert not list(tmp_path.glob("*.png"))


def test_many_files_are_read_a_few_at_a_time_without_waiting_for_them(tmp_path):
    files = [recording(tmp_path, f"{number}.bvh") for number in range(6)]
    running = Inspection(find_python(), files)
    assert running.fraction == 0.0
    fractions = [running.fraction]
    while not running.poll():
        fractions.append(running.fraction)
        time.sleep(0.02)
    assert fractions == sorted(fractions) and len(set(fractions)) > 1 and running.fraction == 1.0
