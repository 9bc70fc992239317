"""Names of strangers inside a sentence."""

LONGEST = 100


def shown(name: object) -> str:
    """The name on one line, without control characters, cut where it is long."""
    text = str(name)
    cut = text[:LONGEST] + ("…" if len(text) > LONGEST else "")
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in cut)
