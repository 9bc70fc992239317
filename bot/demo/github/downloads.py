"""The host that archives and artifacts come from: an address alone lets one in, and the API's token is none of its."""

from aiohttp import web

from bot.demo.github.archive import tarball
from bot.demo.github.world import World
from gatekit.domain.ids import Sha

NOT_FOUND = "404: Not Found"


def downloads(world: World, leaks: list[str]) -> web.Application:
    """`leaks` takes the paths of requests that carried an Authorization header."""

    def invited(request: web.Request) -> bool:
        if "Authorization" in request.headers:
            leaks.append(request.path)
        return request.query.get("token") == "one-time"

    async def archive(request: web.Request) -> web.Response:
        info = request.match_info
        commit = world.history.commits.get(Sha(info["sha"]))
        if not invited(request) or commit is None:
            return web.Response(status=404, text=NOT_FOUND)
        data = tarball(commit, f"{info['owner']}-{info['repo']}-{commit.sha[:7]}")
        return web.Response(body=data, content_type="application/x-gzip")

    async def artifact(request: web.Request) -> web.Response:
        runs = [run for repo in world.repos.values() for run in repo.runs.values()]
        found = [one for run in runs for one in run.artifacts if str(one.id) == request.match_info["id"]]
        if not invited(request) or not found:
            return web.Response(status=404, text=NOT_FOUND)
        return web.Response(body=found[0].data, content_type="application/zip")

    app = web.Application()
    app.router.add_get("/{owner}/{repo}/legacy.tar.gz/{sha}", archive)
    app.router.add_get("/{owner}/{repo}/artifacts/{id}", artifact)
    return app
