"""Following any clip: servo targets for a simulated body, found by sampling rollouts over a receding horizon. Offline."""
