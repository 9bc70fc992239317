"""Lines, names and paths of strangers, as all rooms read them: where a text parts, `*` in names, near misses."""


def common_length(left: bytes, right: bytes) -> int:
    """How many bytes two texts share from the start."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def first_change(old: bytes, new: bytes) -> int:
    """The line of `new`, from 1, in which it stops being `old`."""
    return new.count(b"\n", 0, common_length(old, new)) + 1


def matches(pattern: str, name: str, star: str = "*") -> bool:
    """Whether the whole name is the pattern, each `star` standing for any text; linear in the name, however many."""
    if star not in pattern:
        return pattern == name
    first, *middle, last = pattern.split(star)
    if not name.startswith(first):
        return False
    at = len(first)
    for part in middle:
        at = name.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(name) - len(last) >= at and name.endswith(last)


LEAST = 4  # characters: shorter names are all alike


def slip(one: str, other: str) -> bool:
    """Whether two names differ in one spot only, by a letter or two."""
    longest = max(len(one), len(other))
    if abs(len(one) - len(other)) > 1 or longest < LEAST:
        return False
    left, right = one.encode(errors="replace"), other.encode(errors="replace")
    return common_length(left, right) + common_length(left[::-1], right[::-1]) >= longest - 2


LONGEST = 100


def shown(name: object, longest: int = LONGEST) -> str:
    """The name on one line, without control characters, cut where it is long."""
    text = str(name)
    cut = text[:longest] + ("…" if len(text) > longest else "")
    if cut.isprintable():
        return cut
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in cut)


def is_inside(path: str) -> bool:
    """Whether every step of the path goes down: not absolute, no `..`, `.` or empty step, no NUL."""
    return "\0" not in path and all(step not in ("", ".", "..") for step in path.split("/"))


def folders(path: str) -> list[str]:
    """The folders above a path, outermost first: "a/b/c" has "a" and "a/b"."""
    steps = path.split("/")
    return ["/".join(steps[:count]) for count in range(1, len(steps))]
