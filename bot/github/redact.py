"""Takes secrets out of a text that goes to a log or a person."""

import re

_SECRETS = re.compile(
    r"""
    -----BEGIN[ ][A-Z ]*KEY-----.*?(?:-----END[ ][A-Z ]*KEY-----|\Z)
    | \bgh[a-z]_[A-Za-z0-9_.\-]+                 # GitHub's tokens, of any length
    | \bgithub_pat_[A-Za-z0-9_]+
    | \beyJ[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]*
    | (?<=[?&]token=)[^&\s"']+                   # archive addresses of private repositories
    | (?<=Bearer[ ])[^\s"']+
    """,
    re.VERBOSE | re.DOTALL,
)


def redact(text: str) -> str:
    """The text with every token, signed claim and private key replaced by `[secret]`."""
    return _SECRETS.sub("[secret]", text)
