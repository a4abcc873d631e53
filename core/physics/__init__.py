"""The seam to physics engines. Only this folder imports one, and only when a world is built with it."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Sequence

from ..errors import SimulationError
from .rollouts import Push
from .settings import WorldSettings
from .state import Foot, State
from .world import World

# In order of preference: name of the engine → module here, class, and what to install.
_ENGINES = {"pybullet": ("bullet", "BulletWorld", "pybullet"), "mujoco": ("mujoco", "MujocoWorld", "mujoco-core")}
ENGINES = tuple(_ENGINES)

__all__ = ["ENGINES", "Foot", "Push", "State", "World", "WorldSettings", "choose_engine", "engine_version", "engines", "world_class"]


def engines() -> list[str]:
    """Names of the engines that this Python has."""
    return [name for name in ENGINES if not isinstance(_load(name), ImportError)]


def choose_engine(asked: str = "auto", preferred: Sequence[str] = ENGINES) -> str:
    """The engine that a job is run with: the one that is asked for; of "auto" the first of those that are ``preferred`` that this Python has."""
    if asked != "auto":
        return world_class(asked).engine
    tried = {name: _load(name) for name in preferred}
    found = next((name for name, world in tried.items() if not isinstance(world, ImportError)), None)
    if found is None:
        reasons = "; ".join(f"{name}: {error}" for name, error in tried.items())
        packages = " or ".join(_ENGINES[name][2] for name in preferred)
        raise SimulationError(f"This Python has no physics engine ({reasons}); install {packages} with pip.")
    return found


def world_class(engine: str) -> type[World]:
    """The World of an engine."""
    if engine not in _ENGINES:
        raise SimulationError(f"There is no engine '{engine}'; known are {', '.join(ENGINES)}.")
    found = _load(engine)
    if isinstance(found, ImportError):
        raise SimulationError(f"This Python cannot load the engine '{engine}' ({found}); install {_ENGINES[engine][2]} with pip, "
                              "or use the engine 'auto'.")
    return found


def engine_version(engine: str) -> str:
    """As its package says it."""
    try:
        return importlib.metadata.version(_ENGINES[engine][2])
    except importlib.metadata.PackageNotFoundError:  # unpacked without its papers
        return "unknown"


def _load(name: str) -> type[World] | ImportError:
    """The class, or why there is none."""
    module, kind, _ = _ENGINES[name]
    try:
        return getattr(importlib.import_module(f".{module}", __name__), kind)
    except ImportError as error:
        return error
