"""The errors a user may see. Each message is one sentence that a panel can show as it is."""


class FootfallError(Exception):
    """Base of all errors whose message is meant for the user."""


class FormatError(FootfallError):
    """A file that cannot be read or written as what it says it is."""


class RigError(FootfallError):
    """A rig or skeleton that cannot carry a simulated body."""


class JobError(FootfallError):
    """A job that cannot be run as it is written; the message names the field."""


class SimulationError(FootfallError):
    """A simulation that could not go on (not a fall: a fall is an outcome)."""


class StrideError(SimulationError):
    """A gait in which a body cannot begin in full stride, because it fell before."""
