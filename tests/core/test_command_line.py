"""The command line as a render farm sees it: exit codes, one JSON line, one sentence for a mistake."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core import presets
from core.__main__ import main
from core.result import Result

REPOSITORY = Path(__file__).resolve().parents[2]
JOB = {"duration": 0.3, "fps": 25, "heading": 0.5,
       "obstacles": [{"size": [0.2, 0.2, 0.2], "position": [1, 1, 0.5], "mass": 2}],
       "events": [{"type": "push", "time": 0.1, "duration": 0.1, "force": [50, 20, 0]},
                  {"type": "ball", "time": 0.1, "position": [3, 2, 1], "velocity": [-3, -2, 0]}]}


def core(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "core", *map(str, arguments)], capture_output=True, text=True, cwd=REPOSITORY,
        timeout=120)


def write_job(folder: Path, job: object) -> Path:
    path = folder / "job.json"
    path.write_text(job if isinstance(job, str) else json.dumps(job))
    return path


def without_banner(text: str) -> str:
    """What pybullet itself prints on import is not ours."""
    return re.sub(r"pybullet build time: .*\n", "", text)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory) -> tuple[subprocess.CompletedProcess, Path]:
    folder = tmp_path_factory.mktemp("simulated")
    job = write_job(folder, JOB)
    return core("simulate", job, "-o", folder / "result.npz"), folder


def test_simulate_writes_a_result_and_one_line_of_json(simulated):
    done, folder = simulated
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 1
    said = json.loads(lines[0])
    assert said["result"] == str(folder / "result.npz") and said["fell"] is False and said["simulated_s"] == pytest.approx(0.3,
        abs=0.01)
    assert sorted(path.name for path in folder.iterdir()) == ["job.json", "result.npz"]


def test_simulate_shows_its_progress_on_stderr(simulated):
    lines = without_banner(simulated[0].stderr).splitlines()
    parts = [int(re.match(r" *(\d+) %", line)[1]) for line in lines]
    assert parts == sorted(set(parts)) and parts[0] == 0 and len(parts) >= 3
    assert "s left" in lines[-1]


def test_the_result_holds_the_job_and_what_happened(simulated):
    result = Result.load(simulated[1] / "result.npz")
    assert {key: result.job[key] for key in ("duration", "fps", "obstacles")} == {**{key: JOB[key] for key in ("duration", "fps")}, "obstacles": [
        {**JOB["obstacles"][0], "yaw": 0.0}]}
    assert result.job["method"] == "gait" and result.job["heading"] == [[0.0, 0.5]] and result.fps == 25
    assert result.frames == 8 and result.rotations.shape == (8, len(result.link_names), 4)  # 0, 0.04 … 0.28 s
    assert np.isfinite(result.root_positions).all() and np.isfinite(result.torques).all()
    np.testing.assert_allclose(np.linalg.norm(result.rotations, axis=-1), 1, atol=1e-6)
    assert result.object_names == ["box 1", "ball 2"] and result.object_positions.shape == (8, 2, 3)
    assert result.headings == pytest.approx(0.5) and np.isnan(result.speeds).all()
    w, _, _, z = result.rotations[0, 0]
    assert 2 * np.arctan2(z, w) == pytest.approx(0.5, abs=0.05)  # it starts facing where it is told
    # The ball flies on towards the body that it was thrown at, in the frame of its heading.
    start = result.object_positions[0, 1] - [*result.root_positions[0, :2], 0]
    assert np.arctan2(start[1], start[0]) == pytest.approx(0.5 + np.arctan2(2, 3), abs=0.1) and start[2] == pytest.approx(1,
        abs=0.05)
    assert (np.diff(np.linalg.norm(result.object_positions[3:, 1, :2], axis=-1)) < 0).all()


def test_the_same_job_in_another_process_gives_the_same_bytes(simulated, tmp_path):
    _, folder = simulated
    assert core("simulate", folder / "job.json", "-o", tmp_path / "again.npz").returncode == 0
    with np.load(folder / "result.npz") as one, np.load(tmp_path / "again.npz") as other:
        assert one.files == other.files
        for name in one.files:
            assert one[name].dtype == other[name].dtype and one[name].tobytes() == other[name].tobytes(), name


def test_measure_prints_json_without_nan(simulated):
    done = core("measure", simulated[1] / "result.npz")
    assert done.returncode == 0, done.stderr

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    report = json.loads(done.stdout, parse_constant=refuse)
    assert isinstance(report, dict) and report["report"].endswith(".")


def test_measure_of_something_else_is_one_sentence(tmp_path):
    done = core("measure", tmp_path / "none.npz")
    assert done.returncode == 2 and done.stdout == ""
    assert without_banner(done.stderr).strip().endswith("none.npz'.") and "Traceback" not in done.stderr


def test_list_shows_every_preset_with_its_description():
    done = core("list")
    assert done.returncode == 0
    said = json.loads(done.stdout)
    assert {kind: list(said[kind]) for kind in said} == {kind: presets.names(kind) for kind in presets.KINDS}
    assert said["bodies"]["average_man"] == presets.load("bodies", "average_man")["description"]


@pytest.mark.parametrize("job, says", [
    ("{\"duration\": 1", "JSON"), ({"gait": "moonwalk"}, "moonwalk"), ({"body": {"mass": 0}}, "body.mass"),
    ("{\"friction\": NaN}", "NaN"), ({"ground": {"type": "mesh", "file": "empty.obj"}}, "no faces"),
    ({"path": [[0, 0]]}, "path")],
    ids=["malformed", "unknown gait", "0 kg", "NaN", "mesh without faces", "short path"])
def test_a_bad_job_is_one_sentence_and_writes_nothing(tmp_path, job, says):
    (tmp_path / "empty.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\n")
    done = core("simulate", write_job(tmp_path, job), "-o", tmp_path / "result.npz")
    said = without_banner(done.stderr).strip()
    assert done.returncode == 2 and done.stdout == ""
    assert says in said and said.endswith(".") and len(said.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.obj", "job.json"]


def test_a_missing_folder_is_told_before_anything_is_simulated(tmp_path):
    done = core("simulate", write_job(tmp_path, {"duration": 3000}), "-o", tmp_path / "nowhere" / "result.npz")
    assert done.returncode == 2 and "nowhere" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments, says", [
    ("", "The following arguments are required: command; 'python -m core --help' says more."),
    ("walk --bogus -o x.npz", "Unrecognized arguments: --bogus; 'python -m core --help' says more."),
    ("walk moonwalk -o x.npz", "There is no gait 'moonwalk'; known are "),
    ("walk -o .", "'.' is a folder: give the name of a file in it."),
    ("walk -o nowhere/x.npz", "The folder 'nowhere' does not exist: create it, or choose another place."),
    ("walk -o x.npz --seed -1", "seed is -1; allowed is a whole number from 0 to 4294967295."),
    ("walk -o x.npz --duration nan", "duration is nan; allowed is a number from 0.01 to 3600 s."),
    ("walk -o x.npz --force 10,0,0", "--force needs --at: say when the hit comes, in seconds."),
    ("walk -o x.npz --at 1", "--force is ''; give three numbers, FORWARD,LEFT,UP in N, or --strength "),
    ("walk -o x.npz --at 1 --force 10,0", "--force is '10,0'; give three numbers"),
    ("walk -o x.npz --at 1 --force 10,0,0 --ball 1,0.1,5", "--ball and --force are different hits: give one of them."),
    ("walk -o x.npz --push 1,2", "--push is '1,2'; allowed is TIME,FORWARD,LEFT"),
    ("walk -o x.npz --variations 2", "There is nothing to vary: give a hit with --push or --at."),
    ("walk -o x.npz --push 1,9,9 --variations 0", "--variations is 0; allowed is 1 to 64."),
    ("retarget x.bvh -o x.npz --engine mujoco", "Unrecognized arguments: --engine mujoco; "),
    ("track x.bvh -o x.npz --without nothing", "Argument --without: invalid choice: 'nothing'"),
    ("follow x.bvh y.bvh -o x.npz", "clips names 2 recordings, but this method follows one: leave the others out."),
    ("keep x.npz", "There is no 'x.npz.part': no plan was stopped there."),
    ("measure x.npz", "There is no file 'x.npz'."),
    ("measure x.npz --plot nowhere/x.png", "The folder 'nowhere' does not exist"),
    ("inspect x.bvh --strip nowhere/x.png", "The folder 'nowhere' does not exist"),
    ("pushes", "pushes needs the name of a gait, or --reference with a clip."),
    ("pushes walk --resolution 0", "--resolution is 0.0; allowed is a number from 0.1 to 1e+06 N."),
    ("tune walk --for nothing", "--for does not know 'nothing'; allowed are hold, pushes, "),
    ("tune walk --for speed=x", "--for does not know 'speed=x'; "),
    ("tune walk --for {\"spead\":1}", "--for has no field 'spead'; known are seconds, speed, "),
    ("tune walk --for {\"like\":1}", "--for like is 1; allowed is an object of figures, each with [value, tolerance]."),
    ("tune walk --for {\"like\":{\"cadence_steps_min\":110}}", "--for like cadence_steps_min is 110; allowed is a list of 2 numbers."),
    ("tune walk --for {\"like\":{\"cadence_steps_min\":[110,0]}}", "--for like cadence_steps_min: the tolerance is 0.0; "),
    ("tune walk --for hold --generations 0", "--generations is 0; allowed is a whole number from 1 "),
    ("tune walk --for hold --population 1", "--population is 1; allowed is a whole number from 2 "),
    ("tune walk --for hold --sigma 0", "--sigma is 0.0; "),
    ("tune walk --for hold --minutes 0", "--minutes is 0.0; "),
    ("tune walk --for hold --gains nothing", "--gains: the gait has no 'nothing'; it has pelvis, "),
    ("tune walk --for hold -o nowhere/x.json", "The folder 'nowhere' does not exist"),
    ("learn walk --seconds 2 -o x.json", "Learning in 2 s is not possible: give it 20 s or more."),
    ("learn walk --gain 2 -o x.json", "--gain is 2.0; allowed is a number from 0 to 1."),
    ("learn walk -o nowhere/x.json", "The folder 'nowhere' does not exist"),
    ("ablation x.bvh", "There is no file '"),
    ("balance-map --directions 0", "--directions is 0; "),
    ("balance-map --most nan", "--most is nan; "),
    ("balance-map -o nowhere/x.json", "The folder 'nowhere' does not exist"),
    *((f"{command} --workers 0", "--workers is 0; at least 1 is needed.") for command in (
        "walk -o x.npz", "follow x.bvh -o x.npz", "simulate walk -o x.npz", "batch . -o out", "pushes walk", "tune walk --for hold", "transitions",
        "ablation x.bvh", "balance-map"))])
def test_a_refusal_is_one_sentence_before_anything_is_done(arguments, says, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    try:
        code = main(arguments.split())
    except SystemExit as end:  # as argparse ends
        code = end.code
    assert code == 2
    printed = capfd.readouterr()
    (sentence,) = without_banner(printed.err).splitlines()
    assert sentence.startswith(says) and sentence.endswith(".") and printed.out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("file", ("presets/find_gaits.sh", "docs/architecture.md"))
def test_wishes_that_are_written_down_are_understood(file, tmp_path, monkeypatch, capfd):
    """Each is refused for its minutes, which are checked after it."""
    wishes = re.findall(r"(?:tune|--for) (?:\w+ )?'(\{.+?\})'", (REPOSITORY / file).read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    assert wishes
    for wish in wishes:
        assert main(["tune", "walk", "--for", wish, "--minutes", "0"]) == 2
        assert "--minutes is 0.0" in capfd.readouterr().err, wish
