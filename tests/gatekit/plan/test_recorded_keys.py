"""Reuse keys outlive the code that made them: a measurement of last month is found again, whatever was renamed since.

A deliberate change of `bot/node`, or of what a key is made from, writes the file anew:
`python -m tests.worlds.bench.reuse_keys`.
"""

from tests.worlds.bench import reuse_keys


def test_the_node_program_is_the_one_that_is_written_down() -> None:
    assert reuse_keys.node_digest() == reuse_keys.written()["node"]


def test_the_gates_of_the_demo_have_the_keys_that_are_written_down() -> None:
    found = reuse_keys.demo()
    assert found == reuse_keys.written()["demo"]
    assert len(set(found["push"].values()) - set(found["pull"].values())) == 1  # the recipe that the second push mends


def test_the_gates_of_august_have_the_keys_that_are_written_down() -> None:
    assert reuse_keys.of_august() == reuse_keys.written()["august"]
