"""The Footfall tab in the sidebar of the 3D view."""

from . import (
    bake,
    calibration,
    character,
    ground,
    lights,
    listening,
    methods,
    motion,
    playing,
    pressures,
    pushes,
    references,
    strips,
    underfoot,
    viewport,
)

MODULES = (lights, strips, character, references, pressures, underfoot, calibration, listening, motion, methods, pushes, ground, bake, playing,
           viewport)
