"""Everything a button does, also from Python: ``bpy.ops.footfall.*``."""

from . import bake, character, hits, job, mannequin, pushes, references

MODULES = (character, mannequin, references, pushes, bake, hits, job)
