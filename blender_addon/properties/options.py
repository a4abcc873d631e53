"""Options shared by the property definitions."""

# A character linked into a shot is edited through a library override: let it be edited there.
EDITABLE = {"LIBRARY_OVERRIDABLE"}
EDITABLE_LIST = {"LIBRARY_OVERRIDABLE", "USE_INSERTION"}
