"""The matcher against one that is slow and obvious, on thousands of small files."""

import random
from functools import cache

from gatekit.signoff.codeowners import parse_codeowners

NAMES = ("a", "b", "ab", "aa", "a b", "A", "a.b", "abab")
PARTS = ("a", "b", "ab", "*", "**", "?", "a*", "*b", "*a*", "?b", "a\\ b", "A", "*.b", "a?", "*a*b", "**")


@cache
def name_matches(part: str, name: str) -> bool:
    """One name: a star is nothing, or one sign and a star again."""
    if not part:
        return not name
    if part.startswith("\\"):
        return name[:1] == part[1] and name_matches(part[2:], name[1:])
    if part.startswith("*"):
        return name_matches(part[1:], name) or (bool(name) and name_matches(part, name[1:]))
    return bool(name) and part[0] in ("?", name[0]) and name_matches(part[1:], name[1:])


def names_match(parts: tuple[str, ...], names: tuple[str, ...]) -> bool:
    if not parts:
        return not names
    if parts[0] == "**":
        return names_match(parts[1:], names) or (bool(names) and names_match(parts, names[1:]))
    return bool(names) and name_matches(parts[0], names[0]) and names_match(parts[1:], names[1:])


def slow_match(pattern: str, path: str) -> bool:
    """Tries the pattern on the path and on each folder above it, and where it floats, from any place."""
    parts, names = tuple(pattern.strip("/").split("/")), tuple(path.split("/"))
    if "/" not in pattern.removesuffix("/"):
        parts = ("**", *parts)
    if parts[-1] == "**":
        return any(
            names_match(tuple(parts[:count]), names[:depth])
            for count in range(len(parts))
            if set(parts[count:]) == {"**"}
            for depth in range(len(names))
        )
    whole, above = names_match(parts, names), any(names_match(parts, names[:depth]) for depth in range(1, len(names)))
    if pattern.endswith("/"):
        return above
    return whole or (above and parts[-1] != "*")


def slow_owner(lines: list[str], path: str) -> str | None:
    found = [line for line in lines if slow_match(line.rsplit(" @", 1)[0], path)]
    return f"@{found[-1].rsplit(' @', 1)[1]}" if found else None


def some_pattern(chance: random.Random) -> str:
    parts = [chance.choice(PARTS) for _ in range(chance.randint(1, 4))]
    return chance.choice(("", "/")) + "/".join(parts) + chance.choice(("", "", "/"))


def test_the_matcher_agrees_with_a_slow_and_obvious_one() -> None:
    chance = random.Random(20261130)
    matched = 0
    for _ in range(1_500):
        lines = [f"{some_pattern(chance)} @u{number}" for number in range(chance.randint(1, 8))]
        parsed = parse_codeowners("\n".join(lines).encode())
        assert parsed.invalid == ()
        for _ in range(6):
            path = "/".join(chance.choice(NAMES) for _ in range(chance.randint(1, 5)))
            rule = parsed.rule_of(path)
            found = None if rule is None else rule.owners[0].text
            assert found == slow_owner(lines, path), (lines, path)
            matched += found is not None
    assert matched > 3_000


def test_many_wildcards_take_no_longer_than_they_must() -> None:
    """Both would run for years if they tried every way to split the name."""
    text = f"{'*a' * 2_000}*b @x\n{'/**/a' * 300}/b @y\n"
    parsed = parse_codeowners(text.encode())
    assert parsed.rule_of("a" * 4_000) is None
    assert parsed.rule_of("/".join(["a"] * 600)) is None
