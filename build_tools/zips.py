"""The zips that Blender installs: a legacy add-on for Blender up to 4.1, an extension for 4.2 and newer.

Both hold one folder, ``footfall``, with the same code; the physics engines, cma and numpy lie unpacked in the legacy zip (``site-packages``), as
wheels in the extension (``wheels``), from where Blender unpacks them itself.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

from blender_addon.bundle import platform_name
from core.version import VERSION

from . import ROOT, BuildError, checks, finished, say, wheels

DIST = ROOT / "dist"
PACKAGE = "footfall"
# Learned controllers know one body, which no character has: they are for the command line.
CODE = (("core", "*.py"), ("blender_addon", "*.py"), ("presets", "*.json"), ("presets/pressure", "*.npz"), ("presets/pushes", "*.npz"))
TAGLINE = "Physically simulated walking, running and pushes"

INIT = f'''"""Footfall: {TAGLINE[0].lower() + TAGLINE[1:]}, baked onto your rig."""

bl_info = {{
    "name": "Footfall",
    "description": "{TAGLINE}",
    "author": "The Footfall authors",
    "version": {tuple(map(int, VERSION.split(".")))},
    "blender": (3, 4, 0),
    "location": "3D Viewport > Sidebar > Footfall",
    "category": "Animation",
}}

from .blender_addon import register, unregister
'''

MANIFEST = '''schema_version = "1.0.0"
id = "footfall"
version = "{version}"
name = "Footfall"
tagline = "{tagline} (Python {python})"
maintainer = "The Footfall authors"
type = "add-on"
tags = ["Animation", "Physics", "Rigging"]
blender_version_min = "4.2.0"
license = ["SPDX:GPL-3.0-or-later"]
platforms = ["{platform}"]
wheels = {wheels}

[permissions]
files = "Read and write jobs and results of simulations"
'''


def build(kind: str, python: str, with_numpy: bool, platform: str = platform_name(), unmodified: bool = False, engine: str | None = None) -> Path:
    """Make one zip in dist/, check it and return its path.

    Args:
        kind: "legacy" or "extension".
        python: "3.11", of the Blender it is for.
        with_numpy: that Blender has no numpy of its own.
        platform: "linux-x64", of the machine it is for.
        unmodified: take PyPI's wheels as they are (extensions only).
        engine: "pybullet" or "mujoco", to put in no other.
    """
    tag = f"cp{python.replace('.', '')}"
    found = [*_engines(python, platform, unmodified, [engine] if engine else list(wheels.ENGINES)),
             *(_wheel(name, python, platform, unmodified) for name in ["cma"] + (["numpy"] if with_numpy else []))]
    words = [PACKAGE, VERSION, "legacy" if kind == "legacy" else "", platform, tag, engine or "", "unmodified" if unmodified else ""]
    path = DIST / f"{'-'.join(filter(None, words))}.zip"
    with finished(path) as unfinished:
        if kind == "legacy":
            shutil.copyfile(_unpacked(found), unfinished)
        with zipfile.ZipFile(unfinished, "a") as archive:
            _add(archive, "__init__.py", INIT.encode())
            _add(archive, "build.json", json.dumps({"version": VERSION, "kind": kind, "platform": platform, "python": tag}).encode())
            _add(archive, "LICENSE", (ROOT / "LICENSE").read_bytes())
            for folder, pattern in CODE:
                for file in sorted((ROOT / folder).rglob(pattern)):
                    _add(archive, file.relative_to(ROOT).as_posix(), file.read_bytes())
            if kind == "extension":
                listed = json.dumps([f"./wheels/{wheel.name}" for wheel in found])
                manifest = MANIFEST.format(version=VERSION, tagline=TAGLINE, python=python, platform=platform, wheels=listed)
                _add(archive, "blender_manifest.toml", manifest.encode())
                for wheel in found:
                    _add(archive, f"wheels/{wheel.name}", wheel.read_bytes(), zipfile.ZIP_STORED)
        checks.check(unfinished)
    say(f"{DIST.name}/{path.name}  {path.stat().st_size / 1e6:.1f} MB")
    return path


def _wheel(name: str, python: str, platform: str, unmodified: bool) -> Path:
    whole = wheels.fetch(name, python, platform, only_pypi=unmodified)
    return whole if unmodified else wheels.slim(whole)


def _engines(python: str, platform: str, unmodified: bool, names: list[str]) -> list[Path]:
    """The wheels of those engines that this platform and Python have; a BuildError where there is none."""
    found, missing = [], []
    for name in names:
        try:
            found.append(_wheel(wheels.ENGINES[name], python, platform, unmodified))
        except BuildError as error:
            missing.append(f"Without {name}: {error}")
    if not found:
        raise BuildError(" ".join(missing))
    for reason in missing:
        say(reason)
    return found


def _unpacked(found: list[Path]) -> Path:
    """A zip with the wheels' files in site-packages, kept for the next time.

    Libraries are most of it, and LZMA, which Blender's unzip knows, makes them a third smaller than deflate, but takes its time.
    """
    kept = wheels.CACHE / "unpacked" / ("+".join(wheel.stem for wheel in found) + ".zip")
    if kept.is_file() and kept.stat().st_mtime > max(file.stat().st_mtime for file in [*found, Path(__file__)]):
        return kept
    say(f"Packing {', '.join(wheel.name.partition('-')[0] for wheel in found)} …")
    with finished(kept) as unfinished, zipfile.ZipFile(unfinished, "w") as archive:
        for wheel in found:
            with zipfile.ZipFile(wheel) as source:
                for name in source.namelist():
                    library = ".so" in name or name.endswith((".dylib", ".dll", ".pyd"))
                    _add(archive, f"site-packages/{name}", source.read(name), zipfile.ZIP_LZMA if library else zipfile.ZIP_DEFLATED)
    return kept


def _add(archive: zipfile.ZipFile, name: str, data: bytes, compression: int = zipfile.ZIP_DEFLATED) -> None:
    """With a fixed date, so that the same files give the same zip."""
    member = zipfile.ZipInfo(f"{PACKAGE}/{name}", (1980, 1, 1, 0, 0, 0))
    member.external_attr = 0o644 << 16
    archive.writestr(member, data, compression, 9)
