"""How an action is written down: where the feet go and when, who carries the weight, and how pelvis, trunk and arms are held.

Lengths are in leg lengths (hip to ankle), so that they fit any body; ahead is +x, left +y, from the middle between the feet at the start. Times are
in s of a man of average height: who is smaller is quicker. Angles are in radians. Foot 0 is the left, 1 the right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...skeleton import mirror_name
from ..examples import other_side

# What is held in a pose, and how somebody stands at ease. "sink": the pelvis is lower by so much; "pitch" is forward, "roll" to the right, "yaw" to
# the left; arms are raised "ahead" and "out", "twist" turns the palm ahead; "heel" is a heel that is raised while the ball of the foot stands.
EASE: dict[str, float] = {
    "sink": 0.004, "pelvis pitch": 0.0, "pelvis roll": 0.0, "pelvis yaw": 0.0, "trunk pitch": 0.03, "trunk roll": 0.0, "trunk yaw": 0.0,
    "head pitch": 0.0, "head yaw": 0.0, "weight ahead": 0.0,
    **{f"{what}.{side}": value for side in "LR" for what, value in
       (("arm ahead", 0.04), ("arm out", 0.13), ("arm twist", 0.0), ("elbow", 0.3), ("heel", 0.0), ("knee out", 0.0))},
}
# Those that change their sign in a mirror.
SIGNED = frozenset({"pelvis roll", "pelvis yaw", "trunk roll", "trunk yaw", "head yaw"})


@dataclass(frozen=True)
class Place:
    """Where an ankle stands: ahead and left, and how far the foot is turned out."""

    ahead: float
    left: float
    out: float = 0.12


@dataclass(frozen=True)
class Via:
    """A foot in the air: s after it left the floor, where its ankle is ahead and left, how high it is lifted, and how far the toes point down."""

    after: float
    ahead: float
    left: float
    up: float
    point: float = 0.3


@dataclass(frozen=True)
class Swing:
    """A foot leaves the floor and comes down.

    Attributes:
        foot: 0 or 1. lifts, lands: s. to: where. up: how high the ankle gets on the way, where no ``via`` says more.
        shift: s before it lifts that the weight begins to go to the other foot; 0: nobody is there to take it, as in a jump.
        away: how far the pressure goes to this foot before it leaves it, as a share of the way: that pushes the body to the other side.
        rolls_off, rolls_on: how much the toes point down as it leaves and as it lands; below 0 the heel lands first.
        takes: share of the weight that it takes after landing, as of two feet that share it evenly. settles: s in which it does.
    """

    foot: int
    lifts: float
    lands: float
    to: Place
    up: float = 0.1
    via: tuple[Via, ...] = ()
    shift: float = 0.45
    away: float = 0.35
    rolls_off: float = 0.35
    rolls_on: float = 0.0
    takes: float = 0.5
    settles: float = 0.4


@dataclass(frozen=True)
class Leap:
    """The body leaves the floor: s at which it does and lands, from this stature over that of standing; it sinks before and after by so much."""

    lifts: float
    lands: float
    stretch: float = 0.06
    before: float = 0.22
    after: float = 0.18


@dataclass(frozen=True)
class Mark:
    """An action: its name, from and until when."""

    name: str
    start: float
    end: float


@dataclass(frozen=True)
class Score:
    """What somebody does in so many s, from standing on two places.

    Attributes:
        swings: in order of time. loads: (s, share of the weight on the left foot), where feet stand and weight goes from one to the other; 0.5 is
            how it stands at ease, ``rests``: few people stand evenly on both.
        poses: (s, what is held), as ``EASE`` names it; what a pose does not name goes on its way. leaps, marks: see there.
    """

    seconds: float
    places: tuple[Place, Place]
    swings: tuple[Swing, ...] = ()
    loads: tuple[tuple[float, float], ...] = ()
    poses: tuple[tuple[float, Mapping[str, float]], ...] = ()
    leaps: tuple[Leap, ...] = ()
    marks: tuple[Mark, ...] = ()
    rests: float = 0.5

    def ends_on(self) -> tuple[Place, Place]:
        """Where the feet stand at the end."""
        last = list(self.places)
        for swing in self.swings:
            last[swing.foot] = swing.to
        return last[0], last[1]

    def then(self, other: Score) -> Score:
        """This, and then the other, which begins where this one ends: its places are moved there."""
        ends = self.ends_on()
        ahead, left = ((getattr(ends[0], axis) + getattr(ends[1], axis)) / 2 - (getattr(other.places[0], axis) + getattr(other.places[1], axis)) / 2
                       for axis in ("ahead", "left"))
        later = other.later(self.seconds)
        swings = tuple(replace(swing, to=replace(swing.to, ahead=swing.to.ahead + ahead, left=swing.to.left + left),
                               via=tuple(replace(via, ahead=via.ahead + ahead, left=via.left + left) for via in swing.via)) for swing in later.swings)
        return replace(self, seconds=self.seconds + other.seconds, swings=self.swings + swings, loads=self.loads + later.loads,
                       poses=self.poses + later.poses, leaps=self.leaps + later.leaps, marks=self.marks + later.marks)

    def later(self, by: float) -> Score:
        """The same, so many s later; how long it lasts is not changed."""
        return replace(
            self, swings=tuple(replace(swing, lifts=swing.lifts + by, lands=swing.lands + by) for swing in self.swings),
            loads=tuple((time + by, share) for time, share in self.loads), poses=tuple((time + by, pose) for time, pose in self.poses),
            leaps=tuple(replace(leap, lifts=leap.lifts + by, lands=leap.lands + by) for leap in self.leaps),
            marks=tuple(replace(mark, start=mark.start + by, end=mark.end + by) for mark in self.marks))

    def slower(self, times: float) -> Score:
        """The same in so many times its time; a leap and what is in the air for it last as long as gravity lets them."""
        assert not self.leaps
        return replace(
            self, seconds=self.seconds * times,
            swings=tuple(replace(swing, lifts=swing.lifts * times, lands=swing.lands * times, shift=swing.shift * times,
                                 settles=swing.settles * times, via=tuple(replace(via, after=via.after * times) for via in swing.via))
                         for swing in self.swings),
            loads=tuple((time * times, share) for time, share in self.loads), poses=tuple((time * times, pose) for time, pose in self.poses),
            marks=tuple(replace(mark, start=mark.start * times, end=mark.end * times) for mark in self.marks))

    def trimmed(self, before: float, after: float) -> Score:
        """Without so many s at the beginning and at the end, in which nothing happens."""
        return replace(self.later(-before), seconds=self.seconds - before - after)

    def braced(self, away: float, shift: float) -> Score:
        """Pressure goes further to a foot before it lifts, and weight is shifted for longer: so many times as much."""
        return replace(self, swings=tuple(replace(swing, away=min(1.0, swing.away * away), shift=swing.shift * shift) for swing in self.swings))

    def mirrored(self) -> Score:
        """Left and right exchanged."""
        def place(of: Place) -> Place:
            return replace(of, left=-of.left)

        def pose(of: Mapping[str, float]) -> dict[str, float]:
            return {mirror_name(name): -value if name in SIGNED else value for name, value in of.items()}

        return replace(
            self, places=(place(self.places[1]), place(self.places[0])),
            swings=tuple(replace(swing, foot=1 - swing.foot, to=place(swing.to), via=tuple(replace(via, left=-via.left) for via in swing.via))
                         for swing in self.swings),
            rests=1.0 - self.rests, loads=tuple((time, 1.0 - share) for time, share in self.loads),
            poses=tuple((time, pose(held)) for time, held in self.poses),
            marks=tuple(replace(mark, name=other_side(mark.name)) for mark in self.marks))
