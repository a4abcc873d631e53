"""What a world is like, apart from what stands in it: one WorldSettings, and those that simulations of one kind share."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class WorldSettings:
    """How a World is simulated. Both engines use a setting, unless it says otherwise.

    Attributes:
        time_step: s that one ``World.step`` takes.
        friction: coefficient of friction of the ground, and of obstacles that are there from the start.
        self_collision: whether the left leg and the right one collide, but for their thighs.
        all_collide: whether, with that, thighs also collide with each other, and arms with the trunk and the thighs. In recordings they are often in
            one another.
        inertia_floor: kg·m² per kg of body mass and m² of leg length. Lighter links are simulated with this moment of inertia, about every axis:
            torques are integrated explicitly, which is stable only while damping · time_step < 2 · inertia, and toes and hands are very light.
            It distorts the motion a little.
        sole_twist: m. A sole resists turning on the spot with this times the load on it.
        iterations: of the solver of contacts, in pybullet. MuJoCo's solver goes on until it is done.
        limit_firmness: factor on the springs that push a ball joint back into its range (see ``BallLimits``).
        armature: kg·m² per kg of body mass and m² of leg length: inertia of the motors at the joints, in MuJoCo. Its contacts are as stiff as what
            hangs on them is heavy, and servos do not count: without armature a body on stiff servos bounces on its light feet. pybullet needs none,
            because it solves for servos and contacts together.
        creeping: whether soles that bear weight may creep, by one or two centimetres in a step of a walk, in MuJoCo. This makes plans a sixth
            cheaper to try. In pybullet soles never creep.
    """

    time_step: float = 0.001
    friction: float = 0.8
    self_collision: bool = False
    all_collide: bool = False
    inertia_floor: float = 6e-5
    sole_twist: float = 0.0
    iterations: int = 20
    limit_firmness: float = 1.0
    armature: float = 0.0
    creeping: bool = False


USUAL = WorldSettings()
# Imitation and standing balance: their feedback is stable at 1/250 s only on heavier toes and hands, and one foot that carries the body must not
# turn on the spot.
BALANCING = WorldSettings(inertia_floor=2e-4, sole_twist=0.05)
# Tracking holds its torques for several steps: limits of full firmness would throw light limbs about. Ten iterations are enough for it.
TRACKING = replace(BALANCING, iterations=10, limit_firmness=0.6)
# Planning tries servo targets in steps of 1/240 s (MuJoCo) or 1/120 s (pybullet). Twice as many steps of 24 iterations would cost more than 40
# iterations do, and with them legs give way and walks drift. Soles may creep, because feet are pinned to where they stand in what is found.
PLANNING = WorldSettings(self_collision=True, sole_twist=0.05, iterations=40, armature=6e-4, creeping=True)
# A fall is driven by servos, as a plan is, but its steps are short and nothing pins its feet afterwards.
FALLING = WorldSettings(self_collision=True, armature=6e-4)
