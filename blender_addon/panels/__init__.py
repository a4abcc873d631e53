"""The Footfall tab in the sidebar of the 3D view."""

from . import bake, character, ground, lights, listening, methods, motion, pressures, pushes, references, strips, underfoot, viewport

MODULES = (lights, strips, character, references, pressures, underfoot, listening, motion, methods, pushes, ground, bake, viewport)
