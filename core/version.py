"""The version of Footfall: of the core, the add-on and its zips."""

VERSION = "0.2.0"
