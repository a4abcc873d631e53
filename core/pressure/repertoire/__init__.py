"""The repertoire: motions that were written down here as scores, to be done by any body, with their foot pressure; the database that is shipped.

- ``score``: how an action is written down, in an animator's terms.
- ``paths``: curves as people move, and the way of the centre of mass over what carries it.
- ``perform``: a score on a body.
- ``actions``: what people do on a pad, as scores. ``takes``: who does what, and the database of it.
"""
