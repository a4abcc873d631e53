"""Hits on a clip: what strikes the body, and how it takes it."""
