"""Everything a button does, also from Python: ``bpy.ops.footfall.*``."""

from . import bake, balance, character, fits, hits, job, listening, mannequin, pressures, pushes, references, underfoot, variations

MODULES = (character, mannequin, references, pressures, underfoot, listening, pushes, bake, hits, variations, balance, fits, job)
