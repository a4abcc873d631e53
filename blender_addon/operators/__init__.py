"""Everything a button does, also from Python: ``bpy.ops.footfall.*``."""

from . import bake, character, job, mannequin, pushes

MODULES = (character, mannequin, pushes, bake, job)
