"""Limit cycles: a walker that simulates its next cycle before it walks it."""
