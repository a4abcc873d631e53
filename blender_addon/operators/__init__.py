"""Everything a button does, also from Python: ``bpy.ops.footfall.*``."""

from . import bake, balance, calibration, character, fits, hits, job, mannequin, pressures, pushes, references, variations

MODULES = (character, mannequin, references, pressures, calibration, pushes, bake, hits, variations, balance, fits, job)
