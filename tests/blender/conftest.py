"""What all tests inside Blender share, made once."""

from tests.blender.mannequins import baked_walk
