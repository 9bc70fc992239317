"""Bytes that are no YAML: which line, and what to do."""

import yaml

from gatekit.domain.refusal import BadInput

_QUOTED = "while scanning a quoted scalar"
_OPENED = frozenset(
    {_QUOTED, "while parsing a flow mapping", "while parsing a flow sequence", "while scanning a simple key"}
)


def refuse_bytes(path: str, data: bytes, first_line: int) -> None:
    """Raises BadInput for what is no UTF-8, or holds NUL."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise BadInput(_at(path, data, error.start, first_line), "is no UTF-8; save the file as UTF-8") from None
    if (position := data.find(0)) >= 0:
        raise BadInput(_at(path, data, position, first_line), "holds the character NUL; take it out")


def _at(path: str, data: bytes, position: int, first_line: int) -> str:
    line = data.count(b"\n", 0, position) + first_line
    return f"{path}:{line}"


def unreadable(path: str, data: bytes, error: yaml.YAMLError, first_line: int) -> BadInput:
    """The refusal for what the YAML library says of `data`."""
    if isinstance(error, yaml.reader.ReaderError):
        return BadInput(_at(path, data, error.position, first_line), "holds a control character; take it out")
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return BadInput(path, "is no YAML that can be read; correct it")
    number = error.problem_mark.line
    where = f"{path}:{number + first_line}"
    text = (data.split(b"\n") + [b""] * number)[number]
    if b"\t" in text[: len(text) - len(text.lstrip())]:
        return BadInput(where, "is indented with a tab; use spaces")
    begun = _begun(error, number)
    if begun is not None and error.context == _QUOTED:
        return BadInput(f"{path}:{begun + first_line}", "opens a quote that is not closed as it should be; close it")
    since = "" if begun is None else f", in what begins in line {begun + first_line}"
    return BadInput(where, f"is no valid YAML: {error.problem}{since}; correct this line or the one before")


def _begun(error: yaml.MarkedYAMLError, number: int) -> int | None:
    """The line in which that began which went wrong in line `number`, where both are far apart and it helps to know."""
    if error.context not in _OPENED or error.context_mark is None or number - error.context_mark.line < 2:
        return None
    return int(error.context_mark.line)
