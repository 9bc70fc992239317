"""No token, signature, key or archive address in any text that leaves the door."""

import logging
import traceback
from collections.abc import Iterator

import pytest

from bot.github.auth import AppIdentity, KeyAuth, Token, TokenAuth
from bot.github.client import GitHubApp
from bot.github.pulls import GitHubPulls
from gatekit.domain.ids import PrRef, Repo, Sha
from handlers.errors import LookupFailed
from tests.worlds.github.github_faults import APP_ID, HEAD, NAME, OWNER, REPO, Fault, FaultyGitHub, Reply, new_key

BENCH = Repo(OWNER, NAME)
ARCHIVE_TOKEN = "AAAAARCHIVEADDRESSTOKEN"


def secrets(github: FaultyGitHub, key: str) -> Iterator[str]:
    yield from (
        asked.headers["Authorization"].split()[-1] for asked in github.asked if "Authorization" in asked.headers
    )
    yield from (line for line in key.splitlines() if len(line) > 40)
    yield ARCHIVE_TOKEN


async def told(app: GitHubApp) -> str:
    """What the failure of a read prints, in every way that Python has."""
    pulls = GitHubPulls(app)
    texts = []
    for read in (pulls.pull(PrRef(BENCH, 1)), pulls.snapshot(BENCH, Sha(HEAD))):
        try:
            await read
        except LookupFailed as error:
            texts += [str(error), repr(error), "".join(traceback.format_exception(error))]
    assert texts
    return "\n".join([*texts, repr(app), repr(vars(app)), repr(pulls)])


@pytest.mark.parametrize("how", ["refused", "echoed", "cut", "hangs", "redirected", "mint refused", "bad credentials"])
async def test_a_failure_tells_no_secret(
    how: str, github: FaultyGitHub, impatient: GitHubApp, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    pull, mint, archive = f"{REPO}/pulls/1", "/app/installations/1/access_tokens", f"{REPO}/tarball/{HEAD}"
    github.always("GET", f"{REPO}/git/trees/{HEAD}", Reply(200, {"tree": [], "truncated": False}))
    match how:
        case "refused":
            github.next("GET", pull, Reply(403, {"message": "Resource not accessible by integration"}))
        case "echoed":
            github.next("GET", pull, Reply(403, {"message": f"no such token: ghs_{1:036d}"}))
        case "cut":
            github.next("GET", pull, *[Fault.CUT] * 4)
        case "hangs":
            github.next("GET", pull, *[Reply(502)] * 3, Fault.HANG)
        case "redirected":
            there = f"{github.url}/codeload?token={ARCHIVE_TOKEN}"
            github.always("GET", archive, Reply(302, None, {"Location": there}))
        case "mint refused":
            github.next("POST", mint, *[Reply(403, {"message": "suspended"})] * 9)
        case "bad credentials":
            github.next("GET", pull, *[Reply(401, {"message": "Bad credentials"})] * 9)
    text = await told(impatient) + caplog.text
    assert not [secret for secret in secrets(github, key) if secret in text]


def test_what_holds_a_secret_does_not_print_it(key: str) -> None:
    identity = AppIdentity(APP_ID, key)
    auth = KeyAuth(identity.app_id, identity.private_key)
    shown = repr((identity, auth, Token("ghs_very_secret", 0.0), TokenAuth))
    assert "PRIVATE KEY" not in shown
    assert "ghs_" not in shown


@pytest.mark.parametrize("text", ["", "not a key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"])
def test_a_key_that_cannot_sign_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(ValueError, match="no RSA key in PEM form") as refused:
        AppIdentity(APP_ID, text)
    assert "AAAA" not in "".join(traceback.format_exception(refused.value))


def test_a_key_of_another_kind_is_told_apart() -> None:
    AppIdentity(APP_ID, new_key())
