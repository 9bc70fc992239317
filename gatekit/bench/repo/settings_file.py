"""`.github/gatekit.yml`: how a repository wants it."""

import re
from enum import StrEnum

from gatekit.bench.repo.layout import read_layout
from gatekit.bench.repo.settings import (
    DraftPulls,
    Forks,
    LabelSettings,
    Language,
    MergeWithoutUse,
    Mode,
    PrimaryLabel,
    RepoSettings,
    ReuseSettings,
    SignoffSettings,
)
from gatekit.domain.collection import Thinking
from gatekit.domain.gates import Tolerance
from gatekit.formats.fields import Fields, top_fields
from gatekit.formats.yaml_document import read_yaml

SETTINGS_PATH = ".github/gatekit.yml"

_LATER: frozenset[StrEnum] = frozenset({DraftPulls.SKIP, Forks.APPROVE_EACH_PUSH, Language.ZH})  # names that are kept
SHA256 = re.compile(r"[0-9a-f]{64}")
TEAM = re.compile(r"[A-Za-z0-9-]+/[A-Za-z0-9_.-]+")


def parse_settings(text: bytes | None, path: str = SETTINGS_PATH) -> RepoSettings:
    """The settings that a file holds; None: there is no file. Raises BadInput with the line."""
    if text is None:
        return RepoSettings()
    top = top_fields(read_yaml(path, text))
    top.refuse_others(
        *("mode", "layout", "labels", "tolerance", "prompts", "thinking", "drafts", "forks"),
        *("reuse", "signoff", "languages"),
    )
    drafts, forks = top.choice("drafts", DraftPulls, DraftPulls.RUN), top.choice("forks", Forks, Forks.NEVER)
    languages = _languages(top)
    for name, chosen in (("drafts", (drafts,)), ("forks", (forks,)), ("languages", languages)):
        for value in _LATER.intersection(chosen):
            raise top.bad(f"asks for `{value}` in `{name}`, which is not there yet; take it out", name)
    return RepoSettings(
        mode=top.choice("mode", Mode, Mode.REPORT_ONLY),
        layout=read_layout(top.inner("layout")),
        labels=_labels(top.inner("labels")),
        tolerance=_tolerance(top.inner("tolerance")),
        prompts_sha256=_prompts(top.inner("prompts")),
        thinking=_thinking(top),
        drafts=drafts,
        forks=forks,
        reuse=_reuse(top.inner("reuse")),
        signoff=_signoff(top.inner("signoff")),
        languages=languages,
    )


def _labels(labels: Fields | None) -> LabelSettings:
    usual = LabelSettings()
    if labels is None:
        return usual
    labels.refuse_others("primary", "block-reuse", "nothing-to-gate")
    block_reuse, nothing_to_gate = labels.texts("block-reuse"), labels.texts("nothing-to-gate")
    return LabelSettings(
        primary=_primaries(labels, usual.primary),
        block_reuse=usual.block_reuse if block_reuse is None else frozenset(block_reuse),
        nothing_to_gate=usual.nothing_to_gate if nothing_to_gate is None else frozenset(nothing_to_gate),
    )


def _primaries(labels: Fields, usual: tuple[PrimaryLabel, ...]) -> tuple[PrimaryLabel, ...]:
    primary = labels.inner("primary")
    if primary is None:
        return usual
    found = []
    for name in map(str, primary.names()):
        kind = primary.inner(name)
        if kind is None:
            found.append(PrimaryLabel(name))
            continue
        kind.refuse_others("canary", "fail-fast")
        found.append(PrimaryLabel(name, canary=kind.flag("canary"), fail_fast=kind.flag("fail-fast")))
    if not found:
        raise labels.bad("needs at least one label for `primary`", "primary")
    return tuple(found)


def _tolerance(tolerance: Fields | None) -> Tolerance:
    usual = RepoSettings().tolerance
    if tolerance is None:
        return usual
    tolerance.refuse_others("below", "above")
    below, above = tolerance.fraction("below"), tolerance.fraction("above")
    return Tolerance(
        below=usual.below if below is None else below,
        above=usual.above if above is None else above,
    )


def _prompts(prompts: Fields | None) -> str | None:
    if prompts is None:
        return None
    prompts.refuse_others("sha256")
    digest = prompts.optional_text("sha256")
    if digest is not None and SHA256.fullmatch(digest) is None:
        raise prompts.bad("needs 64 lower-case hex digits for `sha256`", "sha256")
    return digest


def _thinking(top: Fields) -> Thinking | None:
    if "thinking" not in top.names():
        return RepoSettings().thinking
    match top.value("thinking"):
        case None:
            return None
        case True | "on":  # YAML reads on and off without quotes as true and false
            return Thinking.ON
        case False | "off":
            return Thinking.OFF
        case _:
            raise top.bad("needs on, off or null for `thinking`", "thinking")


def _reuse(reuse: Fields | None) -> ReuseSettings:
    usual = ReuseSettings()
    if reuse is None:
        return usual
    reuse.refuse_others("workflow", "merge-without-use")
    workflow = reuse.text("workflow", usual.workflow)
    if "/" in workflow or not workflow.endswith((".yml", ".yaml")):
        raise reuse.bad("needs the file name of a workflow for `workflow`, such as run-sweep.yml", "workflow")
    return ReuseSettings(workflow, reuse.choice("merge-without-use", MergeWithoutUse, usual.merge_without_use))


def _signoff(signoff: Fields | None) -> SignoffSettings:
    usual = SignoffSettings()
    if signoff is None:
        return usual
    signoff.refuse_others("enabled", "core-team")
    team = signoff.text("core-team", usual.core_team)
    if TEAM.fullmatch(team) is None:
        raise signoff.bad("needs organisation/team for `core-team`", "core-team")
    return SignoffSettings(enabled=signoff.flag("enabled", usual.enabled), core_team=team)


def _languages(top: Fields) -> tuple[Language, ...]:
    names = top.texts("languages")
    if names is None:
        return RepoSettings().languages
    if Language.EN not in names or any(name not in list(Language) for name in names) or len(set(names)) < len(names):
        raise top.bad("needs en, and may add zh, in `languages`", "languages")
    return tuple(Language(name) for name in names)
