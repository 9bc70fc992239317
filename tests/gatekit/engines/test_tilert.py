"""TileRT: what its recipes draft with can be read; a gate is never made of it."""

import pytest

from gatekit.bench.recipes.roles import engine_named, generating, roles
from gatekit.domain.gates import EngineName, Reason, Unusable
from gatekit.engines.registry import ENGINES
from gatekit.plan.plan import plan_keys
from tests.worlds.bench import plans
from tests.worlds.bench.small_bench import bench, config, row, sources

TILERT = ENGINES.by_name[EngineName("tilert")]


def recipe(args: str) -> dict[str, object]:
    """The prefill role is a vLLM that drafts otherwise: it does not count."""
    prefill = {"engine": "vllm", "args": {"speculative-config": '{"method":"mtp","num_speculative_tokens":1}'}}
    given = dict(part.split(": ") for part in args.split(", ")) if args else {}
    typed = {name: int(value) if value.isdigit() else {"true": True}.get(value, value) for name, value in given.items()}
    return {"roles": {"prefill": prefill, "decode": {"engine": {"type": "tilert"}, "args": typed}}}


@pytest.mark.parametrize(
    ("args", "k"),
    [("with-mtp: true, num-mtp: 3", 3), ("with_mtp: true, num_mtp: 2", 2), ("num-mtp: 3", None), ("", None)],
)
def test_what_the_decode_role_drafts_with(args: str, k: int | None) -> None:
    content = recipe(args)
    assert engine_named(content) == "tilert"
    found = TILERT.speculation(generating(roles(content)))
    assert (None if found is None else (found.method, found.k)) == (None if k is None else ("mtp", k))


@pytest.mark.parametrize("args", ["with-mtp: true", "with-mtp: true, num-mtp: 0", "with-mtp: true, num-mtp: many"])
def test_how_many_tokens_is_never_guessed(args: str) -> None:
    with pytest.raises(Unusable, match=r"roles\.decode\.args .*: set num-mtp to a whole number above 0"):
        TILERT.speculation(generating(roles(recipe(args))))


def test_another_number_of_tokens() -> None:
    role = TILERT.with_k(generating(roles(recipe("with-mtp: true, num-mtp: 3"))), 5)
    found = TILERT.speculation(role)
    assert found is not None
    assert found.k == 5


def test_no_gate_is_made_of_it_and_nothing_starts_it() -> None:
    made = plan_keys(sources(bench(config(row(), framework="tilert"))), None, None, "node")
    assert {point.reason for point in made.unresolved} == {Reason.EXEMPT_FRAMEWORK}
    assert not TILERT.arguments.known("num-mtp")
    with pytest.raises(Unusable, match="TileRT is exempt from gates"):
        TILERT.argv(plans.gate().launch)
