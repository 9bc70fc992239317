"""What a sign-off's verification asks of GitHub, beyond what the rest of the bot asks."""

from bot.github.operation import Level, Operation

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
