"""Methods: each is one module; what a job leaves open is filled in before it runs; adding one is adding a file."""

import dataclasses
import inspect
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pybullet_data
import pytest

from core import methods
from core.__main__ import main
from core.context import Context
from core.errors import JobError
from core.jobs import check, make_job, run
from core.physics import ENGINES, engine_version
from core.result import Result
from core.settings import Number, Switch, declared, setting
from core.version import VERSION

CLIPS = Path(pybullet_data.getDataPath()) / "data" / "motions"
WALK = str(CLIPS / "humanoid3d_walk.txt")
REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", methods.names())
def test_every_method_is_whole(name):
    method = methods.get(name)
    assert method.LABEL and method.HELP.endswith(".") and method.COMMAND.help
    assert set(method.EVENTS) <= {"push", "ball", "gait"} and set(method.ENGINES) <= set(ENGINES) and method.STEERED in (True, False)
    assert callable(method.check) and callable(method.complete) and callable(method.run)
    for item in declared(method.Settings):
        assert item.help.endswith(".") and "\n" not in item.help, item.name


@pytest.mark.parametrize("name", methods.names())
def test_a_setting_that_a_method_does_not_have_is_refused_with_those_that_it_has(name):
    has = [item.name for item in declared(methods.get(name).Settings)]
    every = {item.name: item for other in methods.names() for item in declared(methods.get(other).Settings)}
    for key in set(every) - set(has):
        data = {"method": name, key: True, **({"clips": [WALK]} if "clips" in has else {})}
        with pytest.raises(JobError) as error:
            check(data)
        text = str(error.value)
        assert f"'{name}' has no setting '{key}'" in text and all(known in text for known in has) and "\n" not in text


def test_a_job_is_checked_without_reading_its_clip():
    request = check({"method": "plan", "clips": ["nowhere.bvh"], "freedom": 0.5})
    assert request.settings.freedom == 0.5 and "body" not in request.given
    with pytest.raises(Exception, match=r"nowhere\.bvh"):
        make_job({"method": "plan", "clips": ["nowhere.bvh"]})


@pytest.mark.parametrize("data", [{"duration": 0.5}, {"method": "track", "clips": [WALK], "duration": 0.5}, {"method": "retarget", "clips": [WALK]}])
def test_the_job_in_a_result_gives_the_same_result(data):
    first = run(make_job(data))
    again = run(make_job(json.loads(json.dumps(first.job))))
    assert again.job == first.job and again.made_with == first.made_with
    np.testing.assert_array_equal(again.root_positions, first.root_positions)
    np.testing.assert_array_equal(again.rotations, first.rotations)


def test_a_result_says_what_made_it(tmp_path, engine):
    result = run(make_job({"duration": 0.1, "engine": engine}))
    assert result.job["engine"] == engine and result.made_with[engine] == engine_version(engine) != "unknown"
    assert result.made_with["footfall"] == VERSION and set(result.made_with) >= {"python", "numpy"}
    assert not (set(ENGINES) - {engine}) & set(result.made_with)
    result.save(tmp_path / "result.npz")
    assert Result.load(tmp_path / "result.npz").made_with == result.made_with


def test_the_engine_is_chosen_before_a_job_runs(monkeypatch):
    import core.physics as physics

    assert make_job({}).engine == "pybullet" and make_job({"method": "plan", "clips": [WALK]}).engine == "mujoco"
    load = physics._load
    monkeypatch.setattr(physics, "_load", lambda name: ImportError("not here") if name == "pybullet" else load(name))
    assert make_job({}).engine == "mujoco"


def test_gains_beside_a_clip_become_a_part_of_the_job(tmp_path):
    clip = tmp_path / "walk.txt"
    clip.write_bytes(Path(WALK).read_bytes())
    data = {"method": "track", "clips": [str(clip)], "duration": 0.3}
    usual = make_job(data)
    body = {"mass": round(sum(run(usual).masses), 2)}
    found = {**usual.settings.gains, "clearance": 0.123}
    from core import presets

    leg = round(presets.body(usual.body).leg_length, 4)
    Path(f"{clip}.gains.json").write_text(json.dumps({"body": {**body, "leg_length": leg}, "gains": found}))
    tuned = make_job(data)
    assert tuned.settings.gains["clearance"] == 0.123 != usual.settings.gains["clearance"]
    Path(f"{clip}.gains.json").unlink()
    # The job carries them: it no longer matters what lies beside the clip.
    assert make_job(tuned.to_dict()).settings.gains == tuned.settings.gains
    assert run(tuned).job["gains"]["clearance"] == 0.123


# -- a method that is added -------------------------------------------------------------------------------------------------


def toy() -> ModuleType:
    """A method that lets the average man stand still, made up here."""
    module = ModuleType("toy")

    @dataclasses.dataclass(frozen=True)
    class Settings:
        sway: float = setting(0.02, Number(0.0, 0.5, "m"), "How far it sways to each side.")
        calm: bool = setting(False, Switch(), "Do not sway at all.")

    def run(job, context):
        base = methods.get("gait").walk(make_job({"gait": "stand", "duration": job.duration, "fps": job.fps, "engine": job.engine}))
        sway = 0.0 if job.settings.calm else job.settings.sway
        base.root_positions[:, 1] += sway * np.sin(base.times)
        context.tell(1.0)
        return dataclasses.replace(base, job=job.to_dict())

    module.LABEL, module.HELP = "Toy", "Stand and sway."
    module.COMMAND = methods.Command("sway", "stand and sway")
    module.EVENTS, module.STEERED, module.ENGINES, module.Settings = (), False, ("pybullet", "mujoco"), Settings
    module.check = lambda request: None
    module.complete = lambda request: dataclasses.replace(request, given={"time_step": 0.002, **request.given})
    module.run = run
    return module


@pytest.fixture
def toy_method(monkeypatch):
    monkeypatch.setattr(methods, "_added", {})
    methods.add("toy", toy())


def test_a_method_that_is_added_is_checked_run_and_has_its_command(toy_method, tmp_path, capsys):
    assert "toy" in methods.names()
    with pytest.raises(JobError, match="'toy' has no setting 'freedom'; it has sway, calm"):
        check({"method": "toy", "freedom": 0.3})
    with pytest.raises(JobError, match="sway is 2"):
        check({"method": "toy", "sway": 2})
    done = []
    result = run(make_job({"method": "toy", "duration": 0.5, "sway": 0.1}), Context(progress=lambda fraction, *_: done.append(fraction)))
    assert result.job["method"] == "toy" and result.job["sway"] == 0.1 and done == [1.0]
    assert main(["sway", "--duration", "0.2", "--calm", "-o", str(tmp_path / "sway.npz")]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["result"] == str(tmp_path / "sway.npz") and Result.load(tmp_path / "sway.npz").job["calm"] is True


def test_a_method_is_a_file(tmp_path, monkeypatch):
    """A file in the folder is all that it takes."""
    source = "from core.methods.retarget import *\nfrom core.methods import Command\nLABEL = 'Copy'\nCOMMAND = Command('copy', 'as it is')\n"
    (tmp_path / "copycat.py").write_text(source)
    monkeypatch.setattr(methods, "__path__", [*methods.__path__, str(tmp_path)])
    try:
        assert "copycat" in methods.names()
        assert run(make_job({"method": "copycat", "clips": [WALK], "fps": 10})).frames > 5
    finally:
        sys.modules.pop("core.methods.copycat", None)


def test_nothing_outside_asks_which_method_it_is():
    """No file of the core knows a method's name but the methods themselves, and what is made for one of them: searches and studies of optimize."""
    names = "|".join(methods.names())
    asks = re.compile(rf"""(method\w*\W{{1,6}}(==|!=|in|not in)\W.*["']({names})["'])|(["']({names})["']\W*(==|!=)\W*\w*method)""")
    found = [f"{path.relative_to(REPOSITORY)}: {line.strip()}" for path in sorted((REPOSITORY / "core").rglob("*.py"))
             if "methods" not in path.parts for line in path.read_text(encoding="utf-8").splitlines() if asks.search(line)]
    assert not found, "\n".join(found)


def test_settings_are_light():
    """What a panel needs of a method loads neither an engine nor a control law."""
    import subprocess

    program = inspect.cleandoc("""
        import sys
        from core import methods
        for name in methods.names():
            methods.get(name).Settings
        heavy = [name for name in sys.modules if name.startswith(("core.control", "core.plan", "core.hit", "pybullet", "mujoco", "core.reference"))]
        assert not heavy, heavy
    """)
    done = subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
