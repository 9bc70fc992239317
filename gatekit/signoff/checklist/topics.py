"""What an item of the checklist is about. Its number changes with every revision, its words hardly."""

import re
from enum import StrEnum

from gatekit.signoff.checklist.matching import plain


class Topic(StrEnum):
    LATEST = "latest template"
    QUALITY = "code quality"
    VALIDATION = "validation run"
    EVALS = "evals"
    CHAT_TEMPLATE = "chat template"
    DRAFT = "draft as it ships"
    GOLDEN = "golden acceptance length"
    DEPRECATED = "nothing deprecated"
    ARCHITECTURE = "architecture"
    IMAGES = "upstream images"
    OPEN_FIRST = "open engines first"
    RECIPE = "production recipe"
    RECIPE_LINK = "recipe link"
    PATCHES = "no patches"
    APPEND_ONLY = "append-only"
    REASONS = "reasons below"
    PARETO = "pareto points"


# The first that is found decides; an item may speak of more than one thing.
_SIGNS = (
    (Topic.LATEST, r"latest version"),
    (Topic.QUALITY, r"code quality"),
    (Topic.APPEND_ONLY, r"append-only"),
    (Topic.PARETO, r"pareto"),
    (Topic.GOLDEN, r"golden"),
    (Topic.DRAFT, r"draft (?:model|head|weights).*(?:ships|precision)|NEXTN"),
    (Topic.CHAT_TEMPLATE, r"chat template"),
    (Topic.VALIDATION, r"passed PR validation"),
    (Topic.EVALS, r"passes evals"),
    (Topic.DEPRECATED, r"deprecated"),
    (Topic.PATCHES, r"does not patch|git apply|monkey-patch"),
    (Topic.IMAGES, r"docker"),
    (Topic.OPEN_FIRST, r"before (?:additional|other|vendor)"),
    (Topic.ARCHITECTURE, r"architecture"),
    (Topic.RECIPE_LINK, r"linked the corresponding|upstream PR.*merged|PR has been opened in"),
    (Topic.RECIPE, r"recipes?\b.*cookbook"),
    (Topic.REASONS, r"cannot (?:reasonably )?be satisfied|reasoning"),
)
_PATTERNS = tuple((topic, re.compile(signs, re.IGNORECASE | re.DOTALL)) for topic, signs in _SIGNS)


def topic_of(item: str) -> Topic | None:
    """The topic of an item of the template (Markdown); None: one that is not known here."""
    text = plain(item)
    return next((topic for topic, signs in _PATTERNS if signs.search(text)), None)


# The words with which a line of the details begins, before a colon, and what the line is about then.
_LABELS = (
    (re.compile(r"\bdraft|\bhead\b|\bmtp\b", re.IGNORECASE), (Topic.DRAFT,)),
    (re.compile(r"\brecipe|\bcookbook", re.IGNORECASE), (Topic.RECIPE, Topic.RECIPE_LINK)),
    (re.compile(r"\bvalidation|\bsweep", re.IGNORECASE), (Topic.VALIDATION,)),
    (re.compile(r"\beval", re.IGNORECASE), (Topic.EVALS,)),
    (re.compile(r"\bwaiver|\bpatch", re.IGNORECASE), (Topic.PATCHES,)),
    (re.compile(r"\bpareto|\bpoints\b", re.IGNORECASE), (Topic.PARETO,)),
    (re.compile(r"\bexception|\bimage|\bdocker", re.IGNORECASE), (Topic.IMAGES, Topic.OPEN_FIRST)),
    (re.compile(r"\bal\b|\bacceptance|\bgolden", re.IGNORECASE), (Topic.GOLDEN,)),
)
_LABEL = re.compile(r"[^:.;]{1,40}(?=:)")


def labelled(line: str) -> frozenset[Topic]:
    """What a line of the details is about, by the words before its first colon; empty: it does not say."""
    found = _LABEL.match(line.lstrip("-*+ "))
    if found is None:
        return frozenset()
    return frozenset(topic for words, topics in _LABELS if words.search(found[0]) for topic in topics)
