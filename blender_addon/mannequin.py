"""The mannequin: an artist's wooden figure, 1.75 m tall, so that there is always a character at hand.

It stands on the ground at its own origin and faces −Y, Blender's front; its left is +X. Every piece of wood hangs on one bone with
full weight, as a jointed figure does. Lengths follow the tables that the simulated body is built from.
"""

from __future__ import annotations

from math import cos, pi, radians, sin

import bpy
from mathutils import Matrix, Vector

from . import compat

NAME = "Mannequin"
ARM_ANGLE = radians(22)  # of the arms from hanging straight down
ELBOW_BEND = radians(6)
SEGMENTS = 28  # corners of a ring of wood
FRONT = Vector((0.0, -1.0, 0.0))
LIGHT, DARK = 0, 1  # materials: the pieces, and the balls between them
WOODS = (("Footfall Wood", (0.80, 0.62, 0.42, 1.0)), ("Footfall Joint", (0.50, 0.33, 0.19, 1.0)))

BoneEnds = tuple[str, "str | None", Vector, Vector]
Ring = tuple[float, float, float]  # how far it is from a (0) to b (1), half width, half depth (m)


def add_mannequin(context: bpy.types.Context, location: Vector) -> bpy.types.Object:
    """Put a mannequin into the scene, make it the active object and return its armature object."""
    armature = bpy.data.objects.new(NAME, bpy.data.armatures.new(NAME))
    armature.location = location
    armature.data.display_type = "STICK"
    armature.show_in_front = True
    collection = context.collection or context.scene.collection
    collection.objects.link(armature)
    for other in context.selected_objects:
        other.select_set(False)
    context.view_layer.objects.active = armature
    armature.select_set(True)
    bones = skeleton()
    _make_bones(armature, bones)
    figure = _make_figure({name: (head, tail) for name, _, head, tail in bones})
    figure.parent = armature
    figure.modifiers.new("Armature", "ARMATURE").object = armature
    collection.objects.link(figure)
    return armature


def skeleton() -> list[BoneEnds]:
    """Name, parent, head and tail (metres) of every bone, parents first."""
    hip, back, ribs, neck, skull, crown = 0.929, 1.070, 1.230, 1.514, 1.590, 1.750
    bones: list[BoneEnds] = [
        ("pelvis", None, _up(hip), _up(back)),
        ("spine", "pelvis", _up(back), _up(ribs)),
        ("chest", "spine", _up(ribs), _up(neck)),
        ("neck", "chest", _up(neck), _up(skull)),
        ("head", "neck", _up(skull), _up(crown)),
    ]
    for side, sign in (("L", 1.0), ("R", -1.0)):
        hang = Vector((sign * sin(ARM_ANGLE), 0.0, -cos(ARM_ANGLE)))
        lower = Matrix.Rotation(-ELBOW_BEND, 3, "X") @ hang
        shoulder = Vector((sign * 0.1995, 0.0, 1.425))
        elbow = shoulder + 0.283 * hang
        wrist = elbow + 0.270 * lower
        x = sign * 0.0875
        # The knee lies a little ahead of hip and ankle, so that everyone can tell which way it bends.
        hip_joint, knee, ankle, ball, tip = (Vector(point) for point in (
            (x, 0.0, hip), (x, -0.006, 0.505), (x, 0.0, 0.068), (x, -0.125, 0.024), (x, -0.195, 0.018)))
        bones += [
            (f"shoulder.{side}", "chest", Vector((sign * 0.025, 0.0, 1.445)), shoulder),
            (f"upper_arm.{side}", f"shoulder.{side}", shoulder, elbow),
            (f"forearm.{side}", f"upper_arm.{side}", elbow, wrist),
            (f"hand.{side}", f"forearm.{side}", wrist, wrist + 0.175 * lower),
            (f"thigh.{side}", "pelvis", hip_joint, knee),
            (f"shin.{side}", f"thigh.{side}", knee, ankle),
            (f"foot.{side}", f"shin.{side}", ankle, ball),
            (f"toe.{side}", f"foot.{side}", ball, tip),
        ]
    return bones


def _up(height: float) -> Vector:
    return Vector((0.0, 0.0, height))


def _make_bones(armature: bpy.types.Object, bones: list[BoneEnds]) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    for name, parent, head, tail in bones:
        bone = armature.data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        # Local Z points forward on everything upright and up on the feet: all hinges then turn about X.
        bone.align_roll(Vector((0.0, 0.0, 1.0)) if name.startswith(("foot", "toe")) else FRONT)
        if parent:
            bone.parent = armature.data.edit_bones[parent]
            bone.use_connect = (bone.parent.tail - head).length < 1e-6
    bpy.ops.object.mode_set(mode="OBJECT")


class _Wood:
    """Collects turned pieces into one mesh."""

    def __init__(self) -> None:
        self.points: list[Vector] = []
        self.faces: list[tuple[int, ...]] = []
        self.materials: list[int] = []
        self.groups: dict[str, list[int]] = {}

    def turn(self, bone: str, a: Vector, b: Vector, rings: list[Ring], material: int = LIGHT, square: float = 2.0,
             front: Vector = FRONT) -> None:
        """A piece on the axis from a to b. ``square`` 2 gives elliptic rings, 4 boxes with round edges; ``front`` is the depth's direction."""
        axis = (b - a).normalized()
        across = front.cross(axis).normalized()
        deep = axis.cross(across)
        first = len(self.points)
        for along, width, depth in rings:
            for corner in range(SEGMENTS):
                angle = 2 * pi * corner / SEGMENTS
                c, s = cos(angle), sin(angle)
                x = width * abs(c) ** (2 / square) * (1 if c >= 0 else -1)
                y = depth * abs(s) ** (2 / square) * (1 if s >= 0 else -1)
                self.points.append(a.lerp(b, along) + x * across + y * deep)
        for ring in range(len(rings) - 1):
            low = first + ring * SEGMENTS
            for corner in range(SEGMENTS):
                after = (corner + 1) % SEGMENTS
                self.faces.append((low + corner, low + after, low + SEGMENTS + after, low + SEGMENTS + corner))
        last = first + (len(rings) - 1) * SEGMENTS
        self.faces.append(tuple(range(first + SEGMENTS - 1, first - 1, -1)))
        self.faces.append(tuple(range(last, last + SEGMENTS)))
        self.materials += [material] * (len(self.faces) - len(self.materials))
        self.groups.setdefault(bone, []).extend(range(first, len(self.points)))

    def ball(self, bone: str, center: Vector, radius: float, material: int = DARK) -> None:
        up = Vector((0.0, 0.0, radius))
        self.turn(bone, center - up, center + up, egg(radius, radius), material)


def egg(width: float, depth: float, middle: float = 0.5, count: int = 13) -> list[Ring]:
    """Rings of an ellipsoid whose widest ring lies at ``middle`` (0–1) of its length."""
    rings = []
    for n in range(count):
        height = -cos(pi * n / (count - 1))
        size = max(sin(pi * n / (count - 1)), 0.02)
        along = middle * (1 + height) if height < 0 else middle + (1 - middle) * height
        rings.append((along, width * size, depth * size))
    return rings


def limb(start: float, belly: float, end: float, at: float = 0.3) -> list[Ring]:
    """Rings of a limb turned on a lathe: rounded ends of radii ``start`` and ``end``, thickest (``belly``) at ``at`` (0–1) of its length."""
    def radius(along: float) -> float:
        if along < at:
            return start + (belly - start) * sin(pi / 2 * along / at)
        return end + (belly - end) * (0.5 + 0.5 * cos(pi * (along - at) / (1 - at)))

    caps = ((0.0, 0.35), (0.01, 0.68), (0.03, 0.9))
    rings = [(along, share * radius(0.03)) for along, share in caps]
    rings += [(along, radius(along)) for along in (0.06 + 0.088 * n for n in range(11))]
    rings += [(1 - along, share * radius(0.97)) for along, share in reversed(caps)]
    return [(along, size, size) for along, size in rings]


def _make_figure(bones: dict[str, tuple[Vector, Vector]]) -> bpy.types.Object:
    wood = _Wood()
    _trunk(wood, bones)
    for side in "LR":
        _arm(wood, bones, side)
        _leg(wood, bones, side)
    mesh = bpy.data.meshes.new(f"{NAME} Figure")
    mesh.from_pydata([tuple(point) for point in wood.points], [], wood.faces)
    for name, color in WOODS:
        mesh.materials.append(compat.material(name, color))
    mesh.polygons.foreach_set("material_index", wood.materials)
    mesh.polygons.foreach_set("use_smooth", [True] * len(wood.faces))
    mesh.update()
    figure = bpy.data.objects.new(mesh.name, mesh)
    for bone, points in wood.groups.items():
        figure.vertex_groups.new(name=bone).add(points, 1.0, "REPLACE")
    return figure


def _trunk(wood: _Wood, bones: dict[str, tuple[Vector, Vector]]) -> None:
    pelvis, spine, chest, neck, head = (bones[name] for name in ("pelvis", "spine", "chest", "neck", "head"))
    low, waist = pelvis[0] - _up(0.075), pelvis[1] - _up(0.005)
    wood.turn("pelvis", low, waist, [(0.0, 0.02, 0.03), (0.04, 0.055, 0.06), (0.14, 0.100, 0.085), (0.32, 0.138, 0.100), (0.5, 0.150, 0.104),
                                     (0.68, 0.146, 0.100), (0.84, 0.128, 0.090), (0.95, 0.105, 0.076), (1.0, 0.075, 0.055)], square=2.5)
    wood.turn("spine", spine[0] - _up(0.035), spine[1] + _up(0.02), egg(0.098, 0.076, count=15), DARK)
    wood.turn("chest", chest[0] - _up(0.045), chest[1] - _up(0.010), [
        (0.0, 0.070, 0.055), (0.03, 0.095, 0.072), (0.10, 0.118, 0.088), (0.25, 0.138, 0.104), (0.42, 0.156, 0.112), (0.58, 0.166, 0.112),
        (0.70, 0.164, 0.104), (0.80, 0.146, 0.090), (0.88, 0.112, 0.072), (0.95, 0.070, 0.055), (1.0, 0.040, 0.040)], square=2.6)
    wood.turn("neck", neck[0] - _up(0.02), neck[1] + _up(0.02), [(0.0, 0.052, 0.052), (0.5, 0.046, 0.048), (1.0, 0.046, 0.048)], DARK)
    wood.turn("head", head[0] - _up(0.055) - Vector((0, 0.012, 0)), head[1] - Vector((0, 0.016, 0)),
              egg(0.078, 0.098, middle=0.6, count=19))


def _arm(wood: _Wood, bones: dict[str, tuple[Vector, Vector]], side: str) -> None:
    (shoulder, elbow), (_, wrist), (_, finger) = (bones[f"{name}.{side}"] for name in ("upper_arm", "forearm", "hand"))
    wood.ball(f"upper_arm.{side}", shoulder, 0.056)
    wood.turn(f"upper_arm.{side}", shoulder.lerp(elbow, 0.10), shoulder.lerp(elbow, 0.93), limb(0.042, 0.050, 0.036, 0.28))
    wood.ball(f"forearm.{side}", elbow, 0.038)
    wood.turn(f"forearm.{side}", elbow.lerp(wrist, 0.08), elbow.lerp(wrist, 0.95), limb(0.036, 0.042, 0.026, 0.24))
    wood.ball(f"hand.{side}", wrist, 0.027)
    # A mitten: palm and fingers in one piece, thin from the thumb's side; the thumb points forward.
    across = Vector((1.0, 0.0, 0.0))
    wood.turn(f"hand.{side}", wrist.lerp(finger, 0.06), finger, [
        (0.0, 0.018, 0.014), (0.06, 0.030, 0.019), (0.25, 0.040, 0.021), (0.48, 0.042, 0.019), (0.72, 0.037, 0.016), (0.90, 0.027, 0.013),
        (0.97, 0.017, 0.009), (1.0, 0.006, 0.004)], square=2.4, front=across)
    root = wrist.lerp(finger, 0.22) + Vector((0.0, -0.026, 0.0))
    tip = wrist.lerp(finger, 0.58) + Vector((0.0, -0.062, 0.0))
    wood.turn(f"hand.{side}", root, tip, limb(0.013, 0.015, 0.010, 0.35), front=across)


def _leg(wood: _Wood, bones: dict[str, tuple[Vector, Vector]], side: str) -> None:
    (hip, knee), (_, ankle), (_, ball) = (bones[f"{name}.{side}"] for name in ("thigh", "shin", "foot"))
    wood.ball(f"thigh.{side}", hip, 0.074)
    wood.turn(f"thigh.{side}", hip.lerp(knee, 0.10), hip.lerp(knee, 0.95), limb(0.064, 0.077, 0.050, 0.22))
    wood.ball(f"shin.{side}", knee, 0.052)
    wood.turn(f"shin.{side}", knee.lerp(ankle, 0.08), knee.lerp(ankle, 0.95), limb(0.046, 0.058, 0.032, 0.28))
    wood.ball(f"foot.{side}", ankle, 0.035)
    # Foot and toes lie on the ground: rings that stand on the sole, from heel to tip.
    _sole(wood, f"foot.{side}", ankle.x, [
        (0.062, 0.012, 0.030), (0.058, 0.026, 0.044), (0.040, 0.033, 0.060), (0.010, 0.036, 0.072), (-0.025, 0.038, 0.070),
        (-0.060, 0.042, 0.056), (-0.095, 0.046, 0.046), (-0.118, 0.047, 0.040), (-0.122, 0.044, 0.036)])
    wood.turn(f"toe.{side}", ball + Vector((-0.043, 0, -0.003)), ball + Vector((0.043, 0, -0.003)), limb(0.014, 0.017, 0.014, 0.5), DARK,
              front=Vector((0.0, 0.0, 1.0)))
    _sole(wood, f"toe.{side}", ball.x, [
        (-0.128, 0.044, 0.034), (-0.132, 0.047, 0.037), (-0.155, 0.045, 0.033), (-0.178, 0.038, 0.027), (-0.192, 0.026, 0.020),
        (-0.197, 0.012, 0.012)])


def _sole(wood: _Wood, bone: str, x: float, rings: list[Ring]) -> None:
    """Rings (y, half width, height) of a piece that stands on the ground at ``x``."""
    first = len(wood.points)
    start, end = rings[0][0], rings[-1][0]
    wood.turn(bone, Vector((x, start, 0.0)), Vector((x, end, 0.0)), [((y - start) / (end - start), width, height / 2) for y, width, height in rings],
              square=3.2, front=Vector((0.0, 0.0, 1.0)))
    for n, (_, _, height) in enumerate(rings):
        for corner in range(SEGMENTS):
            wood.points[first + n * SEGMENTS + corner].z += height / 2
