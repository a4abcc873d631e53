"""What the installed zip carries, and whether that fits this Blender. Needs neither Blender nor numpy.

``build.json`` in the package folder is written when the zip is built: kind ("legacy", for Blender up to 4.1, or "extension"), platform
("linux-x64"), python ("cp311") and version. A checkout has none and fits everywhere.
"""

from __future__ import annotations

import importlib.util
import json
import platform
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent  # of the package: core, blender_addon, presets
PACKAGES = FOLDER / "site-packages"  # engines and numpy in the legacy zip; Blender itself unpacks the wheels of an extension
ENGINES = {"pybullet": "pybullet", "mujoco": "MuJoCo"}  # what a job calls an engine, which is also its module → what a user calls it
FIRST_EXTENSIONS = (4, 2)


def platform_name() -> str:
    """This machine as Blender calls it, as in "linux-x64", "macos-arm64"."""
    system, machine = platform.system().lower(), platform.machine().lower()
    return {"darwin": "macos"}.get(system, system) + "-" + {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine, machine)


def python_tag(version: tuple[int, ...] = tuple(sys.version_info)) -> str:
    """As in the names of wheels: "cp311"."""
    return f"cp{version[0]}{version[1]}"


def make_importable() -> None:
    """Let Blender find the numpy of the legacy zip. Last on the path: where Blender has its own, that one is used."""
    if PACKAGES.is_dir() and str(PACKAGES) not in sys.path:
        sys.path.append(str(PACKAGES))


def problem(blender: tuple[int, ...]) -> str | None:
    """Why this zip cannot work in this Blender, with the way out, or None. ``blender`` is its version."""
    file = FOLDER / "build.json"
    if file.is_file():
        found = misfit(json.loads(file.read_text(encoding="utf-8")), blender, platform_name(), python_tag())
        if found:
            return found
    if importlib.util.find_spec("numpy") is None:
        return ("This Blender has no numpy, and this zip does not carry one; install the zip that "
                "`python3 build_addon.py build --blender PATH` makes for it.")
    return None


def misfit(build: dict, blender: tuple[int, ...], here: str, python: str) -> str | None:
    """One sentence if a zip with that ``build.json`` was not made for Blender ``blender`` with ``python`` ("cp311") on ``here`` ("linux-x64")."""
    legacy = blender[:2] < FIRST_EXTENSIONS
    if (build["platform"], build["python"]) == (here, python) and (build["kind"] == "legacy" or not legacy):
        return None
    wanted = f"footfall-{build['version']}-{'legacy-' if legacy else ''}{here}-{python}.zip"
    return (f"This Footfall is for Blender {'up to 4.1' if build['kind'] == 'legacy' else '4.2 and newer'} with Python {_readable(build['python'])} "
            f"on {build['platform']}, but this is Blender {blender[0]}.{blender[1]} with Python {_readable(python)} on {here}; "
            f"remove it and install {wanted} instead (`python3 build_addon.py build --blender PATH` makes it).")


def _readable(tag: str) -> str:
    return f"{tag[2]}.{tag[3:]}"
