"""What secrets look like, and texts without them: engines' logs before they are stored or posted, and our own log.

Rather one word too many than one secret.

Every pattern is bounded or starts at a word's edge, so that the time grows with the length of the text only.
"""

import re
from collections.abc import Iterable

HIDDEN = "***"
MAX_TEXT = 512 * 1024  # characters looked at, from the end
MAX_LINE = 4000
SHORTEST = 6  # characters of a line that can hold a secret, as in a://b@: logs may be floods of empty lines

_EDGE = r"(?<![A-Za-z0-9])"
_KNOWN = re.compile(  # secrets that are known by their own look
    _EDGE
    + r"(?:gh[a-z]_[A-Za-z0-9_.-]{7,}[A-Za-z0-9_-]"  # newer ones hold a JWT and have no fixed length
    + r"|github_pat_[A-Za-z0-9_]{8,}"
    + r"|glpat-[A-Za-z0-9_-]{16,}"
    + r"|eyJ[A-Za-z0-9_-]{4,2000}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"  # JWT
    + r"|hf_[A-Za-z0-9]{16,}"
    + r"|nvapi-[A-Za-z0-9_-]{16,}"
    + r"|sk-(?=[A-Za-z_-]{0,80}[0-9A-Z])[A-Za-z0-9_-]{8,}"
    + r"|xox[a-z]-[A-Za-z0-9-]{10,}"
    + r"|AIza[A-Za-z0-9_-]{30,}"
    + r"|(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16})"
)
_SCHEME = re.compile(r"(?i)\b(bearer|basic)([ \t]+)[A-Za-z0-9+/=._~-]{8,}")
_AUTHORIZATION = re.compile(r"(?i)\b((?:proxy-)?authorization[\"']?[ \t]*[:=][ \t]*).+")
_URL = re.compile(_EDGE + r"([A-Za-z][A-Za-z0-9+.-]{0,20}://)[^\s/@\"'<>]{1,400}@")

_VALUE = r"""(?:"[^"\n]*"|'[^'\n]*'|[^\s"',;&})\]]+)"""
_SURE = (
    r"passwd|password|passphrase|secret|credentials?|signature"
    r"|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key"
)
_NAMED = re.compile(  # NAME=value, name: value, --name value, "name": "value"
    r"(?i)(?<![a-z0-9])((?:--?)?(?:[a-z0-9]{1,40}[_.-]){0,6}(?:" + _SURE + r")(?:[_-](?:key|id|value))?"
    r"""["']?(?:[ \t]*[:=][ \t]*))""" + _VALUE
)
_NAMED_FLAG = re.compile(r"(?i)(?<!\S)(--(?:[a-z0-9]{1,40}[_-]){0,6}(?:" + _SURE + r"|token)[ \t]+)(?!-)" + _VALUE)
# A name that ends in `token` is a credential more often than not, except in the words of language models.
_TOKEN = re.compile(
    r"(?i)(?<![a-z0-9])((?:[a-z0-9]{1,40}[_.-]){0,6}(?<!eos_)(?<!bos_)(?<!pad_)(?<!unk_)(?<!stop_)(?<!per_)token"
    r"""["']?(?:[ \t]*[:=][ \t]*))(?!\d+(?:\.\d+)?(?:ms|s|us)?(?![A-Za-z0-9]))""" + _VALUE
)
_PAIRS = ((_SCHEME, rf"\1\2{HIDDEN}"), (_URL, rf"\1{HIDDEN}@"), (_NAMED, rf"\1{HIDDEN}"), (_NAMED_FLAG, rf"\1{HIDDEN}"))

_BEGIN, _END = (rf"-----{word} [A-Z0-9 ]{{0,40}}PRIVATE KEY" for word in ("BEGIN", "END"))
_PEM = re.compile(rf"{_BEGIN}.*?(?:{_END}(?:-----)?|\Z)", re.DOTALL)
_PEM_BEGIN, _PEM_END = re.compile(_BEGIN), re.compile(_END)
_PEM_BODY = re.compile(r"[\s>|]*[A-Za-z0-9+/=]{16,}[\s\"',]*")
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")


def without_tokens(text: str, instead: str = HIDDEN) -> str:
    """The text without what is a secret by its own look: tokens, keys of clouds, private keys. All else stays."""
    return _KNOWN.sub(instead, _PEM.sub(instead, text))


def redact(text: str) -> str:
    """The end of a log with every secret that we know the look or the name of replaced by `***`. Lines stay lines."""
    return "\n".join(_lines(text[-MAX_TEXT:].split("\n")))


def log_tail(text: str, lines: int, width: int = 300) -> tuple[str, ...]:
    """The last lines of a log that say something: redacted, without colours, each at most `width` characters."""
    said = [line.rstrip() for line in redact(text).split("\n")]
    last = [line for line in said if line][-lines:] if lines > 0 else []
    return tuple(shortened(line, width) for line in last)


def one_line(text: str, width: int = 300) -> str:
    """Redacted words of a text in one line without a full stop, to stand inside one of our sentences."""
    return shortened(" ".join(redact(text).split()), width).rstrip(".")


def shortened(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _lines(lines: Iterable[str]) -> list[str]:
    kept: list[str] = []
    inside = False  # a private key
    for raw in lines:
        line = _ANSI.sub("", raw.rstrip("\r").rsplit("\r", 1)[-1])[:MAX_LINE]
        if _PEM_BEGIN.search(line):
            inside = _PEM_END.search(line) is None
            kept.append(HIDDEN)
        elif _PEM_END.search(line):
            if not inside:  # its beginning was cut off: what led here is the key
                while kept and _PEM_BODY.fullmatch(kept[-1]):
                    kept.pop()
            inside = False
            kept.append(HIDDEN)
        elif not inside:
            kept.append(_line(line))
    return kept


def _line(line: str) -> str:
    if len(line) < SHORTEST:
        return line
    line = _KNOWN.sub(HIDDEN, line)
    line = _AUTHORIZATION.sub(rf"\1{HIDDEN}", line)
    for pattern, instead in _PAIRS:
        line = pattern.sub(instead, line)
    return _TOKEN.sub(rf"\1{HIDDEN}", line)
