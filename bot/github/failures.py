"""What can go wrong at the door, finer than handlers need to know. All of it is "could not find out".

LookupFailed
├── NotThere, NotAllowed      (handlers.errors)
├── LostAnswer                a write was sent and no answer came: it may have been applied
├── RateLimited               GitHub wants us to wait longer than we will
├── BadCredentials            GitHub does not take our token, or our signature
├── InstallationGone          the App is not installed there any more, under that number
└── TooLarge                  the answer is larger than we read
"""

from handlers.errors import LookupFailed


class LostAnswer(LookupFailed):
    """A request that creates something got no answer. Look whether it was applied before anything else."""


class RateLimited(LookupFailed):
    """The rate limit lasts longer than we wait; the text says until when."""


class BadCredentials(LookupFailed):
    """401."""


class InstallationGone(LookupFailed):
    """GitHub knows no installation of this number."""


class TooLarge(LookupFailed):
    """More bytes came than the limit allows; the rest was not read."""
