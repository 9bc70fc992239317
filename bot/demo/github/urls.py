"""Where the stand-in answers."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Urls:
    """Where the stand-in answers; `web` is only ever printed."""

    api: str = "http://127.0.0.1:0"
    codeload: str = "http://127.0.0.1:0"
    web: str = "https://github.example"
