"""An arrow on the ground where the selected character sets off, and a ring around it that turns it."""

from __future__ import annotations

import bpy
from mathutils import Matrix, Vector

from ..direction import start_of
from ..selection import find_character
from . import shapes

COLOR = (0.45, 0.85, 0.35, 0.9)
RADIUS = 0.45  # m on a person: the ring
LENGTH = 1.1  # m on a person: from the middle of the ring to the tip
WIDTH, HEAD = 0.05, 0.14  # m on a person: half of the shaft, half of the head
LIFT = 0.01  # m on a person over the ground


def draw(context: bpy.types.Context) -> None:
    place = start_of(context)
    if place is None:
        return
    points = [(RADIUS, -WIDTH), (LENGTH - 2 * HEAD, -WIDTH), (LENGTH - 2 * HEAD, -HEAD), (LENGTH, 0.0), (LENGTH - 2 * HEAD, HEAD),
              (LENGTH - 2 * HEAD, WIDTH), (RADIUS, WIDTH)]
    outline = [Vector(place.to_world((x, y, LIFT))) for x, y in points]
    shapes.triangles([*shapes.fan([outline[index] for index in (0, 1, 5, 6)]), outline[2], outline[3], outline[4]], COLOR)


class FOOTFALL_GGT_direction(bpy.types.GizmoGroup):
    bl_idname = "FOOTFALL_GGT_direction"
    bl_label = "Direction of the Character"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT"}

    @classmethod
    def poll(cls, context):
        return context.scene.footfall.overlays.direction and context.space_data.overlay.show_overlays and start_of(context) is not None

    def setup(self, context):
        ring = self.gizmos.new("GIZMO_GT_dial_3d")
        ring.use_draw_scale = False  # as large as its matrix says, and not as large on the screen from wherever it is seen
        ring.color, ring.alpha = COLOR[:3], 0.6
        ring.color_highlight, ring.alpha_highlight = (1.0, 1.0, 1.0), 1.0
        ring.line_width = 3.0
        self.ring = ring

    def refresh(self, context):
        character = find_character(context)
        if character:
            self.ring.target_set_prop("offset", character.footfall.motion, "direction")

    def draw_prepare(self, context):
        place = start_of(context)
        if place is not None and not self.ring.is_modal:  # in the hand, it turns the arrow by how far it has come from where it was taken
            middle, turn = Matrix.Translation(place.to_world((0.0, 0.0, LIFT))), Matrix.Rotation(place.yaw - place.direction, 4, "Z")
            self.ring.matrix_basis = middle @ turn @ Matrix.Scale(RADIUS * place.scale, 4)


CLASSES = (FOOTFALL_GGT_direction,)
