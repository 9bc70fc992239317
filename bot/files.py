"""Files that a person names."""

from pathlib import Path

from gatekit.domain.errors import BadInput


def bytes_of(path: Path, what: str) -> bytes:
    """The bytes of a file; `what` says what it should hold, e.g. `a CODEOWNERS file`. Raises BadInput."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(str(path), f"cannot be read ({error.strerror}): give {what}") from error


def text_of(path: Path, what: str) -> str:
    """The same as text, with plain line ends. Raises BadInput."""
    try:
        return bytes_of(path, what).decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise BadInput(str(path), f"is not UTF-8 text: give {what}") from error
