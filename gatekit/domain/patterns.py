"""Names with `*`."""


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
