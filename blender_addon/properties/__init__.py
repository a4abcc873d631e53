"""What a .blend remembers of Footfall: ``Object.footfall`` on a character, ``Scene.footfall`` for the ground, the references and the
overlays.

Property classes are read by Blender from annotations, so these modules must not postpone the evaluation of annotations.
"""

from . import (
           bake,
           balance,
           character,
           fits,
           ground,
           listening,
           methods,
           motion,
           overlays,
           playing,
           pressures,
           pushes,
           references,
           settings,
           underfoot,
           variations,
)

MODULES = (methods, motion, pushes, bake, balance, fits, variations, underfoot, listening, playing, character, ground, overlays, references,
           pressures, settings)
