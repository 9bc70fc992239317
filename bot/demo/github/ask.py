"""One question to the REST interface, and its answer, as values: routes know nothing of HTTP servers."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from bot.demo.github.app import Token
from bot.demo.github.hooks import Hooks
from bot.demo.github.people import People
from bot.demo.github.world import Comment, Json, Pull, Repo, World
from gatekit.domain.ids import Sha

PER_PAGE, MOST_PER_PAGE = 30, 100
DOCS = "https://docs.github.example/rest"


class ApiError(Exception):
    """An answer that is not 2xx, in GitHub's shape."""

    def __init__(self, status: int, message: str, errors: Sequence[Json] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.body: Json = {"message": message, "documentation_url": DOCS, "status": str(status)}
        if errors:
            self.body["errors"] = list(errors)


def not_found() -> ApiError:
    return ApiError(404, "Not Found")


def invalid(resource: str, field_name: str, message: str, code: str = "invalid") -> ApiError:
    error: Json = {"resource": resource, "code": code, "field": field_name, "message": message}
    return ApiError(422, "Validation Failed", [error])


@dataclass(frozen=True, slots=True)
class Reply:
    """`body` is JSON text where it is not bytes."""

    status: int = 200
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json; charset=utf-8"

    @property
    def payload(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return b"" if self.body is None else json.dumps(self.body, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class Ask:
    """`token` is None for questions that the App asks with its own JWT."""

    world: World
    hooks: Hooks
    params: Mapping[str, str]
    query: Mapping[str, str]
    body: Json
    accept: str
    path: str
    token: Token | None
    empty_pages: bool = False

    @property
    def people(self) -> People:
        return People(self.world)

    @property
    def repo(self) -> Repo:
        """The repository of the path; one that the token does not cover is not there."""
        name = f"{self.params['owner']}/{self.params['repo']}".lower()
        repo = self.world.repos.get(name)
        covered = self.world.app.installed_on if self.token is None else self.token.repos
        if repo is None or not (repo.id in covered or (self.token is not None and not repo.private)):
            raise not_found()
        return repo

    @property
    def pull(self) -> Pull:
        pull = self.repo.pulls.get(self.number("pull_number" if "pull_number" in self.params else "issue_number"))
        if pull is None:
            raise not_found()
        return pull

    @property
    def comment(self) -> Comment:
        comment = self.repo.comments.get(self.number("comment_id"))
        if comment is None:
            raise not_found()
        return comment

    def number(self, name: str) -> int:
        text = self.params[name]
        if not text.isdecimal():
            raise not_found()
        return int(text)

    def sha(self, ref: str) -> Sha:
        sha = self.world.resolve(self.repo, ref)
        if sha is None:
            raise ApiError(422, f"No commit found for SHA: {ref}")
        return sha

    def page(self, rows: Sequence[object], wrap: Callable[[list[object]], object] = lambda rows: rows) -> Reply:
        """One page of a list, with the `Link` header that leads to the others."""
        rows = () if self.empty_pages else rows
        per_page = min(max(int(self.query.get("per_page", PER_PAGE)), 1), MOST_PER_PAGE)
        page = max(int(self.query.get("page", 1)), 1)
        last = max(-(-len(rows) // per_page), 1)
        places = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
        shown = {"prev", "first"} if page > 1 else set()
        shown |= {"next", "last"} if page < last else set()
        links = [f'<{self._page_url(places[name])}>; rel="{name}"' for name in places if name in shown]
        headers = {"Link": ", ".join(links)} if links else {}
        return Reply(body=wrap(list(rows[(page - 1) * per_page : page * per_page])), headers=headers)

    def _page_url(self, page: int) -> str:
        return f"{self.world.urls.api}{self.path}?{urlencode({**self.query, 'page': str(page)})}"


@dataclass(frozen=True, slots=True)
class Route:
    """One operation. `template` is the path as GitHub's description writes it; any one of `needs` is enough."""

    method: str
    template: str
    answer: Callable[[Ask], Reply]
    needs: tuple[str, ...] = ()
    as_app: bool = False


def json_body(body: bytes) -> Json:
    """Raises ApiError as GitHub answers to a body that is no JSON object."""
    try:
        parsed = json.loads(body or b"{}")
    except ValueError as error:
        raise ApiError(400, "Problems parsing JSON") from error
    if not isinstance(parsed, dict):
        raise ApiError(400, "Body should be a JSON object")
    return parsed
