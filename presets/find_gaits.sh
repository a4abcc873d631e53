#!/usr/bin/env bash
# Finds the gaits in presets/gaits again from the starting points in presets/starts. With the same number of generations each search
# gives the same gait on the same kind of machine. Gaits that are missing here were set by hand, as their made_by says. Give names to find only these: presets/find_gaits.sh run hop
set -euo pipefail
cd "$(dirname "$0")/.."
tune() {
  local name=$1 wish=$2 generations=$3
  shift 3
  if [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]]; then return; fi
  .venv/bin/python -m core tune "presets/starts/$name.json" --for "$wish" --generations "$generations" "$@" -o "presets/gaits/$name.json"
}
wanted=("$@")
legs=stance_ankle,swing_hip,pelvis,stance_knee,swing_knee
tune sturdy_walk '{"speed":1.0,"seconds":10,"keep":0.003,"pushes":1.15,"like":{"cadence_steps_min":[145,25],"step_width_m":[0.14,0.04]},"terms":{"slide":2,"skating":2}}' \
  18 --population 10 --sigma 0.3 --tied --gains $legs,back
if [ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " == *" sturdy_walk "* ]]; then  # once more from there, with harder pushes
  .venv/bin/python -m core tune sturdy_walk --for '{"speed":1.0,"seconds":10,"keep":0.003,"pushes":1.12,"like":{"cadence_steps_min":[150,25],"step_width_m":[0.14,0.04]},"terms":{"slide":2,"skating":2}}' \
    --generations 8 --population 12 --sigma 0.15 --tied --gains pelvis,swing_hip,stance_ankle -o presets/gaits/sturdy_walk.json
fi
tune in_place '{"speed":0,"seconds":12,"like":{"cadence_steps_min":[120,25]}}' 10 --population 10
tune fast_walk '{"speed":1.6,"seconds":12}' 20 --population 10 --gains $legs
if [ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " == *" run "* ]]; then  # its variants are searched for from there, with --speed 3 and 3.5, and put into it
  .venv/bin/python -m core optimise presets/starts/run.json --run --speed 2.5 --at-once --rounds 8 -o presets/gaits/run.json
fi
# In full stride and pushed about, as a fast run that is only searched for speed falls after the first disturbance.
tune fast_run '{"speed":3.0,"seconds":24,"keep":0.02,"job":{"start":"gait","events":[{"type":"push","time":4,"duration":0.2,"force":[0,70,0]},{"type":"push","time":8,"duration":0.2,"force":[0,-70,0]},{"type":"push","time":12,"duration":0.2,"force":[70,0,0]},{"type":"push","time":15,"duration":0.2,"force":[-70,0,0]},{"type":"push","time":18.3,"duration":0.2,"force":[0,90,0]}]},"like":{"flight_ratio":[0.28,0.1],"step_width_m":[0.08,0.06]}}' \
  25 --population 10 --sigma 0.25 --gains back,pelvis,swing_hip
tune backward '{"speed":-0.6,"seconds":12}' 8 --population 10
tune sideways_left '{"speed":0,"side_speed":0.4,"seconds":12}' 10 --population 10
tune skip '{"speed":1.0,"seconds":15,"like":{"flight_ratio":[0.2,0.1]}}' 27 --population 14
tune hop '{"speed":0.5,"seconds":12,"like":{"flight_ratio":[0.3,0.1]}}' 40 --population 14 --gains $legs
