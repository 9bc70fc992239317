"""Every REST operation that the bot sends, with the App permission it needs. What is not listed here is not asked."""

from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote


class Level(StrEnum):
    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Operation:
    """One line of GitHub's REST reference.

    `permission` is the App permission as the manifest spells it; None: the App itself asks, signed by its key.
    """

    method: str
    path: str
    permission: str | None
    level: Level
    why: str

    @property
    def writes(self) -> bool:
        return self.method not in ("GET", "HEAD") and self.permission is not None

    @property
    def creates(self) -> bool:
        """Sent twice, it would make a second thing. A second token is harmless."""
        return self.method == "POST" and self.permission is not None

    def url(self, values: dict[str, str | int]) -> str:
        """The path with its places filled in; only a file's path may bring its own slashes."""
        filled = {name: quote(str(value), safe="/" if name == "path" else "") for name, value in values.items()}
        return self.path.format(**filled)


ISSUE_COMMENT = Operation(
    "GET", "/repos/{owner}/{repo}/issues/comments/{comment_id}", "pull_requests", Level.READ, "a sign-off in a comment"
)
INLINE_COMMENT = Operation(
    "GET", "/repos/{owner}/{repo}/pulls/comments/{comment_id}", "pull_requests", Level.READ, "a sign-off at a line"
)
REVIEW = Operation(
    "GET",
    "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}",
    "pull_requests",
    Level.READ,
    "a sign-off in a review",
)
PULL_FILES = Operation(
    "GET", "/repos/{owner}/{repo}/pulls/{pull_number}/files", "pull_requests", Level.READ, "whose files are changed"
)
OWNERS_ERRORS = Operation(
    "GET", "/repos/{owner}/{repo}/codeowners/errors", "contents", Level.READ, "whether CODEOWNERS is valid"
)
MEMBERSHIP = Operation(
    "GET",
    "/orgs/{org}/teams/{team_slug}/memberships/{username}",
    "members",
    Level.READ,
    "whether a signer belongs to a team that owns files",
)
JOBS = Operation(
    "GET", "/repos/{owner}/{repo}/actions/runs/{run_id}/jobs", "actions", Level.READ, "which jobs of a sweep are green"
)

SIGNOFF_OPERATIONS = (ISSUE_COMMENT, INLINE_COMMENT, REVIEW, PULL_FILES, OWNERS_ERRORS, MEMBERSHIP, JOBS)


APP = Operation("GET", "/app", None, Level.READ, "who we are, and what the App may and hears")
INSTALLATIONS = Operation("GET", "/app/installations", None, Level.READ, "who installed the App, and accepted what")
INSTALLATION = Operation(
    "GET", "/repos/{owner}/{repo}/installation", None, Level.READ, "which installation speaks for a repository"
)
TOKEN = Operation(
    "POST",
    "/app/installations/{installation_id}/access_tokens",
    None,
    Level.WRITE,
    "an installation's token for an hour",
)
PULL = Operation(
    "GET", "/repos/{owner}/{repo}/pulls/{pull_number}", "pull_requests", Level.READ, "head, base, labels and state"
)
PERMISSION = Operation(
    "GET",
    "/repos/{owner}/{repo}/collaborators/{username}/permission",
    "metadata",
    Level.READ,
    "whether the person who set a label may",
)
COMPARE = Operation(
    "GET", "/repos/{owner}/{repo}/compare/{basehead}", "contents", Level.READ, "where a pull request left its base"
)
COMMIT = Operation(
    "GET", "/repos/{owner}/{repo}/git/commits/{commit_sha}", "contents", Level.READ, "the parents of a merge commit"
)
COMMITS = Operation(
    "GET", "/repos/{owner}/{repo}/commits", "contents", Level.READ, "whether a merge rebased the commits one by one"
)
PULLS_OF_COMMIT = Operation(
    "GET",
    "/repos/{owner}/{repo}/commits/{commit_sha}/pulls",
    "pull_requests",
    Level.READ,
    "to which pull request a merge commit belongs",
)
TREE = Operation(
    "GET", "/repos/{owner}/{repo}/git/trees/{tree_sha}", "contents", Level.READ, "the true list of files of a commit"
)
TARBALL = Operation(
    "GET", "/repos/{owner}/{repo}/tarball/{ref}", "contents", Level.READ, "all files of a commit in one download"
)
CONTENTS = Operation(
    "GET", "/repos/{owner}/{repo}/contents/{path}", "contents", Level.READ, "one file, e.g. the repository's settings"
)
LIST_COMMENTS = Operation(
    "GET",
    "/repos/{owner}/{repo}/issues/{issue_number}/comments",
    "pull_requests",
    Level.READ,
    "our own comment, before another is posted",
)
CREATE_COMMENT = Operation(
    "POST",
    "/repos/{owner}/{repo}/issues/{issue_number}/comments",
    "pull_requests",
    Level.WRITE,
    "the first verdict comment",
)
UPDATE_COMMENT = Operation(
    "PATCH",
    "/repos/{owner}/{repo}/issues/comments/{comment_id}",
    "pull_requests",
    Level.WRITE,
    "the comment, kept current",
)
CREATE_REACTION = Operation(
    "POST",
    "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions",
    "pull_requests",
    Level.WRITE,
    "yes or no to a command",
)
DELETE_REACTION = Operation(
    "DELETE",
    "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}",
    "pull_requests",
    Level.WRITE,
    "a command that a later one superseded has none",
)
RUN = Operation(
    "GET", "/repos/{owner}/{repo}/actions/runs/{run_id}", "actions", Level.READ, "the run that a `/use` names"
)
WORKFLOW_RUNS = Operation(
    "GET",
    "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs",
    "actions",
    Level.READ,
    "the newest run, where a command names none",
)
RUN_ARTIFACTS = Operation(
    "GET",
    "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts",
    "actions",
    Level.READ,
    "whether a run's results are still there",
)
ARTIFACT_ZIP = Operation(
    "GET",
    "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}",
    "actions",
    Level.READ,
    "whether a run's results are what they should be",
)
LIST_CHECKS = Operation(
    "GET",
    "/repos/{owner}/{repo}/commits/{ref}/check-runs",
    "checks",
    Level.READ,
    "our own check run, before another is made",
)
CREATE_CHECK = Operation("POST", "/repos/{owner}/{repo}/check-runs", "checks", Level.WRITE, "the check run of a sweep")
UPDATE_CHECK = Operation(
    "PATCH", "/repos/{owner}/{repo}/check-runs/{check_run_id}", "checks", Level.WRITE, "its progress and conclusion"
)

OPERATIONS = (
    APP,
    INSTALLATIONS,
    INSTALLATION,
    TOKEN,
    PULL,
    PERMISSION,
    COMPARE,
    COMMIT,
    COMMITS,
    PULLS_OF_COMMIT,
    TREE,
    TARBALL,
    CONTENTS,
    LIST_COMMENTS,
    CREATE_COMMENT,
    UPDATE_COMMENT,
    CREATE_REACTION,
    DELETE_REACTION,
    RUN,
    WORKFLOW_RUNS,
    RUN_ARTIFACTS,
    ARTIFACT_ZIP,
    LIST_CHECKS,
    CREATE_CHECK,
    UPDATE_CHECK,
    *SIGNOFF_OPERATIONS,
)
