"""Runs the checks of one file of this folder in a real window, on the installed add-on.

    blender --factory-startup --window-geometry 0 0 1280 720 --python tests/ui/run.py -- FILE [NAME …]

FILE: panels, references, … NAME: a word in the name of a check; without any, all checks are run. A check is a generator function: it yields how many
seconds to let Blender run before it goes on. Pictures go to build/screens.
Exits with 0 when all checks pass, with 1 at the first that does not.
"""

import faulthandler
import importlib
import os
import sys
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import bpy  # noqa: E402

from build_tools import in_blender  # noqa: E402
from build_tools.summary import Counts  # noqa: E402

COUNTS = Counts()


def main():
    """All checks, one after the other, as one generator."""
    from window import Window

    file, *wanted = sys.argv[sys.argv.index("--") + 1:]
    checks = [check for name, check in vars(importlib.import_module(file)).items() if name.startswith("check_")]
    chosen = [check for check in checks if not wanted or any(word in check.__name__ for word in wanted)]
    for check in chosen:
        print(f"{check.__name__} …", flush=True)
        window = Window()
        yield from window.clean()
        yield from check(window)
        COUNTS.passed += 1
    print(f"{len(chosen)} checks of {file} in a window passed.", flush=True)


def step():
    """One step of the checks; called again by Blender after the time that it asks for."""
    try:
        return next(CHECKS)
    except StopIteration:
        leave(0)
    except BaseException:
        traceback.print_exc()
        leave(1)


def leave(code: int) -> None:
    COUNTS.failed = int(code != 0)
    COUNTS.write()
    # Blender would ask whether to save, and its exit code would be 0.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if not bpy.app.use_event_simulate:  # the checks move the mouse and press keys themselves
    os.execv(bpy.app.binary_path, [bpy.app.binary_path, "--enable-event-simulate", *sys.argv[1:]])
faulthandler.enable()  # where Blender crashes, what every thread was at
bpy.context.preferences.view.show_splash = False
in_blender.enable()
CHECKS = main()
bpy.app.timers.register(step, first_interval=1.0, persistent=True)
