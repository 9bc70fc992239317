"""Paths inside a repository: relative, with `/`, never out of it."""


def is_inside(path: str) -> bool:
    """Whether every step of the path goes down: not absolute, no `..`, `.` or empty step, no NUL."""
    return "\0" not in path and all(step not in ("", ".", "..") for step in path.split("/"))


def folders(path: str) -> list[str]:
    """The folders above a path, outermost first: "a/b/c" has "a" and "a/b"."""
    steps = path.split("/")
    return ["/".join(steps[:count]) for count in range(1, len(steps))]
