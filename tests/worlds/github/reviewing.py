"""What reviewers do: reviews and inline comments, posted, edited, dismissed and deleted."""

from dataclasses import dataclass

from bot.demo.github.people import People
from bot.demo.github.reviews import InlineComment, Review
from bot.demo.github.views.pulls import pull_view
from bot.demo.github.views.reviews import inline_view, review_view
from bot.demo.github.world import Json, Pull, Repo


@dataclass(frozen=True, slots=True)
class Reviewing:
    people: People

    def review(self, repo: Repo, pull: Pull, body: str, *, by: str, state: str = "APPROVED") -> Review:
        world = self.people.world
        review = Review(next(world.ids), pull.number, by, body, state, pull.head, world.tick())
        repo.reviews[review.id] = review
        self._tell(repo, review, {"action": "submitted"}, by)
        return review

    def edit_review(self, repo: Repo, review: Review, body: str, *, by: str) -> None:
        before, review.body = review.body, body
        self._tell(repo, review, {"action": "edited", "changes": {"body": {"from": before}}}, by)

    def dismiss(self, repo: Repo, review: Review, *, by: str) -> None:
        review.state = "DISMISSED"
        self._tell(repo, review, {"action": "dismissed"}, by)

    def inline(self, repo: Repo, pull: Pull, body: str, *, by: str, path: str = "README.md") -> InlineComment:
        world = self.people.world
        now = world.tick()
        comment = InlineComment(next(world.ids), pull.number, by, body, path, pull.head, now, now)
        repo.inline[comment.id] = comment
        self._tell_inline(repo, comment, {"action": "created"}, by)
        return comment

    def delete_inline(self, repo: Repo, comment: InlineComment, *, by: str) -> None:
        del repo.inline[comment.id]
        self._tell_inline(repo, comment, {"action": "deleted"}, by)

    def _tell(self, repo: Repo, review: Review, what: Json, by: str) -> None:
        world = self.people.world
        view = {**review_view(world, repo, review), "state": review.state.lower()}  # webhooks write it small
        subject: Json = {"review": view, "pull_request": pull_view(world, repo, repo.pulls[review.pull])}
        self.people.emit("pull_request_review", repo, what | subject, by)

    def _tell_inline(self, repo: Repo, comment: InlineComment, what: Json, by: str) -> None:
        world = self.people.world
        pull = pull_view(world, repo, repo.pulls[comment.pull])
        subject: Json = {"comment": inline_view(world, repo, comment), "pull_request": pull}
        self.people.emit("pull_request_review_comment", repo, what | subject, by)
