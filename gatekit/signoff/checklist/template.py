"""The checklist's page: the form in it, and which revision of it counts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from gatekit.domain.errors import BadInput
from gatekit.domain.ids import Sha
from gatekit.formats.markdown import Block, BlockKind, blocks
from gatekit.signoff.checklist.form import Form, read_form
from gatekit.signoff.checklist.phrase import HALF

_HEADING = re.compile(r"\s*(?P<level>#{1,2})\s+(?P<title>.*?)\s*#*\s*")
_TITLE = "template"


@lru_cache(maxsize=16)  # each verification needs a few, and what a commit has never changes
def template_form(page: str, path: str) -> Form:
    """The form under `## Template`, with or without a fence around it; `path` is for messages.

    Raises BadInput where there is none.
    """
    found = blocks(page)
    titles = [at for at, block in enumerate(found) if _title(block) is not None]
    start = next((at for at in titles if str(_title(found[at])).lower() == _TITLE), None)
    if start is None:
        raise BadInput(path, "has no section `## Template`; give the page of the checklist")
    end = next((at for at in titles if at > start), len(found))
    fenced = [block for block in found[start + 1 : end] if block.kind is BlockKind.CODE and HALF in block.text]
    after, before = found[start].line, found[end].line - 1 if end < len(found) else None
    text = _unfenced(fenced[0]) if fenced else "\n".join(page.split("\n")[after:before])
    form = read_form(blocks(text))
    if not form.items:
        raise BadInput(f"{path}:{found[start].line}", "has no boxes in its section `## Template`; write `- [ ]` lines")
    return form


def _title(block: Block) -> str | None:
    """The title of a heading of the first or second level."""
    found = _HEADING.fullmatch(block.text) if block.kind is BlockKind.HEADING else None
    return None if found is None else found["title"]


def _unfenced(block: Block) -> str:
    return "\n".join(line for line in block.text.split("\n") if not line.strip().startswith(("```", "~~~")))


@dataclass(frozen=True, slots=True)
class Revision:
    """The page as one commit of the default branch has it."""

    sha: Sha
    at: datetime  # when it came there, with a time zone
    form: Form


@dataclass(frozen=True, slots=True)
class Current:
    """`revision` was the newest when the sign-off was last edited. Others come oldest first."""

    revision: Revision
    newer: tuple[Revision, ...]
    older: tuple[Revision, ...]


def current_at(revisions: Sequence[Revision], edited: datetime) -> Current | None:
    """None where the first revision is younger than the sign-off."""
    ordered = sorted(revisions, key=lambda revision: revision.at)
    before = [revision for revision in ordered if revision.at <= edited]
    return Current(before[-1], tuple(ordered[len(before) :]), tuple(before[:-1])) if before else None
