"""What is drawn over the 3D view."""

from . import view

MODULES = (view,)
