"""Retarget: any humanoid clip onto a Body. Who is recorded is recognised and measured; how the limbs point is kept."""

from __future__ import annotations

from .body import body_of
from .joints import joints_of
from .onto import retarget

__all__ = ["body_of", "joints_of", "retarget"]
