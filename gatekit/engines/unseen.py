"""What was never run where Gatekit was written and tested. `scripts/not_run.py` makes docs/not-run.md of it.

Whoever runs one of these for real, and finds that it does what it should, takes its entry out.
"""

from dataclasses import dataclass

from gatekit.domain.gates import EngineName


@dataclass(frozen=True, slots=True)
class NotRun:
    """Whole sentences, for an operator."""

    part: str
    instead: str  # what was run in its place
    unknown: str  # what nobody has seen for that reason
    check: str  # how an operator finds out
    engine: EngineName | None = None  # whose counters nobody has seen move


_OWN_LOG = "Run one gate, and hold its AL against what the engine itself says in `engine.log` of the run folder"

NOT_RUN = (
    NotRun(
        part="SGLang",
        instead="A toy engine with SGLang's routes and counters, and scrapes made by hand after its sources.",
        unknown="Whether a real SGLang takes the arguments of a recipe as they are written, and counts as it declares.",
        check=f"{_OWN_LOG}: `accept len` of its decode lines.",
        engine=EngineName.SGLANG,
    ),
    NotRun(
        part="TensorRT-LLM",
        instead="Scrapes made by hand after its sources.",
        unknown="Whether `trtllm-serve` takes the options file that a gate writes, and counts by position as it "
        "declares.",
        check=f"{_OWN_LOG}.",
        engine=EngineName.TRTLLM,
    ),
    NotRun(
        part="ATOM",
        instead="Scrapes made by hand after its sources.",
        unknown="Whether it takes the flags in the spelling that a gate gives them, and how late its counters are.",
        check=f"{_OWN_LOG}, and against `atom:mtp_average_tokens_per_forward`, which holds since the start.",
        engine=EngineName.ATOM,
    ),
    NotRun(
        part="Chat templates of published models",
        instead="Small templates, through the real `transformers` of aiperf's environment.",
        unknown="Whether that library reads the tokenizer of every model, and whether a real SGLang renders the same.",
        check="One gate of a curve with `rendering: client`: `requests.jsonl` in its run folder has the texts, "
        "`job.log` says who rendered them.",
    ),
    NotRun(
        part="LMDeploy, for `gatekit al`",
        instead="Scrapes made by hand after its sources.",
        unknown="Whether its counters are named so.",
        check="Scrape a server before and after some requests, and hold `gatekit al` against its log.",
    ),
    NotRun(
        part="GPUs",
        instead="A small model on llama.cpp on the CPU, which drafts and verifies; character devices stand in for GPUs "
        "in SLURM.",
        unknown="Whether a real model starts within `start_minutes`, and how a driver that fails looks.",
        check="`gatekit doctor --cluster NAME`, then one gate of a pull request, report-only.",
    ),
    NotRun(
        part="vLLM on a GPU",
        instead="vLLM's CPU build, in whole gates (`make test-vllm`); a toy engine with its routes and counters.",
        unknown="Whether every argument of a recipe is known to the build of its image, and drafts by a head.",
        check=f"{_OWN_LOG}: `Mean acceptance length` of its SpecDecoding lines.",
    ),
    NotRun(
        part="Containers: pyxis, enroot, and the images of engines",
        instead="A real `srun` with a plugin that takes pyxis's options and has no images: it mounts what it is told, "
        "hides our other files, lets an image's environment win, and removes what it made through a slow helper.",
        unknown="How long an import takes, and what a cancel in the middle of one leaves; what an image's own set-up "
        "changes; how an MPI in an image (TensorRT-LLM has one) starts its workers; a driver in a container.",
        check='One gate on a cluster with `container = "pyxis"`; its page has the engine\'s log. Then cancel one while '
        "that log says that an image is imported: `enroot list` and `ls /run/pyxis/*` on its node show nothing of it.",
    ),
    NotRun(
        part="Several nodes, several workers, prefill and decode apart",
        instead="Nothing: such points are listed as `no-cluster`. Sums over ranks and workers are tested on scrapes.",
        unknown="All of it.",
        check="Nothing to check yet.",
    ),
    NotRun(
        part="A SLURM cluster of several machines",
        instead="A real SLURM 22.05 with accounting: controller, three nodes and a real SSH server on one machine. "
        "Texts of `squeue` and `sacct` of SLURM 23 to 25 are read in tests.",
        unknown="How long a shared file system hides what a job wrote (30 s are allowed), and what a site's own "
        "plugins say when they refuse a job.",
        check="`gatekit cluster setup NAME`, `gatekit doctor --cluster NAME`; then cancel a running gate, and look at "
        "its node.",
    ),
    NotRun(
        part="SLURM with cgroups",
        instead="`proctrack/linuxproc`, which lets daemonised processes escape: the batch script ends them.",
        unknown="How a real memory kill looks; SLURM's own words for it are read in tests.",
        check="Submit a job of your own that takes more memory than it may, and see `sacct` say `OUT_OF_MEMORY`.",
    ),
    NotRun(
        part="GitHub itself",
        instead="A stand-in held to GitHub's published description of its API, real webhook payloads, and another "
        "stand-in that was not written here.",
        unknown="Its secondary rate limits, and how late its webhooks come.",
        check="`gatekit doctor`; then a sweep label on a pull request that touches one recipe.",
    ),
    NotRun(
        part="The Docker image",
        instead="Its steps, in a Debian bookworm made from nothing (`make fresh-check`): no container engine was at "
        "hand.",
        unknown="Whether `docker build` ends well with your base image.",
        check="`docker build -t gatekit .`, then `docker run --rm gatekit gatekit doctor`.",
    ),
)


def never_run(engine: EngineName) -> NotRun | None:
    """The entry of an engine whose counters nobody here has seen move; None: it was run, or really scraped."""
    return next((one for one in NOT_RUN if one.engine is engine), None)
