"""What tests say at their end, by a few tests of their own in a process of their own."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from build_tools.summary import VARIABLE, Counts, Stage, closing_lines, staged

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import pytest

@pytest.mark.parametrize("number", range(4))
def test_fine(number):
    pass

@pytest.mark.skipif(True, reason="the recordings are not here")
@pytest.mark.parametrize("number", range(3))
def test_of_recordings(number):
    pass

def test_of_a_window():
    pytest.skip("there is no screen")

def test_wrong():
    assert RIGHT

@pytest.fixture
def broken():
    assert RIGHT

def test_not_set_up(broken):
    pass
"""


def run(folder: Path, wrong: bool, *options: str) -> tuple[list[str], dict]:
    """The lines that pytest prints with this project's conftest, and the counts that it writes."""
    (folder / "test_few.py").write_text(TESTS.replace("RIGHT", str(not wrong)), encoding="utf-8")
    counts = folder / "counts.json"
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", *options, str(folder / "test_few.py")]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, VARIABLE: str(counts)}, capture_output=True, text=True, check=False)
    assert (done.returncode != 0) == wrong, done.stdout + done.stderr
    return done.stdout.splitlines(), json.loads(counts.read_text(encoding="utf-8"))


@pytest.mark.parametrize("options", [(), ("-n", "2"), ("-q",)], ids=["alone", "in two processes", "quiet"])
def test_the_last_lines_say_what_was_skipped_and_why(tmp_path, options):
    lines, counts = run(tmp_path, False, *options)
    assert lines[-3:] == ["    3 skipped: the recordings are not here", "    1 skipped: there is no screen", "6 passed, 0 failed, 4 skipped"]
    assert counts == {"passed": 6, "failed": 0, "skipped": {"the recordings are not here": 3, "there is no screen": 1}}


def test_what_cannot_be_set_up_has_failed(tmp_path):
    lines, _ = run(tmp_path, True)
    assert lines[-1] == "4 passed, 2 failed, 4 skipped"


def test_the_last_lines_of_all_stages():
    stages = [Stage("outside Blender", 372.0, True, Counts(1200, 0, {"no recordings": 5, "no screen": 1})),
              Stage("inside Blender", 60.0, True, Counts(34, 0, {"no recordings": 1}))]
    assert closing_lines(stages, slow=False) == [
        "outside Blender    6.2 min  1200 passed, 0 failed, 6 skipped", "inside Blender     1.0 min  34 passed, 0 failed, 1 skipped",
        "Tests marked slow were left out; --slow runs them too.", "    6 skipped: no recordings", "    1 skipped: no screen",
        "1234 passed, 0 failed, 7 skipped", "All tests passed."]


def test_a_stage_that_went_wrong_is_named_and_counted():
    lost, wrong = Stage("inside Blender", 3.0, False, None), Stage("panels in a window", 3.0, False, Counts(2, 1))
    lines = closing_lines([Stage("outside Blender", 3.0, True, Counts(7)), lost, wrong], slow=True)
    assert lines[1].endswith("0 passed, 1 failed, 0 skipped (did not come to its end)")
    assert lines[-2:] == ["9 passed, 2 failed, 0 skipped", "Failed: inside Blender, panels in a window."]


def process(code: str):
    return lambda environment: subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=False).returncode


def test_a_stage_tells_its_counts_by_a_file():
    fine = staged("fine", (0,), process("from build_tools.summary import Counts; Counts(3, 0, {'why': 2}).write()"))
    assert fine.good and fine.counts == Counts(3, 0, {"why": 2}) and fine.seconds > 0.0
    lost = staged("lost", (0,), process("raise SystemExit(1)"))
    assert not lost.good and lost.counts is None


def test_stages_side_by_side_tell_their_own_counts():
    code = "import time; from build_tools.summary import Counts; time.sleep(0.5); Counts({}).write()"
    with ThreadPoolExecutor() as beside:
        stages = [beside.submit(staged, str(number), (0,), process(code.format(number))) for number in range(3)]
    assert [stage.result().counts for stage in stages] == [Counts(0), Counts(1), Counts(2)]
