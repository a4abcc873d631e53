"""The character: find its bones, measure them, write a motion onto them."""
