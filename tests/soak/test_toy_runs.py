"""Twenty whole gates on the toy engine, at other laws, K and seeds: the measured AL is the closed form.

And its interval holds the closed form about as often as it says.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import mean

from gatekit.domain.collection import Thinking
from gatekit.domain.gates import Gate, Golden, Tolerance
from gatekit.domain.verdict import CurveOutcome, Judged
from tests.end_to_end.local_gate import local_gate
from tests.end_to_end.test_toy_gate import toy, toy_gate
from tests.worlds.engine.tokenizer import write_tokenizer
from tests.worlds.engine.toy_law import acceptance_length, standard_error, with_alpha

RUNS = [(0.40 + 0.02 * n + 0.005 * k, k, 100 + n) for n, k in enumerate([1, 2, 3, 4, 5] * 4)]
FAR = 4.0  # standard errors
LEAST = 17  # intervals of 20 that hold it; with a true 95 % fewer happen twice in a hundred times


def gate_of(alpha: float, k: int, seed: int) -> Gate:
    plain = toy_gate(output_len=300)
    on = replace(plain.collection.sampling[Thinking.ON], seed=seed)
    drafting = json.dumps({"method": "mtp", "num_speculative_tokens": k})
    return replace(
        plain,
        drafting=replace(plain.drafting, k=k),
        golden=Golden("toy", acceptance_length(alpha, k), Tolerance(0.1, 0.1)),
        collection=replace(plain.collection, sampling={Thinking.ON: on}),
        launch=replace(plain.launch, args=(("speculative-config", drafting), ("data-parallel-size", 2))),
    )


async def test_twenty_gates(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    tokenizer = str(write_tokenizer(tmp_path / "tokenizer"))
    apart, held = [], 0
    for n, (alpha, k, seed) in enumerate(RUNS):
        wanted, laws = gate_of(alpha, k, seed), with_alpha(alpha)
        async with local_gate(tmp_path / str(n), wanted, toy(laws), tokenizer) as world:
            verdict = world.verdict(await world.finished())
        assert isinstance(verdict, Judged), verdict
        assert verdict.outcome is CurveOutcome.ON_CURVE, verdict
        error = standard_error(laws.alpha, k, verdict.realized.drafts)
        apart.append((verdict.realized.al - wanted.golden.al) / error)
        held += verdict.realized.low <= wanted.golden.al <= verdict.realized.high
    assert max(map(abs, apart)) <= FAR, apart
    assert held >= LEAST
    furthest = max(map(abs, apart))
    record_property(
        "said",
        f"{len(RUNS)} gates with α from {RUNS[0][0]:.2f} to {RUNS[-1][0]:.2f} and K from 1 to 5: the measured AL is "
        f"{furthest:.1f} standard errors from (1 − α^(K+1)) / (1 − α) at most, {mean(apart):+.2f} on average; "
        f"{held} of {len(RUNS)} intervals of 95 % hold it",
    )
