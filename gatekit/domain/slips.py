"""Two names of which one may be a slip of the other."""

from gatekit.domain.lines import common_length

LEAST = 4  # characters: shorter names are all alike


def slip(one: str, other: str) -> bool:
    """Whether two names differ in one spot only, by a letter or two."""
    longest = max(len(one), len(other))
    if abs(len(one) - len(other)) > 1 or longest < LEAST:
        return False
    left, right = one.encode(errors="replace"), other.encode(errors="replace")
    return common_length(left, right) + common_length(left[::-1], right[::-1]) >= longest - 2
