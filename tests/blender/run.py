"""Runs the tests of this folder inside Blender, on the installed add-on.

    blender -b --factory-startup --python-exit-code 1 --python tests/blender/run.py -- [--zip ZIP] [pytest arguments]

With --zip it is installed first. pytest comes from .venv, which goes last on the path: what the add-on needs must come with the add-on.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))

from build_tools import in_blender

arguments = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
if "--zip" in arguments:
    at = arguments.index("--zip")
    in_blender.install(arguments[at + 1])
    del arguments[at:at + 2]
in_blender.enable()

sys.path += map(str, [*ROOT.glob(".venv/lib/python3*/site-packages"), *ROOT.glob(".venv/Lib/site-packages")])
import pytest

if not any(Path(argument.partition("::")[0]).exists() for argument in arguments):
    arguments.append(str(Path(__file__).parent))
sys.exit(int(pytest.main(["-p", "no:cacheprovider", "--rootdir", str(ROOT), *arguments])))
