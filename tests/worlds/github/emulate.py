"""A GitHub that nobody here wrote: vercel-labs' emulate, behind a thin shim.

The shim mends what emulate does unlike GitHub: milliseconds in a token's end, the App that is missing in comments and
check runs, delivery ids that repeat. It adds the archive, which emulate does not serve, from its own tree and blobs.
And it can cut a connection after a request was applied.
"""

import asyncio
import base64
import hashlib
import io
import json
import re
import subprocess
import tarfile
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import ClientConnectionError, ClientSession, web

from tests.worlds.bot.ports import free_port
from tests.worlds.bot.until import PATIENCE

ROOT = Path(__file__).parents[3]
INSTALLED = ROOT / ".cache" / "emulate"
OWNER, NAME = "ada", "bench"
APP_ID, INSTALLATION, SLUG = 4711, 100, "gatekit"
WEBHOOK_SECRET = "a secret of the test"
PERMISSIONS = {"contents": "read", "metadata": "read", "pull_requests": "write", "issues": "write", "checks": "write"}
EVENTS = ["pull_request", "issue_comment", "check_run"]
HOP_BY_HOP = {
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "content-encoding",
    "accept-encoding",
}


@dataclass(frozen=True, slots=True)
class Delivery:
    headers: Mapping[str, str]
    body: bytes


def install() -> None:
    """Nothing to do where it is up to date."""
    subprocess.run([ROOT / "scripts" / "emulate.sh"], check=True)


class Emulate:
    """`async with Emulate(key, folder) as github`: the App with this key is installed on every repository of ada."""

    def __init__(self, key: str, folder: Path) -> None:
        self.url = ""
        self.deliveries: list[Delivery] = []
        self.asked: list[tuple[str, str]] = []
        self.leaked = 0  # archive downloads that carried an Authorization header
        self.cut_after: list[tuple[str, str]] = []  # method and end of the path: applied, then the connection breaks
        self._key = key
        self._folder = folder
        self._arrived = asyncio.Condition()
        self._ours: set[int] = set()  # check runs that our App made

    async def __aenter__(self) -> "Emulate":
        self._session = ClientSession()
        self._runners: list[web.AppRunner] = []
        api = await self._serve(web.route("*", "/{rest:.*}", self._api))
        relay = await self._serve(web.post("/webhook", self._relay))
        self._codeload = await self._serve(web.get("/{owner}/{repo}/{sha}", self._archive))
        self.url = f"http://127.0.0.1:{api}"
        await self._start(relay)
        return self

    async def __aexit__(self, *error: object) -> None:
        if self._process.returncode is None:
            self._process.terminate()
            await self._process.wait()
        for runner in self._runners:
            await runner.cleanup()
        await self._session.close()

    async def as_person(self, method: str, path: str, body: object = None, login: str = OWNER) -> Any:
        """What a person does, past the shim. The answer's JSON."""
        headers = {"Authorization": f"Bearer tok_{login}"}
        async with self._session.request(method, self._upstream + path, json=body, headers=headers) as answer:
            assert answer.status < 400, (path, answer.status, await answer.text())
            return await answer.json(content_type=None) if answer.status != 204 else None

    async def commit(self, files: Mapping[str, str], branch: str, parent: str) -> str:
        """A commit with exactly these files, at the tip of a new branch. Its SHA."""
        git = f"/repos/{OWNER}/{NAME}/git"
        rows = [{"path": path, "mode": "100644", "type": "blob", "content": text} for path, text in files.items()]
        tree = await self.as_person("POST", f"{git}/trees", {"tree": rows})
        made = {"message": "change", "tree": tree["sha"], "parents": [parent]}
        commit = await self.as_person("POST", f"{git}/commits", made)
        await self.as_person("POST", f"{git}/refs", {"ref": f"refs/heads/{branch}", "sha": commit["sha"]})
        return str(commit["sha"])

    async def pull_request(self, branch: str) -> int:
        body = {"title": f"Change {branch}", "head": branch, "base": "main"}
        return int((await self.as_person("POST", f"/repos/{OWNER}/{NAME}/pulls", body))["number"])

    async def main(self) -> str:
        return str((await self.as_person("GET", f"/repos/{OWNER}/{NAME}/git/ref/heads/main"))["object"]["sha"])

    async def delivered(self, event: str, count: int) -> None:
        """Waits until so many webhooks of this event have come."""
        async with asyncio.timeout(PATIENCE), self._arrived:
            await self._arrived.wait_for(lambda: self._count(event) >= count)

    def _count(self, event: str) -> int:
        return sum(delivery.headers["X-GitHub-Event"] == event for delivery in self.deliveries)

    async def _serve(self, route: web.RouteDef) -> int:
        app = web.Application(client_max_size=2**25)
        app.router.add_routes([route])
        runner = web.AppRunner(app, access_log=None)
        self._runners.append(runner)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return int(runner.addresses[0][1])

    async def _start(self, relay: int) -> None:
        seed = self._folder / "seed.yaml"
        seed.write_text(json.dumps(self._seed(f"http://127.0.0.1:{relay}/webhook")))  # JSON is YAML
        port = free_port()
        self._upstream = f"http://localhost:{port}"
        program = [str(INSTALLED / "node"), str(INSTALLED / "node_modules" / "emulate" / "dist" / "index.js")]
        options = ["start", "--port", str(port), "--service", "github", "--seed", str(seed)]
        with (self._folder / "emulate.log").open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(*program, *options, stdout=log, stderr=log)
        try:
            async with asyncio.timeout(PATIENCE):
                while not await self._answers():
                    assert self._process.returncode is None, (self._folder / "emulate.log").read_text()
                    await asyncio.sleep(0.05)
        except BaseException:
            await self.__aexit__()
            raise

    async def _answers(self) -> bool:
        try:
            async with self._session.get(f"{self._upstream}/rate_limit") as answer:
                return answer.status < 500
        except ClientConnectionError:
            return False

    def _seed(self, hook: str) -> dict[str, Any]:
        app = {
            "app_id": APP_ID, "slug": SLUG, "name": "Gatekit", "private_key": self._key, "permissions": PERMISSIONS,
            "events": EVENTS, "webhook_url": hook, "webhook_secret": WEBHOOK_SECRET,
            "installations": [{"installation_id": INSTALLATION, "account": OWNER, "repository_selection": "all"}],
        }  # fmt: skip
        people = (OWNER, "bob", "carol")
        users, repos = [{"login": login} for login in people], [{"owner": OWNER, "name": NAME}]
        tokens = {f"tok_{login}": {"login": login, "scopes": ["repo", "user"]} for login in people}
        return {"tokens": tokens, "github": {"users": users, "repos": repos, "apps": [app]}}

    async def _api(self, request: web.Request) -> web.StreamResponse:
        self.asked.append((request.method, request.path))
        archive = re.fullmatch(r"/repos/([^/]+)/([^/]+)/tarball/([^/]+)", request.path)
        if archive is not None:
            there = f"http://127.0.0.1:{self._codeload}/{'/'.join(archive.groups())}?token=x"
            return web.Response(status=302, headers={"Location": there})
        headers = {name: value for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP}
        target = self._upstream + request.raw_path
        async with self._session.request(
            request.method, target, data=await request.read() or None, headers=headers, allow_redirects=False
        ) as answer:
            body = self._mended(request, await answer.read())
            kept = {name: value for name, value in answer.headers.items() if name.lower() not in HOP_BY_HOP}
        for method, ending in self.cut_after:
            if request.method == method and request.path.endswith(ending):
                self.cut_after.remove((method, ending))
                assert request.transport is not None
                request.transport.abort()
        return web.Response(status=answer.status, body=body, headers=kept)

    def _mended(self, request: web.Request, body: bytes) -> bytes:
        if request.path.endswith("/access_tokens"):
            return re.sub(rb'("expires_at":"[^"]+?)\.\d+Z"', rb'\1Z"', body)
        if "/comments" in request.path and request.path.startswith("/repos/"):
            return _each(body, self._comment)
        if "/check-runs" in request.path:
            by_app = request.method == "POST" and not request.headers.get("Authorization", "").startswith("Bearer tok_")
            return _each(body, lambda run: self._check_run(run, by_app))
        return body

    @staticmethod
    def _comment(comment: dict[str, Any]) -> None:
        if (comment.get("user") or {}).get("login") == f"{SLUG}[bot]":
            comment["performed_via_github_app"] = {"id": APP_ID, "slug": SLUG}

    def _check_run(self, run: dict[str, Any], by_app: bool) -> None:
        if by_app:
            self._ours.add(run["id"])
        if run.get("id") in self._ours:
            run["app"] = {"id": APP_ID, "slug": SLUG}

    async def _relay(self, request: web.Request) -> web.Response:
        names = {name: value for name, value in request.headers.items() if name.lower().startswith("x-")}
        delivery = Delivery({**names, "X-GitHub-Delivery": str(uuid.uuid4())}, await request.read())
        async with self._arrived:
            self.deliveries.append(delivery)
            self._arrived.notify_all()
        return web.Response(status=202)

    async def _archive(self, request: web.Request) -> web.Response:
        self.leaked += "Authorization" in request.headers
        git = "/repos/{owner}/{repo}/git".format(**request.match_info)
        packed = io.BytesIO()
        tree = await self.as_person("GET", f"{git}/trees/{request.match_info['sha']}?recursive=1")
        with tarfile.open(fileobj=packed, mode="w:gz") as tar:
            for row in tree["tree"]:
                if row["type"] == "blob":
                    data = base64.b64decode((await self.as_person("GET", f"{git}/blobs/{row['sha']}"))["content"])
                    member = tarfile.TarInfo(f"{hashlib.sha256(git.encode()).hexdigest()[:7]}/{row['path']}")
                    member.size = len(data)
                    tar.addfile(member, io.BytesIO(data))
        return web.Response(body=packed.getvalue(), content_type="application/x-gzip")


def _each(body: bytes, mend: Any) -> bytes:
    found = json.loads(body)
    many = found.get("check_runs", [found]) if isinstance(found, dict) else found
    for item in many:
        if isinstance(item, dict) and "id" in item:
            mend(item)
    return json.dumps(found).encode()
