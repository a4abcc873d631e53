"""Which feet stand, since when, and on a pad where: followed as the moments of a stream come."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .. import rotation
from ..arrays import Array
from .features import APART, Moment, Track
from .prints import Place, place_of
from .recording import LEFT, RIGHT, Layout

# Shares of the person's weight: a foot stands from the first on, until it carries less than the second.
LOAD_ON, LOAD_OFF = 0.10, 0.05
SETTLING = 0.3  # how much a new print counts for where a foot stands, against those before it
MIDDLE = (0.11, 0.0)  # m ahead of the heel and to the left of the middle line: where a foot presses of which nothing is known


@dataclass
class Contact:
    """A foot is down, or in the air: from ``since`` (s) until before ``until``, as far as it is known. ``place``: where it stands, if that is
    known."""

    down: bool
    since: float
    until: float = np.inf
    place: Place | None = None


@dataclass(frozen=True, eq=False)
class Load:
    """At a moment (s): shares (2,) of the weight on the left and right foot, and (2, 2) m where each presses, ahead of its heel and to its left."""

    time: float
    shares: Array
    presses: Array


@dataclass
class Contacts:
    """What is known of the feet so far.

    Attributes:
        feet: of the left and right foot, its contacts in order of time; the last one goes on. loads: of all moments.
        known: s up to which it is known.
    """

    layout: Layout | None = None
    feet: tuple[list[Contact], list[Contact]] = field(default_factory=lambda: ([], []))
    loads: list[Load] = field(default_factory=list)
    known: float = -np.inf

    @classmethod
    def of(cls, track: Track) -> Contacts:
        """Of a track that is known as a whole: when feet stood, not where."""
        contacts = cls()
        for time, row in zip(track.times, track.per_foot, strict=True):
            contacts._take(float(time), row[:2], np.tile(MIDDLE, (2, 1)))
        return contacts

    def hear(self, moment: Moment) -> None:
        """Takes what a stream shows at its next moment."""
        assert self.layout is not None
        self._take(moment.time, moment.per_foot[:2], np.zeros((2, 2)))
        for foot in (LEFT, RIGHT):
            contact = self.feet[foot][-1]
            if contact.down and self.layout.grid is not None:
                under = moment.owners == foot
                place = place_of(self.layout.centres[under], np.nan_to_num(moment.pressures[under]))
                contact.place = contact.place if place is None else _settled(contact.place, place)
            self.loads[-1].presses[foot] = self._presses(foot, contact, moment.footing[4 * foot + 2:4 * foot + 4])

    def at(self, foot: int, time: float) -> Contact:
        """What a foot does at a time (s)."""
        return next((contact for contact in reversed(self.feet[foot]) if contact.since <= time), self.feet[foot][0])

    def after(self, foot: int, contact: Contact) -> Contact | None:
        """What a foot does next, if that is known."""
        return next((other for other in self.feet[foot] if other.since >= contact.until), None)

    def _take(self, time: float, shares: Array, presses: Array) -> None:
        for foot in (LEFT, RIGHT):
            own, share = self.feet[foot], float(shares[foot])
            down = share > (LOAD_OFF if own and own[-1].down else LOAD_ON) or not self._measured(foot)
            if not own:
                own.append(Contact(down, time))
            elif own[-1].down != down:
                limit, before = LOAD_ON if down else LOAD_OFF, float(self.loads[-1].shares[foot])
                since = self.known + float(np.clip((limit - before) / (share - before), 0.0, 1.0)) * (time - self.known)
                own[-1].until = since
                own.append(Contact(down, since))
        self.loads.append(Load(time, shares, presses))
        self.known = time

    def _measured(self, foot: int) -> bool:
        """Whether anything is known of a foot; else it is taken to stand."""
        return self.layout is None or self.layout.grid is not None or bool((self.layout.feet == foot).any())

    def _presses(self, foot: int, contact: Contact, centre: Array) -> Array:
        """(2,) m ahead of the heel and to the left, of a centre of pressure (2,) as the features have it."""
        assert self.layout is not None
        if self.layout.grid is not None:
            return np.array(MIDDLE) if contact.place is None else contact.place.seen(centre)
        sideways = 0.5 * APART if foot == LEFT else -0.5 * APART  # insoles are laid side by side for the features
        return centre - (0.0, sideways) if contact.down else np.array(MIDDLE)


def _settled(before: Place | None, now: Place) -> Place:
    """Where a foot stands that was thought to stand elsewhere before."""
    if before is None:
        return now
    turn = float(rotation.wrap(now.yaw - before.yaw))
    return Place(before.x + SETTLING * (now.x - before.x), before.y + SETTLING * (now.y - before.y), before.yaw + SETTLING * turn)
