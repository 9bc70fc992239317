"""clusters.toml: the file of the documentation is taken, and each mistake is answered with one sentence."""

import tomllib
from pathlib import Path

import pytest

from bot.cluster.config import Local, Slurm, parse_clusters, read_clusters
from gatekit.cluster.policy import Policy
from gatekit.domain.errors import BadInput

SLURM = """
[clusters.b200-dgxc]
serves = ["cluster:b200-dgxc"]
executor = "slurm"
host = "login.example.org"
port = 22
user = "gatebot"
key_file = "/etc/gatekit/id_ed25519"
known_hosts_file = "/etc/gatekit/known_hosts"
jump = "bastion.example.org"
partition = "batch"
account = "bench"
time_limit_minutes = 240
gpus_per_node = 8
max_jobs = 8
root = "/shared/gatekit"
launcher = "command"
aiperf = ["/shared/gatekit/aiperf/bin/aiperf"]
prompts = "/shared/gatekit/qualitative.jsonl"
container = ""
[clusters.b200-dgxc.policy]
images = ["vllm/vllm-openai:", "lmsysorg/sglang:"]
models = ["deepseek-ai/", "Qwen/", "/models/"]
mounts = ["/models:/models:ro"]
setup_scripts = []
[clusters.b200-dgxc.engines]
vllm = ["vllm", "serve"]
sglang = ["python3", "-m", "sglang.launch_server"]
"""
LOCAL = """
[clusters.here]
serves = ["cluster:demo"]
executor = "local"
root = "/var/lib/gatekit"
aiperf = ["/opt/aiperf/bin/aiperf"]
prompts = "/opt/prompts.jsonl"
tokenizer = "/opt/tokenizer"
start_minutes = 1
replay_minutes = 2
[clusters.here.policy]
models = ["gatekit-demo/"]
[clusters.here.engines]
llamacpp = ["python", "llama_server.py", "--models-dir", "/opt/models"]
"""


def test_the_documented_file_is_taken_whole() -> None:
    (entry,) = parse_clusters(SLURM.encode())
    assert entry.cluster.name == "b200-dgxc"
    assert entry.cluster.serves == ("cluster:b200-dgxc",)
    assert entry.cluster.policy == Policy(
        images=("vllm/vllm-openai:", "lmsysorg/sglang:"),
        models=("deepseek-ai/", "Qwen/", "/models/"),
        mounts=("/models:/models:ro",),
    )
    assert entry.cluster.engines["vllm"] == ("vllm", "serve")
    assert (entry.cluster.tokenizer, entry.cluster.container, entry.cluster.gpus) == (None, "", 8)
    assert (entry.root, entry.max_jobs) == ("/shared/gatekit", 8)
    assert entry.reach == Slurm(
        host="login.example.org",
        port=22,
        user="gatebot",
        key_file="/etc/gatekit/id_ed25519",
        known_hosts_file="/etc/gatekit/known_hosts",
        jump="bastion.example.org",
        partition="batch",
        account="bench",
        time_limit_minutes=240,
        gpus_per_node=8,
        setup_scripts=(),
    )


def test_a_local_cluster_needs_less_and_runs_one_gate_at_a_time() -> None:
    first, second = parse_clusters((SLURM + LOCAL).encode())
    assert (second.reach, second.max_jobs) == (Local(), 1)
    assert second.cluster.tokenizer == "/opt/tokenizer"
    assert (second.cluster.start_minutes, second.cluster.replay_minutes) == (1, 2)
    assert second.cluster.policy.images == ()
    assert first.cluster.name == "b200-dgxc"


MISTAKES = [
    ('executor = "slurm"', 'executor = "pbs"', 'clusters.b200-dgxc.executor must be "slurm" or "local"'),
    ('executor = "slurm"\n', "", 'clusters.b200-dgxc.executor must be "slurm" or "local"'),
    ("max_jobs = 8", "max_job = 8", "clusters.b200-dgxc.max_job is no key that a cluster has"),
    ("images =", "imags =", "clusters.b200-dgxc.policy.imags is no key that a cluster has"),
    ("vllm = [", "vlm = [", "clusters.b200-dgxc.engines.vlm: must be "),
    ('partition = "batch"\n', "", "clusters.b200-dgxc.partition is missing: give it"),
    ("port = 22", 'port = "22"', "clusters.b200-dgxc.port: must be a whole number"),
    ("port = 22", "port = 70000", "clusters.b200-dgxc.port: must be less than 65536"),
    ("max_jobs = 8", "max_jobs = 0", "clusters.b200-dgxc.max_jobs: must be greater than 0"),
    ("max_jobs = 8", "max_jobs = true", "clusters.b200-dgxc.max_jobs: must be a whole number"),
    ('root = "/shared/gatekit"', 'root = "gatekit"', "clusters.b200-dgxc.root: must be an absolute path"),
    ('root = "/shared/gatekit"', 'root = "/shared/../etc"', "clusters.b200-dgxc.root: must be an absolute path"),
    ('user = "gatebot"', 'user = "gate\\nbot"', "clusters.b200-dgxc.user: must be a text without line breaks"),
    ('"Qwen/"', '""', "clusters.b200-dgxc.policy.models.1: must be a text"),
    ("/models:/models:ro", "models:/models", "clusters.b200-dgxc.policy.mounts.0: must be source:target"),
    ("/models:/models:ro", "/models:/a,/etc:/etc", "clusters.b200-dgxc.policy.mounts.0: must be source:target"),
    ("/models:/models:ro", "/models:/$(id)", "clusters.b200-dgxc.policy.mounts.0: must be source:target"),
    ("/models:/models:ro", "/models:/models:x", "clusters.b200-dgxc.policy.mounts.0: must be source:target"),
    ("/models:/models:ro", "/models/../etc:/models", "clusters.b200-dgxc.policy.mounts.0: must be source:target"),
    ("/models:/models:ro", "/models:/gatekit/x", "clusters.b200-dgxc.policy.mounts.0: must not be mounted at /gatekit"),
    ("/models:/models:ro", "/models:/", "clusters.b200-dgxc.policy.mounts.0: must not be mounted at /gatekit"),
    ("/models:/models:ro", "/shared:/shared:ro", "policy.mounts must not bring /shared/gatekit into an engine's reach"),
    ("/models:/models:ro", "/:/host", "policy.mounts must not bring /shared/gatekit into an engine's reach"),
    ("/models:/models:ro", "/shared/gatekit/runs/x:/x", "policy.mounts must not bring /shared/gatekit into an"),
    ('container = ""', 'container = "docker"', "clusters.b200-dgxc.container: must be '' or 'pyxis'"),
    ("setup_scripts = []", 'setup_scripts = ["abc"]', "clusters.b200-dgxc.policy.setup_scripts.0: must be a SHA-256"),
    ('launcher = "command"', 'launcher = "srtctl"', 'launcher "srtctl" is not there yet: write "command"'),
    ("time_limit_minutes = 240", "time_limit_minutes = 100", "must be at least start_minutes + replay_minutes"),
    ('aiperf = ["/shared/gatekit/aiperf/bin/aiperf"]', "aiperf = []", "clusters.b200-dgxc.aiperf: "),
    ('["cluster:b200-dgxc"]', '"cluster:b200-dgxc"', "clusters.b200-dgxc.serves: must be a list"),
    ("[clusters.b200-dgxc]", "[cluster.b200-dgxc]", "cluster is no key that we know"),
    ("[clusters.b200-dgxc]", "[clusters.b200-dgxc", "is no TOML ("),
]


@pytest.mark.parametrize(("right", "wrong", "sentence"), MISTAKES)
def test_a_mistake_is_one_sentence_with_its_place(right: str, wrong: str, sentence: str) -> None:
    assert right in SLURM
    with pytest.raises(BadInput) as refused:
        parse_clusters(SLURM.replace(right, wrong, 1).encode(), "here.toml")
    assert sentence in str(refused.value)
    assert str(refused.value).startswith("here.toml: ")
    assert "\n" not in str(refused.value)


def test_a_local_cluster_has_no_login() -> None:
    with pytest.raises(BadInput, match=r"clusters\.here\.host is no key that a local cluster has"):
        parse_clusters(LOCAL.replace('executor = "local"', 'executor = "local"\nhost = "x"').encode())


def test_two_clusters_cannot_serve_one_runner() -> None:
    text = SLURM + LOCAL.replace("cluster:demo", "cluster:b200-dgxc")
    with pytest.raises(BadInput, match="is served by b200-dgxc and here: keep it in one of them"):
        parse_clusters(text.encode())


@pytest.mark.parametrize("text", ["", "[clusters]", "clusters = 1"])
def test_a_file_without_clusters_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="names no cluster"):
        parse_clusters(text.encode())


def test_names_and_sections() -> None:
    for text, sentence in (("[clusters]\nx = 1", "write a .clusters.x. section"), ('[clusters."a b"]', "is no name")):
        assert tomllib.loads(text)
        with pytest.raises(BadInput, match=sentence):
            parse_clusters(text.encode())


def test_a_file_that_is_not_there_says_which_setting_names_it(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="GATEKIT_CLUSTERS_FILE"):
        read_clusters(tmp_path / "clusters.toml")
    (tmp_path / "clusters.toml").write_text(LOCAL)
    assert read_clusters(tmp_path / "clusters.toml")[0].cluster.name == "here"
