"""Learn the feedforward torques of a gait by letting it walk (thesis, sections 7.6 and 7.7)."""

from __future__ import annotations

import numpy as np

from .. import presets
from ..control.feedforward import BIN, Feedforward
from ..control.walker import Walker
from ..errors import SimulationError
from ..job import make_job
from ..rotation import to_euler
from ..simulate import simulate

RATE = 0.1  # α of eq. 7.2
LONGEST = 1.3  # step times that the table covers
SETTLE = 6.0  # s of walking before learning starts
CHECK = 6.0  # s at either end over which swing and ratio are measured


def learn(data: dict, name: str, seconds: float, body: str | dict = "average_man", progress=None) -> tuple[dict, dict]:
    """Walk for ``seconds`` while learning.

    Returns: the table (``Feedforward.to_dict``) and figures: trunk pitch swing in degrees before and after (peak to peak over a
    step), and the ratio of feedback to feedforward torque at the end.
    """
    gait = presets.make_gait(data, name)
    memory: dict[str, Feedforward] = {}

    def teach(walker: Walker, time: float) -> None:
        law = walker.law
        if time >= SETTLE and "table" not in memory and law.machine.last_step_time:
            memory["table"] = Feedforward(round(LONGEST * law.machine.last_step_time / BIN), rate=RATE)
        if "table" in memory:
            law.feedforward = memory["table"]
            if time >= seconds - CHECK and "counting" not in memory:
                memory["counting"] = memory["table"]
                memory["table"].clear_sums()

    job = make_job({"gait": name, "body": body, "duration": seconds, "fps": 100})
    result = simulate(job, progress, gaits={name: gait}, supervise=teach)
    if result.outcome["fell"]:
        raise SimulationError(f"'{name}' fell at {result.outcome['fell_at']:.1f} s while learning; learn with a steadier gait.")
    window = int(CHECK * result.fps)
    pitch = np.degrees(to_euler(result.rotations[:, 0], "zyx"))[..., 1]
    begin = int((SETTLE - 3.0) * result.fps)
    return memory["table"].to_dict(), {
        "trunk_swing_before_deg": float(np.ptp(pitch[begin:begin + int(3.0 * result.fps)])),
        "trunk_swing_after_deg": float(np.ptp(pitch[-window:])),
        "feedback_over_feedforward": memory["table"].ratio,
    }
