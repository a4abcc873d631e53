"""The Blender on this machine: find it, ask it what it is, get it where it is missing, run it in a profile of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from . import ROOT, BuildError, say

QUESTION = """
import importlib.util, json, sys, bpy
print("\\nFOOTFALL", json.dumps([list(bpy.app.version), list(sys.version_info[:2]), importlib.util.find_spec("numpy") is not None]))
"""
PROGRAMS = {"xvfb-run": "xvfb", "xdotool": "xdotool", "import": "imagemagick"}  # for tests in a window: program → Debian package
USUAL_PLACES = ("/Applications/Blender.app/Contents/MacOS/Blender",)


@dataclass(frozen=True)
class Blender:
    """A Blender that has answered: where it is, its version, its Python ("3.11") and whether that has numpy."""

    path: str
    version: tuple[int, int, int]
    python: str
    has_numpy: bool

    @property
    def kind(self) -> str:
        """Of the zip that it installs."""
        return "extension" if self.version >= (4, 2) else "legacy"

    @property
    def profile(self) -> Path:
        return ROOT / "build" / f"profile-{self.version[0]}.{self.version[1]}"

    def install(self, file: Path) -> None:
        """Into a fresh profile in build/, never the user's own."""
        shutil.rmtree(self.profile, ignore_errors=True)
        if self.run(["-b", "--python", "build_tools/in_blender.py", "--", str(file)], seconds=300):
            raise BuildError(f"{file.name} could not be installed into Blender {self.version[0]}.{self.version[1]}.")

    def run(self, arguments: list[str], seconds: float, window: bool = False, environment: Mapping[str, str] = os.environ) -> int:
        """Run it with the profile of ``install``; its exit code, not 0 after an error in a script, or when it takes longer than ``seconds``."""
        command = [self.path, "--python-exit-code", "1", *arguments]
        environment = {**environment, "BLENDER_USER_RESOURCES": str(self.profile)}
        for name in ("scripts", "config", "datafiles", "extensions"):  # Blender up to 4.1 knows only these
            (self.profile / name).mkdir(parents=True, exist_ok=True)
            environment[f"BLENDER_USER_{name.upper()}"] = str(self.profile / name)
        if window:
            environment["LIBGL_ALWAYS_SOFTWARE"] = "1"
            if shutil.which("xvfb-run"):
                command = ["xvfb-run", "-a", "-s", "-screen 0 1280x720x24", *command]
            elif sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
                raise BuildError("A window needs a screen, or xvfb in its place (`sudo apt install xvfb`).")
        # A session of its own: when it takes too long, the display that it runs on is ended with it.
        process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            say(f"Blender was still running after {seconds:.0f} s and was ended.")
            return 1
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()


def find(path: str | None = None) -> Blender | None:
    """The Blender at ``path``, else FOOTFALL_BLENDER, else on PATH; None where there is none."""
    asked = path or os.environ.get("FOOTFALL_BLENDER")
    found = shutil.which(asked or "blender") or next((place for place in USUAL_PLACES if not asked and Path(place).is_file()), None)
    if not found:
        if asked:
            raise BuildError(f"There is no Blender at '{asked}'.")
        return None
    done = subprocess.run([found, "-b", "--factory-startup", "--python-expr", QUESTION], capture_output=True, text=True, check=False)
    answer = next((line for line in done.stdout.splitlines() if line.startswith("FOOTFALL ")), None)
    if not answer:
        raise BuildError(f"'{found}' does not answer as Blender does: {(done.stderr.strip().splitlines() or ['it said nothing'])[-1]}")
    version, python, has_numpy = json.loads(answer.partition(" ")[2])
    return Blender(found, tuple(version), f"{python[0]}.{python[1]}", has_numpy)


def get() -> Blender:
    """The same, installed by the system's package manager where it is missing and that is allowed, with what windows without a screen need."""
    missing = [package for program, package in PROGRAMS.items() if sys.platform == "linux" and not shutil.which(program)]
    if not (os.environ.get("FOOTFALL_BLENDER") or shutil.which("blender") or any(Path(place).is_file() for place in USUAL_PLACES)):
        missing.append("blender")
    if missing and shutil.which("apt-get") and os.geteuid() == 0:
        say(f"Installing {', '.join(missing)} …")
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        # Unchecked: what is still missing then is said below.
        subprocess.run(["apt-get", "-qq", "update"], env=environment, stdout=subprocess.DEVNULL, check=False)
        subprocess.run(["apt-get", "-qq", "-y", "install", *missing], env=environment, stdout=subprocess.DEVNULL, check=False)
    found = find()
    if not found:
        raise BuildError("Blender is missing: get it from https://www.blender.org/download or your package manager "
                         "(`sudo apt install blender xvfb xdotool imagemagick`), and set FOOTFALL_BLENDER to its path if it is not on PATH.")
    return found
