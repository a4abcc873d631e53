"""Time that runs as the feet want it: what is played goes slower or faster, so that feet come down and lift when they do in the recording.

Thesis, 3.4 and 3.5.3. What is played is sampled at these times; as all of it moves with the feet that stand, the root goes its way whatever the pace.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .contacts import Contacts
from .examples import Example
from .recording import LEFT, RIGHT

SLOWEST, FASTEST = 0.4, 2.0  # times as fast as it was done
SWAYING = 0.3  # change of the pace from one moment to the next, at most
EARLY_S = 0.3  # s before an onset, or before the present, in which a foot that has come down or was lifted may still be the one that is waited for
PATIENCE_S = 0.6  # s that something is waited for that the feet do not do


@dataclass(frozen=True)
class Change:
    """A foot comes down, or is lifted, at a time (s)."""

    foot: int
    down: bool
    time: float


class Pace:
    """How fast an action is played."""

    def __init__(self, example: Example, start: float, end: float, onset: float) -> None:
        """Of an example from ``start`` to ``end`` (s of it), which begins at ``onset`` (s of the stream)."""
        self._ahead = [change for change in changes(example) if start - 0.05 < change.time < end]
        self._since = {LEFT: onset - EARLY_S, RIGHT: onset - EARLY_S}
        self._waited = 0.0
        self.pace = 1.0

    def go(self, time: float, at: float, seconds: float, contacts: Contacts) -> float:
        """The pace for the next ``seconds``, at ``time`` (s of the stream) and ``at`` (s of the example)."""
        while self._ahead and self._ahead[0].time <= at:
            self._found(self._ahead.pop(0), contacts)
            self._waited = 0.0
        self.pace += float(np.clip(self._wanted(time, at, seconds, contacts) - self.pace, -SWAYING, SWAYING))
        return self.pace

    def _wanted(self, time: float, at: float, seconds: float, contacts: Contacts) -> float:
        if not self._ahead:
            return 1.0
        following = self._ahead[0]
        when = self._matching(following, contacts)
        if when is not None:
            return float(np.clip((following.time - at) / max(when - time, 0.02), SLOWEST, FASTEST))
        # It has not happened yet, so it does not happen before what is known.
        wanted = min(1.0, (following.time - at) / max(contacts.known - time, 0.02))
        if wanted < SLOWEST:
            self._waited += seconds
        if self._waited > PATIENCE_S:
            self._ahead.pop(0)
            self._waited = 0.0
        return max(wanted, SLOWEST)

    def _matching(self, change: Change, contacts: Contacts) -> float | None:
        """When the feet of the recording do what is next, if they have."""
        return next((contact.since for contact in contacts.feet[change.foot][1:]
                     if contact.down == change.down and contact.since > self._since[change.foot]), None)

    def _found(self, change: Change, contacts: Contacts) -> None:
        when = self._matching(change, contacts)
        if when is not None:
            self._since[change.foot] = when


def changes(example: Example) -> list[Change]:
    """When feet come down and are lifted in an example, by what its pad felt, in order of time."""
    felt = Contacts.of(example.track)
    found = [Change(foot, contact.down, contact.since) for foot in (LEFT, RIGHT) for contact in felt.feet[foot][1:]]
    return sorted(found, key=lambda change: change.time)
