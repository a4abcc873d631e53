"""Everything a button does, also from Python: ``bpy.ops.footfall.*``."""

from . import bake, character, job, mannequin, pushes, references

MODULES = (character, mannequin, references, pushes, bake, job)
