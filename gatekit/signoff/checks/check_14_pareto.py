"""Check 14, advisory: enough points on the Pareto front of every curve that the change measures."""

import math
from collections import defaultdict

from gatekit.domain.errors import Unknown
from gatekit.signoff.checks.check import ADVISORY, Check, CheckFinding, Evidence, Outcome, known
from gatekit.signoff.checks.check_01_sweep import green_run
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.evidence.results import MeasuredPoint, frontier

ENOUGH = 5


def decide(facts: Facts) -> CheckFinding:
    if not known(facts.change).affected:
        return CheckFinding(Outcome.NOT_APPLICABLE, "no curve is affected")
    green = green_run(facts)
    if green is None:
        return CheckFinding(Outcome.WARN, "there is no green run whose points could be counted")
    points = known(facts.points.get(green.run.id, Unknown(f"the points of run {green.run.id} were not read")))
    series: dict[str, list[MeasuredPoint]] = defaultdict(list)
    for point in points:
        series[point.series].append(point)
    if not series:
        return CheckFinding(Outcome.WARN, f"run {green.run.id} has no points")
    counts = {name: len(frontier(of_series)) for name, of_series in series.items()}
    evidence = tuple(
        Evidence(name, green.run.url, f"{count} of {len(series[name])} points", f"{ENOUGH}")
        for name, count in counts.items()
    )
    odd = [point.series for point in points if not _valid(point)]
    if odd:
        return CheckFinding(Outcome.WARN, f"{odd[0]} has a point without a time or a rate", evidence)
    few = [(name, count) for name, count in counts.items() if count < ENOUGH]
    if few:
        said = f"{few[0][0]} has {few[0][1]} points on its front, and {ENOUGH} are recommended"
        more = f" (and {len(few) - 1} more)" if len(few) > 1 else ""
        return CheckFinding(Outcome.WARN, f"{said}{more}", evidence)
    return CheckFinding(Outcome.PASS, f"every curve has {ENOUGH} points or more on its front", evidence)


def _valid(point: MeasuredPoint) -> bool:
    return all(math.isfinite(value) and value > 0 for value in (point.seconds, point.rate))


CHECK = Check(14, "Pareto coverage", ADVISORY | {Outcome.NOT_APPLICABLE}, decide, unknown=Outcome.WARN)
