"""A page as a browser would take it apart: its tags, their attributes, its words."""

from html.parser import HTMLParser

INLINE = {"a", "bdi", "code", "small", "strong"}


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self._words: list[str] = []
        self.feed(text)
        self.close()

    @property
    def words(self) -> str:
        """The text, with white space as a browser shows it."""
        return " ".join("".join(self._words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self._words += [] if tag in INLINE else [" "]
        self.attributes |= {name for name, _ in attrs}
        self.links += [value for name, value in attrs if name in ("href", "src") and value]

    def handle_data(self, data: str) -> None:
        self._words.append(data)
