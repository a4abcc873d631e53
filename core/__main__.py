"""The command line: python -m core simulate | track | follow | keep | hit | inspect | batch | measure | pushes | tune | learn | list."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from pathlib import Path

# Before numpy is there: the arrays of one body are small, and threads would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from . import clip_commands, hit_commands, plan_commands, presets
from .errors import FootfallError, JobError


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m core", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    command = commands.add_parser("simulate", help="run a job file or job preset")
    command.add_argument("job")
    command.add_argument("-o", "--output", required=True, help="the result, a .npz file")
    command.add_argument("--stream", action="store_true", help="print poses on stdout while they are simulated, a line of JSON each")
    clip_commands.add_engine(command)
    command.set_defaults(run=_simulate)

    command = commands.add_parser("batch", help="run all jobs of a folder, several at once")
    command.add_argument("folder", help="with job files, *.json")
    command.add_argument("-o", "--output", required=True, help="the folder for the results, NAME.npz for NAME.json")
    _add_workers(command)
    command.set_defaults(run=_batch)

    command = commands.add_parser("measure", help="gait, foot skate and balance of a result, as JSON")
    command.add_argument("result")
    command.add_argument("--plot", help="also draw it to this PNG")
    command.set_defaults(run=_measure)

    command = commands.add_parser("pushes", help="the largest push in eight directions")
    command.add_argument("gait", nargs="?")
    command.add_argument("--reference", metavar="CLIP", help="push the loop of a clip instead of a gait")
    command.add_argument("--protocol", choices=("repeated", "single"), default="repeated")
    command.add_argument("--body", help="default: the average man, or the clip's own measures")
    command.add_argument("--resolution", type=float, default=5.0, help="newtons")
    _add_workers(command)
    command.set_defaults(run=_pushes)

    command = commands.add_parser("tune", help="search for better parameters of a gait")
    command.add_argument("gait")
    command.add_argument("--for", dest="wish", required=True, help="pushes, speed=1.4, hold, or a JSON object of wishes")
    command.add_argument("--minutes", type=float, default=10.0)
    command.add_argument("--generations", type=int, help="stop after this many instead: gives the same gait every time")
    command.add_argument("--gains", default="", help="joints whose gains may change, as in pelvis,stance_ankle")
    command.add_argument("--tied", action="store_true", help="move the feedback alike in all states: fewer directions to search")
    command.add_argument("--sigma", type=float, default=0.5)
    command.add_argument("--population", type=int)
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("-o", "--output", help="the better gait (default: GAIT.tuned.json)")
    command.add_argument("--checkpoint", help="resume from and keep the search in this file (default: beside the output)")
    _add_workers(command)
    command.set_defaults(run=_tune)

    command = commands.add_parser("learn", help="learn the feedforward torques of a gait (feedback error learning)")
    command.add_argument("gait")
    command.add_argument("--seconds", type=float, default=120.0)
    command.add_argument("--gain", type=float, default=0.5, help="part of the trunk's feedback gains that is kept in the second half (default: 0.5)")
    command.add_argument("--body", help="default: the average man, or the planar biped for its gaits")
    command.add_argument("-o", "--output", help="default: with the presets, where jobs find it")
    command.set_defaults(run=_learn)

    command = commands.add_parser("transitions", help="try which gait can change into which at once, and store it with the presets")
    _add_workers(command)
    command.set_defaults(run=_transitions)

    clip_commands.add(commands)
    plan_commands.add(commands)
    hit_commands.add(commands)

    command = commands.add_parser("list", help="gaits, bodies, scenes and jobs")
    command.set_defaults(run=_list)

    options = parser.parse_args(arguments)
    try:
        return options.run(options) or 0
    except FootfallError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Cancelled; no result was written.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever listened is gone, and nobody waits for what would come: end quietly.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _add_workers(command: argparse.ArgumentParser) -> None:
    command.add_argument("--workers", type=int, default=os.cpu_count(), help="processes (default: all cores)")


def _simulate(options: argparse.Namespace) -> None:
    from .job import load_job
    from .progress import percents, stream
    from .run import run

    output = Path(options.output)
    if not output.parent.is_dir():
        raise JobError(f"The folder '{output.parent}' does not exist; create it or choose another place for the result.")
    progress = stream(sys.stdout) if options.stream else percents(sys.stderr)
    job = load_job(options.job)
    if options.engine:
        job.engine, job.source = options.engine, {**job.source, "engine": options.engine}
    part = plan_commands.part_of(output)
    result = run(job, progress, part=part)
    result.save(output)
    part.unlink(missing_ok=True)
    print(json.dumps({"result": str(output), **result.outcome}))


def _batch(options: argparse.Namespace) -> int:
    """Each job in a process of its own, so that one that fails takes no other down; a line of JSON for each as it ends."""
    jobs, output = sorted(Path(options.folder).glob("*.json")), Path(options.output)
    if not jobs:
        raise JobError(f"There is no job (*.json) in '{options.folder}'.")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise JobError(f"The folder '{output}' cannot be made: {error.strerror}; choose another place for the results.") from error

    def run(job: Path) -> tuple[Path, subprocess.CompletedProcess]:
        command = [sys.executable, "-m", "core", "simulate", str(job), "-o", str(output / f"{job.stem}.npz")]
        return job, subprocess.run(command, capture_output=True, text=True)

    failed = 0
    with ThreadPoolExecutor(options.workers) as executor:
        for future in as_completed([executor.submit(run, job) for job in jobs]):
            job, done = future.result()
            if done.returncode:
                failed += 1
                said = {"error": (done.stderr.strip().splitlines() or [f"The simulation ended with code {done.returncode}."])[-1]}
            else:
                said = json.loads(done.stdout.splitlines()[-1])
            print(json.dumps({"job": str(job), **said}), flush=True)
    return 2 if failed else 0


def _measure(options: argparse.Namespace) -> None:
    from .measure.report import measure, sentence
    from .result import Result

    result = Result.load(options.result)
    report = measure(result)
    report["summary"] = sentence(result, report)
    if options.plot:
        from .measure.plot import plot
        plot(result, options.plot)
    print(json.dumps(report, indent=1))


def _pushes(options: argparse.Namespace) -> None:
    from .optimize.pushes import CLIP_PUBLISHED, DIRECTIONS, PUBLISHED, clip_push_table, push_table

    if (options.gait is None) == (options.reference is None):
        raise JobError("pushes needs the name of a gait, or --reference with a clip.")
    if options.reference:
        if options.protocol != "repeated":
            raise JobError("A clip is pushed repeatedly only: leave --protocol out.")
        with ProcessPoolExecutor(options.workers) as executor:
            table = clip_push_table(options.reference, executor, options.body, options.resolution)
        rows = [{"direction": list(direction), "force_n": round(force, 1), "published_n": CLIP_PUBLISHED.get(direction)}
                for direction, force in table.items()]
        print(json.dumps({"clip": options.reference, "protocol": "repeated", "body": options.body, "pushes": rows}, indent=1))
        return
    data, name, body = presets.load("gaits", options.gait), options.gait, options.body or "average_man"
    with ProcessPoolExecutor(options.workers) as executor:
        table = push_table(data, name, options.protocol, executor, body, options.resolution)
    rows = [{"direction": list(direction), "force_n": round(table[direction], 1), "published_n": published}
            for direction, published in zip(DIRECTIONS, PUBLISHED[options.protocol])]
    print(json.dumps({"gait": name, "protocol": options.protocol, "body": body, "pushes": rows}, indent=1))


def _tune(options: argparse.Namespace) -> None:
    from .optimize.search import search, write_preset
    from .search.minimise import Generation

    data, name = presets.load("gaits", options.gait), options.gait
    output = Path(options.output or f"{Path(name).stem}.tuned.json")
    checkpoint = Path(options.checkpoint) if options.checkpoint else output.with_suffix(".search")

    def report(generation: Generation) -> None:
        print(f"generation {generation.number}: best {generation.best_cost:.3f}, this one {min(generation.costs):.3f}", file=sys.stderr)

    def say(sentence: str) -> None:
        print(sentence, file=sys.stderr)

    with ProcessPoolExecutor(options.workers) as executor:
        best, cost = search(data, name, _wish(options.wish), executor, generations=options.generations,
                            seconds=float("inf") if options.generations else 60 * options.minutes,
                            gains=tuple(filter(None, options.gains.split(","))), tied=options.tied, sigma=options.sigma, population=options.population,
                            seed=options.seed, checkpoint=checkpoint, report=report, say=say)
    write_preset(output, best, "python -m core " + shlex.join(sys.argv[1:]))
    checkpoint.unlink(missing_ok=True)
    print(json.dumps({"gait": str(output), "cost": round(cost, 4)}))


def _wish(text: str) -> dict:
    if text.startswith("{"):
        try:
            return json.loads(text)
        except ValueError as error:
            raise JobError(f"--for is not valid JSON: {error}.") from error
    wish: dict = {}
    for word in text.split(","):
        key, _, value = word.partition("=")
        if key == "hold" and not value:
            wish["seconds"] = 20.0
        elif key == "pushes":
            wish["pushes"] = float(value or 1.1)
        elif key in ("speed", "side_speed") and value:
            wish[key] = float(value)
        else:
            raise JobError(f"--for does not know '{word}'; allowed are hold, pushes, pushes=LEVEL, speed=1.4, side_speed=0.3 or a JSON object.")
    return wish


def _learn(options: argparse.Namespace) -> None:
    from .optimize.learning import learn

    data, name = presets.load("gaits", options.gait), options.gait
    body = options.body or ("planar_biped" if data.get("planar") else "average_man")
    table, figures = learn(data, name, options.seconds, body, options.gain)
    output = Path(options.output) if options.output else presets.FOLDER / "feedforward" / f"{Path(name).stem}.json"
    output.parent.mkdir(exist_ok=True)
    made_by = f"python -m core learn {options.gait} --seconds {options.seconds:g} --gain {options.gain:g} --body {body}"
    output.write_text(json.dumps({"made_by": made_by, "body": body, **figures, **table}) + "\n", encoding="utf-8")
    print(json.dumps({"feedforward": str(output), **figures}))


def _transitions(options: argparse.Namespace) -> None:
    from .optimize.transitions import direct_changes

    with ProcessPoolExecutor(options.workers) as executor:
        table = direct_changes(executor)
    data = {"description": "Which gait can change into which at once.", "made_by": "python -m core transitions", "direct": table}
    (presets.FOLDER / "transitions.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(data))


def _list(_: argparse.Namespace) -> None:
    for kind in presets.KINDS:
        print(f"{kind}:")
        for name in presets.names(kind):
            print(f"  {name:22s} {presets.load(kind, name).get('description', '')}")


if __name__ == "__main__":
    sys.exit(main())
