"""What a verification stands on: one head, one tip of the target branch, and who owns what there."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from gatekit.codeowners import Codeowners, Owner, OwnerKind, parse_codeowners
from gatekit.ids import Login
from gatekit.plan import Sources
from gatekit.refusal import Refusal
from gatekit.settings import RepoSettings
from gatekit.signoff.changes import ChangedFile, all_files
from gatekit.signoff.scope import Ownership, owners_of
from gatekit.unknown import Unknown
from handlers.errors import LookupFailed
from handlers.ports import Parting, Ports, Pull
from handlers.reading import sources_of

T = TypeVar("T")

CODEOWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")  # the first that is there counts, as at GitHub


@dataclass(frozen=True, slots=True)
class Ground:
    """What every fact is read from, pinned once."""

    pull: Pull
    settings: RepoSettings
    parting: Parting
    sources: Sources | Unknown


async def ground(pull: Pull, settings: RepoSettings, do: Ports) -> Ground:
    """Raises LookupFailed where not even the branches could be read."""
    parting = await do.pulls.parting(pull.ref.repo, pull.base_ref, pull.head)
    return Ground(pull, settings, parting, await known(lambda: sources_of(pull, parting, settings, do)))


async def ownership(at: Ground, do: Ports) -> Ownership:
    """Who owns what, at the tip of the target branch."""
    repo = at.pull.ref.repo
    files, complaints = await asyncio.gather(
        known(lambda: _files(at.pull, do)), known(lambda: do.signoff.complaints(repo, at.parting.base))
    )
    rules = _rules(at.sources)
    users: tuple[Owner, ...] = ()
    if not isinstance(files, Unknown) and not isinstance(rules, Unknown):
        users = tuple(owner for owner in owners_of(files, rules) if owner.kind is OwnerKind.USER)
    access = await each_known(users, lambda owner: do.signoff.access(repo, login_of(owner)))
    return Ownership(files, rules, complaints, access, at.settings.signoff.core_team)


async def known(read: Callable[[], Awaitable[T]]) -> T | Unknown:
    """What a read gives; what it could not find out, or what cannot be read, is Unknown with the reason."""
    try:
        return await read()
    except (LookupFailed, Refusal) as error:
        return Unknown(str(error).rstrip(".") or "it could not be read")


def login_of(owner: Owner) -> Login:
    return Login(owner.text.removeprefix("@"))


async def each_known(owners: tuple[Owner, ...], ask: Callable[[Owner], Awaitable[T]]) -> Mapping[str, T | Unknown]:
    found = await asyncio.gather(*(known(partial(ask, owner)) for owner in owners))
    return {owner.key: fact for owner, fact in zip(owners, found, strict=True)}


async def _files(pull: Pull, do: Ports) -> tuple[ChangedFile, ...]:
    details, rows = await asyncio.gather(do.signoff.details(pull.ref), do.signoff.changed_files(pull.ref))
    found = all_files(rows, details.files)
    if isinstance(found, Unknown):
        raise LookupFailed(found.why)
    return found


def _rules(sources: Sources | Unknown) -> Codeowners | Unknown:
    if isinstance(sources, Unknown):
        return sources
    path = next((place for place in CODEOWNERS if place in sources.base.files), None)
    if path is None:
        return Unknown("the target branch has no CODEOWNERS")
    try:
        return parse_codeowners(sources.base.files[path], path)
    except Refusal as no:
        return Unknown(str(no))


def sources_at(at: Ground) -> Sources:
    if isinstance(at.sources, Unknown):
        raise LookupFailed(at.sources.why)
    return at.sources
