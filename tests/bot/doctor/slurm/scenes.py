"""The answer of a cluster on which all is well, to change one thing at a time; and what the doctor then finds."""

from collections.abc import Mapping

from bot.cluster.config import Slurm, parse_clusters
from bot.doctor.finding import Finding
from bot.doctor.slurm import files, limits, nodes, queue
from bot.doctor.slurm.scene import Scene
from gatekit.cluster.slurm.probe import parse_check

CLUSTER = """\
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
aiperf = ["/shared/aiperf/bin/aiperf"]
prompts = "/shared/prompts.jsonl"
tokenizer = "/shared/tokenizer"
python = "/shared/bin/python3"
[clusters.far.policy]
images = ["vllm/"]
models = ["Qwen/"]
[clusters.far.engines]
vllm = ["/shared/bin/vllm", "serve"]
"""
DIGEST = "4" * 64
NOON = 1796000000
ANSWER = f"""\
clock {NOON}.50
user gatebot
said version 0
> slurm 23.11.4
said queue 0
> 71
> 72
said nodes 0
> batch|3|idle|0|gpu:h200:8(S:0-1)
> batch|1|down*|0|gpu:h200:8(S:0-1)
> cpu|9|idle|0|(null)
said partitions 0
> PartitionName=batch AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL QoS=N/A MaxTime=1-00:00:00 State=UP
> PartitionName=cpu AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL QoS=N/A MaxTime=UNLIMITED State=UP
said config 0
> AccountingStorageEnforce = associations,limits,qos
> ClusterName             = site
> Epilog[0]               = /etc/slurm/epilog
> KillWait                = 30 sec
> Prolog                  = (null)
> TmpFS                   = /tmp
said trial 0
> sbatch: Job 73 to start at 2026-11-30T12:00:00 using 64 processors on nodes n1 in partition batch
said accounts 0
>
said associations 0
> site|bench||normal|16|100|2-00:00:00||
> site|other||normal|||||
> elsewhere|bench||normal|1|1|00:05:00|1|1
said charged 0
> site|bench||||||64|200
said qos 0
> normal|1-00:00:00|16|64||
> short|01:00:00|||1|2
writable /shared/gatekit
writable /shared/gatekit/bin
writable /shared/gatekit/runs
space 78139364
inodes 16279101
system nfs
runs 12 {NOON - 2 * 86400}
program python nfs /shared/bin/python3
real python /shared/uv/bin/python3.11
program aiperf nfs /shared/aiperf/bin/aiperf
real aiperf /shared/aiperf/bin/aiperf
aiperf aiperf aiperf-0.13.2
file prompts nfs {DIGEST}
folder tokenizer nfs yes
holds tokenizer tokenizer.json
program vllm nfs /shared/bin/vllm
real vllm /shared/bin/vllm
clock {NOON + 1}.50
"""


def judged(
    answer: str = ANSWER, cluster: str = CLUSTER, between: tuple[float, float] | None = None
) -> Mapping[str, Finding]:
    """By check."""
    (entry,) = parse_clusters(cluster.encode())
    assert isinstance(entry.reach, Slurm)
    ours = between or (NOON + 0.4, NOON + 1.6)
    scene = Scene("cluster far: ", entry, entry.reach, parse_check(answer.splitlines()), ours)
    engines = {engine: nodes.engine_judge(engine) for engine in entry.cluster.engines}
    judges = {**queue.JUDGES, **limits.JUDGES, **files.JUDGES, **engines, **nodes.JUDGES}
    return {name: judge(scene, name) for name, judge in judges.items()}
