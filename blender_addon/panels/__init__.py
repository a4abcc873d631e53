"""The Footfall tab in the sidebar of the 3D view."""

from . import bake, character, ground, lights, motion, pushes, see

MODULES = (lights, character, motion, pushes, ground, bake, see)
