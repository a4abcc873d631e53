"""The seam to physics engines. Only this folder imports one, and only when a world is built with it."""

from __future__ import annotations

import importlib

from ..errors import SimulationError
from .rollouts import Push
from .settings import WorldSettings
from .state import Foot, State
from .world import World

# In order of preference: name of the engine → module here, class, and what to install.
_ENGINES = {"pybullet": ("bullet", "BulletWorld", "pybullet"), "mujoco": ("mujoco", "MujocoWorld", "mujoco-core")}
ENGINES = tuple(_ENGINES)

__all__ = ["ENGINES", "Foot", "Push", "State", "World", "WorldSettings", "engines", "world_class"]


def engines() -> list[str]:
    """Names of the engines that this Python has."""
    return [name for name in ENGINES if not isinstance(_load(name), ImportError)]


def world_class(engine: str | None = None) -> type[World]:
    """The World of an engine; None or "auto": of pybullet where it is there, else of MuJoCo."""
    if engine in (None, "auto"):
        tried = {name: _load(name) for name in ENGINES}
        for found in tried.values():
            if not isinstance(found, ImportError):
                return found
        reasons = "; ".join(f"{name}: {error}" for name, error in tried.items())
        packages = " or ".join(_ENGINES[name][2] for name in ENGINES)
        raise SimulationError(f"This Python has no physics engine ({reasons}); install {packages} with pip.")
    if engine not in _ENGINES:
        raise SimulationError(f"There is no engine '{engine}'; known are auto, {', '.join(ENGINES)}.")
    found = _load(engine)
    if isinstance(found, ImportError):
        raise SimulationError(f"This Python cannot load the engine '{engine}' ({found}); install {_ENGINES[engine][2]} with pip, "
                              "or use the engine 'auto'.")
    return found


def _load(name: str) -> type[World] | ImportError:
    """The class, or why there is none."""
    module, kind, _ = _ENGINES[name]
    try:
        return getattr(importlib.import_module(f".{module}", __name__), kind)
    except ImportError as error:
        return error
