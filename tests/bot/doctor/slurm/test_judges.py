"""Each thing that may be wrong on a cluster is named, with its mend, and nothing else is."""

import pytest

from bot.doctor.finding import FindingState
from tests.bot.doctor.slurm.scenes import ANSWER, CLUSTER, DIGEST, NOON, judged

# No curve of ours names the digest of its prompts, and nobody sees a node's scratch folder from a login node.
ALWAYS = {"prompts": FindingState.UNSEEN, "scratch": FindingState.UNSEEN}
WELL = "said {}\n"


def test_where_all_is_well_nothing_is_wrong() -> None:
    found = judged()
    assert {name: one.state for name, one in found.items() if one.state is not FindingState.FINE} == ALWAYS
    assert found["controller"].detail == "slurm 23.11.4 answers; 2 jobs of gatebot in its queue"
    assert found["gpus"].detail == "3 of 4 nodes with 8 or more can be used now"
    assert found["trial"].detail.startswith("SLURM would take a gate's job: sbatch: Job 73 to start")
    assert found["run folders"].detail == "12 run folders, the oldest 2 days old"
    assert found["clock"].detail == "0.0 s behind this machine's, give or take 0.1"
    assert DIGEST in found["prompts"].detail
    assert all(one.mend == "" for name, one in found.items() if name not in ALWAYS)


BAD, WARNING, UNKNOWN, UNSEEN = FindingState.BAD, FindingState.WARNING, FindingState.UNKNOWN, FindingState.UNSEEN
OFF = "said accounts 1\n> Slurm accounting storage"
LONG = "AllowQos=ALL QoS=N/A MaxTime=1-00:00:00"


@pytest.mark.parametrize(
    ("old", "new", "check", "state", "detail"),
    [
        ("user gatebot\n", "user gatebot\nlacks flock\nlacks sacct\n", "tools", BAD, "does not find flock, sacct"),
        ("said accounts 0\n>", f"{OFF} is disabled", "accounting", WARNING, "is off"),
        ("said accounts 0\n>", "said accounts 1\n> sacct: error: refused", "accounting", BAD, "sacct: error: refused"),
        ("said accounts 0\n>", "said accounts 124\n>", "accounting", BAD, "did not end within 20 seconds"),
        ("State=UP\n> PartitionName=cpu", "State=DRAIN\n> PartitionName=cpu", "partition", BAD, "takes no jobs now"),
        ("> batch|3|idle|", "> batch|3|drain|", "gpus", WARNING, "none of the 4 nodes"),
        ("gpu:h200:8(S:0-1)", "gpu:h200:4(S:0-1)", "gpus", BAD, "no node has 8; the most is 4"),
        ("said trial 0", "said trial 1", "trial", BAD, "would not take"),
        ("= 30 sec", "= 10 sec", "kill wait", WARNING, "10 s: an engine that ends slowly"),
        ("KillWait ", "KillWhat ", "kill wait", UNKNOWN, "names no KillWait"),
        ("/etc/slurm/epilog", "(null)", "epilog", WARNING, "none: what a killed job leaves"),
        ("> site|bench||normal|16", "> site|third||normal|16", "account", BAD, "gatebot may not charge bench"),
        ("> site|bench||normal|16", "> site|bench|cpu|normal|16", "account", BAD, "gatebot may not charge bench"),
        ("said associations 0\n", "said associations 1\n> error: no\n", "account", UNKNOWN, "sacctmgr did not"),
        (f"AllowAccounts=ALL {LONG}", f"AllowAccounts=x {LONG}", "account", BAD, "does not take account bench"),
        (LONG, LONG.replace("1-00:00:00", "03:59:00"), "time limit", BAD, "partition batch allows 239"),
        ("2-00:00:00", "02:00:00", "time limit", BAD, "account bench allows 120"),
        ("> normal|1-00:00:00", "> normal|03:00:00", "time limit", BAD, "QOS normal allows 180"),
        (LONG, LONG.replace("N/A", "short"), "time limit", BAD, "QOS short allows 60"),
        ("|16|100|", "|16|7|", "max_jobs", BAD, "account bench lets 7 be submitted"),
        ("|64|200", "|64|3", "max_jobs", BAD, "account bench lets 3 be submitted"),
        ("|16|100|", "|7|100|", "max_jobs", WARNING, "account bench lets 7 run"),
        ("> normal|1-00:00:00|16|", "> normal|1-00:00:00|4|", "max_jobs", WARNING, "QOS normal lets 4 run"),
        ("said qos 0", "said qos 1", "max_jobs", UNKNOWN, "show qos did not answer"),
        ("|2-00:00:00|", "|sometimes|", "max_jobs", UNKNOWN, "a limit that we cannot read"),
        ("writable /shared/gatekit/runs\n", "", "root", BAD, "/shared/gatekit/runs is no folder"),
        ("space 78139364", "space 1000000", "space", BAD, "1.0 GiB free"),
        ("inodes 16279101", "inodes 12", "space", BAD, "only 12 more files"),
        ("space 78139364", "space ", "space", UNKNOWN, "df said nothing"),
        ("system nfs", "system xfs", "file system", UNSEEN, "own disk: /shared/gatekit (xfs)"),
        ("file prompts nfs", "file prompts ext2/ext3", "file system", UNSEEN, "/shared/prompts.jsonl (ext2/ext3)"),
        (f"runs 12 {NOON - 2 * 86400}", f"runs 12 {NOON - 40 * 86400}", "run folders", WARNING, "the oldest 40 days"),
        ("program python nfs", "program python xfs", "python", UNSEEN, "the login node has Python 3.11"),
        ("python3.11", "python3.8", "python", BAD, "/shared/bin/python3 is 3.8"),
        ("python3.11", "python", "python", UNSEEN, "the login node has /shared/bin/python3"),
        ("aiperf-0.13.2", "aiperf-0.12.0", "aiperf", BAD, "version 0.12.0"),
        ("aiperf aiperf aiperf-0.13.2\n", "", "aiperf", UNSEEN, "it was not run"),
        ("program aiperf nfs /shared/aiperf/bin/aiperf", "program aiperf nfs -", "aiperf", BAD, "is no program"),
        (f"file prompts nfs {DIGEST}", "file prompts nfs -", "prompts", BAD, "cannot be read on the login node"),
        ("folder tokenizer nfs yes", "folder tokenizer nfs no", "tokenizer", BAD, "is no folder on the login node"),
        ("holds tokenizer tokenizer.json\n", "", "tokenizer", BAD, "holds no tokenizer.json"),
        ("program vllm nfs /shared/bin/vllm", "program vllm nfs -", "vllm", BAD, "/shared/bin/vllm is no program"),
        ("program vllm nfs /shared", "program vllm xfs /shared", "vllm", UNSEEN, "compute nodes cannot be asked"),
        ("program vllm nfs /shared/bin/vllm", "program vllm xfs -", "vllm", UNSEEN, "has no /shared/bin/vllm"),
        ("batch|3|idle|0|", "batch|3|idle|900|", "scratch", WARNING, "has 900 MB on a node"),
        (f"clock {NOON}.50\n", "", "clock", UNKNOWN, "did not say what time it is"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_mend_and_nothing_else_is(
    old: str, new: str, check: str, state: FindingState, detail: str
) -> None:
    assert old in ANSWER
    found = judged(ANSWER.replace(old, new))
    wrong = {name: one.state for name, one in found.items() if one.state is not FindingState.FINE}
    wrong = {name: one for name, one in wrong.items() if ALWAYS.get(name) != one or name == check}
    assert check in wrong
    assert wrong[check] is state, found[check]
    assert detail in found[check].detail
    assert found[check].mend
    assert set(wrong) - {check} <= set(also(check)), wrong


def also(check: str) -> tuple[str, ...]:
    """What cannot be known either where that is wrong: limits hang together."""
    together = ("account", "time limit", "max_jobs")
    return together if check in together else ()


@pytest.mark.parametrize(
    ("old", "new", "check", "state", "detail"),
    [
        ('partition = "batch"', 'partition = "gone"', "partition", BAD, "there is no partition gone"),
        ('partition = "batch"', 'partition = "batch,gone"', "partition", BAD, "there is no partition gone"),
        ('account = "bench"', 'account = "other"', "account", FindingState.FINE, "gatebot may charge other"),
        ('account = "bench"', 'account = "nobody"', "account", BAD, "gatebot may not charge nobody"),
        ("tokenizer = ", 'options = ["--qos=short"]\ntokenizer = ', "time limit", BAD, "QOS short allows 60"),
        ("tokenizer = ", 'options = ["--qos=short"]\ntokenizer = ', "max_jobs", BAD, "QOS short lets 2 be submitted"),
        ("tokenizer = ", "max_jobs = 65\ntokenizer = ", "max_jobs", BAD, "QOS normal lets 64 be submitted"),
        ("tokenizer = ", "max_jobs = 17\ntokenizer = ", "max_jobs", WARNING, "lets 16 run; QOS normal lets 16"),
        ("tokenizer = ", "time_limit_minutes = 1441\ntokenizer = ", "time limit", BAD, "batch allows 1440"),
        ("tokenizer = ", "gpus_per_node = 9\ntokenizer = ", "gpus", BAD, "no node has 9; the most is 8"),
        ("tokenizer = ", "gpus_per_node = 0\ntokenizer = ", "gpus", FindingState.FINE, "none are asked for"),
        ("tokenizer = ", "keep_days = 1\nmax_jobs = 1\ntokenizer = ", "space", FindingState.FINE, "74.5 GiB free"),
        ("tokenizer = ", 'container = "pyxis"\ntokenizer = ', "container", UNSEEN, "knows no --container-image"),
        ("tokenizer = ", 'container = "pyxis"\ntokenizer = ', "vllm", FindingState.FINE, "in the image of its recipe"),
        ('python = "/shared/bin/python3"', 'scratch = "/local/scratch"', "scratch", UNSEEN, "/local/scratch lies on"),
    ],
)  # fmt: skip
def test_the_same_cluster_for_another_wish(old: str, new: str, check: str, state: FindingState, detail: str) -> None:
    assert old in CLUSTER
    found = judged(cluster=CLUSTER.replace(old, new, 1))[check]
    assert (found.state, detail in found.detail) == (state, True), found


def test_containers_that_srun_knows() -> None:
    found = judged(f"{ANSWER}containers pyxis\n", CLUSTER.replace("tokenizer = ", 'container = "pyxis"\ntokenizer = '))
    assert (found["container"].state, found["container"].detail) == (
        FindingState.FINE,
        "srun of the login node knows pyxis",
    )


def test_limits_that_slurm_does_not_enforce_bound_nothing() -> None:
    """As where slurm.conf says `none`, whatever sacctmgr prints."""
    tight = ANSWER.replace("|16|100|2-00:00:00|", "|1|1|00:01:00|")
    assert judged(tight)["max_jobs"].state is BAD
    free = judged(tight.replace("associations,limits,qos", "none"))
    assert {free[name].state for name in ("account", "time limit", "max_jobs")} == {FindingState.FINE}
    loose = judged(tight.replace("associations,limits,qos", "associations"))
    assert {loose[name].state for name in ("account", "time limit", "max_jobs")} == {FindingState.FINE}
    unknown = judged(tight.replace("> site|bench|", "> site|third|").replace("associations,limits,qos", "none"))
    assert "does not look at it" in unknown["account"].detail


def test_a_controller_that_does_not_answer_is_asked_once_and_the_rest_is_not_known() -> None:
    begin, end = ANSWER.index("said nodes"), ANSWER.index("said accounts")
    silent = ANSWER[:begin].replace("said queue 0\n> 71\n> 72", "said queue 1\n> squeue: error: no") + ANSWER[end:]
    found = judged(silent)
    assert (found["controller"].state, found["controller"].detail) == (BAD, "squeue --me failed: squeue: error: no")
    names = ("partition", "gpus", "trial", "kill wait", "epilog", "account", "time limit", "max_jobs")
    assert {found[name].state for name in names} == {UNKNOWN}
    assert found["partition"].detail == "could not find out: see cluster far: controller"


@pytest.mark.parametrize(
    ("ahead", "round_trip", "state"),
    [
        *((ahead, 0.1, FindingState.FINE) for ahead in (0, 20, -20)),
        *((ahead, 0.1, WARNING) for ahead in (40, -40)),
        *((ahead, 20, UNKNOWN) for ahead in (25, -25)),
        (0, 90, UNKNOWN),
    ],
)
def test_the_difference_of_the_clocks_is_known_up_to_the_round_trip(
    ahead: float, round_trip: float, state: FindingState
) -> None:
    """The cluster looks at its clock a second apart; half of the rest passes before, half after it."""
    sent = NOON + 0.5 - ahead - round_trip / 2
    assert judged(between=(sent, sent + 1 + round_trip))["clock"].state is state
