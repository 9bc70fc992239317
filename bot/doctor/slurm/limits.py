"""What SLURM allows our account: may it charge, for how long, and how many jobs at a time?"""

from collections.abc import Iterator, Mapping

from bot.doctor.finding import Finding, bad, fine, unknown, warning
from bot.doctor.slurm.scene import Judge, Scene, words
from gatekit.cluster.slurm.site import (
    AccountLimits,
    Association,
    Partition,
    parse_associations,
    parse_config,
    parse_partitions,
    parse_qos,
)

_QOS = "--qos="
_ASK = "ask the site, or run sacctmgr show associations by hand on the login node"


class _CannotTell(Exception):
    """`str(error)` says why."""


def account(scene: Scene, check: str) -> Finding:
    """An account that no association names can be charged only where SLURM does not look."""
    name, user = scene.slurm.account, scene.found.user
    barred = [one.name for one in _partitions(scene) if not _takes(one, name)]
    if barred:
        return bad(check, f"partition {', '.join(barred)} does not take account {name}", "correct `account`")
    try:
        enforced, ours = _enforced(scene), _associations(scene)
    except _CannotTell as error:
        return unknown(check, str(error), _ASK)
    if ours:
        return fine(check, f"{user} may charge {name}")
    if "associations" in enforced:
        there = ", ".join(sorted({one.account for one in _every(scene)})) or "none"
        return bad(check, f"{user} may not charge {name}", f"correct `account` (there is {there}), or have it added")
    return fine(check, f"{name}: SLURM does not look at it here, since it enforces no associations")


def time_limit(scene: Scene, check: str) -> Finding:
    """Against partition, association and QOS."""
    need = scene.slurm.time_limit_minutes
    if scene.said("partitions") is None:
        return scene.silent(check)
    bounds = [(f"partition {one.name}", one.minutes) for one in _partitions(scene)]
    problem = ""
    try:
        bounds += [(one.name, one.minutes) for one in _limits(scene)]
    except _CannotTell as error:
        problem = str(error)
    tight = [f"{name} allows {bound:g}" for name, bound in bounds if bound is not None and bound < need]
    if tight:
        mend = "lower `time_limit_minutes` (with start_minutes and replay_minutes), or have the limit raised"
        return bad(check, f"{need} minutes are asked for; {'; '.join(tight)}", mend)
    return unknown(check, problem, _ASK) if problem else fine(check, f"{need} minutes are allowed")


def places(scene: Scene, check: str) -> Finding:
    """`max_jobs` against what may be submitted, and what may run at a time."""
    need = scene.entry.max_jobs
    try:
        limits = _limits(scene)
    except _CannotTell as error:
        return unknown(check, str(error), _ASK)
    refused = [f"{one.name} lets {one.submitted} be submitted" for one in limits if _below(one.submitted, need)]
    if refused:
        return bad(check, f"max_jobs is {need}, but {'; '.join(refused)}", "lower `max_jobs`, or have the limit raised")
    waiting = [f"{one.name} lets {one.jobs} run" for one in limits if _below(one.jobs, need)]
    if waiting:
        why = f"max_jobs is {need}, but {'; '.join(waiting)}: the others wait in SLURM's queue"
        return warning(check, why, "lower `max_jobs`, or have the limit raised")
    return fine(check, f"{need}: no limit of SLURM is below it")


JUDGES: Mapping[str, Judge] = {"account": account, "time limit": time_limit, "max_jobs": places}


def _below(bound: int | None, need: int) -> bool:
    return bound is not None and bound < need


def _takes(one: Partition, account: str) -> bool:
    return account not in one.refused and (one.accounts is None or account in one.accounts)


def _partitions(scene: Scene) -> list[Partition]:
    said = scene.said("partitions")
    found = parse_partitions(said.text) if said is not None and said.well else {}
    return [found[name] for name in scene.partitions if name in found]


def _enforced(scene: Scene) -> frozenset[str]:
    """What of associations, limits, qos, … SLURM holds jobs to. Limits and QOS need associations."""
    said = scene.said("config")
    if said is None or not said.well:
        raise _CannotTell("scontrol show config did not answer, so nobody knows what SLURM enforces")
    words_of = frozenset(parse_config(said.text).get("AccountingStorageEnforce", "").lower().split(","))
    return words_of | {"associations"} if words_of & {"limits", "qos", "safe"} else words_of


def _every(scene: Scene, label: str = "associations") -> tuple[Association, ...]:
    """Of our user; with `charged`: of the account as a whole."""
    said = scene.said(label)
    if said is None or not said.well:
        raise _CannotTell(f"sacctmgr did not answer: {'it was not asked' if said is None else words(said)}")
    try:
        found = parse_associations(said.text)
    except ValueError:
        raise _CannotTell("sacctmgr answered with a limit that we cannot read") from None
    config = scene.said("config")
    cluster = parse_config(config.text).get("ClusterName", "") if config is not None else ""
    return tuple(one for one in found if cluster in ("", one.cluster))


def _associations(scene: Scene) -> tuple[Association, ...]:
    """Of our account on our partitions."""
    wanted = ("", *scene.partitions)
    return tuple(one for one in _every(scene) if one.account == scene.slurm.account and one.partition in wanted)


def _limits(scene: Scene) -> tuple[AccountLimits, ...]:
    """All that a gate's job is held to beside its partition's time limit."""
    if not _enforced(scene) & {"limits", "qos", "safe"}:
        return ()
    ours, said = _associations(scene), scene.said("qos")
    if said is None or not said.well:
        raise _CannotTell(f"sacctmgr show qos did not answer: {'it was not asked' if said is None else words(said)}")
    try:
        every = {one.name: one for one in parse_qos(said.text)}
    except ValueError:
        raise _CannotTell("sacctmgr answered with a limit that we cannot read") from None
    names = (f"QOS {name}" for name in _qos(scene, ours))
    charged = (one.limits for one in (*ours, *_every(scene, "charged")))
    return (*charged, *(every[name] for name in names if name in every))


def _qos(scene: Scene, ours: tuple[Association, ...]) -> Iterator[str]:
    """That of the options, else that of the association; and those of the partitions."""
    asked = [option.removeprefix(_QOS) for option in scene.slurm.options if option.startswith(_QOS)]
    yield from dict.fromkeys(
        (*(asked[-1:] or [one.qos for one in ours]), *(one.qos or "" for one in _partitions(scene)))
    )
