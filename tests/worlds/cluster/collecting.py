"""`gatekit collect` as a person runs it: a folder with a clusters file, a recipe, and a curve file without cells."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.cluster.local import processes
from bot.cluster.local.state import RunFolder
from bot.demo import prompts, sample_pr
from bot.demo.site import Tools, write_clusters
from gatekit.goldens.curve import Curve
from gatekit.goldens.lookup import parse_curve
from tests.worlds.bot.until import WHOLE_GATE
from tests.worlds.engine import llama
from tests.worlds.slurm.world import SlurmWorld

GATEKIT = Path(sys.executable).with_name("gatekit")
RECIPES = "benchmarks/single_node/srt-slurm-recipes/llamacpp/tiny"
# An operator's engine that cannot draft two tokens.
ENGINE = """\
#!/bin/sh
case " $* " in *" --draft-max 2 "*) echo "two is not enough" >&2; exit 1;; esac
exec {words} "$@"
"""
SLURM = """\
[clusters.small]
serves = ["cluster:small"]
executor = "slurm"
host = "{address.host}"
port = {address.port}
user = "{address.user}"
key_file = "{address.key_file}"
known_hosts_file = "{address.known_hosts_file}"
partition = "{partition}"
account = "bench"
time_limit_minutes = 30
gpus_per_node = 1
options = []
python = "/usr/bin/python3"
scratch = "{scratch}"
root = "{root}"
aiperf = ["{aiperf}"]
prompts = "{prompts}"
tokenizer = "{tokenizer}"
start_minutes = 10
replay_minutes = 10
[clusters.small.policy]
images = ["gatekit-demo/"]
models = ["gatekit-demo/"]
[clusters.small.engines]
llamacpp = ["{engine}"]
"""


@dataclass(frozen=True, slots=True)
class CollectDesk:
    """`cluster`: which one the commands name. `root`: our folder on it."""

    folder: Path
    cluster: str
    root: Path

    @property
    def out(self) -> Path:
        return self.folder / "tinythird_draft.yaml"

    @property
    def curve(self) -> Curve:
        return parse_curve(str(self.out), self.out.read_text())

    @property
    def jobs(self) -> list[Path]:
        return sorted((self.root / "runs").glob("gk-*"))

    @asynccontextmanager
    async def started(self, *words: str) -> AsyncIterator[asyncio.subprocess.Process]:
        fixed = ("--cluster", self.cluster, "--recipe", "third.yaml:override_c1", "--thinking", "on")
        child = await asyncio.create_subprocess_exec(
            *(GATEKIT, "collect", *fixed, *words, "--out", self.out.name),
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "GATEKIT_ALLOW_LOCAL": "1", "GATEKIT_POLL_SECONDS": "0.5"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            yield child
        finally:
            if child.returncode is None:
                child.terminate()
                await child.communicate()

    async def ended(self, *words: str) -> tuple[int | None, str]:
        """Exit status, and what was said."""
        async with self.started(*words) as child, asyncio.timeout(WHOLE_GATE):
            out, err = await child.communicate()
        assert out == b""
        return child.returncode, err.decode()

    @property
    def leftovers(self) -> list[processes.Process]:
        """Processes of its jobs that still live."""
        families = processes.families([RunFolder(job).mark for job in self.jobs])
        return [process for family in families.values() for process in family]


def local_desk(folder: Path) -> CollectDesk:
    models = folder / "models"
    llama.make_models(models)
    clusters = write_clusters(folder, models, Tools())
    kept = [line for line in clusters.read_text().splitlines() if not line.startswith("llamacpp")]
    clusters.write_text("\n".join([*kept, f'llamacpp = ["{_engine(folder, models)}"]']))
    return _desk(CollectDesk(folder, "demo", folder / "cluster"))


def slurm_desk(folder: Path, slurm: SlurmWorld, partition: str = "gpu") -> CollectDesk:
    """Its curve is collected as the published ones are: rendered first, then posted."""
    shared = slurm.place.shared
    models = shared / "models"
    llama.make_models(models)
    clusters = SLURM.format(
        address=slurm.address,
        partition=partition,
        scratch=slurm.place.local,
        root=shared / folder.name,
        aiperf=llama.AIPERF,
        prompts=prompts.FILE,
        tokenizer=llama.tokenizer(models),
        engine=_engine(shared, models),
    )
    (folder / "clusters.toml").write_text(clusters)
    desk = _desk(CollectDesk(folder, "small", shared / folder.name))
    posted, rendered = ("/v1/chat/completions", "rendering: server"), ("/v1/completions", "rendering: client")
    desk.out.write_text(desk.out.read_text().replace(posted[0], rendered[0]).replace(posted[1], rendered[1]))
    return desk


def _engine(folder: Path, models: Path) -> Path:
    engine = folder / "engine"
    engine.write_text(ENGINE.format(words=" ".join(llama.engine_words(models))))
    engine.chmod(0o755)
    return engine


def _desk(desk: CollectDesk) -> CollectDesk:
    """With the recipe of the story that forces acceptance, and a curve file that states how to collect."""
    head = {**sample_pr.base(), **sample_pr.proposal().first.edits}
    (desk.folder / "third.yaml").write_bytes(head[f"{RECIPES}/third.yaml"])
    whole = head["goldens/tinythird_draft.yaml"].decode()
    settings = whole[: whole.index("curves:")].replace("output_len: 384", "output_len: 48")
    desk.out.write_text(f"# A third model.\n{settings}curves: {{}}\n")
    return desk


def forced_words(desk: CollectDesk) -> Iterator[str]:
    """What each job was told, up to the names of what it must not inherit."""
    for job in desk.jobs:
        yield (job / "job.json").read_text().partition('"unset"')[0]
