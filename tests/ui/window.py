"""The window as a user has it: the sidebar at 300 px, the mouse, the keyboard, pictures of it."""

import importlib
import math
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Euler

SCREENS = Path(__file__).resolve().parents[2] / "build" / "screens"
SIDEBAR = 300  # pixels
CLOSED = "DEFAULT_CLOSED"


OPTIONS: dict[type, set] = {}  # of the panels that were changed, as they are by default


class Window:
    """The first window of this Blender, with one large 3D view."""

    def __init__(self):
        self.window = bpy.context.window_manager.windows[0]
        self._open = "FOOTFALL_PT_character"  # a panel that draws itself when the tab is in front

    @property
    def area(self) -> bpy.types.Area:
        return next(area for area in self.window.screen.areas if area.type == "VIEW_3D")

    def region(self, kind: str) -> bpy.types.Region:
        return next(region for region in self.area.regions if region.type == kind)

    def context(self, kind: str = "WINDOW"):
        """Run operators as if the mouse were over the 3D view."""
        return bpy.context.temp_override(window=self.window, area=self.area, region=self.region(kind))

    def clean(self) -> Iterator[float]:
        """As Blender starts, but with an empty scene and the sidebar shown; panels are open or closed as they are by default."""
        bpy.ops.wm.read_homefile(use_factory_startup=True)
        self.close_panels()
        bpy.context.preferences.system.viewport_aa = "OFF"  # without a graphics card every sample takes long
        yield 0.5
        self.window = bpy.context.window_manager.windows[0]
        for thing in list(bpy.data.objects):
            bpy.data.objects.remove(thing)
        self.area.spaces.active.show_region_ui = True
        yield 0.5

    def show_tab(self) -> Iterator[float]:
        """Bring the Footfall tab to the front and make the sidebar ``SIDEBAR`` wide."""
        yield from self._widen()
        drawn = []

        def watch(panel, context):
            drawn.append(True)

        panel = getattr(bpy.types, self._open)
        panel.append(watch)
        try:
            if hasattr(bpy.types.Region, "active_panel_category"):
                self.region("UI").active_panel_category = "Footfall"
                self.region("UI").tag_redraw()
                yield 0.3
            else:
                region = self.region("UI")
                for down in range(20, region.height, 18):  # down the strip of tabs until ours is the one that draws
                    self.click(region.x + region.width - 8, region.y + region.height - down)
                    yield 0.2
                    drawn.clear()
                    region.tag_redraw()
                    yield 0.2
                    if drawn:
                        break
            assert drawn, "the Footfall tab cannot be brought to the front"
            self.to_view()
            yield 0.3
        finally:
            panel.remove(watch)

    def _widen(self) -> Iterator[float]:
        for _ in range(3):
            region = self.region("UI")
            if abs(region.width - SIDEBAR) <= 2:
                return
            # A little inside the edge, and beside a panel: elsewhere the view gets the mouse.
            edge, height = region.x + 6, region.y + region.height - 40
            self._event("MOUSEMOVE", "NOTHING", edge + 20, height)
            yield 0.2
            self._event("MOUSEMOVE", "NOTHING", edge, height)
            yield 0.2
            self._event("LEFTMOUSE", "PRESS", edge, height)
            yield 0.2
            wider = SIDEBAR - region.width
            for fraction in (0.3, 0.6, 1.0):
                self._event("MOUSEMOVE", "NOTHING", round(edge - fraction * wider), height)
                yield 0.15
            self._event("LEFTMOUSE", "RELEASE", edge - wider, height)
            yield 0.3
        assert abs(self.region("UI").width - SIDEBAR) <= 12, f"the sidebar is {self.region('UI').width} px wide"

    def settle(self) -> Iterator[float]:
        """Let panels that have grown find their places: they do when they are drawn again."""
        for _ in range(3):
            self.region("UI").tag_redraw()
            yield 0.3

    def open_panels(self, *names: str) -> None:
        """Let these panels be open, and the others closed."""
        self._open = names[0]
        module = importlib.import_module("footfall.blender_addon.panels")  # whatever Blender calls it
        panels = [cls for topic in module.MODULES for cls in topic.CLASSES if issubclass(cls, bpy.types.Panel)]
        for cls in reversed(panels):
            bpy.utils.unregister_class(cls)
        for cls in panels:
            OPTIONS.setdefault(cls, getattr(cls, "bl_options", set()))
            cls.bl_options = set() if cls.__name__ in names else {CLOSED}
            bpy.utils.register_class(cls)

    def close_panels(self) -> None:
        """As they are by default again."""
        for cls in OPTIONS:
            bpy.utils.unregister_class(cls)
        for cls, options in OPTIONS.items():
            cls.bl_options = options
            bpy.utils.register_class(cls)
        OPTIONS.clear()

    def look_at(self, x: float, y: float, z: float, distance: float = 4.0) -> None:
        """Look at a point from the front left and a little above."""
        view = self.area.spaces.active.region_3d
        view.view_perspective, view.view_distance, view.view_location = "PERSP", distance, (x, y, z)
        view.view_rotation = Euler((math.radians(75), 0.0, math.radians(40))).to_quaternion()

    def click(self, x: int, y: int) -> None:
        self._event("MOUSEMOVE", "NOTHING", x, y)
        self._event("LEFTMOUSE", "PRESS", x, y)
        self._event("LEFTMOUSE", "RELEASE", x, y)

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> Iterator[float]:
        """From one place of the window to another with the left button."""
        for place in (start, start):
            self._event("MOUSEMOVE", "NOTHING", *place)
            yield 0.2
        self._event("LEFTMOUSE", "PRESS", *start)
        yield 0.2
        for part in (0.25, 0.5, 0.75, 1.0):
            self._event("MOUSEMOVE", "NOTHING", *(round(a + part * (b - a)) for a, b in zip(start, end, strict=True)))
            yield 0.2
        self._event("LEFTMOUSE", "RELEASE", *end)
        yield 0.2

    def pixel(self, point: Sequence[float]) -> tuple[int, int]:
        """Where in the window a point of the scene is seen."""
        region = self.region("WINDOW")
        x, y = location_3d_to_region_2d(region, self.area.spaces.active.region_3d, point)
        return round(region.x + x), round(region.y + y)

    def press(self, key: str) -> None:
        """Press a key over the view."""
        self.to_view()
        for value in ("PRESS", "RELEASE"):
            self._event(key, value, *self._middle())

    def to_view(self) -> None:
        """Move the mouse over the view: under it, the sidebar draws itself again at every event."""
        self._event("MOUSEMOVE", "NOTHING", *self._middle())

    def _middle(self) -> tuple[int, int]:
        region = self.region("WINDOW")
        return region.x + region.width // 3, region.y + region.height // 2

    def _event(self, kind: str, value: str, x: int, y: int) -> None:
        self.window.event_simulate(type=kind, value=value, x=x, y=y)

    def picture(self, name: str) -> None:
        """Save what the window shows, as build/screens/NAME.png."""
        self._save(name)

    def panels(self, name: str) -> None:
        """The same of the sidebar alone: NAME is what the manual calls the panel that is open."""
        region = self.region("UI")
        top = self.window.height - region.y - region.height
        self._save(name, ["-crop", f"{region.width}x{region.height}+{region.x}+{top}", "+repage"])

    def _save(self, name: str, cut: Sequence[str] = ()) -> None:
        SCREENS.mkdir(parents=True, exist_ok=True)
        path = SCREENS / f"{name}.png"
        if shutil.which("import"):  # Blender's own way gives a black picture in 5.2 without a graphics card
            subprocess.run(["import", "-window", "root", *cut, str(path)], check=True)
        else:  # whole
            with self.context():
                bpy.ops.screen.screenshot(filepath=str(path))
