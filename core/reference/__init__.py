"""From a recording to a reference: floor, soles, stances, planted feet, fragments; and which fragment can follow which."""

from ..feet.stances import Stance
from .fragments import Fragment
from .graph import MotionGraph, Node, mirrored
from .hold import held
from .inspection import inspect
from .loop import Cycle, find_cycle, looped
from .reference import RATE, Reference, prepare
from .strip import draw_strip, write_png

__all__ = [
    "RATE", "Cycle", "Fragment", "MotionGraph", "Node", "Reference", "Stance", "draw_strip", "find_cycle", "held", "inspect", "looped", "mirrored",
    "prepare", "write_png",
]
