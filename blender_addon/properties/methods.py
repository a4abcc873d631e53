"""The settings of the methods as a .blend remembers them: a property group for each method, made from what the method itself declares.

Nothing here knows a method by name. A new file in ``core.methods`` gets a line in a menu, and a group ``motion.methods.NAME`` with its settings.
Some settings are no properties, for they are filled in from elsewhere: recordings from the lists of the scene, poses and gains from nowhere or from
the scene, and those in ``ELSEWHERE``.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any
from zlib import crc32

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, PointerProperty, StringProperty

from ...core import methods, presets
from ...core.settings import REQUIRED, Choice, Choices, File, Kind, Number, Numbers, Place, Preset, Switch, declared, title
from .options import EDITABLE

ELSEWHERE = ("repair", "slope_adaptation", "legs_apart")  # switches that belong to a reference, to the ground, and to whether legs collide
CLICKS = 40  # on the arrow of a number, about, from one end of its usual range to the other
DECIMALS = 4  # Blender's numbers have fewer digits than those of a job

Item = tuple[str, str, str, int]  # identifier, name and tooltip of a line in a menu, and the number that a .blend stores


@dataclass(frozen=True)
class Property:
    """A property that stands for a setting of a method, or for one of the numbers of a setting that has several.

    Attributes:
        name: of the property. setting: whose value it is; number: which of its numbers, or "" for all of it.
    """

    name: str
    setting: str
    number: str
    kind: Kind
    default: Any
    label: str
    tooltip: str


def properties_of(method: ModuleType) -> Iterator[Property]:
    """The properties of a method, in the order of its settings."""
    for item in declared(method.Settings):
        if item.name in (*ELSEWHERE, *getattr(method, "OF_ONE_BODY", ())) or (isinstance(item.kind, File) and item.kind.listed):
            continue
        if isinstance(item.kind, Numbers):
            for name, (usual, kind, about) in item.kind.items.items():
                yield Property(name, item.name, name, kind, usual, _with_unit(kind.label or title(name), kind), _tooltip(about))
        elif type(item.kind) in MAKERS:
            yield Property(item.name, item.name, "", item.kind, item.default, _with_unit(item.label, item.kind), _tooltip(item.help))


def values(motion: bpy.types.PropertyGroup, name: str) -> dict[str, Any]:
    """The settings of a method as its properties have them, for a job; without those that mean nothing beside the others. Of a place on the ground it
    is the object that marks it, or None."""
    found = _all_values(motion, name)
    return {setting: value for setting, value in found.items() if setting not in methods.idle(methods.get(name), found)}


def idle(motion: bpy.types.PropertyGroup, name: str) -> tuple[str, ...]:
    """The settings of a method that mean nothing beside what the others are."""
    return methods.idle(methods.get(name), _all_values(motion, name))


def _all_values(motion: bpy.types.PropertyGroup, name: str) -> dict[str, Any]:
    group, found = getattr(motion.methods, name), {}
    for item in properties_of(methods.get(name)):
        value = _job_value(item.kind, getattr(group, item.name))
        if item.number:
            found.setdefault(item.setting, {})[item.number] = value
        else:
            found[item.setting] = value
    return found


def identifier(name: str) -> str:
    """Of a method or an option, as menus and scripts have it: "stance hip" is STANCE_HIP."""
    return name.upper().replace(" ", "_")


def stable(name: str) -> int:
    """The number that a .blend stores for a line of a menu: it follows from the name alone, and not from what else is in the menu. It has 24 bits, as
    Blender compares it as a float where a menu is shown as a row of buttons."""
    return crc32(name.encode()) & 0xFFFFFF


def menu(clips: bool) -> list[Item]:
    """The methods that follow recordings (``clips``), or those that do not, as items of a menu; the usual one first."""
    found = [(name, methods.get(name)) for name in methods.names()]
    chosen = [(name, method) for name, method in found if follows_clips(method) == clips]
    chosen.sort(key=lambda item: (item[0] != methods.usual(clips), item[1].LABEL))
    return [(identifier(name), method.LABEL, _tooltip(method.HELP), stable(name)) for name, method in chosen]


def follows_clips(method: ModuleType) -> bool:
    return "clips" in method.Settings.__dataclass_fields__


# -- from a kind of setting to a property ------------------------------------------------------------------------------


def _number(kind: Number, default: Any) -> dict[str, Any]:
    low, high = kind.soft or (kind.low, kind.high)
    options = {"default": kind.low if default is REQUIRED else default, "min": kind.low, "max": kind.high, "soft_min": low, "soft_max": high}
    if kind.unit == "rad":
        return options | {"subtype": "ANGLE"}
    if (low, high, kind.unit) == (0.0, 1.0, ""):
        return options | {"subtype": "FACTOR"}
    click = 10.0 ** round(math.log10((high - low) / CLICKS))
    return options | {"step": round(100 * click), "precision": 0 if click >= 1.0 else 2}


def _choice(kind: Choice, default: Any) -> dict[str, Any]:
    items = [(identifier(option), title(option), _tooltip(about), stable(option)) for option, about in kind.options.items()]
    return {"items": items, "default": items[0][0] if default is REQUIRED else identifier(default)}


def _choices(kind: Choices, default: Any) -> dict[str, Any]:
    items = [(identifier(option), title(option), "", 1 << bit) for bit, option in enumerate(kind.options)]
    return {"items": items, "default": set() if default is REQUIRED else set(map(identifier, default)), "options": {"ENUM_FLAG"}}


def _preset(kind: Preset, default: Any) -> dict[str, Any]:
    """Those that come with the add-on, but for the planar biped's; the default first, which may be none."""
    items = [(default, title(default), _tooltip(kind.without), stable(default))] if kind.without else []
    for name in sorted(presets.names(kind.kind), key=lambda name: (name != default, name)):
        data = presets.load(kind.kind, name)
        if not data.get("planar"):
            items.append((name, title(name), _tooltip(data.get("description", "")), stable(name)))
    return {"items": items, "default": items[0][0]}


def _switch(_: Switch, default: Any) -> dict[str, Any]:
    return {"default": False if default is REQUIRED else default}


def _file(_: File, default: Any) -> dict[str, Any]:
    return {"default": default, "subtype": "FILE_PATH"}


def _place(_: Place, default: Any) -> dict[str, Any]:
    return {"type": bpy.types.Object}


MAKERS: dict[type, tuple[Callable, Callable[[Any, Any], dict[str, Any]]]] = {
    Number: (FloatProperty, _number), Switch: (BoolProperty, _switch), Choice: (EnumProperty, _choice), Choices: (EnumProperty, _choices),
    Preset: (EnumProperty, _preset), File: (StringProperty, _file),
    Place: (PointerProperty, _place)}


def _job_value(kind: Kind, value: Any) -> Any:
    if isinstance(kind, Number):
        return round(value, DECIMALS)
    if isinstance(kind, Choice):
        return next(option for option in kind.options if identifier(option) == value)
    if isinstance(kind, File):
        return bpy.path.abspath(value)
    if isinstance(kind, Choices):
        return [option for option in kind.options if identifier(option) in value]
    return value


def _with_unit(label: str, kind: Kind) -> str:
    """Angles are shown with a unit by Blender itself."""
    unit = kind.unit if isinstance(kind, Number) and kind.unit != "rad" else ""
    return label if f"({unit})" in label or not unit else f"{label} ({unit})"


def _tooltip(text: str) -> str:
    """Blender ends a tooltip with a full stop of its own."""
    return text.removesuffix(".")


# -- the groups --------------------------------------------------------------------------------------------------------


def _same_in_others(method: str, item: Property) -> Callable[[bpy.types.PropertyGroup, bpy.types.Context], None]:
    """What is called when a property was changed: the same setting of other methods changes with it. So who has chosen Loop or a quality finds it
    chosen, whatever method is tried next."""
    others = [name for name in methods.names() if name != method and any(_alike(item, other) for other in properties_of(methods.get(name)))]

    def update(group: bpy.types.PropertyGroup, _: bpy.types.Context) -> None:
        value = getattr(group, item.name)
        for name in others:
            other = getattr(group.id_data.footfall.motion.methods, name)
            if getattr(other, item.name) != value:
                setattr(other, item.name, value)

    return update


def _alike(one: Property, other: Property) -> bool:
    """Whether two methods mean the same by a setting: it has the same name, and may be the same."""
    return (one.name, one.setting, one.default, type(one.kind)) == (other.name, other.setting, other.default, type(other.kind)) and \
        MAKERS[type(one.kind)][1](one.kind, one.default) == MAKERS[type(other.kind)][1](other.kind, other.default)


def _group_of(name: str) -> type:
    """The property group of a method."""
    annotations = {}
    for item in properties_of(methods.get(name)):
        make, options = MAKERS[type(item.kind)]
        annotations[item.name] = make(name=item.label, description=item.tooltip, override=EDITABLE, update=_same_in_others(name, item),
                                      **options(item.kind, item.default))
    return type(f"FootfallMethod{title(name).replace(' ', '')}", (bpy.types.PropertyGroup,), {"__annotations__": annotations})


GROUPS = {name: _group_of(name) for name in methods.names()}
FootfallMethods = type("FootfallMethods", (bpy.types.PropertyGroup,),
                       {"__annotations__": {name: PointerProperty(type=group, override=EDITABLE) for name, group in GROUPS.items()}})

CLASSES = (*GROUPS.values(), FootfallMethods)
