"""Runs inside Blender: install a Footfall zip, enable it, and let it be imported as ``footfall`` whatever Blender calls it.

    blender -b --python build_tools/in_blender.py -- ZIP
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import zipfile
from types import ModuleType

import bpy

LEGACY, EXTENSION = "footfall", "bl_ext.user_default.footfall"


def install(file: str) -> str:
    """Install a zip into the profile, enable it, save the preferences; the name of the module, or a RuntimeError that says why not."""
    with zipfile.ZipFile(file) as archive:
        extension = "footfall/blender_manifest.toml" in archive.namelist() and bpy.app.version >= (4, 2, 0)
    if extension:
        bpy.ops.extensions.package_install_files(filepath=file, repo="user_default", enable_on_install=True, overwrite=True)
    else:
        bpy.ops.preferences.addon_install(filepath=file, overwrite=True)
        bpy.ops.preferences.addon_enable(module=LEGACY)
    name = EXTENSION if extension else LEGACY
    if name not in bpy.context.preferences.addons or name not in sys.modules:
        raise RuntimeError(f"Blender {bpy.app.version_string} did not enable {file}; what it printed above says why.")
    bpy.ops.wm.save_userpref()
    return name


def enable() -> ModuleType:
    """Enable what ``install`` has put into this profile, where a start with factory settings has not, and alias it as ``footfall``."""
    import addon_utils

    installed = [module.__name__ for module in addon_utils.modules()]
    name = EXTENSION if EXTENSION in installed else LEGACY
    if name not in installed or not addon_utils.enable(name, default_set=True):
        raise RuntimeError("Footfall is not installed in this profile, or cannot be enabled.")
    return _alias(name)


def _alias(name: str) -> ModuleType:
    if name != LEGACY:
        sys.meta_path.insert(0, _Alias(name))
    return importlib.import_module(LEGACY)


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers every import below ``footfall`` with the add-on's own module, so that no class exists twice."""

    def __init__(self, real: str):
        self.real = real

    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name.partition(".")[0] == LEGACY else None

    def create_module(self, spec):
        module = importlib.import_module(self.real + spec.name[len(LEGACY):])
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = module.__spec__.loader_state  # the import system has put the alias's own in its place


if __name__ == "__main__":
    print("Enabled", install(sys.argv[sys.argv.index("--") + 1]))
