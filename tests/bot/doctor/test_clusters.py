"""What the doctor says of the clusters file and of a local cluster's tools."""

import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bot.doctor.clusters import check_clusters
from bot.doctor.finding import Finding, FindingState

LOCAL = """\
[clusters.here]
serves = ["cluster:here"]
executor = "local"
root = "{folder}/root"
aiperf = ["{folder}/aiperf"]
prompts = "{folder}/prompts.jsonl"
tokenizer = "{folder}/tokenizer"
[clusters.here.policy]
images = ["gatekit/"]
models = ["gatekit/"]
[clusters.here.engines]
llamacpp = ["{folder}/engine", "--models-dir", "{folder}/models"]
"""
SLURM = """\
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
images = ["vllm/"]
models = ["Qwen/"]
[clusters.far.engines]
vllm = ["vllm", "serve"]
"""


def program(path: Path, says: str, status: int = 0) -> None:
    path.write_text(f"#!/bin/sh\necho '{says}'\nexit {status}\n")
    path.chmod(0o755)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A machine where everything is there."""
    program(tmp_path / "engine", "")
    program(tmp_path / "aiperf", "0.13.2")
    for name in ("models", "tokenizer", "root"):
        (tmp_path / name).mkdir()
    (tmp_path / "prompts.jsonl").write_text("{}\n")
    (tmp_path / "clusters.toml").write_text(LOCAL.format(folder=tmp_path) + SLURM)
    return tmp_path


def findings(folder: Path, only: str | None = "here", *, allow_local: bool = True) -> Mapping[str, Finding]:
    found = check_clusters(folder / "clusters.toml", only, allow_local=allow_local)
    return {each.check.removeprefix("cluster here: "): each for each in found}


def wrong(found: Mapping[str, Finding]) -> list[str]:
    """No curve of ours names the digest of its prompts, so nobody can say whether they are the right ones."""
    return [
        name for name, each in found.items() if not each.ok and (name, each.state) != ("prompts", FindingState.UNSEEN)
    ]


def test_a_machine_where_everything_is_there_is_fine(folder: Path) -> None:
    found = findings(folder)
    assert list(found) == ["clusters file", "policy", "executor", "root", "llamacpp", "aiperf", "prompts", "tokenizer"]
    assert wrong(found) == []
    assert found["aiperf"].detail == "0.13.2"
    assert found["policy"].detail == "images gatekit/; models gatekit/; engines llamacpp"
    assert found["prompts"].detail.endswith(hashlib.sha256(b"{}\n").hexdigest())


@pytest.mark.parametrize(
    ("change", "check", "detail"),
    [
        (lambda at: (at / "engine").unlink(), "llamacpp", "engine is no program here"),
        (lambda at: (at / "engine").chmod(0o644), "llamacpp", "engine is no program here"),
        (lambda at: (at / "models").rmdir(), "llamacpp", "models is not there"),
        (lambda at: (at / "aiperf").unlink(), "aiperf", "aiperf is no program here"),
        (lambda at: program(at / "aiperf", "aiperf 0.12.9"), "aiperf", "version 0.12.9"),
        (lambda at: program(at / "aiperf", "0.130.1"), "aiperf", "version 0.130.1"),
        (lambda at: program(at / "aiperf", "hello"), "aiperf", "could not find out: "),
        (lambda at: program(at / "aiperf", "0.13.0", status=1), "aiperf", "could not find out: "),
        (lambda at: (at / "aiperf").write_text("\x7fELF no program"), "aiperf", "could not find out: "),
        (lambda at: (at / "prompts.jsonl").unlink(), "prompts", "cannot be read (No such file or directory)"),
        (lambda at: (at / "tokenizer").rmdir(), "tokenizer", "tokenizer is no folder"),
        (lambda at: ((at / "root").rmdir(), (at / "root").touch()), "root", "is no folder"),
    ],
)
def test_what_is_wrong_is_named_with_its_mend_and_nothing_else_is(
    folder: Path, change: Callable[[Path], object], check: str, detail: str
) -> None:
    change(folder)
    found = findings(folder)
    assert wrong(found) == [check]
    assert detail in found[check].detail
    assert found[check].mend


def test_a_root_that_is_not_there_yet_is_fine(folder: Path) -> None:
    (folder / "root").rmdir()
    assert findings(folder)["root"].ok
    assert not (folder / "root").exists()


def test_an_engine_that_was_never_run_by_us_is_no_fault_of_the_cluster(folder: Path) -> None:
    file = folder / "clusters.toml"
    file.write_text(file.read_text().replace("llamacpp = [", "sglang = ["))
    found = findings(folder)["sglang in our tests"]
    assert found.ok
    assert found.detail.startswith("never run. Whether a real SGLang takes")


@pytest.mark.parametrize(
    ("old", "new", "empty"),
    [
        ('images = ["gatekit/"]', "", "policy.images"),
        ('models = ["gatekit/"]', "models = []", "policy.models"),
        ('images = ["gatekit/"]\nmodels = ["gatekit/"]', "", "policy.images, policy.models"),
        ("llamacpp =", "[clusters.other]\nx =", "engines"),
    ],
)
def test_a_policy_that_allows_nothing_refuses_every_gate(folder: Path, old: str, new: str, empty: str) -> None:
    text = LOCAL.format(folder=folder)
    assert old in text
    (folder / "clusters.toml").write_text(text.replace(old, new).partition("[clusters.other]")[0])
    found = findings(folder)
    assert (wrong(found), found["policy"].ok) == (["policy"], False)
    assert found["policy"].detail.startswith(f"{empty}: nothing is allowed")


def test_local_processes_need_the_operators_word(folder: Path) -> None:
    found = findings(folder, allow_local=False)["executor"]
    assert not found.ok
    assert "GATEKIT_ALLOW_LOCAL=1" in found.mend


def test_every_cluster_is_looked_at_and_one_without_a_door_is_said_to_have_none(folder: Path) -> None:
    found = findings(folder, only=None)
    assert found["clusters file"].detail.endswith(": here, far")
    far = {name.removeprefix("cluster far: "): each for name, each in found.items() if name.startswith("cluster far")}
    assert {name for name, each in far.items() if each.ok} == {"policy", "executor"}
    assert [name for name, each in far.items() if each.ok is False] == ["ssh"]
    assert far["ssh"].detail.startswith("known_hosts_file /etc/gatekit/known_hosts cannot be read")
    assert far["prompts"].detail == "could not find out: see cluster far: ssh"
    assert [name for name in wrong(found) if not name.startswith("cluster far")] == []


@pytest.mark.parametrize(
    ("text", "only", "detail"),
    [
        (None, None, "cannot be read"),
        ("[clusters.here\n", None, "is no TOML"),
        (SLURM, "here", "has no cluster here"),
    ],
)
def test_a_clusters_file_that_cannot_be_used_is_one_finding(
    tmp_path: Path, text: str | None, only: str | None, detail: str
) -> None:
    if text is not None:
        (tmp_path / "clusters.toml").write_text(text)
    (found,) = findings(tmp_path, only).values()
    assert (found.check, found.ok) == ("clusters file", False)
    assert detail in found.detail


def test_aiperf_is_asked_without_the_operators_secrets(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEKIT_PRIVATE_KEY", "secret")
    seen = folder / "seen"
    (folder / "aiperf").write_text(f"#!/bin/sh\nenv > {seen}\necho 0.13.0\n")
    assert findings(folder)["aiperf"].ok
    assert os.environ["GATEKIT_PRIVATE_KEY"] not in seen.read_text()
