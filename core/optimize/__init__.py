"""Searching for controllers: parameters of a gait, what is wanted of it, and CMA-ES over any executor."""
