"""Outside Blender the repository itself is the add-on's package: ``from footfall.blender_addon.worker import Worker``."""

import sys
from pathlib import Path
from types import ModuleType

if "footfall" not in sys.modules:  # inside Blender it is the installed add-on
    package = ModuleType("footfall")
    package.__path__ = [str(Path(__file__).resolve().parent.parent)]
    sys.modules["footfall"] = package
