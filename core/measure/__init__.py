"""What a Result is worth: contacts, gait, foot skate, balance, joint limits, comparison with people, reports and pictures.

Every function here reads a Result and nothing else. ``report.measure`` gathers the rest; ``plot.plot`` draws it.
"""
