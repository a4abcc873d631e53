"""Everything a button does, also from Python: ``bpy.ops.footfall.*``."""

from . import bake, balance, character, fits, hits, job, mannequin, pressures, pushes, references, underfoot, variations

MODULES = (character, mannequin, references, pressures, underfoot, pushes, bake, hits, variations, balance, fits, job)
