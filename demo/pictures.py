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

WIDTH, HEIGHT = 320, 380  # of one picture of a contact sheet, pixels
WIDE, HIGH = 640, 260  # of a moving picture
FINER = 2  # times as many pixels each way are rendered for a contact sheet, and then averaged: smoother and faster than Blender's own samples
FLOOR = "Footfall floor"
CLAY = (0.75, 0.6, 0.45, 1.0)  # of skins whose pictures are missing
Stage = tuple[bpy.types.Object, bpy.types.Object, float]  # the camera and the floor of a studio, and m, the side of its squares
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
    with studio(followed, FINER * WIDTH, FINER * HEIGHT) as stage:
        rows = [np.concatenate(shots(stage, [one], frames, side), axis=1) for one in followed for side in sides]
    write_png(path, [np.concatenate(rows, axis=0)])


def shots(stage: Stage, shown: Sequence[tuple[bpy.types.Object, str]], frames: Sequence[int], side: float) -> list[np.ndarray]:
    """One picture a frame of these (armature, pelvis bone) and nobody else, as high as the tallest of them, seen from ``side`` degrees off −Y.

    ``stage``: of a ``studio`` whose pictures have ``FINER`` times as many pixels each way as those that are returned, (height, width, 3) uint8.
    """
    (camera, floor, tile), scene = stage, bpy.context.scene
    towards, size = _towards(side), 1.22 * max(_tall(armature) for armature, _ in shown)
    own = [child for armature, _ in shown for child in armature.children]
    others = [thing for thing in scene.objects if thing.type == "MESH" and thing not in (floor, *own) and not thing.hide_render]
    for thing in others:
        thing.hide_render = True
    camera.data.sensor_fit, camera.data.ortho_scale, camera.data.clip_end = "VERTICAL", size, 100.0 * size
    camera.rotation_euler = towards.to_track_quat("Z", "Y").to_euler()
    pictures = []
    for frame in frames:
        scene.frame_set(frame)
        middle = sum((_hips(*one) for one in shown), Vector()) / len(shown)
        x, y = (tile * round(value / tile) for value in middle[:2])  # from tile to tile, so that a body that sways does so in the pictures
        camera.location = Vector((x, y, 0.45 * size)) + 10.0 * size * towards
        pictures.append(_rendered(FINER))
    for thing in others:
        thing.hide_render = False
    return pictures


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
    with studio(followed, WIDE, HIGH) as (camera, *_):
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
def studio(followed: Sequence[tuple[bpy.types.Object, str]], width: int, height: int) -> Iterator[Stage]:
    """A camera, light and a floor for pictures of ``width`` by ``height`` pixels. The floor is checkered, at height 0: sliding feet show."""
    scene, tile = bpy.context.scene, _tile(followed)
    floor = _floor(tile)
    camera = bpy.data.objects.new("Footfall camera", bpy.data.cameras.new("Footfall camera"))
    scene.collection.objects.link(camera)
    camera.data.type = "ORTHO"
    scene.camera = camera
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = width, height, 100
    scene.render.image_settings.file_format, scene.view_settings.view_transform = "PNG", "Standard"
    scene.render.dither_intensity = 0.0
    shading = scene.display.shading
    shading.light, shading.studio_light = "STUDIO", "paint.sl"  # bright from all sides
    painted = all(image.size[0] for image in bpy.data.images if image.source == "FILE")  # where pictures are missing, all would be magenta
    shading.color_type = "TEXTURE" if painted else "MATERIAL"
    shading.show_shadows, shading.shadow_intensity = True, 0.45  # where a foot meets its shadow it touches the floor
    shading.show_specular_highlight = False  # skins that shine would be dark beside their highlights
    shading.show_cavity, shading.cavity_type = True, "SCREEN"  # edges: limbs are told apart where they cross
    _stamp_frames(scene, max(10, height // 32))
    scene.display.render_aa = "FXAA"  # every sample more would cost a whole picture's time without a graphics card
    own = {} if painted else {material.name: tuple(material.diffuse_color) for material in bpy.data.materials if not material.name.startswith(FLOOR)}
    for name in own:
        bpy.data.materials[name].diffuse_color = CLAY
    yield camera, floor, tile
    for name, color in own.items():
        bpy.data.materials[name].diffuse_color = color
    for thing in (floor, camera):
        bpy.data.objects.remove(thing)


def _stamp_frames(scene: bpy.types.Scene, size: int) -> None:
    """Write the number of its frame, ``size`` pixels high, into each picture."""
    render = scene.render
    for name in (name for name in dir(render) if name.startswith("use_stamp_")):
        setattr(render, name, name == "use_stamp_frame")
    render.use_stamp, render.stamp_font_size, render.stamp_background, render.stamp_foreground = True, size, (0, 0, 0, 0), (0, 0, 0, 1)


def _tall(armature: bpy.types.Object) -> float:
    """m, from the lowest to the highest bone at rest."""
    return _height(armature) * armature.matrix_world.median_scale


def _tile(followed: Sequence[tuple[bpy.types.Object, str]]) -> float:
    """m, the side of a square of the floor."""
    return 0.28 * max(_tall(armature) for armature, _ in followed)


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
    mesh = bpy.data.meshes.new(FLOOR)
    mesh.from_pydata(vertices, [], faces)
    for shade in (0.85, 1.0):
        made = bpy.data.materials.new(FLOOR)
        made.diffuse_color = (shade, shade, shade, 1.0)
        mesh.materials.append(made)
    mesh.polygons.foreach_set("material_index", shades)
    floor = bpy.data.objects.new(FLOOR, mesh)
    floor.display.show_shadows = False  # it throws none, and would take most of the time
    bpy.context.scene.collection.objects.link(floor)
    return floor


def _rendered(finer: int = 1) -> np.ndarray:
    """(height, width, 3) uint8, from the top down: what the camera sees now. ``finer``: so many pixels each way become one."""
    with tempfile.TemporaryDirectory() as folder:
        bpy.context.scene.render.filepath = str(Path(folder) / "picture.png")
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(bpy.context.scene.render.filepath)
        values = np.empty(4 * image.size[0] * image.size[1], dtype=np.float32)
        image.pixels.foreach_get(values)  # from the bottom up, 0–1; the file is read only now
    width, height = image.size[0] // finer, image.size[1] // finer
    picture = values.reshape(height, finer, width, finer, 4).mean(axis=(1, 3))[::-1, :, :3]
    bpy.data.images.remove(image)
    return (np.round(picture * (SHADES - 1)) * (255.0 / (SHADES - 1))).astype(np.uint8)
