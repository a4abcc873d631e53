"""The zips as Blender gets them: built for real, with real wheels (fetched once, kept in build/)."""

import ast
import base64
import csv
import hashlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tomllib
import zipfile
from itertools import product
from pathlib import Path

import pytest
from footfall.blender_addon.bundle import misfit, platform_name, python_tag
from footfall.core import methods
from footfall.core.version import VERSION

from build_addon import PLATFORMS, PYTHONS
from build_tools import BuildError, checks, wheels, zips
from tests.cases import quick

REPOSITORY = Path(__file__).resolve().parents[2]
PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"
MB = 1e6


@pytest.fixture(scope="module")
def legacy() -> Path:
    return zips.build("legacy", PYTHON, with_numpy=True)


@pytest.fixture(scope="module")
def extension() -> Path:
    return zips.build("extension", PYTHON, with_numpy=False)


@pytest.fixture(scope="module")
def unpacked(legacy, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    zipfile.ZipFile(legacy).extractall(folder)
    return folder / "footfall"


def names(file: Path) -> list[str]:
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        return archive.namelist()


def read(file: Path, name: str) -> bytes:
    with zipfile.ZipFile(file) as archive:
        return archive.read(f"footfall/{name}")


def test_the_zips_are_small(legacy, extension):
    assert legacy.stat().st_size < 26 * MB and extension.stat().st_size < 19 * MB  # of these, the databases of presets are 4 to 8 MB


def test_the_names_say_what_they_are_for(legacy, extension):
    assert legacy.name == f"footfall-{zips.VERSION}-legacy-{platform_name()}-{python_tag()}.zip"
    assert extension.name == f"footfall-{zips.VERSION}-{platform_name()}-{python_tag()}.zip"


@pytest.mark.parametrize("kind", ["legacy", "extension"])
def test_all_code_is_inside_one_folder_and_nothing_else_is(kind, request):
    file = request.getfixturevalue(kind)
    found = names(file)
    assert len(found) == len(set(found)) and {name.split("/")[0] for name in found} == {"footfall"}
    for source in [*REPOSITORY.glob("core/**/*.py"), *REPOSITORY.glob("blender_addon/**/*.py"), *REPOSITORY.glob("presets/**/*.json")]:
        assert f"footfall/{source.relative_to(REPOSITORY).as_posix()}" in found
    assert not [name for name in found if "__pycache__" in name or "/tests/" in name or "pybullet_data" in name or "eglRenderer" in name]
    assert read(file, "LICENSE").lstrip().startswith(b"GNU GENERAL PUBLIC LICENSE\n                       Version 3")
    assert json.loads(read(file, "build.json")) == {"version": zips.VERSION, "kind": kind, "platform": platform_name(), "python": python_tag()}


def test_blender_can_read_bl_info_without_running_the_add_on(legacy):
    tree = ast.parse(read(legacy, "__init__.py"))
    info = next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "bl_info")
    assert info["name"] == "Footfall" and ".".join(map(str, info["version"])) == zips.VERSION and info["blender"] <= (3, 4, 1)


def test_the_manifest_says_what_the_zip_holds(extension):
    manifest = tomllib.loads(read(extension, "blender_manifest.toml").decode())
    assert manifest["version"] == zips.VERSION and manifest["license"] == ["SPDX:GPL-3.0-or-later"] and manifest["platforms"] == [platform_name()]
    assert len(manifest["tagline"]) <= 64 and len(manifest["permissions"]["files"]) <= 64
    inside = [name for name in names(extension) if name.startswith("footfall/wheels/")]
    assert [name.replace("./", "footfall/") for name in manifest["wheels"]] == inside and \
        [name.split("/")[-1].split("-")[0] for name in inside] == ["pybullet", "mujoco_core", "cma"]


def test_libraries_are_packed_tightly(legacy):
    with zipfile.ZipFile(legacy) as archive:
        libraries = [member for member in archive.infolist() if ".so" in member.filename]
    assert libraries and all(member.compress_type == zipfile.ZIP_LZMA for member in libraries)


def test_building_again_gives_the_same_bytes(legacy, extension):
    before = legacy.read_bytes(), extension.read_bytes()
    zips.build("legacy", PYTHON, with_numpy=True)
    zips.build("extension", PYTHON, with_numpy=False)
    assert (legacy.read_bytes(), extension.read_bytes()) == before


@pytest.mark.parametrize("name, module", [("pybullet", "pybullet"), ("mujoco-core", "mujoco.batch"), ("cma", "cma"), ("numpy", "numpy")])
def test_a_slim_wheel_is_a_valid_wheel(name, module, tmp_path):
    whole = wheels.fetch(name, PYTHON)
    slim = wheels.slim(whole)
    assert slim.name == whole.name and slim.stat().st_size < whole.stat().st_size
    with zipfile.ZipFile(slim) as archive:
        record = next(member for member in archive.namelist() if member.endswith(".dist-info/RECORD"))
        rows = {path: (digest, size) for path, digest, size in csv.reader(io.StringIO(archive.read(record).decode()))}
        assert sorted(rows) == sorted(archive.namelist()) and rows.pop(record) == ("", "")
        for path, (digest, size) in rows.items():
            data = archive.read(path)
            assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode() and int(size) == len(data)
        assert any("LICENSE" in path for path in rows)
    installed = {slim, wheels.slim(wheels.fetch("numpy", PYTHON))}  # the others ask for numpy
    subprocess.run([*wheels._pip(), "install", "--quiet", "--no-deps", "--no-index", "--target", tmp_path, *installed], check=True)
    said = subprocess.run([sys.executable, "-S", "-c", f"import {module}; print({module}.__file__)"], env={**os.environ, "PYTHONPATH": str(tmp_path)},
                          capture_output=True, text=True, check=True)
    assert str(tmp_path) in said.stdout


def core(unpacked: Path, folder: Path, *arguments: str) -> dict:
    """What a command says, run by a Python without packages of its own (-S) on what the zip holds."""
    done = subprocess.run([sys.executable, "-S", "-P", "-m", "core", *arguments], cwd=folder,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([str(unpacked), str(unpacked / "site-packages")])},
                          capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_methods_are_found_in_either_zip(unpacked, extension, tmp_path):
    """They are looked for in a folder when it runs."""
    zipfile.ZipFile(extension).extractall(tmp_path)
    (tmp_path / "footfall" / "site-packages").symlink_to(unpacked / "site-packages")  # as Blender would unpack its wheels
    for folder in (unpacked, tmp_path / "footfall"):
        assert list(core(folder, tmp_path, "methods")) == methods.names()


def test_the_version_is_the_cores(legacy, extension):
    for file in (legacy, extension):
        assert json.loads(read(file, "build.json"))["version"] == VERSION and f"-{VERSION}-" in file.name


def test_the_legacy_zip_simulates_with_nothing_but_what_it_holds(unpacked, tmp_path):
    assert core(unpacked, tmp_path, "simulate", "walk", "-o", "walk.npz")["fell"] is False and (tmp_path / "walk.npz").is_file()


def test_the_legacy_zip_simulates_with_either_engine(unpacked, tmp_path):
    for engine in wheels.ENGINES:
        assert core(unpacked, tmp_path, "simulate", "walk", "-o", f"{engine}.npz", "--engine", engine)["fell"] is False


@pytest.mark.slow
def test_the_legacy_zip_searches_with_nothing_but_what_it_holds(unpacked, tmp_path):
    motions = Path(importlib.util.find_spec("pybullet_data").origin).parent / "data" / "motions"
    (tmp_path / "kick.txt").write_bytes((motions / "humanoid3d_spinkick.txt").read_bytes())
    facts = core(unpacked, tmp_path, "inspect", "kick.txt", "--strip", "kick.png")
    assert facts["seconds"] > 1.0 and (tmp_path / "kick.png").read_bytes().startswith(b"\x89PNG")
    assert core(unpacked, tmp_path, "track", "kick.txt", "-o", "kick.npz", "--tune", "5")["gains"]


def test_unmodified_wheels_are_pypis_own(tmp_path, monkeypatch):
    try:
        whole = wheels.fetch("pybullet", PYTHON, only_pypi=True)
    except BuildError as error:
        pytest.skip(str(error))
    monkeypatch.setattr(zips, "DIST", tmp_path)  # it is large
    file = zips.build("extension", PYTHON, with_numpy=False, unmodified=True)
    assert file.name.endswith("-unmodified.zip") and read(file, f"wheels/{whole.name}") == whole.read_bytes()


def test_a_python_that_nothing_can_be_built_for_is_named():
    with pytest.raises(BuildError, match="no python3.99 to build it with; install that Python with its headers"):
        wheels.fetch("pybullet", "3.99")
    with pytest.raises(BuildError, match="leave out --unmodified-wheels"):
        wheels.fetch("pybullet", "3.99", only_pypi=True)


@pytest.mark.parametrize("wheel, python, platform, good", [
    ("cp313-cp313-win_amd64", "3.13", "windows-x64", True), ("cp311-cp311-win_amd64", "3.13", "windows-x64", False),
    ("cp313-cp313-win_arm64", "3.13", "windows-x64", False), ("py3-none-any", "3.13", "windows-x64", True),
    ("cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64", "3.11", "linux-x64", True),
    ("cp311-cp311-manylinux_2_34_x86_64", "3.11", "linux-x64", False), ("cp311-cp311-manylinux2014_aarch64", "3.11", "linux-x64", False),
    ("cp311-cp311-manylinux2014_aarch64", "3.11", "linux-arm64", True), ("cp311-cp311-musllinux_1_2_aarch64", "3.11", "linux-arm64", False),
    ("cp313-cp313-macosx_11_0_arm64", "3.13", "macos-arm64", True), ("cp313-cp313-macosx_10_13_universal2", "3.13", "macos-arm64", True),
    ("cp313-cp313-macosx_14_0_arm64", "3.13", "macos-arm64", False), ("cp313-cp313-macosx_11_0_x86_64", "3.13", "macos-arm64", False)])
def test_the_tag_of_a_wheel_says_where_it_runs(wheel, python, platform, good):
    assert wheels.fits(f"name-1.0-{wheel}.whl", python, platform) is good


def test_a_platform_that_is_not_built_for_is_named():
    with pytest.raises(BuildError, match="not built for amiga-m68k; known are linux-x64"):
        wheels.fetch("cma", "3.11", "amiga-m68k")


@pytest.mark.parametrize(("python", "platform"), quick(product(PYTHONS, PLATFORMS), ("3.11", "windows-x64"), ("3.13", "linux-x64")))
def test_a_zip_for_every_machine_holds_an_engine_and_only_what_runs_there(python, platform, tmp_path, monkeypatch):
    monkeypatch.setattr(zips, "DIST", tmp_path)
    file = zips.build("extension", python, with_numpy=False, platform=platform, engine="mujoco")
    assert file.name == f"footfall-{zips.VERSION}-{platform}-cp{python.replace('.', '')}-mujoco.zip" and checks.problems(file) == []
    manifest = tomllib.loads(read(file, "blender_manifest.toml").decode())
    assert manifest["platforms"] == [platform] and f"(Python {python})" in manifest["tagline"]
    assert [name.split("/")[-1].split("-")[0] for name in manifest["wheels"]] == ["mujoco_core", "cma"]


def test_an_engine_that_is_not_to_be_had_is_left_out_and_one_is_needed(tmp_path, monkeypatch, capsys):
    real, lacking = wheels.fetch, {"pybullet"}

    def fetch(name, *arguments, **options):
        if name in lacking:
            raise BuildError(f"There is no wheel of {name}.")
        return real(name, *arguments, **options)

    monkeypatch.setattr(zips, "DIST", tmp_path)
    monkeypatch.setattr(wheels, "fetch", fetch)
    file = zips.build("extension", PYTHON, with_numpy=False)
    assert not [name for name in names(file) if "pybullet-" in name] and "Without pybullet: There is no wheel of pybullet." in capsys.readouterr().out
    lacking.add("mujoco-core")
    with pytest.raises(BuildError, match="Without pybullet: .* Without mujoco: "):
        zips.build("extension", PYTHON, with_numpy=False)


def test_every_zip_that_was_made_is_as_it_should_be(legacy, extension):
    assert {file.name: checks.problems(file) for file in {legacy, extension, *zips.DIST.glob("*.zip")} if checks.problems(file)} == {}


def changed(file: Path, folder: Path, name: str, new: bytes | None, renamed: str = "") -> Path:
    """A copy of a zip in which one file has other contents or another name, or is gone."""
    copy = folder / file.name
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(copy, "w") as target:
        for member in source.namelist():
            if member != f"footfall/{name}":
                target.writestr(member, source.read(member))
        if new is not None:
            target.writestr(f"footfall/{renamed or name}", new)
    return copy


def test_zips_that_are_not_as_they_should_be(extension, legacy, tmp_path):
    manifest = read(extension, "blender_manifest.toml").decode()
    engine = next(name for name in names(extension) if "/mujoco_core-" in name).removeprefix("footfall/")
    other = changed(extension, tmp_path, "blender_manifest.toml", manifest.replace(platform_name(), "windows-arm64").encode())
    assert checks.problems(other) == [f"The manifest is for windows-arm64, not for {platform_name()}."]
    assert "The manifest lists " in " ".join(checks.problems(changed(extension, tmp_path, engine, None)))
    build = json.loads(read(extension, "build.json"))
    for changes in ({"python": "cp399"}, {"platform": "macos-arm64" if platform_name() != "macos-arm64" else "windows-x64"}):
        found = " ".join(checks.problems(changed(extension, tmp_path, "build.json", json.dumps(build | changes).encode())))
        assert "is not for Python" in found and "mujoco_core is made for cp" in found
    said = json.loads(read(legacy, "build.json")) | {"platform": "windows-x64" if platform_name() != "windows-x64" else "linux-x64"}
    assert "is no library of" in " ".join(checks.problems(changed(legacy, tmp_path, "build.json", json.dumps(said).encode())))
    bare = tmp_path / "bare.zip"
    with zipfile.ZipFile(bare, "w") as archive:
        archive.writestr("footfall/build.json", read(legacy, "build.json"))
    with pytest.raises(BuildError, match="bare.zip is not as it should be: There is no physics engine in it."):
        checks.check(bare)


BUILD = {"version": "1.2.3", "kind": "legacy", "platform": "linux-x64", "python": "cp311"}


@pytest.mark.parametrize("build, blender, here, python", [
    (BUILD, (3, 4, 1), "linux-x64", "cp311"), (BUILD, (4, 2, 0), "linux-x64", "cp311"),
    (BUILD | {"kind": "extension"}, (4, 2, 0), "linux-x64", "cp311"), (BUILD | {"kind": "extension"}, (5, 2, 2), "linux-x64", "cp311")])
def test_a_zip_that_fits_says_nothing(build, blender, here, python):
    assert misfit(build, blender, here, python) is None


@pytest.mark.parametrize("build, blender, here, python, wanted", [
    (BUILD, (5, 2, 2), "linux-x64", "cp314", "footfall-1.2.3-linux-x64-cp314.zip"),
    (BUILD, (3, 4, 1), "macos-arm64", "cp311", "footfall-1.2.3-legacy-macos-arm64-cp311.zip"),
    (BUILD | {"kind": "extension"}, (3, 4, 1), "linux-x64", "cp311", "footfall-1.2.3-legacy-linux-x64-cp311.zip"),
    (BUILD | {"kind": "extension"}, (5, 2, 2), "linux-x64", "cp313", "footfall-1.2.3-linux-x64-cp313.zip")],
    ids=["python", "platform", "kind", "python of an extension"])
def test_a_zip_that_does_not_fit_names_the_one_that_does(build, blender, here, python, wanted):
    sentence = misfit(build, blender, here, python)
    assert wanted in sentence and sentence.endswith(".") and f"Blender {blender[0]}.{blender[1]}" in sentence
