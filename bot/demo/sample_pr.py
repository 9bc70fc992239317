"""The story's repository and pull request, as values: the base's files, what the pull request changes, a second push.

The files stand in `sample/`: `base` is the repository before, `pull` and `push` lie over it one after the other. Their
`perf-changelog.yaml` holds only the entries that are added: the file itself is append-only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SAMPLE = Path(__file__).parent / "sample"
CHANGELOG = "perf-changelog.yaml"
REPOSITORY = "gatekit-demo/bench"
LABEL = "full-sweep-fail-fast"
MAINTAINER = "maria"
AUTHOR = "pat"
REVIEWER = "olga"  # owns the documents
CHECKLIST = "docs/PR_REVIEW_CHECKLIST.md"


@dataclass(frozen=True, slots=True)
class SamplePush:
    """One push: the whole content of every file that it adds or changes."""

    message: str
    edits: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A pull request from a branch of the repository itself."""

    branch: str
    title: str
    body: str
    first: SamplePush


def base() -> Mapping[str, bytes]:
    """The repository before the pull request."""
    return _files(SAMPLE / "base")


def proposal() -> Proposal:
    """Four gates: on curve, below it, one whose recipe forces acceptance, one that drafts with the target itself.

    Beside them one point of a framework that is never gated.
    """
    return Proposal(
        branch="leaner-drafts",
        title="Draft leaner, and with a third model",
        body="Adds points at higher concurrency and moves the lean recipe to a smaller draft model.",
        first=SamplePush("Draft leaner, and with a third model", _over(base(), _files(SAMPLE / "pull"))),
    )


def second_push() -> SamplePush:
    """The author takes the smaller draft model back: one recipe of the pull request changes."""
    return SamplePush("Draft with the near model again", _files(SAMPLE / "push"))


def documents() -> Proposal:
    """A change that nobody gates, and that needs a sign-off."""
    text = b"# Names of recipes\n\nA recipe is named after how it drafts: `draft`, `lean`, `self`, `third`.\n"
    title = "Say how recipes are named"
    body = "One page.\n\n## AI model disclosure\n\nNo AI used."
    return Proposal("names", title, body, SamplePush(title, {"docs/NAMES.md": text}))


def sign_off(*, open_box: int | None) -> str:
    """The form of the checklist as the reviewer fills it in; `open_box`, from 1, is forgotten."""
    form = base()[CHECKLIST].decode().split("```")[1].strip()
    filled = form.replace("[ ]", "[x]").replace("your-login", REVIEWER).split("[x]")
    marks = ["[ ]" if number == open_box else "[x]" for number in range(1, len(filled))]
    return filled[0] + "".join(mark + text for mark, text in zip(marks, filled[1:], strict=True))


def _over(before: Mapping[str, bytes], edits: Mapping[str, bytes]) -> Mapping[str, bytes]:
    return {path: before[path] + data if path == CHANGELOG else data for path, data in edits.items()}


def _files(folder: Path) -> Mapping[str, bytes]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
