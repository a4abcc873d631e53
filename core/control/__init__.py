"""Controllers: state in, joint torques out. None of them knows the engine."""
