"""Play Live: steer, push and strike a character that is simulated by the clock; and simulate a take again."""

import bpy
from bpy.props import EnumProperty
from bpy_extras.view3d_utils import location_3d_to_region_2d, region_2d_to_location_3d
from mathutils import Matrix, Vector
from mathutils.geometry import intersect_point_line

from ...core.errors import JobError
from .. import gamepad, light_view
from ..controls import GAITS, RUN
from ..overlays.over import looks_of, reaches
from ..pace import Pace
from ..running import RUNNING
from ..selection import the_character
from .attempt import Attempt
from .bake import Baking

NEAR = 30  # pixels at a scale of 1, from a part of the body, at which the mouse takes hold of it
SELDOM = 0.3  # of a direction that is level: who looks down more steeply looks ahead to the top of the view
SHARE, SHARE_LATE = 0.9, 0.75  # of the time that drawing may take, and that simple pictures may while the play is late; else they may take all
ON_TIME = 0.97  # of the clock's speed, from which on the play is not late
PARTS = ("pelvis", "torso", "head", *(f"{part}.{side}" for part in ("upper_arm", "forearm", "thigh", "shin", "foot") for side in "LR"))


class FOOTFALL_OT_play(Baking, bpy.types.Operator):
    """Play the character: arrow keys or W A S D steer, Shift runs, numbers choose the gait, the mouse pulls at it, Space throws a ball, R puts it
    back on its feet. Esc stops and leaves the take as keys"""

    bl_idname = "footfall.play"
    bl_label = "Play Live"

    pause = 1 / 90
    words = 1.0  # panels take longer to draw than the character
    hint = "Esc: stop, and keep the take"

    _news = None  # what the panel said last
    _place = None  # of the character, when the view was last moved
    _held = False  # whether the view goes along by itself since then
    _looked_at = None  # where it looked before it was moved

    def pace(self):
        return Pace(share=SHARE, shortest=1 / 70)

    def begin(self, context):
        from ..playing import Playing  # needs numpy

        if bpy.app.background:
            raise JobError("There is no window to play in: use `python -m core play` instead.")
        return Playing(context, the_character(context))

    def attend(self, context, event):
        if self._simulation.running and not self._comes:
            if event.type == "TIMER":
                playing = self._simulation
                self._pace.share = SHARE if not playing.is_covered else 1.0 if playing.rate > ON_TIME else SHARE_LATE
                self._lead(context)
            elif self._hears(context, event):
                self._lead(context)  # at once, and not when the clock ticks again
                return {"RUNNING_MODAL"}
        elif event.type == "ESC":
            return {"RUNNING_MODAL"}
        outcome = super().attend(context, event)
        if event.type == "TIMER" and self._simulation.running:
            self._follow(context)  # together with the pose that was shown: a picture less
        return outcome

    def _has_news(self) -> bool:
        playing = self._simulation
        said = playing.doing, playing.controls.gait, playing.is_behind and round(playing.rate, 1)
        self._news, before = said, self._news
        return said != before

    def _hears(self, context, event) -> bool:
        """Whether the event is one for the character."""
        playing = self._simulation
        if event.type == "WINDOW_DEACTIVATE":
            playing.controls.let_go()
        elif event.type == "ESC" and event.value == "PRESS":
            playing.end()
            return playing.place is not None  # else nothing was played yet, and all is cancelled
        elif event.type == "LEFTMOUSE":
            return self._takes_hold(context, event) if event.value == "PRESS" else self._lets_go()
        elif event.type == "MOUSEMOVE":
            if playing.pull:
                self._drag(context, event)
                self._lead(context)
        elif event.value == "RELEASE":
            return playing.controls.release(event.type)
        elif event.value == "PRESS" and not (event.ctrl or event.alt or event.oskey):
            if event.type == "SPACE" and not event.is_repeat:
                self._throw(_view(context, event))
                return True
            if event.type == "R" and not event.is_repeat:
                playing.tell({"type": "up"})
                return True
            return playing.controls.press(event.type) or event.type == "SPACE"
        return False

    def _lead(self, context) -> None:
        """Tell what the keys and the mouse hold."""
        playing, view = self._simulation, _view(context)
        armature = bpy.data.objects.get(playing.name)
        if view is None or armature is None:
            return
        self._feel(view)
        playing.steer(_ahead(view[1]))
        if playing.pull:
            playing.pull_on(playing.middle(playing.pull.part))

    def _feel(self, view) -> None:
        """Do what the gamepad says."""
        playing, before = self._simulation, self._simulation.pad.held
        pressed = playing.pad.poll()
        playing.controls.stick = playing.pad.stick
        for button in (gamepad.LEFT, gamepad.RIGHT):
            if button in pressed:
                playing.controls.press(button)
            elif button in before - playing.pad.held:
                playing.controls.release(button)
        playing.controls.go_on((gamepad.Y in pressed) - (gamepad.X in pressed))
        if gamepad.A in pressed:
            self._throw(view)
        if gamepad.B in pressed:
            playing.tell({"type": "up"})
        if gamepad.START in pressed:
            playing.end()

    def _throw(self, view) -> None:
        if view:
            self._simulation.throw(view[1].view_matrix.inverted().translation + self._simulation.ahead(view[1]))

    def _follow(self, context) -> None:
        """Let the view go along with the character."""
        playing, view = self._simulation, _view(context)
        armature = bpy.data.objects.get(playing.name)
        if view is None or armature is None or playing.place is None or playing.is_covered:
            return
        playing.followed = view[1].as_pointer()
        self._place = self._place or playing.place.copy()
        follows, hips = armature.footfall.playing.follow and view[1].view_perspective != "CAMERA", armature.footfall.parts.get("pelvis")
        if follows and self._looked_at is None:
            self._looked_at = view[1].view_location.copy()
        if follows and hips and light_view.hold(view[1], armature, hips.bone):
            self._held = True
            return
        way = playing.place - self._place
        way.z = 0.0
        if self._held:  # no more: it stays where it came to
            light_view.let_go(view[1], armature)
            view[1].view_location += way
        elif follows and way.length > 0.0:
            # By its matrix: Blender draws its whole window again for who changes the location of a view. It reads as it was drawn last.
            turned = Matrix.LocRotScale(view[1].view_location + way, view[1].view_rotation, None)
            view[1].view_matrix = (turned @ Matrix.Translation((0.0, 0.0, view[1].view_distance))).inverted()
        self._held, self._place = False, playing.place.copy()

    def _end(self, context, outcome):
        """The view goes back with the character, which stands where it began."""
        view = _view(context)
        if view and self._looked_at and view[1].view_perspective != "CAMERA":
            view[1].view_location = self._looked_at
        return super()._end(context, outcome)

    def _takes_hold(self, context, event) -> bool:
        from ..playing import Pull

        playing, view = self._simulation, _view_under(context, event)
        if view is None or playing.place is None:
            return False
        region, looks = view
        mouse, ahead, best = Vector((event.mouse_x - region.x, event.mouse_y - region.y)), playing.ahead(looks), None
        for part in PARTS:
            seen = [location_3d_to_region_2d(region, looks, end - ahead) for end in playing.ends(part)]
            if all(seen):
                along = intersect_point_line(mouse, *seen)[1] if (seen[0] - seen[1]).length > 1.0 else 0.5
                place = seen[0].lerp(seen[1], min(max(along, 0.0), 1.0))
                far = (mouse - place).length
                if far < NEAR * context.preferences.system.ui_scale and (best is None or far < best[0]):
                    best = far, part
        if best is None:
            return False
        playing.pull = Pull(best[1], playing.middle(best[1]))
        return True

    def _drag(self, context, event) -> None:
        playing, view = self._simulation, _view(context, event)
        if view:
            region, looks = view
            ahead = playing.ahead(looks)
            at = playing.middle(playing.pull.part) - ahead
            playing.pull.mouse = region_2d_to_location_3d(region, looks, (event.mouse_x - region.x, event.mouse_y - region.y), at) + ahead

    def _lets_go(self) -> bool:
        held, self._simulation.pull = self._simulation.pull, None
        return held is not None


class FOOTFALL_OT_stop_playing(Attempt, bpy.types.Operator):
    """Stop, and leave what was played as keys"""

    bl_idname = "footfall.stop_playing"
    bl_label = "Stop"

    def attempt(self, context):
        _played(context).end()


class FOOTFALL_OT_get_up(Attempt, bpy.types.Operator):
    """Put the character back on its feet, where it is"""

    bl_idname = "footfall.get_up"
    bl_label = "Back on Its Feet"

    def attempt(self, context):
        _played(context).tell({"type": "up"})


class FOOTFALL_OT_choose_gait(Attempt, bpy.types.Operator):
    """Go in this gait, while the character that is played goes somewhere"""

    bl_idname = "footfall.choose_gait"
    bl_label = "Gait"

    gait: EnumProperty(name="Gait", items=[(name, name.replace("_", " ").title(), "") for name in (*GAITS, RUN)])

    def attempt(self, context):
        playing = _played(context)
        if playing.controls.gait is None:
            raise JobError("This character has no gaits to choose from.")
        playing.controls.gait = self.gait


class FOOTFALL_OT_simulate_take(Baking, bpy.types.Operator):
    """Simulate the chosen take again, on this character: on the one that was played it gives the same, bit for bit"""

    bl_idname = "footfall.simulate_take"
    bl_label = "Simulate Take Again"

    def begin(self, context):
        from ..playing import again
        from ..simulation import Simulation

        character = the_character(context)
        return Simulation(context, character, again(context, character))


def _played(context):
    """The Playing of the selected character."""
    simulation = RUNNING.get(the_character(context).name)
    if not hasattr(simulation, "controls"):
        raise JobError("The selected character is not being played.")
    return simulation


def _views(context) -> list:
    """The 3D views of the window, always in the same order: the areas, each with its regions and what these look at, of a quad view the one in
    perspective first."""
    areas = [area for area in context.window.screen.areas if area.type == "VIEW_3D"] if context.window else []
    return [(area, *looks) for area in sorted(areas, key=lambda area: area.as_pointer()) for looks in reversed(looks_of(area))]


def _view_under(context, event):
    """The region and the view of the 3D view under the mouse, or None."""
    return next(((region, looks) for area, region, looks in _views(context) if reaches(area, region, event)), None)


def _view(context, event=None):
    """The region and the view of the 3D view under the mouse; else of the first one. None where there is none."""
    under = _view_under(context, event) if event else None
    return under or next(((region, looks) for _, region, looks in _views(context)), None)


def _ahead(view) -> Vector:
    """Level direction that leads away from the viewer."""
    ahead = view.view_rotation @ Vector((0.0, 0.0, -1.0))
    if ahead.to_2d().length < SELDOM:
        ahead = view.view_rotation @ Vector((0.0, 1.0, 0.0))
    return Vector((ahead.x, ahead.y, 0.0)).normalized()


CLASSES = (FOOTFALL_OT_play, FOOTFALL_OT_stop_playing, FOOTFALL_OT_get_up, FOOTFALL_OT_choose_gait, FOOTFALL_OT_simulate_take)
