"""Everything a button does, also from Python: ``bpy.ops.footfall.*``."""

from . import bake, balance, character, fits, hits, job, mannequin, pushes, references, variations

MODULES = (character, mannequin, references, pushes, bake, hits, variations, balance, fits, job)
