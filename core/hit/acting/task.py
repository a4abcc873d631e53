"""What a director asks for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Acting:
    """How a hit is to be played. As it is made here, nothing is asked for.

    Attributes:
        reaction: how far the body goes off the clip, times as far as physics has it.
        effort: −1 calm, 0 as physics has it, 1 frantic.
        loose_arms, balancing_arms, guarding_arms: 0 to 1, how much the arms swing loosely, spread to keep the balance, and guard what was hit.
        head_lag, head_look: 0 to 1, how much the head trails behind the body, and looks to where the hit came from.
        pinned: which hands stay on their prop: "free", "left", "right", "both", or "together", which hold one thing between them.
        step_to: (x, y) m, world: where the first step after the hit lands; None: where physics has it.
    """

    reaction: float = 1.0
    effort: float = 0.0
    loose_arms: float = 0.0
    balancing_arms: float = 0.0
    guarding_arms: float = 0.0
    head_lag: float = 0.0
    head_look: float = 0.0
    pinned: str = "free"
    step_to: tuple[float, float] | None = None

    @property
    def plain(self) -> bool:
        """Whether it is to be as physics has it."""
        return self == Acting()
