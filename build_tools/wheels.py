"""The engines, numpy and cma as wheels: from PyPI, or for this machine built from source once, and kept; and without what a simulation never uses."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from blender_addon.bundle import platform_name

from . import ROOT, BuildError, finished, say

CACHE = ROOT / "build" / "wheels"
# What wheels may be tagged with to run wherever Blender 4.2 does: with glibc 2.28, on macOS 11.
MANYLINUX = (*(f"manylinux_2_{minor}" for minor in range(28, 4, -1)), "manylinux2014", "manylinux2010", "manylinux1")
MACOS = ("macosx_11_0", *(f"macosx_10_{minor}" for minor in range(16, 3, -1)))
PLATFORMS = {
    "linux-x64": tuple(f"{tag}_x86_64" for tag in MANYLINUX),
    "linux-arm64": tuple(f"{tag}_aarch64" for tag in MANYLINUX),
    "windows-x64": ("win_amd64",),
    "macos-arm64": tuple(f"{tag}_{machine}" for tag in MACOS for machine in ("arm64", "universal2")),
    "macos-x64": tuple(f"{tag}_{machine}" for tag in MACOS for machine in ("x86_64", "universal2")),
}
ENGINES = {"pybullet": "pybullet", "mujoco": "mujoco-core"}  # engine → its package; a zip needs one and takes all that there are
LEFT_OUT = {
    # The engine itself is one file; beside it are data, examples and a renderer.
    "pybullet": re.compile(r"(?!pybullet\.([^/]*$|libs/)|[^/]*\.dist-info/)"),
    # The engine and its bindings are a few files; beside them are manuals, a viewer, renderers, plugins, tests and tools.
    "mujoco_core": re.compile(r"(?!mujoco/((__init__|_version|batch)\.py$|_(batch|callbacks|constants|enums|errors|functions|specs|structs)\.|"
                              r"(lib)?mujoco\.[^/]*$)|[^/]*\.(dist-info|libs)/)"),
    # Tests, the Fortran compiler's front end, and what is for compiling or type checking against numpy.
    "numpy": re.compile(r"numpy/((.*/)?(tests|f2py|_pyinstaller|include)/|(_core|random)/lib/|.*\.(pyi|h|a|lib|pxd|pyx|c)$|.*_tests\.[^/]*$)"),
    # Its own tests.
    "cma": re.compile(r"cma/test\.py$"),
}
# pybullet's is nine tenths debug symbols. Libraries that were patched to be put into a wheel, as numpy's, no longer load after strip.
WITH_SYMBOLS = re.compile(r"pybullet\.[^/]*\.(so|dylib)$")
UNTRUE_WHEN_SLIM = ("top_level.txt", "entry_points.txt")  # in *.dist-info


def fetch(name: str, python: str, platform: str = platform_name(), only_pypi: bool = False) -> Path:
    """The wheel of ``name``, in the version that requirements.txt asks for, for Python ``python`` ("3.11") on ``platform`` ("linux-x64").

    Where PyPI has none for this machine it is built from source, which takes minutes; either way it is kept for the next time.
    """
    if platform not in PLATFORMS:
        raise BuildError(f"Footfall is not built for {platform}; known are {', '.join(PLATFORMS)}.")
    requirement = _requirement(name)
    may_build = platform == platform_name() and not only_pypi
    for folder in [CACHE / "pypi"] + ([CACHE / "built"] if may_build else []):
        if found := _kept(folder, name, python, platform):
            return found
    say(f"Fetching {requirement} for Python {python} on {platform} …")
    tags = [argument for tag in PLATFORMS[platform] for argument in ("--platform", tag)]
    download = ["download", "--no-deps", "--only-binary=:all:", *tags, "--python-version", python, "--implementation", "cp", "--dest"]
    said = _pip_into(CACHE / "pypi", download, requirement)
    if found := _kept(CACHE / "pypi", name, python, platform):
        return found
    if may_build:
        return _build(name, requirement, python)
    reason = said.splitlines()[-1] if said else "pip gave no reason"
    way_out = "leave out --unmodified-wheels to build it from source" if only_pypi and platform == platform_name() else \
        f"build it on a machine with {platform}"
    raise BuildError(f"PyPI has no wheel of {requirement} for Python {python} on {platform} ({reason}); {way_out}.")


def fits(wheel: str, python: str, platform: str) -> bool:
    """Whether a wheel of that file name is for Python ``python`` ("3.11") on ``platform`` ("linux-x64")."""
    interpreters, _, systems = (part.split(".") for part in wheel.removesuffix(".whl").split("-")[-3:])
    if "any" in systems:
        return "py3" in interpreters
    built_here = (sysconfig.get_platform().translate(str.maketrans("-.", "__")),) if platform == platform_name() else ()
    return f"cp{python.replace('.', '')}" in interpreters and not {*PLATFORMS[platform], *built_here}.isdisjoint(systems)


def slim(wheel: Path) -> Path:
    """The same wheel without what is never used, without debug symbols; a valid wheel, kept for the next time."""
    small = CACHE / "slim" / wheel.name
    if small.is_file() and small.stat().st_mtime > max(wheel.stat().st_mtime, Path(__file__).stat().st_mtime):
        return small
    say(f"Slimming {wheel.name} …")
    left_out, records, record = LEFT_OUT[wheel.name.partition("-")[0]], [], None
    with finished(small) as unfinished, zipfile.ZipFile(wheel) as source, zipfile.ZipFile(unfinished, "w") as target:
        for member in source.infolist():
            path = PurePosixPath(member.filename)
            if path.match("*.dist-info/RECORD"):
                record = member
            elif not member.is_dir() and not left_out.match(member.filename) and path.name not in UNTRUE_WHEN_SLIM:
                data = source.read(member)
                if WITH_SYMBOLS.match(member.filename):
                    data = _stripped(data)
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                records.append(f"{member.filename},sha256={digest},{len(data)}")
                _write(target, member, data)
        _write(target, record, "\n".join([*records, f"{record.filename},,"]).encode() + b"\n")
    return small


def _write(archive: zipfile.ZipFile, like: zipfile.ZipInfo, data: bytes) -> None:
    """With the name, date and permissions that it had, so that the same wheel gives the same slim one."""
    member = zipfile.ZipInfo(like.filename, like.date_time)
    member.external_attr = like.external_attr
    archive.writestr(member, data, zipfile.ZIP_DEFLATED)


def _requirement(name: str) -> str:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").split()
    return next(line for line in lines if re.match(rf"{name}\b", line))


def _kept(folder: Path, name: str, python: str, platform: str) -> Path | None:
    exact = _requirement(name).partition("==")[2] or "*"
    found = [wheel for wheel in folder.glob(f"{name.replace('-', '_')}-{exact}-*.whl") if fits(wheel.name, python, platform)]
    return max(found, default=None, key=lambda path: path.stat().st_mtime)


def _pip() -> list[str | Path]:
    ours = ROOT / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    interpreter = sys.executable if importlib.util.find_spec("pip") else ours
    if not Path(interpreter).exists():
        raise BuildError("This Python has no pip; run `python3 build_addon.py setup` first.")
    return [interpreter, "-m", "pip", "--disable-pip-version-check"]


def _pip_into(folder: Path, arguments: list[str], requirement: str) -> str:
    """Run pip, move the wheel that it makes into ``folder`` whole, and return what it complains about."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as unfinished:
        done = subprocess.run([*_pip(), *arguments, unfinished, requirement], capture_output=True, text=True, check=False)
        for wheel in Path(unfinished).glob("*.whl"):
            wheel.replace(folder / wheel.name)
    return done.stderr.strip()


def _build(name: str, requirement: str, python: str) -> Path:
    interpreter = sys.executable if sys.version_info[:2] == tuple(map(int, python.split("."))) else shutil.which(f"python{python}")
    if not interpreter:
        raise BuildError(f"PyPI has no wheel of {requirement} for Python {python} on this platform and there is no python{python} to build it with; "
                         f"install that Python with its headers (Debian: python{python}-dev) and run this again.")
    say(f"PyPI has no wheel of {requirement} for Python {python} on this platform: building it from source, once. This takes several minutes …")
    said = _pip_into(CACHE / "built", ["--python", interpreter, "wheel", "--no-deps", "--no-binary", name, "--wheel-dir"], requirement)
    if found := _kept(CACHE / "built", name, python, platform_name()):
        return found
    raise BuildError(f"{said}\n{requirement} could not be built for Python {python}; it needs a C++ compiler and that Python's headers "
                     f"(Debian: apt install g++ python{python}-dev).")


def _stripped(library: bytes) -> bytes:
    if not shutil.which("strip"):
        return library
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "library")
        file.write_bytes(library)
        # One of another system stays as it is.
        subprocess.run(["strip", "-x" if sys.platform == "darwin" else "--strip-unneeded", file], stderr=subprocess.DEVNULL, check=False)
        return file.read_bytes()
