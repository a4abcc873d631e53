"""The Footfall tab in the sidebar of the 3D view."""

from . import bake, calibration, character, ground, lights, methods, motion, pressures, pushes, references, strips, viewport

MODULES = (lights, strips, character, references, pressures, calibration, motion, methods, pushes, ground, bake, viewport)
