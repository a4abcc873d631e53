#!/usr/bin/env python3
"""Set up, test: the only command a newcomer needs. Standard library only.

    python3 build_addon.py setup      a virtual environment in .venv with everything the core needs
    python3 build_addon.py test       set up, then run the tests (--slow: the long ones too)
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
ENVIRONMENT = ROOT / ".venv"
REQUIREMENTS = ROOT / "requirements.txt"
OLDEST = (3, 11)


def python() -> Path:
    return ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def setup() -> None:
    """Create the environment, or bring it up to the requirements; nothing to do when they have not changed."""
    if sys.version_info < OLDEST:
        sys.exit(f"Footfall needs Python {OLDEST[0]}.{OLDEST[1]} or newer; this is {sys.version.split()[0]}.")
    mark = ENVIRONMENT / "requirements.sha256"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if mark.is_file() and mark.read_text() == wanted:
        return
    if not python().exists():
        venv.create(ENVIRONMENT, with_pip=True)
    # Where PyPI has no pybullet wheel for this platform, pip builds it from source, which takes some minutes once.
    subprocess.run([python(), "-m", "pip", "install", "--quiet", "-r", REQUIREMENTS], check=True)
    mark.write_text(wanted)


def test(slow: bool, extra: list[str]) -> int:
    setup()
    selection = [] if slow else ["-m", "not slow"]
    return subprocess.run([python(), "-m", "pytest", "-n", str(os.cpu_count() or 1), *selection, *extra], cwd=ROOT).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("setup")
    command = commands.add_parser("test")
    command.add_argument("--slow", action="store_true", help="also run the tests marked slow")
    options, extra = parser.parse_known_args()
    if options.command == "setup":
        setup()
        return 0
    return test(options.slow, extra)


if __name__ == "__main__":
    sys.exit(main())
