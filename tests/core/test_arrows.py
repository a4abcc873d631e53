"""The plan of the house: who may import whom. Arrows go from a floor to those below it only, and never in a circle."""

import ast
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
CORE = REPOSITORY / "core"

# From the ground up; what stands on one floor may not import one another unless it is one room.
FLOORS = (
    ("errors", "version", "arrays", "variations", "bar", "lifeline"),
    ("quaternion", "rotation", "signals", "hull", "settings", "whole_file"),
    ("skeleton",),
    ("motion", "anthropometry", "ground"),
    ("proportions", "result"),
    ("body",),
    ("others", "load"),
    ("presets", "places", "kinematics"),
    ("anatomy", "ranges", "balance_styles"),
    ("formats", "footholds"),
    ("retarget",),
    ("feet",),
    ("reference",),
    ("job", "measure", "pushes"),
    ("physics", "workers"),
    ("dynamics", "context"),
    ("pressure",),
    ("progress", "control"),
    ("guard",),
    ("session", "start"),
    ("fall",),
    ("play",),
    ("kinematic", "search", "learned"),
    ("plan", "cycle"),
    ("hit",),
    ("methods",),
    ("jobs",),
    ("batch", "optimize"),
    ("commands",),
    ("__main__",),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
# The add-on takes what is data: no law, no engine, no search.
FOR_THE_ADDON = {"errors", "version", "rotation", "signals", "skeleton", "motion", "body", "result", "presets", "places", "kinematics", "anatomy",
                 "formats", "feet", "measure", "job", "jobs", "methods", "settings", "arrays", "variations", "others", "bar", "lifeline",
                 "whole_file", "pressure", "pushes", "ranges", "balance_styles", "footholds"}


def room_of(path: Path) -> str:
    return path.relative_to(CORE).parts[0].removesuffix(".py")


def imported(path: Path, package: tuple[str, ...]) -> set[tuple[str, ...]]:
    """The modules that a file imports, as dotted names in parts; relative ones as seen from ``package``."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {tuple(alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[:len(package) - node.level + 1] if node.level else ()
            target = (*base, *(node.module.split(".") if node.module else ()))
            found |= {(*target, alias.name) for alias in node.names}
    return found


def arrows() -> list[tuple[str, str, Path]]:
    """(from room, to room, file) of every import in the core."""
    found = []
    for path in sorted(CORE.rglob("*.py")):
        if path == CORE / "__init__.py":
            continue
        package = ("core", *path.relative_to(CORE).parts[:-1])
        found += [(room_of(path), target[1], path) for target in imported(path, package) if target[0] == "core" and len(target) > 1]
    return found


def test_every_room_is_on_the_plan():
    rooms = {room_of(path) for path in CORE.rglob("*.py")} - {"__init__"}
    assert rooms == set(FLOOR)


def test_no_arrow_points_up_or_sideways():
    wrong = [f"{path.relative_to(REPOSITORY)} imports {target}" for room, target, path in arrows() if room != target and FLOOR[target] >= FLOOR[room]]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("folder", ["core", "blender_addon"])
def test_no_circle(folder):
    """Files do not import each other in a circle, also within a room."""
    needs: dict[Path, set[Path]] = {}
    for path in (REPOSITORY / folder).rglob("*.py"):
        package = path.relative_to(REPOSITORY).parts[:-1]
        candidates = {REPOSITORY.joinpath(*target[:n]).with_suffix(".py")
                      for target in imported(path, package) for n in (len(target), len(target) - 1) if target[:1] == (folder,)}
        needs[path] = {target for target in candidates if target.is_file() and target != path}

    def circle(path: Path, way: list[Path]) -> list[Path] | None:
        if path in way:
            return [*way[way.index(path):], path]
        if path in safe:
            return None
        for target in sorted(needs.get(path, ())):
            if found := circle(target, [*way, path]):
                return found
        safe.add(path)
        return None

    safe: set[Path] = set()
    for path in sorted(needs):
        found = circle(path, [])
        assert not found, " imports ".join(str(step.relative_to(REPOSITORY)) for step in found)


def test_only_physics_imports_an_engine():
    engines = {"pybullet", "mujoco"}
    wrong = [str(path.relative_to(REPOSITORY)) for folder in ("core", "blender_addon") for path in sorted((REPOSITORY / folder).rglob("*.py"))
             if "physics" not in path.parts and any(target[0] in engines for target in imported(path, ()))]
    assert not wrong


def test_the_core_knows_nothing_of_blender():
    outside = {"bpy", "mathutils", "bpy_extras", "gpu", "blf", "blender_addon"}
    wrong = [str(path.relative_to(REPOSITORY)) for path in sorted(CORE.rglob("*.py")) if any(outside & set(target) for target in imported(path, ()))]
    assert not wrong


def test_the_addon_imports_what_is_data():
    wrong = []
    for path in sorted((REPOSITORY / "blender_addon").rglob("*.py")):
        package = path.relative_to(REPOSITORY).parts[:-1]
        wrong += [f"{path.relative_to(REPOSITORY)} imports {'.'.join(target)}" for target in imported(path, package)
                  if target[:1] == ("core",) and len(target) > 1 and target[1] not in FOR_THE_ADDON]
    assert not wrong, "\n".join(wrong)
