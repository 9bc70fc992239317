"""How a port fails.

LookupFailed          could not find out: never a yes, never an empty list; the delivery is tried again
├── NotThere          the outside answered that the thing does not exist
└── NotAllowed        the outside answered that we may not look: a missing permission of the App
"""


class LookupFailed(Exception):
    """Could not find out. `str(error)` says what was asked and what came back, without secrets."""


class NotThere(LookupFailed):
    """It does not exist, or is hidden from us: GitHub does not tell the two apart."""


class NotAllowed(LookupFailed):
    """The App lacks a permission for this question."""
