"""What is dragged to aim the chosen hit: its arrow, and a disc of direction and strength beside it. Both say which hit a place of the mouse means."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, hypot, sin
from typing import TYPE_CHECKING

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d, region_2d_to_origin_3d, region_2d_to_vector_3d
from mathutils import Vector
from mathutils.geometry import intersect_line_plane

from .dragged import held
from .method import has_hits
from .selection import find_character

if TYPE_CHECKING:
    from .reaction import Outlook

SHORTEST, LONGEST = 0.25, 1.75  # m on a person, of an arrow of no force and of one without bounds
HALF_WAY = 300.0  # N of an arrow half way between these
MOST = 0.97  # of the way to the longest, that an arrow can be dragged
SKIN = 0.1  # m on a person, from the middle of the part to where the arrow ends
TEXT = 50  # pixels at a scale of 1, of the text under the disc
LEVEL = 0.15  # sine of how far the view looks down, from which on arrows are dragged over a level plane
RADIUS, BESIDE, EDGE = 56, 0.55, 14  # pixels of the disc at a scale of 1; m on a person from the hit to its rim; pixels to the view's edge
LOW, HIGH, LEG = 0.45, 1.5, 0.85  # m on a person over the ground: where the disc is, so that the arrow has room, and where for a hit on a leg
UPRIGHT = 0.2  # of a direction that is level: what is steeper has none in the disc
DECIMALS = 3  # of a direction
ARROW_LENGTH = 0.6  # m, of the empty that aims a push


def is_aimed(context: bpy.types.Context) -> bool:
    """Whether there is a hit to aim, and a preview of it is wanted in this view. Without a window there is no view, and nothing is aimed."""
    shown, view = context.scene.footfall.overlays, context.space_data
    return view is not None and shown.reaction and view.overlay.show_overlays and has_hits(find_character(context))


def chosen_push(character: bpy.types.Object) -> bpy.types.PropertyGroup | None:
    """The one that is chosen in the list."""
    pushes, active = character.footfall.pushes, character.footfall.active_push
    return pushes[active] if 0 <= active < len(pushes) else None


def length_of(newtons: float) -> float:
    """m on a person, of the arrow of a push: it grows ever more slowly, so that strong ones can be seen, too."""
    return SHORTEST + (LONGEST - SHORTEST) * newtons / (newtons + HALF_WAY)


def newtons_of(length: float) -> float:
    """The other way round."""
    way = min(max((length - SHORTEST) / (LONGEST - SHORTEST), 0.0), MOST)
    return HALF_WAY * way / (1.0 - way)


@dataclass(frozen=True)
class Arrow:
    """The arrow of a push. ``place``: the middle of what it strikes, world; ``direction``: unit vector, world; ``size``: Blender units for a metre on
    a person."""

    place: Vector
    direction: Vector
    newtons: float
    size: float

    @property
    def tip(self) -> Vector:
        return self.place - SKIN * self.size * self.direction

    @property
    def length(self) -> float:
        """Blender units."""
        return self.size * length_of(self.newtons)

    @property
    def tail(self) -> Vector:
        """Where it is taken hold of."""
        return self.tip - self.length * self.direction

    def drawn_to(self, tail: Vector) -> Arrow:
        """With its tail there, pointing at the same place."""
        way = self.place - tail
        if way.length < 1e-6:
            return self
        return Arrow(self.place, way.normalized(), newtons_of(way.length / self.size - SKIN), self.size)

    def dragged(self, region: bpy.types.Region, view: bpy.types.RegionView3D, mouse: tuple[float, float]) -> Arrow:
        """With its tail under the mouse: on the level that it has, or where the view looks along that, as far from the viewer as what it strikes."""
        origin, ray = region_2d_to_origin_3d(region, view, mouse), region_2d_to_vector_3d(region, view, mouse)
        normal = Vector((0.0, 0.0, 1.0))
        level = abs(_back(view).z) > LEVEL
        found = intersect_line_plane(origin, origin + ray, self.tail if level else self.place, normal if level else _back(view))
        if found is None or (level and (found - origin).dot(ray) < 0.0):  # beyond the horizon
            return self
        return self.drawn_to(found)


def arrow_of(character: bpy.types.Object, outlook: Outlook) -> Arrow | None:
    """The arrow of the chosen hit where that strikes the clip, whatever frame is shown."""
    from .scene import push_direction  # needs numpy

    push = chosen_push(character)
    if push is None or outlook.clip is None or outlook.chosen is None:
        return None
    hit, clip = outlook.hits[outlook.chosen], outlook.clip
    space = clip.space(character)
    size, place = space.to_scale().z, space @ Vector(clip.struck(hit.time, hit.part))
    dragged = held(character.name, hit.number)
    if dragged:
        return Arrow(place, dragged.direction, dragged.newtons, size)
    return Arrow(place, Vector(push_direction(push)), push.force[0], size)


def can_be_turned(push: bpy.types.PropertyGroup) -> bool:
    """Whether dragging gives it a direction: where an object of the user's own aims it, it does not."""
    return push.aim is None or bool(push.aim.get("footfall_arrow"))


@dataclass(frozen=True)
class Disc:
    """Directions and strengths of a push as seen from above, up being away from the viewer.

    Attributes:
        x, y: pixels of its middle, no force, in the region. radius: pixels of its rim. strongest: N at the rim.
        right, ahead: level unit vectors, world, that go right and up on it.
    """

    x: float
    y: float
    radius: float
    strongest: float
    right: Vector
    ahead: Vector

    def place(self, force: Vector) -> tuple[float, float]:
        """Pixels where a force (N, world) is; beyond the rim, on it."""
        x, y = (force.dot(axis) / max(self.strongest, 1e-9) for axis in (self.right, self.ahead))
        far = max(1.0, hypot(x, y))
        return self.x + self.radius * x / far, self.y + self.radius * y / far

    def force(self, x: float, y: float) -> Vector:
        """N, world and level, of a place in pixels; at most the strongest."""
        x, y = (x - self.x) / self.radius, (y - self.y) / self.radius
        far = max(1.0, hypot(x, y))
        return self.strongest * (x * self.right + y * self.ahead) / far


def disc_of(context: bpy.types.Context, character: bpy.types.Object, outlook: Outlook) -> Disc | None:
    """The disc beside the chosen hit, in the region of ``context``; None where that is not in view."""
    arrow = arrow_of(character, outlook)
    region, view = context.region, context.region_data
    at = arrow and location_3d_to_region_2d(region, view, arrow.place)
    if at is None:
        return None
    ahead = -_back(view)
    if hypot(ahead.x, ahead.y) < UPRIGHT:  # from above or below
        ahead = view.view_rotation @ Vector((0.0, 1.0, 0.0))
    ahead = Vector((ahead.x, ahead.y, 0.0)).normalized()
    right = Vector((ahead.y, -ahead.x, 0.0))
    screen_right = view.view_rotation @ Vector((1.0, 0.0, 0.0))
    floor = (outlook.clip.space(character) @ Vector((0.0, 0.0, 0.0))).z
    level = Vector((arrow.place.x, arrow.place.y, floor + arrow.size * (HIGH if arrow.place.z - floor < LEG * arrow.size else LOW)))
    at = location_3d_to_region_2d(region, view, level) or at
    aside = location_3d_to_region_2d(region, view, level + BESIDE * arrow.size * screen_right)
    scale = context.preferences.system.ui_scale
    radius, far = RADIUS * scale, (aside.x - at.x if aside else 0.0)
    room = radius + EDGE * scale
    left, end = _free(context, region)
    x = at.x + far + room
    if x + room > end:
        x = at.x - far - room
    seconds = outlook.hits[outlook.chosen].seconds
    return Disc(min(max(x, left + room), end - room), min(max(at.y, TEXT * scale + room), region.height - room), radius,
                outlook.clip.strongest / seconds, right, ahead)


def aimed(direction: Vector, force: Vector) -> tuple[Vector, float]:
    """Direction and N of a push that went in ``direction`` and goes with a level ``force`` (N, world) now: it rises or falls as it did."""
    steep = direction.z if hypot(direction.x, direction.y) > UPRIGHT else 0.0
    level = (1.0 - steep * steep) ** 0.5
    if force.length < 1e-6:
        return direction, 0.0
    return level * force.normalized() + Vector((0.0, 0.0, steep)), force.length / level


def aim(push: bpy.types.PropertyGroup, arrow: Arrow) -> None:
    """Make a push as an arrow is."""
    newtons, seconds = round(arrow.newtons), push.force[1]
    if push.feel != "OWN" and newtons != round(push.force[0]):
        push.seconds, push.feel = seconds, "OWN"
    push.newtons = newtons
    if push.aim is None:
        push.direction = [round(value, DECIMALS) + 0.0 for value in arrow.direction]  # no -0
    elif can_be_turned(push):
        point(push.aim, arrow)


def point(thing: bpy.types.Object, arrow: Arrow) -> None:
    """Put the object that aims a push where its arrow is."""
    thing.location = arrow.place - ARROW_LENGTH * arrow.size * arrow.direction
    thing.rotation_euler = arrow.direction.to_track_quat("Z", "Y").to_euler()


def _back(view: bpy.types.RegionView3D) -> Vector:
    """Unit vector to the viewer, world."""
    return view.view_rotation @ Vector((0.0, 0.0, 1.0))


def _free(context: bpy.types.Context, region: bpy.types.Region) -> tuple[float, float]:
    """Pixels from which to which nothing lies over the region on its left and right."""
    left, end = 0, region.width
    for other in context.area.regions:
        if other.type == "TOOLS" and other.x <= region.x < other.x + other.width:
            left = other.x + other.width - region.x
        if other.type == "UI" and region.x < other.x < region.x + region.width:
            end = other.x - region.x
    return left, end


def circle(x: float, y: float, radius: float, count: int) -> list[tuple[float, float, float]]:
    """Points around a place of the region."""
    return [(x + radius * cos(6.2831853 * n / count), y + radius * sin(6.2831853 * n / count), 0.0) for n in range(count)]
