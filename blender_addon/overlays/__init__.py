"""What is drawn over the 3D view."""

from . import aiming, direction, view

MODULES = (view, direction, aiming)
