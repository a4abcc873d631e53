"""Footfall's simulation core: bodies, worlds, controllers, measures. Knows nothing of Blender."""
