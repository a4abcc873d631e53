#!/usr/bin/env python3
"""Build, demo, test: the only command a newcomer needs. Standard library only.

    python3 build_addon.py demo       set everything up, bake two characters in Blender: out/demo.blend, out/demo.png and the moving out/walk.png
    python3 build_addon.py demo hits  a clip that is hit three times: out/hits.blend and out/hits.png
    python3 build_addon.py demo feet  a character that knows nothing but the pressure under feet: out/feet.blend and out/feet.png
    python3 build_addon.py test       set everything up, check style and types, run all tests: core, inside Blender, in a window (--slow: all)
    python3 build_addon.py build      the zips that Blender installs, in dist/ (--platform windows-x64 --python 3.13: for another machine; --all)
    python3 build_addon.py setup      a virtual environment in .venv with everything the core needs
    python3 build_addon.py pictures   copy the pictures that demos and tests in a window have made into docs/
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from blender_addon.bundle import platform_name
from build_tools import ROOT, BuildError, blender, pictures, say, wheels, zips
from build_tools.summary import Stage, checked, closing_lines, staged

ENVIRONMENT = ROOT / ".venv"
REQUIREMENTS = ROOT / "requirements.txt"
OLDEST = (3, 11)
LEGACY_PYTHON = "3.11"  # of Debian's Blender 3.4 and of Blender 4.1
PLATFORMS, PYTHONS = ("linux-x64", "linux-arm64", "windows-x64", "macos-arm64"), ("3.11", "3.13")  # of the Blenders that people run: 4.2, 4.5, 5.2
OUTSIDE, INSIDE, WINDOW = ("tests/core", "tests/addon"), ("tests/blender",), ("tests/ui",)  # of Blender
CHECKS = {"style (ruff)": ["ruff", "check", "."], "types (mypy)": ["mypy"]}
OUTSIDE_LOG = ROOT / "build" / "outside.log"  # what tests outside Blender say while others run
# Each in a Blender of its own.
WINDOW_FILES = ("panels", "references", "pressures", "listening", "simulating", "playing", "overlays", "hits", "aiming")
SLOW_WINDOW_FILES = ("underfoot", "calibration", "own_scene")
Wanted = dict[tuple[str, str, str], bool]  # kind, platform and Python of a zip → whether numpy goes into it


def python() -> Path:
    return ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def setup() -> None:
    """Create the environment, or bring it up to the requirements; nothing to do when they have not changed."""
    mark = ENVIRONMENT / "requirements.sha256"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if mark.is_file() and mark.read_text() == wanted:
        return
    say("Setting up .venv; where PyPI has no pybullet for this platform it is built from source, which takes some minutes once …")
    if not python().exists():
        venv.create(ENVIRONMENT, with_pip=True)
    subprocess.run([python(), "-m", "pip", "install", "--quiet", "-r", REQUIREMENTS], check=True)
    mark.write_text(wanted)


def build(options: argparse.Namespace) -> int:
    """The zips that the options ask for; one that cannot be built does not keep the others from it."""
    if options.all:
        wanted = _for_pythons(PLATFORMS, PYTHONS) | _for_blender(options.blender)
    elif options.platform or options.python:
        wanted = _for_pythons([options.platform or platform_name()], [options.python] if options.python else PYTHONS)
    else:
        wanted = _for_blender(options.blender)
    if options.unmodified_wheels:  # for Blender's extension platform, which has no legacy zips
        wanted = {key: numpy for key, numpy in wanted.items() if key[0] == "extension"}
    left_out = 0
    for (kind, platform, version), with_numpy in wanted.items():
        try:
            zips.build(kind, version, with_numpy, platform, options.unmodified_wheels, options.engine)
        except BuildError as error:
            left_out += 1
            say(f"The {kind} zip for Python {version} on {platform} is left out: {error}")
    return 1 if left_out == len(wanted) else 0


def _for_pythons(platforms: Sequence[str], pythons: Sequence[str]) -> Wanted:
    """For the official Blenders: 4.2 and newer have numpy, and no older one has a Python newer than 3.11."""
    kinds = [("extension", python, False) for python in pythons] + [("legacy", python, True) for python in pythons if python == LEGACY_PYTHON]
    return {(kind, platform, python): with_numpy for platform in platforms for kind, python, with_numpy in kinds}


def _for_blender(path: str | None) -> Wanted:
    """For the Blender on this machine, both kinds."""
    found, here = blender.find(path), platform_name()
    if found:
        say(f"For Blender {'.'.join(map(str, found.version))} with Python {found.python} ({found.path})")
    legacy = found.python if found and found.kind == "legacy" else LEGACY_PYTHON
    # Blender 4.2 and newer come with numpy, but some distributions take it out.
    lacks_numpy = bool(found and found.kind == "extension" and not found.has_numpy)
    return {("extension", here, found.python if found else LEGACY_PYTHON): lacks_numpy, ("legacy", here, legacy): True}


# What is baked, and its files in out/.
DEMOS = {"walk": ("demo.blend", "demo.png", "walk.png"), "hits": ("hits.blend", "hits.png"), "feet": ("feet.blend", "feet.png")}


def install() -> blender.Blender:
    """Build the zip for the Blender there is and install it into a private profile."""
    found = blender.get()
    say(f"Building for Blender {'.'.join(map(str, found.version))} with Python {found.python} ({found.path}) …")
    file = zips.build(found.kind, found.python, with_numpy=found.kind == "legacy" or not found.has_numpy)
    say(f"Installing it into {found.profile.relative_to(ROOT)} …")
    found.install(file)
    return found


def demo(what: str) -> int:
    """Bake ``what``, one of ``DEMOS``."""
    setup()
    found, out = install(), ROOT / "out"
    out.mkdir(exist_ok=True)
    say("Baking …")
    made = [out / name for name in DEMOS[what]]
    for file in made:
        file.unlink(missing_ok=True)
    code = found.run(["-b", "--python", f"demo/{what}.py", "--", str(out)], seconds=1800)
    if code or not all(file.is_file() for file in made):
        say("The demo failed; what Blender printed above says why.")
        return 1
    say(f"Open out/{made[0].name}, look at {' and '.join(f'out/{file.name}' for file in made[1:])}.")
    return 0


def copy_pictures() -> int:
    """Into docs/, those that were made; says which are shown there and were not."""
    copied, missing = pictures.copy()
    say(f"Copied {len(copied)} pictures into docs/.")
    if missing:
        names = ", ".join(str(picture.relative_to(ROOT)) for picture in missing)
        say(f"Not made yet: {names}. The commands `demo`, `demo hits`, `demo feet` and `test tests/ui` make them.")
    return 0


def test(slow: bool, extra: list[str]) -> int:
    """All stages, or where paths of tests are given, those that they belong to; other arguments go to pytest.

    The last lines are a summary of all stages; the very last says whether all passed."""
    paths = [item.rstrip("/") for item in extra if (ROOT / item.partition("::")[0]).exists()]
    options = ([] if slow else ["-m", "not slow"]) + [item for item in extra if item.rstrip("/") not in paths]

    def chosen(folders: tuple[str, ...]) -> list[str]:
        there = [folder for folder in folders if (ROOT / folder).is_dir()]
        if not paths:
            return there
        return [max(path, folder, key=len) for path in paths for folder in there if path.startswith(folder) or folder.startswith(path)]

    setup()
    stages = []
    passed = (0, 5) if extra else (0,)  # 5: pytest found nothing that was asked for in this stage
    if not extra:
        say("Looking at style and types …")
        stages += [checked(name, lambda _, command=command: subprocess.run([python(), "-m", *command], cwd=ROOT, check=False).returncode)
                   for name, command in CHECKS.items()]
    outside, inside, window = chosen(OUTSIDE), chosen(INSIDE), chosen(WINDOW)
    with ThreadPoolExecutor() as executor:
        # All at once: each of these waits now and then, as a window does for its next picture.
        beside = [executor.submit(_outside, [*options, *outside], passed, alone=not (inside or window))] if outside else []
        if inside or window:
            found = install()
            beside += [executor.submit(_inside, found, [*options, *inside], passed)] if inside else []
            windows = _windows(found, window, slow)
        else:
            windows = []
    stages += [*(stage.result() for stage in beside), *windows]
    for line in closing_lines(stages, slow):
        say(line)
    return 0 if all(stage.good for stage in stages) else 1


def _outside(arguments: list[str], passed: tuple[int, ...], alone: bool) -> Stage:
    """The tests that need no Blender. Beside those in Blender they take what is left of the machine, and say what they have to say when they are
    done."""
    say("Testing the core and what needs no Blender …" + ("" if alone else f" What it says is in {OUTSIDE_LOG}, and here at its end."))
    command = [python(), "-m", "pytest", "-n", str(os.cpu_count() or 1), "--dist", "worksteal", *arguments]
    if alone:
        return staged("outside Blender", passed, lambda environment: subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)
    command = ["nice", "-n", "5", *command] if shutil.which("nice") else command
    OUTSIDE_LOG.parent.mkdir(exist_ok=True)
    with OUTSIDE_LOG.open("w", encoding="utf-8") as log:
        stage = staged("outside Blender", passed, lambda environment: subprocess.run(
            command, cwd=ROOT, env=environment, stdout=log, stderr=log, check=False).returncode)
    say(OUTSIDE_LOG.read_text(encoding="utf-8"))
    return stage


def _inside(found: blender.Blender, arguments: list[str], passed: tuple[int, ...]) -> Stage:
    """The tests inside Blender, without a window."""
    say("Testing inside Blender …")
    script = ["-b", "--factory-startup", "--python", "tests/blender/run.py", "--", *arguments]
    return staged("inside Blender", passed, lambda environment: found.run(script, seconds=3600, environment=environment))


def _windows(found: blender.Blender, window: list[str], slow: bool) -> list[Stage]:
    """The tests in a window, one file after the other."""
    usual = (*WINDOW_FILES, *SLOW_WINDOW_FILES) if slow else WINDOW_FILES
    # A smaller window shows what is Footfall's own share of a figure where software draws each pixel.
    size = os.environ.get("FOOTFALL_TEST_WINDOW", "1280x720").split("x")
    arguments = ["--factory-startup", "--window-geometry", "0", "0", *size, "--python", "tests/ui/run.py", "--"]
    named, stages = [path.stem for path in map(Path, window) if path.suffix == ".py"], []
    for file in (named or usual) if window else ():
        say(f"Testing {file} in a window …")
        stages.append(staged(f"{file} in a window", (0,), lambda environment, file=file: found.run(
            [*arguments, file], seconds=900, window=True, environment=environment)))
    return stages


def main() -> int:
    if sys.version_info < OLDEST:
        sys.exit(f"Footfall needs Python {OLDEST[0]}.{OLDEST[1]} or newer; this is {sys.version.split()[0]}.")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("setup")
    commands.add_parser("pictures")
    command = commands.add_parser("demo")
    command.add_argument("what", nargs="?", choices=list(DEMOS), default="walk", help="a walk with a push, a clip that is hit, feet that are acted")
    command = commands.add_parser("build")
    command.add_argument("--blender", metavar="PATH", help="the Blender that the zips are for (default: FOOTFALL_BLENDER, or the one on PATH)")
    command.add_argument("--python", metavar="3.11", help="the Python of that Blender, where it is not on this machine")
    command.add_argument("--platform", choices=list(wheels.PLATFORMS), help="of the machine it runs on (default: this one)")
    command.add_argument("--all", action="store_true",
                         help=f"for {', '.join(PLATFORMS)}, with Python {' and '.join(PYTHONS)}, and for the Blender here")
    command.add_argument("--engine", choices=list(wheels.ENGINES), help="put in this physics engine alone (default: all that there are)")
    command.add_argument("--unmodified-wheels", action="store_true", help="the extension with PyPI's wheels as they are")
    command = commands.add_parser("test")
    command.add_argument("--slow", action="store_true", help="also run the tests marked slow")
    options, extra = parser.parse_known_args()
    if extra and options.command != "test":
        parser.error(f"unknown arguments: {' '.join(extra)}")
    try:
        if options.command == "build":
            return build(options)
        if options.command == "test":
            return test(options.slow, extra)
        if options.command == "pictures":
            return copy_pictures()
        return demo(options.what) if options.command == "demo" else setup() or 0
    except BuildError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    sys.exit(main())
