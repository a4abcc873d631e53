"""Pictures of baked characters: flesh for bare bones, a contact sheet by a camera that goes along, a moving picture by one that stands still.

Runs inside Blender.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from .png import write_png

WIDTH, HEIGHT = 260, 380  # of one picture of a contact sheet, pixels
WIDE, HIGH = 640, 260  # of a moving picture
SHADES = 32  # of each colour: enough for plain shading, and the files are half as large


def flesh(armature: bpy.types.Object, thickness: float = 0.14) -> bpy.types.Object:
    """A mesh of one octahedron for each bone that moves the mesh, bound to it: so that a bare rig can be rendered."""
    vertices: list[Vector] = []
    faces: list[tuple[int, ...]] = []
    groups: list[tuple[str, range]] = []
    tall = _height(armature)
    for bone in armature.data.bones:
        if not bone.use_deform:
            continue
        axes, first, width = bone.matrix_local.to_3x3(), len(vertices), min(thickness * bone.length, 0.035 * tall)
        middle = bone.head_local + 0.2 * (bone.tail_local - bone.head_local)
        ring = [middle + axes @ Vector(side) * width for side in ((1, 0, 0), (0, 0, 1), (-1, 0, 0), (0, 0, -1))]
        vertices += [bone.head_local.copy(), *ring, bone.tail_local.copy()]
        for side in range(4):
            a, b = first + 1 + side, first + 1 + (side + 1) % 4
            faces += [(first, b, a), (first + 5, a, b)]
        groups.append((bone.name, range(first, first + 6)))
    mesh = bpy.data.meshes.new(f"{armature.name} flesh")
    mesh.from_pydata(vertices, [], faces)
    body = bpy.data.objects.new(mesh.name, mesh)
    bpy.context.collection.objects.link(body)
    body.parent = armature
    for name, members in groups:
        body.vertex_groups.new(name=name).add(list(members), 1.0, "REPLACE")
    modifier = body.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    return body


def _height(armature: bpy.types.Object) -> float:
    """From the lowest to the highest joint at rest, and a forehead over it, in the armature's own units. Where bones end says nothing."""
    heights = [(armature.matrix_world.to_3x3() @ bone.head_local).z for bone in armature.data.bones]
    return 1.06 * (max(heights) - min(heights)) / armature.matrix_world.median_scale


def contact_sheet(path: Path, followed: Sequence[tuple[bpy.types.Object, str]], frames: Sequence[int], sides: Sequence[float] = (75.0,)) -> None:
    """Render a row of pictures for each (armature, pelvis bone) and side: one a frame, seen from ``sides`` degrees off −Y."""
    scene, rows = bpy.context.scene, []
    with _studio(followed, WIDTH, HEIGHT) as (camera, floor):
        for armature, pelvis in followed:
            others = [thing for thing in scene.objects
                      if thing.type == "MESH" and thing not in (floor, *armature.children) and not thing.hide_render]
            for thing in others:
                thing.hide_render = True
            size = 1.15 * _tall(armature)
            camera.data.ortho_scale, camera.data.clip_end = size, 100.0 * size
            for towards in map(_towards, sides):
                row = []
                camera.rotation_euler = towards.to_track_quat("Z", "Y").to_euler()
                for frame in frames:
                    scene.frame_set(frame)
                    hips = _hips(armature, pelvis)
                    camera.location = Vector((hips.x, hips.y, 0.45 * size)) + 10.0 * size * towards
                    row.append(_rendered())
                rows.append(np.concatenate(row, axis=1))
            for thing in others:
                thing.hide_render = False
    write_png(path, [np.concatenate(rows, axis=0)])


def moving_picture(path: Path, followed: Sequence[tuple[bpy.types.Object, str]], frames: Sequence[int], fps: float, side: float = -60.0) -> None:
    """Render all (armature, pelvis bone) together as an animated PNG, one picture a frame, by a camera that stands where it sees all their ways.

    ``fps``: pictures a second. ``side``: degrees off −Y, from which they are seen.
    """
    scene, towards = bpy.context.scene, _towards(side)
    turn = towards.to_track_quat("Z", "Y")
    right, up = turn @ Vector((1.0, 0.0, 0.0)), turn @ Vector((0.0, 1.0, 0.0))
    seen = []
    for frame in frames:
        scene.frame_set(frame)
        for armature, pelvis in followed:
            tall, hips = _tall(armature), _hips(armature, pelvis)
            ground = Vector((hips.x, hips.y, 0.0))
            seen += [ground + tall * aside for aside in (-0.35 * right, 0.35 * right, Vector((0.0, 0.0, -0.1)), Vector((0.0, 0.0, 1.05)))]
    across, along = ([point.dot(axis) for point in seen] for axis in (right, up))
    size = max(max(across) - min(across), (max(along) - min(along)) * WIDE / HIGH)
    with _studio(followed, WIDE, HIGH) as (camera, _):
        scene.display.render_aa = "FXAA"  # smooth enough for a picture that moves, and several times as fast
        camera.data.ortho_scale, camera.data.clip_end = size, 100.0 * size
        camera.rotation_euler = turn.to_euler()
        middle = 0.5 * (max(across) + min(across)) * right + 0.5 * (max(along) + min(along)) * up
        camera.location = middle + 10.0 * size * towards
        pictures = []
        for frame in frames:
            scene.frame_set(frame)
            pictures.append(_rendered())
    write_png(path, pictures, fps)


@contextmanager
def _studio(followed: Sequence[tuple[bpy.types.Object, str]], width: int, height: int) -> Iterator[tuple[bpy.types.Object, bpy.types.Object]]:
    """A camera and a floor for pictures of ``width`` by ``height`` pixels. The floor is checkered, at height 0, so that sliding feet would show."""
    scene = bpy.context.scene
    floor = _floor(0.28 * max(_tall(armature) for armature, _ in followed))
    camera = bpy.data.objects.new("Footfall camera", bpy.data.cameras.new("Footfall camera"))
    scene.collection.objects.link(camera)
    camera.data.type = "ORTHO"
    scene.camera = camera
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = width, height, 100
    scene.render.image_settings.file_format, scene.view_settings.view_transform = "PNG", "Standard"
    scene.display.shading.light, scene.display.shading.show_shadows = "STUDIO", True
    scene.display.shading.color_type, scene.display.render_aa = "MATERIAL", "8"
    yield camera, floor
    for thing in (floor, camera):
        bpy.data.objects.remove(thing)


def _tall(armature: bpy.types.Object) -> float:
    """m, from the lowest to the highest bone at rest."""
    return _height(armature) * armature.matrix_world.median_scale


def _hips(armature: bpy.types.Object, pelvis: str) -> Vector:
    return armature.matrix_world @ armature.pose.bones[pelvis].head


def _towards(side: float) -> Vector:
    """From what is seen to the camera: a little from above, and ``side`` degrees off −Y."""
    return Vector((math.sin(math.radians(side)), -math.cos(math.radians(side)), 0.18)).normalized()


def _floor(tile: float, reach: int = 40) -> bpy.types.Object:
    """Squares in two greys."""
    vertices, faces, shades = [], [], []
    for x in range(-reach, reach):
        for y in range(-reach, reach):
            first = len(vertices)
            vertices += [((x + right) * tile, (y + up) * tile, 0.0) for right, up in ((0, 0), (1, 0), (1, 1), (0, 1))]
            faces.append((first, first + 1, first + 2, first + 3))
            shades.append((x + y) % 2)
    mesh = bpy.data.meshes.new("Footfall floor")
    mesh.from_pydata(vertices, [], faces)
    for shade in (0.75, 0.9):
        made = bpy.data.materials.new("Footfall floor")
        made.diffuse_color = (shade, shade, shade, 1.0)
        mesh.materials.append(made)
    mesh.polygons.foreach_set("material_index", shades)
    floor = bpy.data.objects.new("Footfall floor", mesh)
    bpy.context.scene.collection.objects.link(floor)
    return floor


def _rendered() -> np.ndarray:
    """(height, width, 3) uint8, from the top down: what the camera sees now."""
    with tempfile.TemporaryDirectory() as folder:
        bpy.context.scene.render.filepath = str(Path(folder) / "picture.png")
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(bpy.context.scene.render.filepath)
        values = np.empty(4 * image.size[0] * image.size[1], dtype=np.float32)
        image.pixels.foreach_get(values)  # from the bottom up, 0–1; the file is read only now
    picture = values.reshape(image.size[1], image.size[0], 4)[::-1, :, :3]
    bpy.data.images.remove(image)
    return (np.round(picture * (SHADES - 1)) * (255.0 / (SHADES - 1))).astype(np.uint8)
