"""The seam to a physics engine. Only this folder imports one."""

from .state import Foot, State
from .bullet import BulletWorld as World

__all__ = ["Foot", "State", "World"]
