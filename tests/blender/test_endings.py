"""However Blender ends, nobody whom it started lives on: real Blenders, ended in the middle of their work."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import bpy
import pytest

from tests.cases import quick

REPOSITORY = Path(__file__).resolve().parents[2]
SOON = 2.0  # s


def started_in(folder: Path) -> list[int]:
    """The processes that work below a folder: the worker and those that it has started."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink().is_relative_to(folder) and (process / "stat").read_text().split(") ")[1][0] != "Z":
                found.append(int(process.name))
        except OSError:  # it has ended
            continue
    return found


def wait_for(condition, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked for under /proc")
@pytest.mark.parametrize("how", quick(("SIGTERM", "SIGKILL"), "SIGTERM"))
def test_no_worker_outlives_blender(tmp_path, how):
    """A balance map takes long, and its worker has workers of its own."""
    script = (f"import sys; sys.path.insert(0, {str(REPOSITORY)!r})\nfrom build_tools import in_blender\nin_blender.enable()\nimport bpy\n"
              f"bpy.context.preferences.filepaths.temporary_directory = {str(tmp_path)!r}\nbpy.ops.footfall.add_mannequin()\n"
              "bpy.ops.footfall.map_balance()\n")
    blender = subprocess.Popen([bpy.app.binary_path, "-b", "--factory-startup", "--python-expr", script],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=REPOSITORY)
    try:
        several = 1 + (os.cpu_count() or 1)
        assert wait_for(lambda: len(started_in(tmp_path)) >= several, 60.0), blender.communicate(timeout=5.0)[0]
        blender.send_signal(signal.Signals[how])
        blender.wait(10.0)
        assert wait_for(lambda: not started_in(tmp_path), SOON), started_in(tmp_path)
    finally:
        blender.kill()
        blender.communicate()
        for pid in started_in(tmp_path):
            os.kill(pid, signal.SIGKILL)
