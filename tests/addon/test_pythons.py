"""The Python that simulates: found, remembered, and what is said where there is none."""

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from footfall.blender_addon import bundle, pythons
from footfall.blender_addon.pythons import WorkerError, WorkerPython, find_python
from footfall.blender_addon.worker import Worker
from footfall.core.physics import ENGINES
from footfall.core.result import Result


def test_find_python_finds_one_that_simulates_and_remembers_it():
    pythons.forget_python()
    found = find_python()
    assert isinstance(found, WorkerPython) and tuple(map(int, found.version.split("."))) >= (3, 11, 0)
    assert find_python() is found


def test_python_status_does_not_wait():
    pythons.forget_python()
    assert pythons.python_status() is None  # whoever is asked has not even begun to answer
    assert find_python() == pythons.python_status()


@pytest.mark.parametrize("script, says", [
    (None, "cannot be started"), ("#!/bin/sh\necho hello\n", "is not a Python that works"),
    ("#!/bin/sh\necho '{\"version\": \"3.9.1\", \"missing\": \"is older than Python 3.11\", \"engines\": []}'\n", "is older than Python 3.11")],
    ids=["missing", "something else", "old"])
@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_a_chosen_python_that_does_not_do_is_named(tmp_path, script, says):
    chosen = tmp_path / "python3"
    if script:
        chosen.write_text(script)
        chosen.chmod(0o755)
    with pytest.raises(WorkerError) as caught:
        find_python(str(chosen))
    text = str(caught.value)
    assert str(chosen) in text and says in text and "preferences" in text and text.endswith(".") and "\n" not in text


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_a_python_may_say_much_and_leave_someone_behind(tmp_path):
    chosen = tmp_path / "python3"
    chosen.write_text("#!/bin/sh\nsleep 60 &\nhead -c 200000 /dev/zero\necho\n"
                      "echo '{\"version\": \"3.11.9\", \"missing\": null, \"engines\": [\"mujoco\"]}'\n")
    chosen.chmod(0o755)
    assert find_python(str(chosen)).engines == ("mujoco",)


def test_a_search_that_fails_has_an_answer_too(monkeypatch):
    def denied():
        raise PermissionError("/opt is not yours")

    monkeypatch.setattr(pythons, "_candidates", denied)
    pythons.forget_python()
    for _ in range(2):
        with pytest.raises(WorkerError, match="^The search for a Python failed .*not yours.*; choose a Python with .* preferences[.]$"):
            find_python()
    pythons.forget_python()


def packages(folder: Path, *modules: str) -> tuple[str]:
    """A folder with nothing but these of our own packages."""
    for module in modules:
        place = Path(importlib.util.find_spec(module).origin)
        place = place.parent if place.name == "__init__.py" else place
        (folder / place.name).symlink_to(place)
        for libraries in place.parent.glob(f"{module}*.libs"):
            (folder / libraries.name).symlink_to(libraries)
    return (str(folder),)


@pytest.fixture
def bare(tmp_path) -> str:
    """A Python without packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    return str(tmp_path / ("bare/Scripts/python.exe" if os.name == "nt" else "bare/bin/python"))


def test_a_python_without_the_packages_says_which_is_missing(bare, monkeypatch):
    monkeypatch.setattr(pythons, "_packages", lambda: ())
    with pytest.raises(WorkerError, match="cannot import numpy"):
        find_python(bare)


@pytest.mark.parametrize("engine, other", [("pybullet", "mujoco"), ("mujoco", "pybullet")])
@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_either_engine_will_do_and_the_other_is_missed_when_it_is_asked_for(engine, other, bare, tmp_path, monkeypatch):
    (tmp_path / "packages").mkdir()
    there = packages(tmp_path / "packages", "numpy", engine)
    monkeypatch.setattr(pythons, "_packages", lambda: there)
    found = find_python(bare)
    assert found.engines == (engine,)
    found.check_engine("auto")
    found.check_engine(engine)
    with pytest.raises(WorkerError, match=f"^{bundle.ENGINES[other]} is not there.* has {bundle.ENGINES[engine]}; set Engine to Automatic.*[.]$"):
        found.check_engine(other)
    running = Worker({"duration": 0.2}, tmp_path / "work", found)
    while not (status := running.poll()).done:
        time.sleep(0.02)
    assert status.error is None and Result.load(status.result).frames == 7


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_without_any_engine_one_sentence_says_so(bare, tmp_path, monkeypatch):
    (tmp_path / "packages").mkdir()
    there = packages(tmp_path / "packages", "numpy")
    monkeypatch.setattr(pythons, "_packages", lambda: there)
    monkeypatch.setattr(pythons, "_candidates", lambda: [bare])
    pythons.forget_python()
    with pytest.raises(WorkerError) as caught:
        find_python()
    pythons.forget_python()
    text = str(caught.value)
    assert "has no physics engine (pybullet: No module named 'pybullet'; mujoco: No module named 'mujoco')" in text
    assert text.endswith("choose a Python with numpy and pybullet or MuJoCo in Footfall's preferences.") and "\n" not in text


def test_the_engines_are_those_of_the_core():
    assert tuple(bundle.ENGINES) == ENGINES
