"""Check 6: upstream images for open engines (6a); an open engine on the hardware before a vendor's (6b)."""

import re
from collections.abc import Iterator, Mapping

from gatekit.domain.errors import Unknown
from gatekit.engines.registry import ENGINES
from gatekit.signoff.change.change import Change
from gatekit.signoff.change.configs import Config
from gatekit.signoff.checklist.form import Form
from gatekit.signoff.checklist.items import ItemState
from gatekit.signoff.checklist.topics import Topic
from gatekit.signoff.checks.check import CONDITIONAL, Check, CheckFinding, Evidence, Outcome, known, worst
from gatekit.signoff.checks.check_05_template import items_of
from gatekit.signoff.checks.facts import Facts

# Framework → its own organisation on the Docker hub.
UPSTREAM: Mapping[str, str] = {name: engine.organisation for name, engine in ENGINES.open.items()}
_HUB = re.compile(r"(?:docker\.io|registry-1\.docker\.io|index\.docker\.io|registry\.hub\.docker\.com)[/#]")
_EXCEPTION = re.compile(r"\bexception|\bnew (?:hardware|sku|architecture|model)\b", re.IGNORECASE)


def decide(facts: Facts) -> CheckFinding:
    change = known(facts.change)
    findings = tuple(finding for each in change.affected for finding in _findings(each.config, change))
    if not findings:
        return CheckFinding(Outcome.NOT_APPLICABLE, "no config is added, changed or run again")
    found = worst(findings, "images are upstream's, and open engines came first")
    reason = _exception(facts) if found.outcome is Outcome.FAIL else None
    if reason is not None:
        said = f"{found.reason}; the sign-off gives an exception, look whether it is a real one: {reason}"
        return CheckFinding(Outcome.UNDECIDED, said, found.evidence)
    return found


def organisation(image: str) -> str:
    """The organisation of an image on the Docker hub; with another registry, that registry."""
    return re.split(r"[/#]", _HUB.sub("", image.strip(), count=1))[0]


def _findings(config: Config, change: Change) -> Iterator[CheckFinding]:
    yield _image(config)
    if not config.open_engine:
        yield _first(config, change)


def _image(config: Config) -> CheckFinding:
    ours = organisation(config.image)
    strict = UPSTREAM.get(config.framework)
    wide = UPSTREAM.get(config.engine) if config.open_engine else None
    evidence = Evidence(config.key, config.where, config.image, strict or wide)
    if strict is not None and config.sku is not None and ours != strict:
        return CheckFinding(Outcome.FAIL, f"{config.key} runs {config.image}, which is not of {strict}/", (evidence,))
    if strict is None and wide is not None and ours != wide:
        note = Evidence(f"{config.key}: not upstream's image; only {' and '.join(UPSTREAM)} must have it", config.where)
        return CheckFinding(Outcome.PASS, "", (evidence, note))
    return CheckFinding(Outcome.PASS, "", (evidence,))


def _first(config: Config, change: Change) -> CheckFinding:
    """A vendor's engine needs a config of an open engine for the same model on the same hardware."""
    hardware = config.sku or config.runner
    other = next(
        (
            each
            for each in change.configs.values()
            if each.open_engine and each.prefix == config.prefix and (each.sku or each.runner) == hardware
        ),
        None,
    )
    evidence = Evidence(config.key, config.where, config.framework, other.key if other else None)
    if other is None:
        said = f"{config.key} serves with {config.framework}, and no open engine serves {config.prefix} on {hardware}"
        return CheckFinding(Outcome.FAIL, said, (evidence,))
    return CheckFinding(Outcome.PASS, "", (evidence,))


def _exception(facts: Facts) -> str | None:
    """What the sign-off says in place of a tick, or of an exception in its details."""
    form: Form = facts.sign_off.form
    if not isinstance(facts.template, Unknown) and facts.template is not None:
        for item in items_of(facts, facts.template):
            excused = item.state in (ItemState.EXPLAINED, ItemState.NOT_APPLICABLE)
            if excused and item.topic in (Topic.IMAGES, Topic.OPEN_FIRST):
                return item.said
    return next((line.text for line in form.details if _EXCEPTION.search(line.text)), None)


CHECK = Check(6, "upstream images, open engines first", CONDITIONAL, decide)
