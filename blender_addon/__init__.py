"""The Blender add-on: reads a rig and a scene into a job, has it simulated in a worker process, writes the result onto the rig.

Nothing is imported before ``register()``: modules below that do not need Blender can be used, and tested, without it.
"""

from __future__ import annotations

from types import ModuleType

_registered: list[ModuleType] = []


def register() -> None:
    """Register the CLASSES of each module; where this zip does not fit this Blender, only the preferences, which say so."""
    import bpy

    from . import bundle, preferences

    bundle.make_importable()
    modules = [preferences] if bundle.problem(bpy.app.version) else [preferences, *_modules()]
    for module in modules:
        for cls in module.CLASSES:
            bpy.utils.register_class(cls)
        if hasattr(module, "register"):
            module.register()
        _registered.append(module)


def unregister() -> None:
    import bpy

    from . import pythons, worker

    worker.cancel_all()
    pythons.forget_python()
    while _registered:
        module = _registered.pop()
        if hasattr(module, "unregister"):
            module.unregister()
        for cls in reversed(module.CLASSES):
            bpy.utils.unregister_class(cls)


def _modules() -> list[ModuleType]:
    """Modules with classes, or with a register() of their own, in order. None of them loads an engine or a control law before it is used."""
    from . import belongings, former, operators, overlays, panels, properties, running

    return [*properties.MODULES, former, running, belongings, *operators.MODULES, *overlays.MODULES, *panels.MODULES]
