"""The push database (Yin 2007, chapter 4): how simulated bodies took pushes, and what becomes of a clip that is pushed, without a simulation.

- ``response``: how one push was taken, as differences from the motion that was pushed.
- ``database``: many of them in a file, each with its mirror image.
- ``selection``: the one that suits a push on a pose (equations 4.4–4.7).
- ``catch`` and ``onward``: with which steps who stands, and who walks, would catch the body; ``leading``: a response with its steps there.
- ``adaptation``: scaled and turned to that very push (4.8–4.10), and laid on the clip, feet planted.
- ``answer``: all of it as one call, for a ghost that follows the mouse.

How responses are simulated is in ``optimize.push_responses``.
"""
