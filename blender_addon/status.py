"""What a simulation is doing and how long it takes, in words."""

from __future__ import annotations


def time_left(seconds: float | None) -> str:
    """``seconds``: None where nobody knows yet."""
    if seconds is None:
        return "starting"
    return f"{seconds:.0f} s left" if seconds < 100 else f"{seconds / 60:.0f} min left"


def status_line(simulation: object) -> str:
    """One line for the status bar, or for the terminal where there is no window. ``simulation``: a Simulation, a Background or a Live."""
    if hasattr(simulation, "gone"):  # it goes on for as long as one likes
        return simulation.doing or "Starting"
    return f"{simulation.fraction:.0%}, {time_left(simulation.left)}" + (f": {simulation.doing}" if simulation.doing else "")
