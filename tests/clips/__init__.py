"""Clips of this project's own; see README.md beside this."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parent
NAMES = ("walk", "stand", "kick", "fall")


def path_of(name: str) -> Path:
    """The file of one of ``NAMES``."""
    return FOLDER / f"{name}.bvh"
