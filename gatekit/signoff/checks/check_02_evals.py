"""Check 2: the numbers of the evals are there, and above the bar, for the image of the change."""

from collections.abc import Iterator, Sequence

from gatekit.domain.errors import Unknown
from gatekit.signoff.change.configs import Config
from gatekit.signoff.checks.check import CONDITIONAL, Check, CheckFinding, Evidence, Outcome, known, worst
from gatekit.signoff.checks.check_01_sweep import green_run
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.evidence.results import EvalResult, Thresholds
from gatekit.signoff.evidence.workflow_jobs import evals_due


def decide(facts: Facts) -> CheckFinding:
    due = evals_due(known(facts.change))
    if not due:
        return CheckFinding(Outcome.NOT_APPLICABLE, "no config that is changed has evals")
    green = green_run(facts)
    if green is None:
        return CheckFinding(Outcome.FAIL, "there is no run whose evals are green")
    results = known(facts.evals.get(green.run.id, Unknown(f"the results of run {green.run.id} were not read")))
    thresholds = known(facts.thresholds)
    findings = tuple(each for config in due for each in _config(config, results, thresholds))
    return worst(findings, f"every score of run {green.run.id} is above its bar")


def _config(config: Config, results: Sequence[EvalResult], thresholds: Thresholds) -> Iterator[CheckFinding]:
    own = [each for each in results if _is_of(each, config)]
    if not own:
        yield CheckFinding(Outcome.FAIL, f"no result for {config.key}", (Evidence(config.key, config.where),))
    for each in own:
        yield _result(each, config, thresholds)


def _is_of(result: EvalResult, config: Config) -> bool:
    return (result.prefix, result.precision, result.framework, result.sku) == (
        config.prefix,
        config.precision,
        config.framework,
        config.sku or config.runner,
    )


def _result(result: EvalResult, config: Config, thresholds: Thresholds) -> CheckFinding:
    bar = thresholds.bar(result.prefix, result.task)
    shown = None if result.score is None else f"{result.score:.4f}"
    evidence = (
        Evidence(result.title, thresholds.path, shown, None if bar is None else f"{bar[0]:.4f} ({bar[1]})"),
        Evidence("image", config.where, result.image, config.image),
    )
    if result.score is None or result.completed < result.requested:
        said = f"{result.title}: {result.completed} of {result.requested} concurrencies have a score"
        return CheckFinding(Outcome.FAIL, said, evidence)
    if result.image is not None and result.image != config.image:
        return CheckFinding(
            Outcome.FAIL, f"{result.title}: it ran {result.image}, and {config.key} has another", evidence
        )
    if bar is not None and bar[0] > 0 and result.score < bar[0]:
        return CheckFinding(Outcome.FAIL, f"{result.title}: {shown} is below {bar[0]:.4f} ({bar[1]})", evidence)
    if bar is None or bar[0] == 0:
        said = f"{result.title}: {shown}, and {thresholds.path} has no bar for it; look whether it is good enough"
        return CheckFinding(Outcome.UNDECIDED, said, evidence)
    if result.image is None:
        return CheckFinding(Outcome.UNDECIDED, f"{result.title}: look which image it ran, nothing says so", evidence)
    return CheckFinding(Outcome.PASS, "", evidence)


CHECK = Check(2, "eval numbers real and above the bar", CONDITIONAL, decide)
