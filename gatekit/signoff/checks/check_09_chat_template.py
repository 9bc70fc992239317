"""Check 9: where drafts are checked, prompts go through the chat template."""

from collections.abc import Iterator

from gatekit.bench.matrix.changelog import Scenario
from gatekit.signoff.change.configs import Config
from gatekit.signoff.change.effective import Effective, Setting
from gatekit.signoff.checks.check import CONDITIONAL, Check, CheckFinding, Evidence, Outcome, known, worst
from gatekit.signoff.checks.facts import Facts

TEMPLATE, ENDPOINT = "use_chat_template", "endpoint_type"
_CHAT = "chat"


def decide(facts: Facts) -> CheckFinding:
    change = known(facts.change)
    if not change.speculative:
        return CheckFinding(Outcome.NOT_APPLICABLE, "no config with speculative decoding is changed or run again")
    findings = tuple(each for config in change.speculative for each in _config(config, change.effective[config.key]))
    return worst(findings, "every client asks through the chat template")


def _config(config: Config, found: Effective) -> Iterator[CheckFinding]:
    scenarios = {setup.scenario for setup in config.setups if setup.speculative}
    if Scenario.AGENTIC_CODING in scenarios:
        yield _client(config, list(found.named(ENDPOINT)), list(found.named(TEMPLATE)), found)
    if Scenario.FIXED_SEQ_LEN in scenarios:
        yield _client(config, [], list(found.named(TEMPLATE)), found)


def _client(config: Config, endpoints: list[Setting], templates: list[Setting], found: Effective) -> CheckFinding:
    """A chat endpoint uses the template; a completions endpoint only where the flag is on."""
    evidence = tuple(Evidence(each.knob.name, each.where, each.knob.value) for each in (*endpoints, *templates))
    evidence = evidence or (Evidence(config.key, config.where, f"nothing in {', '.join(found.files) or 'no file'}"),)
    if any(each.knob.open for each in (*endpoints, *templates)):
        return CheckFinding(Outcome.UNDECIDED, f"{config.key}: look what the client asks, a variable sets it", evidence)
    off = [each for each in templates if not each.knob.enabled]
    raw = [each for each in endpoints if _CHAT not in each.knob.value.lower()]
    if off or (raw and not templates):
        return CheckFinding(Outcome.FAIL, f"{config.key}: prompts go out without the chat template", evidence)
    if templates or endpoints:
        return CheckFinding(Outcome.PASS, "", evidence)
    return CheckFinding(
        Outcome.UNDECIDED, f"{config.key}: look how the client asks, nothing in its files says so", evidence
    )


CHECK = Check(9, "chat template for speculative decoding", CONDITIONAL, decide)
