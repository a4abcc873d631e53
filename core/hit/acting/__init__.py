"""Acting: how a hit that was simulated is played, as a director asks for it.

Physics finds how the body stays up. Acting is a layer on what it found, between the hit and the return to the clip. It vanishes at both seams, keeps
the feet on their places and the weight over them, and keeps joints within their limits. One file a topic; ``act`` puts them together.
"""
