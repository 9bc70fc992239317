"""What `gatekit collect` refuses before anything is started."""

import os
from pathlib import Path

import asyncssh
import pytest

from bot.cli.main import main
from bot.demo import sample_pr
from bot.demo.site import Tools, write_clusters

OUT = "tiny_draft.yaml"
LEAN = "benchmarks/single_node/srt-slurm-recipes/llamacpp/tiny/lean.yaml"
SLURM = """
[clusters.far]
serves = ["cluster:far"]
executor = "slurm"
host = "login.example.org"
user = "gatebot"
key_file = "/etc/gatekit/key"
known_hosts_file = "/etc/gatekit/known_hosts"
partition = "batch"
account = "bench"
root = "/shared/gatekit"
aiperf = ["aiperf"]
prompts = "/shared/prompts.jsonl"
[clusters.far.policy]
images = ["gatekit-demo/"]
models = ["gatekit-demo/"]
[clusters.far.engines]
llamacpp = ["llama-server"]
"""


@pytest.fixture(autouse=True)
def _desk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.upper().startswith("GATEKIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GATEKIT_ALLOW_LOCAL", "1")
    monkeypatch.chdir(tmp_path)
    clusters = write_clusters(tmp_path, tmp_path / "models", Tools())
    clusters.write_text(clusters.read_text() + SLURM)
    (tmp_path / "lean.yaml").write_bytes(sample_pr.base()[LEAN])
    (tmp_path / OUT).write_bytes(sample_pr.base()[f"goldens/{OUT}"])


def collect(**changes: str) -> int:
    words = {"cluster": "demo", "recipe": "lean.yaml", "thinking": "on", "k": "4", "out": OUT} | changes
    return main(["collect", *(word for name, value in words.items() for word in (f"--{name}", value))])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"cluster": "other"}, "There is no cluster other in clusters.toml; it has demo, far."),
        ({"cluster": "far"}, "--hardware: is missing: say what measures"),
        ({"out": "new_draft.yaml"}, "is not there: write it with its settings"),
        ({"like": OUT}, "leave --like out"),
        ({"out": "curve"}, "let it end with .yaml"),
        (
            {"out": "nowhere/new_draft.yaml", "like": OUT},
            "cannot be written (No such file or directory)",
        ),
        ({"out": f"{'x' * 245}.yaml", "like": OUT}, "cannot be written (File name too long): choose another --out"),
        ({"out": "new_draft.yaml", "like": "gone.yaml"}, "gone.yaml: cannot be read"),
        ({"k": "one"}, "is no number of tokens"),
        ({"thinking": "off"}, "does not say how to sample with thinking off"),
        ({"recipe": "gone.yaml"}, "gone.yaml: cannot be read"),
        ({"recipe": "lean.yaml:base"}, "has no variants"),
        ({"recipe": "clusters.toml"}, "clusters.toml"),
    ],
)
def test_what_cannot_be_collected_is_one_line(
    changes: dict[str, str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert collect(**changes) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n"), said in captured.err) == ("", 1, True), captured.err
    assert not (tmp_path / "cluster").exists()


def test_local_processes_need_the_operators_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GATEKIT_ALLOW_LOCAL", "0")
    assert collect() == 2
    assert "GATEKIT_ALLOW_LOCAL=1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("model-draft: gatekit-demo", "model-draft: stranger", "is not one that the operator allows"),
        ("draft-near.gguf", "draft-far.gguf", "choose another file"),  # the curve is of another draft
        ("ctx-size: 4096", "ctx-size: 2048", "measured with another "),  # its other cells stay
        ("draft-max: 4", "draft-max: 4\n      rpc: 10.0.0.1:50052", "roles.agg.args.rpc"),
    ],
)
def test_a_k_that_may_not_be_measured_says_why_and_starts_nothing(
    old: str, new: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe, curve = tmp_path / "lean.yaml", tmp_path / OUT
    recipe.write_text(recipe.read_text().replace(old, new))
    before = curve.read_text()
    assert collect() == 1
    err = capsys.readouterr().err
    assert err.startswith("K=4 not measured: ")
    assert said in err
    assert curve.read_text() == before
    assert not (tmp_path / "cluster").exists()


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (None, "key_file /etc/gatekit/key cannot be read (No such file or directory): give the bot its key"),
        (asyncssh.generate_private_key("ssh-ed25519").export_private_key().decode(), "127.0.0.1:9 cannot be reached: "),
    ],
)
def test_a_cluster_out_of_reach_is_one_sentence_and_an_exit_status(
    key: str | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clusters = tmp_path / "clusters.toml"
    text = clusters.read_text().replace("/etc/gatekit/known_hosts", str(tmp_path / "known_hosts"))
    (tmp_path / "known_hosts").touch()
    if key is not None:
        (tmp_path / "key").write_text(key)
        text = text.replace("/etc/gatekit/key", str(tmp_path / "key"))
        text = text.replace('host = "login.example.org"', 'host = "127.0.0.1"\nport = 9')
    clusters.write_text(text)
    assert collect(cluster="far", hardware="a test", k="3-5", like=OUT, out="new_draft.yaml") == 1
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1), captured.err
    assert captured.err.startswith("K=3, 4, 5 not measured: ")
    assert said in captured.err
    assert not (tmp_path / "new_draft.yaml").exists()
