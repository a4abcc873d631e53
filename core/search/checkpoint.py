"""Checkpoint: the file that a stopped search goes on from. Plain JSON, with everything that the search depends on."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import FormatError, JobError
from ..version import VERSION
from ..whole_file import in_its_place

MARK = "Footfall search"  # tells a checkpoint from other JSON, so that no file of the user is ever overwritten


@dataclass(frozen=True)
class Told:
    """One generation that is over: a digest of its points, and the cost of each."""

    points: str
    costs: tuple[float, ...]


def key_of(path: Path) -> dict[str, Any]:
    """Everything that the search in a file depends on, by name; empty where there is no file."""
    return _load(path)[0]


class Checkpoint:
    """The generations of a search in a file. The points are not kept: they follow from the seed and from the costs."""

    def __init__(self, path: Path, depends_on: dict[str, Any], say: Callable[[str], None] | None = None):
        """
        Args:
            path: of the file, which need not be there yet.
            depends_on: everything that the costs depend on, by name: data that JSON can hold. Footfall's version is added.
            say: called with one sentence where what the file holds is not gone on with.
        """
        self.path, self._depends_on, self._say = path, {"version": VERSION, **depends_on}, say

    def read(self, how: dict[str, Any]) -> list[Told]:
        """The generations kept so far; none where there is no file, or where it is of another search.

        Args:
            how: everything that the points depend on, by name.

        Raises: FormatError for a file that is no checkpoint.
        """
        key = self._key(how)
        kept, generations = _load(self.path)
        other = [name for name in {**key, **kept} if key.get(name) != kept.get(name)]
        if kept and other:
            self.refuse(f"of a search with another {' and another '.join(other)}")
            return []
        return generations

    def write(self, how: dict[str, Any], generations: Sequence[Told]) -> None:
        """Keep all generations so far; whole or not at all. ``how``: as in ``read``."""
        data = {"what": MARK, "key": self._key(how), "generations": [{"points": told.points, "costs": told.costs} for told in generations]}
        try:
            with in_its_place(self.path) as file:
                file.write(json.dumps(data).encode("utf-8"))
        except OSError as error:
            raise JobError(f"'{self.path}' cannot be written ({error.strerror or error}): free some space, or choose another folder.") from error

    def refuse(self, why: str) -> None:
        """Say that the search begins anew: the file is ``why``."""
        if self._say:
            self._say(f"'{self.path}' is {why}: the search begins anew.")

    def _key(self, how: dict[str, Any]) -> dict[str, Any]:
        return dict(json.loads(json.dumps({**self._depends_on, **how})))  # as it is once it was in a file: without tuples


def _load(path: Path) -> tuple[dict[str, Any], list[Told]]:
    """The key and the generations in a file; both empty where there is none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["what"] != MARK:
            raise ValueError("another mark")
        return dict(data["key"]), [Told(str(item["points"]), tuple(map(float, item["costs"]))) for item in data["generations"]]
    except FileNotFoundError:
        return {}, []
    except OSError as error:
        raise FormatError(f"'{path}' cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, KeyError) as error:
        raise FormatError(f"'{path}' is no checkpoint of a search: delete it, or choose another file.") from error
