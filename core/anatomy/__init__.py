"""Which bones or joints are which part of a body, by their names and by their shape."""
