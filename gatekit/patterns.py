"""Names with `*`."""


def matches(pattern: str, name: str) -> bool:
    """Whether the whole name is the pattern, each `*` standing for any text; linear in the name, however many `*`."""
    if "*" not in pattern:
        return pattern == name
    first, *middle, last = pattern.split("*")
    if not name.startswith(first):
        return False
    at = len(first)
    for part in middle:
        at = name.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(name) - len(last) >= at and name.endswith(last)
