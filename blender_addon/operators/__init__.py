"""Everything a button does, also from Python: ``bpy.ops.footfall.*``."""

from . import (
    aiming,
    bake,
    balance,
    calibration,
    character,
    fits,
    hits,
    job,
    learning,
    listening,
    mannequin,
    playing,
    pressures,
    pushes,
    references,
    underfoot,
    variations,
)

MODULES = (character, mannequin, references, pressures, underfoot, calibration, listening, pushes, bake, playing, hits, aiming, variations, balance,
           fits, learning, job)
