"""Outside Blender the repository itself is the add-on's package: ``from footfall.blender_addon.worker import Worker``."""

import os
import sys
from pathlib import Path
from types import ModuleType

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # tests run side by side: one core each

if "footfall" not in sys.modules:  # inside Blender it is the installed add-on
    package = ModuleType("footfall")
    package.__path__ = [str(Path(__file__).resolve().parent.parent)]
    sys.modules["footfall"] = package
