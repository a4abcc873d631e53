"""What is drawn over the 3D view."""

from . import direction, view

MODULES = (view, direction)
