"""What a verification stands on: one head, one tip of the target branch, and who owns what there."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from gatekit.bench.repo.settings import RepoSettings
from gatekit.domain.errors import Refusal, Unknown
from gatekit.domain.ids import Login
from gatekit.signoff.codeowners import Codeowners, Owner, parse_codeowners
from gatekit.signoff.resource import Access
from gatekit.signoff.scope import ChangedFile, Ownership, all_files, owners_of, to_be_asked
from handlers.errors import LookupFailed
from handlers.ports.bundle import ReadPorts
from handlers.ports.github import Parting, Pull

T = TypeVar("T")

CODEOWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")  # the first that is there counts, as at GitHub
MOST_OWNERS = 20  # whose access is asked for


@dataclass(frozen=True, slots=True)
class SignOffGround:
    """What every fact is read from, pinned once."""

    pull: Pull
    settings: RepoSettings
    parting: Parting


async def ground(pull: Pull, settings: RepoSettings, do: ReadPorts) -> SignOffGround:
    """Raises LookupFailed where not even the branches could be read."""
    return SignOffGround(pull, settings, await do.pulls.parting(pull.ref.repo, pull.base_ref, pull.head))


async def ownership(at: SignOffGround, do: ReadPorts) -> Ownership:
    """Who owns what, at the tip of the target branch."""
    repo = at.pull.ref.repo
    files, rules, complaints = await asyncio.gather(
        known(lambda: _files(at.pull, do)),
        known(lambda: _rules(at, do)),
        known(lambda: do.signoff.complaints(repo, at.parting.base)),
    )
    core_team = at.settings.signoff.core_team
    access: Mapping[str, Access | Unknown] = {}
    if not isinstance(files, Unknown) and not isinstance(rules, Unknown):
        access = await _access(at, to_be_asked(owners_of(files, rules), core_team), do)
    return Ownership(files, rules, complaints, access, core_team)


async def known(read: Callable[[], Awaitable[T]]) -> T | Unknown:
    """What a read gives; what it could not find out, or what cannot be read, is Unknown with the reason."""
    try:
        return await read()
    except (LookupFailed, Refusal) as error:
        return Unknown(str(error).rstrip(".") or "it could not be read")


async def each_known(owners: tuple[Owner, ...], ask: Callable[[Owner], Awaitable[T]]) -> Mapping[str, T | Unknown]:
    found = await asyncio.gather(*(known(partial(ask, owner)) for owner in owners))
    return {owner.key: fact for owner, fact in zip(owners, found, strict=True)}


async def _access(at: SignOffGround, users: tuple[Owner, ...], do: ReadPorts) -> Mapping[str, Access | Unknown]:
    """One after the other, until one of them asks for a sign-off: those behind him change nothing."""
    found: dict[str, Access | Unknown] = {}
    for owner in users[:MOST_OWNERS]:
        login = Login(owner.text.removeprefix("@"))
        access = await known(partial(do.signoff.access, at.pull.ref.repo, login))
        found[owner.key] = access
        if isinstance(access, Access) and not access.is_admin:
            break
    return found


async def _files(pull: Pull, do: ReadPorts) -> tuple[ChangedFile, ...]:
    if pull.files is None:
        raise LookupFailed("GitHub does not say how many files are changed")
    found = all_files(await do.signoff.changed_files(pull.ref), pull.files)
    if isinstance(found, Unknown):
        raise LookupFailed(found.why)
    return found


async def _rules(at: SignOffGround, do: ReadPorts) -> Codeowners:
    for path in CODEOWNERS:
        data = await do.pulls.file(at.pull.ref.repo, at.parting.base, path)
        if data is not None:
            return parse_codeowners(data, path)
    raise LookupFailed("the target branch has no CODEOWNERS")
