"""Names of strangers inside a sentence."""

LONGEST = 100


def shown(name: object, longest: int = LONGEST) -> str:
    """The name on one line, without control characters, cut where it is long."""
    text = str(name)
    cut = text[:longest] + ("…" if len(text) > longest else "")
    if cut.isprintable():
        return cut
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in cut)
