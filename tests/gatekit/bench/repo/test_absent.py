import pytest

from gatekit.bench.repo.snapshot import Snapshot, in_the_way
from gatekit.domain.ids import Sha

HEAD = Snapshot(
    None,
    {"configs/a.yaml/b": b"", "plain": b""},
    frozenset({"linked.yaml", "way"}),
    {"module": Sha("0" * 40)},
)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("gone.yaml", None),
        ("configs/gone.yaml", None),
        ("configs/a.yaml", "is a folder; put a file there"),
        ("linked.yaml", "is a link, which is not followed; put the file itself there"),
        ("way/x.yaml", "way is a link, which is not followed; put the file itself there"),
        ("module/x.yaml", "module is a submodule, which is not read; put the file into the repository"),
        ("plain/x.yaml", "plain is a file; make it a folder that holds the file"),
    ],
)
def test_what_stands_where_a_file_should_be(path: str, said: str | None) -> None:
    assert in_the_way(HEAD, path) == said
