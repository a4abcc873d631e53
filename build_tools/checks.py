"""What a finished zip must be: every package made for its platform and Python, a manifest that lists what is there, an engine in it."""

from __future__ import annotations

import io
import json
import re
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

from . import BuildError, wheels

ENGINES = {package.replace("-", "_") for package in wheels.ENGINES.values()}  # as wheels name them
# The first bytes of a library, by the platform that it is for; a machine's number lies where the format has it.
MAGIC = {
    "linux-x64": re.compile(rb"\x7fELF.{14}\x3e\x00", re.DOTALL),
    "linux-arm64": re.compile(rb"\x7fELF.{14}\xb7\x00", re.DOTALL),
    "windows-x64": re.compile(rb"MZ"),
    "macos-arm64": re.compile(rb"\xcf\xfa\xed\xfe\x0c\x00\x00\x01|\xca\xfe\xba\xbe"),
    "macos-x64": re.compile(rb"\xcf\xfa\xed\xfe\x07\x00\x00\x01|\xca\xfe\xba\xbe"),
}
LIBRARY = re.compile(r".*\.(so(\.[\d.]+)?|pyd|dll|dylib)$")


def check(file: Path) -> None:
    """A BuildError with every problem there is."""
    if found := problems(file):
        raise BuildError(f"{file.name} is not as it should be: {' '.join(found)}")


def problems(file: Path) -> list[str]:
    """A sentence for everything that would keep a zip from working where it says it does."""
    with zipfile.ZipFile(file) as archive:
        build = json.loads(archive.read("footfall/build.json"))
        platform, python = build["platform"], f"{build['python'][2]}.{build['python'][3:]}"
        found = _manifest(archive, platform) if build["kind"] == "extension" else []
        packages = _wheels(archive) if build["kind"] == "extension" else {"site-packages": _files(archive, "footfall/site-packages/")}
        engines = set()
        for name, files in packages.items():
            if name.endswith(".whl") and not wheels.fits(name, python, platform):
                found.append(f"{name} is not for Python {python} on {platform}.")
            for path, data in files.items():
                if path.endswith(".dist-info/WHEEL"):
                    package = PurePosixPath(path).parent.name.partition("-")[0]
                    engines |= {package} & ENGINES
                    tags = re.findall(r"^Tag: *(\S+)", data.decode(), re.MULTILINE)
                    if not any(wheels.fits(f"{package}-0-{tag}.whl", python, platform) for tag in tags):
                        found.append(f"{package} is made for {', '.join(tags)}, not for Python {python} on {platform}.")
                elif LIBRARY.match(path) and not MAGIC[platform].match(data):
                    found.append(f"{path} is no library of {platform}.")
        if not engines:
            found.append("There is no physics engine in it.")
    return found


def _manifest(archive: zipfile.ZipFile, platform: str) -> list[str]:
    manifest, found = tomllib.loads(archive.read("footfall/blender_manifest.toml").decode()), []
    if manifest["platforms"] != [platform]:
        found.append(f"The manifest is for {', '.join(manifest['platforms'])}, not for {platform}.")
    listed = sorted(f"footfall/{path.removeprefix('./')}" for path in manifest["wheels"])
    inside = sorted(name for name in archive.namelist() if name.endswith(".whl"))
    if listed != inside:
        found.append(f"The manifest lists {', '.join(listed) or 'no wheels'}, but {', '.join(inside) or 'none'} are there.")
    return found


def _wheels(archive: zipfile.ZipFile) -> dict[str, dict[str, bytes]]:
    """The files of each wheel in the zip."""
    contents = {}
    for name in archive.namelist():
        if name.endswith(".whl"):
            with zipfile.ZipFile(io.BytesIO(archive.read(name))) as wheel:
                contents[PurePosixPath(name).name] = _files(wheel)
    return contents


def _files(archive: zipfile.ZipFile, below: str = "") -> dict[str, bytes]:
    """What is needed of an archive's files: libraries, their first bytes alone, and what wheels say of themselves."""
    contents = {}
    for name in archive.namelist():
        if name.startswith(below) and (name.endswith(".dist-info/WHEEL") or LIBRARY.match(name)):
            with archive.open(name) as file:
                contents[name] = file.read(4096)
    return contents
