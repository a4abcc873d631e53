"""The installed add-on: what is in it, that it simulates, and what a zip for another Blender says."""

import dataclasses
import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import bpy
import pytest
from footfall.blender_addon import bundle, preferences, scene, simulation, worker
from footfall.core.errors import FootfallError
from footfall.core.result import Result

REPOSITORY = Path(__file__).resolve().parents[2]
REPORT = """
import json, sys, bpy
sys.path.append({repository!r})
from build_tools import in_blender
in_blender.install({zip!r})
in_blender.enable()
from footfall.blender_addon import bundle, preferences
addon = bpy.context.preferences.addons[preferences.ADDON]
print("\\nREPORT", json.dumps([bundle.problem(bpy.app.version), type(addon.preferences).__name__]))
bpy.ops.preferences.addon_disable(module=preferences.ADDON)
"""


def test_the_zip_fits_and_is_enabled():
    assert (bundle.FOLDER / "build.json").is_file(), "these tests are for the installed add-on, not the checkout"
    assert preferences.ADDON in bpy.context.preferences.addons
    assert bundle.problem(bpy.app.version) is None


def test_there_is_one_of_each_module():
    name = preferences.ADDON + ".blender_addon.preferences"
    assert sys.modules[name] is preferences and isinstance(bpy.context.preferences.addons[preferences.ADDON].preferences, bpy.types.AddonPreferences)


def test_numpy_comes_with_the_zip_or_with_blender():
    import numpy

    assert ".venv" not in Path(numpy.__file__).parts


def test_the_preferences_find_a_python_that_simulates():
    found = preferences.worker_python()
    assert str(bundle.FOLDER) == found.paths[0] and ".venv" not in " ".join(found.paths)
    assert bpy.ops.footfall.find_python() == {"FINISHED"}


def test_a_chosen_python_that_does_not_do_is_named():
    chosen = bpy.context.preferences.addons[preferences.ADDON].preferences
    chosen.worker_python = "/no/such/python"
    try:
        with pytest.raises(FootfallError, match="'/no/such/python' cannot be started"):
            preferences.worker_python()
        with pytest.raises(RuntimeError, match="/no/such/python"):
            bpy.ops.footfall.find_python()
    finally:
        chosen.worker_python = ""


def test_the_engine_is_a_preference_that_goes_into_jobs(monkeypatch):
    chosen = bpy.context.preferences.addons[preferences.ADDON].preferences
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    bpy.ops.footfall.add_mannequin()
    rig = bpy.context.object
    rig.footfall.motion.seconds = 1.0
    assert scene.job_of(bpy.context, rig)[0]["engine"] == "auto"
    try:
        for chosen.engine in [name.upper() for name in preferences.worker_python().engines]:
            assert bpy.ops.footfall.simulate() == {"FINISHED"}
            assert Result.load(rig.footfall.bake.result).job["engine"] == chosen.engine.lower() and rig.footfall.bake.report.startswith("Walked")
        only = dataclasses.replace(preferences.worker_python(), engines=("mujoco",))
        monkeypatch.setattr(simulation, "worker_python", lambda: only)
        chosen.engine = "PYBULLET"
        with pytest.raises(RuntimeError, match="pybullet is not there to simulate with: .* has MuJoCo; set Engine to Automatic"):
            bpy.ops.footfall.simulate()
        chosen.engine = "AUTO"
        assert bpy.ops.footfall.simulate() == {"FINISHED"}
    finally:
        chosen.property_unset("engine")


def test_a_worker_simulates(tmp_path):
    running, end = worker.Worker({"duration": 1.0}, tmp_path), time.monotonic() + 60
    while not (status := running.poll()).done and time.monotonic() < end:
        time.sleep(0.02)
    assert status.error is None
    assert Result.load(status.result).outcome["fell"] is False
    running.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_zip_for_another_python_explains_itself(tmp_path):
    """It is installed into a fresh profile, enables, says why it cannot work and can be disabled."""
    problem, preferences_class = install_elsewhere(tmp_path, python="cp399")
    assert "Python 3.99" in problem and f"-{bundle.platform_name()}-{bundle.python_tag()}.zip" in problem and problem.endswith(".")
    assert preferences_class == "FootfallPreferences"


def test_a_zip_for_another_platform_explains_itself(tmp_path):
    problem, _ = install_elsewhere(tmp_path, platform="windows-x64")
    assert "on windows-x64" in problem and f"on {bundle.platform_name()}" in problem


def install_elsewhere(folder: Path, **changes: str) -> tuple[str, str]:
    """Zip up the installed add-on with another build.json and without its packages, and install that with a second Blender."""
    build = json.loads((bundle.FOLDER / "build.json").read_text()) | {"kind": "legacy"} | changes
    file = folder / "other.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("footfall/build.json", json.dumps(build))
        for path in bundle.FOLDER.rglob("*.py"):
            if bundle.PACKAGES not in path.parents:
                archive.write(path, "footfall/" + path.relative_to(bundle.FOLDER).as_posix())
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(folder)}
    for name in ("scripts", "config", "datafiles", "extensions"):
        (folder / name).mkdir()
        environment[f"BLENDER_USER_{name.upper()}"] = str(folder / name)
    script = folder / "report.py"
    script.write_text(REPORT.format(repository=str(REPOSITORY), zip=str(file)))
    done = subprocess.run([bpy.app.binary_path, "-b", "--python-exit-code", "1", "--python", str(script)], env=environment,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("REPORT ")).partition(" ")[2])
