"""Check 13: the draft runs as its checkpoint ships it.

The bot looks for settings that lower the draft. Checkpoints lie on clusters and are not read: in which precision one
stores its draft only a file for `gatekit signoff check --facts` can say, and without it the check never passes.
"""

import re
from collections.abc import Iterator

from gatekit.domain.errors import Unknown
from gatekit.signoff.change.change import Change
from gatekit.signoff.change.configs import Config
from gatekit.signoff.change.effective import Effective
from gatekit.signoff.change.scripts import live_lines
from gatekit.signoff.checklist.form import Form
from gatekit.signoff.checklist.matching import plain
from gatekit.signoff.checks.check import CONDITIONAL, Check, CheckFinding, Evidence, Outcome, known, worst
from gatekit.signoff.checks.check_10_patches import PATCH_FILES, Strength, signs
from gatekit.signoff.checks.draft_rules import FORBIDDEN, Breach, ConfigFacts, breaches, draft_models, forbidden_lines
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.evidence.stored_draft import StoredDraft, bits

# What the details must say of the draft; the words are free.
DETAILS = (
    ("which draft it is", re.compile(r"\bdraft\b|\bembedded\b|\bhead\b|\brevision\b|\bcheckpoint\b", re.I)),
    ("the precision that is stored", re.compile(r"\bstored?\b|\bships?\b|\bshipped\b|\bcheckpoint precision\b", re.I)),
    ("what the pinned image does with it by default", re.compile(r"\bdefault", re.I)),
    ("the precision that is served", re.compile(r"\beffective|\bserv(?:ed|es|ing)\b|\bruns? (?:at|in|as)\b", re.I)),
)
NOT_LOOKED_AT = "the bot does not read {}; only a file for gatekit signoff check --facts can say it"
_OF_DRAFTS = re.compile(r"mtp|nextn|eagle|dspark|draft", re.IGNORECASE)
_CONVERTS = re.compile(
    r"llm[-_]?compressor|\bquark\b|\bmodelopt\b|\bconvert\w*|torch_dtype|\.to\(\s*torch\.float8", re.IGNORECASE
)


def decide(facts: Facts) -> CheckFinding:
    change = known(facts.change)
    if not change.speculative:
        return CheckFinding(
            Outcome.NOT_APPLICABLE, "no config with speculative decoding is changed or run again", _noted(change)
        )
    missing = lacking(facts.sign_off.form)
    said = f"the details do not say {' and '.join(missing)}, so the draft's precision could not be verified"
    findings = [CheckFinding(Outcome.FAIL, said)] if missing else []
    for config in change.speculative:
        findings += _config(config, change, facts)
    findings += _changed_patches(change)
    return worst(tuple(findings), "the draft is served as it is stored, and no setting changes that")


def lacking(form: Form) -> tuple[str, ...]:
    """Which facts of the draft the details do not state."""
    text = " ".join(plain(line.text) for line in form.details)
    return tuple(what for what, words in DETAILS if not words.search(text))


def _config(config: Config, change: Change, facts: Facts) -> Iterator[CheckFinding]:
    found = change.effective[config.key]
    stored = _stored(found, facts)
    for breach in breaches(found, ConfigFacts(stored, (config.model, *_agreed(found, facts)))):
        yield _breach(breach, config)
    yield from _scripts(found, change)
    for sentence in found.unread:
        yield CheckFinding(Outcome.UNDECIDED, f"{config.key}: {sentence}; look at its draft yourself")
    evidence = Evidence(config.key, config.where, f"{len(found.settings)} settings in {', '.join(found.files)}")
    if isinstance(stored, Unknown):
        said = f"{config.key}: no setting that lowers the draft was found; look in its checkpoint how it is stored"
        yield CheckFinding(Outcome.UNDECIDED, f"{said} ({stored.why})", (evidence,))
    else:
        yield CheckFinding(Outcome.PASS, "", (evidence, Evidence("stored draft", None, stored.precision)))


def _agreed(found: Effective, facts: Facts) -> tuple[str, ...]:
    """The drafts of other models that may be used; without the page of models none is known to be."""
    if draft_models(found) == (found.config.model,) or isinstance(facts.models, Unknown):
        return ()
    return facts.models.drafts.get(found.config.prefix, ())


def _stored(found: Effective, facts: Facts) -> StoredDraft | Unknown:
    """How the drafts of a config are stored; the narrowest that is known, unless one of them is not."""
    stored = [facts.drafts.get(model, Unknown(NOT_LOOKED_AT.format(model))) for model in draft_models(found)]
    unread = next((each for each in stored if isinstance(each, Unknown)), None)
    if unread is not None:
        return unread
    ready = [each for each in stored if isinstance(each, StoredDraft)]
    return min(ready, key=lambda each: bits(each.precision) or 0)


def _breach(breach: Breach, config: Config) -> CheckFinding:
    outcome = Outcome.FAIL if breach.certain else Outcome.UNDECIDED
    evidence = Evidence(f"{breach.rule}: {breach.setting.knob.name}", breach.setting.where, breach.setting.knob.value)
    return CheckFinding(outcome, f"{config.key}: {breach.said}", (evidence,))


def _scripts(found: Effective, change: Change) -> Iterator[CheckFinding]:
    """D9 and D10: a draft that a script converts, or whose code in the engine it changes."""
    for path in found.files:
        data = change.tree.snapshot.files[path]
        for sign in signs(path, data):
            if sign.strength is Strength.STRONG and _OF_DRAFTS.search(sign.line):
                said = f"{found.config.key}: the engine's code for drafts is changed, which no waiver covers"
                yield CheckFinding(Outcome.FAIL, said, (Evidence(f"D10: {sign.what}", sign.where, sign.line),))
        for number, line in live_lines(data):
            if _CONVERTS.search(line) and _OF_DRAFTS.search(line):
                said = f"{found.config.key}: look whether the draft is converted"
                yield CheckFinding(Outcome.UNDECIDED, said, (Evidence("D9", f"{path}:{number}", line.strip()),))


def _changed_patches(change: Change) -> Iterator[CheckFinding]:
    for path in sorted(change.both.changed):
        data = change.tree.snapshot.files.get(path)
        if path.endswith(PATCH_FILES) and data is not None:
            names = [
                line for _, line in live_lines(data) if line.startswith(("+++ ", "--- ")) and _OF_DRAFTS.search(line)
            ]
            if names:
                said = f"{path} changes the engine's code for drafts, which no waiver covers"
                yield CheckFinding(Outcome.FAIL, said, (Evidence("D10: a patch file", path, names[0].strip()),))


def _noted(change: Change) -> tuple[Evidence, ...]:
    """The forbidden flag in configs that draft nothing: no breach, and worth a line."""
    return tuple(
        Evidence(f"{each.config.key} drafts nothing, and sets {FORBIDDEN}", f"{path}:{line}")
        for each in change.affected
        for path in change.effective[each.config.key].files
        for line in forbidden_lines(change.tree.snapshot.files[path])
    )


CHECK = Check(13, "draft runs as shipped", CONDITIONAL, decide)
