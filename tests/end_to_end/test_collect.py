"""`gatekit collect` as a person runs it: real drafting on llama.cpp, replayed by aiperf, written cell by cell."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.cluster import processes
from bot.cluster.run_folder import RunFolder
from bot.demo import prompts, sample_pr
from bot.demo.site import Tools, write_clusters
from gatekit.collection import Thinking
from gatekit.goldens import Curve, parse_curve
from tests.worlds import llama
from tests.worlds.until import until

GATEKIT = Path(sys.executable).with_name("gatekit")
RECIPES = "benchmarks/single_node/srt-slurm-recipes/llamacpp/tiny"
SECONDS = 120.0
# An operator's engine that cannot draft two tokens.
ENGINE = """\
#!/bin/sh
case " $* " in *" --draft-max 2 "*) echo "two is not enough" >&2; exit 1;; esac
exec {words} "$@"
"""


@dataclass(frozen=True, slots=True)
class Desk:
    """A folder with a clusters file, the recipe of the story that forces acceptance, and a curve file without cells."""

    folder: Path

    @property
    def out(self) -> Path:
        return self.folder / "tinythird_draft.yaml"

    @property
    def curve(self) -> Curve:
        return parse_curve(str(self.out), self.out.read_text())

    @property
    def jobs(self) -> list[Path]:
        return sorted((self.folder / "cluster" / "runs").glob("gk-*"))

    @asynccontextmanager
    async def started(self, *words: str, **env: str) -> AsyncIterator[asyncio.subprocess.Process]:
        fixed = ("--cluster", "demo", "--recipe", "third.yaml:override_c1", "--thinking", "on")
        child = await asyncio.create_subprocess_exec(
            *(GATEKIT, "collect", *fixed, *words),
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "GATEKIT_ALLOW_LOCAL": "1", **env},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            yield child
        finally:
            if child.returncode is None:
                child.terminate()
                await child.communicate()

    async def ended(self, *words: str, **env: str) -> tuple[int | None, str]:
        async with self.started(*words, **env) as child, asyncio.timeout(SECONDS):
            out, err = await child.communicate()
        assert out == b""
        return child.returncode, err.decode()

    @property
    def leftovers(self) -> list[processes.Process]:
        """Processes of its jobs that still live."""
        families = processes.families([RunFolder(job).mark for job in self.jobs])
        return [process for family in families.values() for process in family]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    models = tmp_path / "models"
    llama.make_models(models)
    clusters = write_clusters(tmp_path, models, Tools())
    engine = tmp_path / "engine"
    engine.write_text(ENGINE.format(words=" ".join(llama.engine_words(models))))
    engine.chmod(0o755)
    kept = [line for line in clusters.read_text().splitlines() if not line.startswith("llamacpp")]
    clusters.write_text("\n".join([*kept, f'llamacpp = ["{engine}"]']))
    head = {**sample_pr.base(), **sample_pr.proposal().first.edits}
    (tmp_path / "third.yaml").write_bytes(head[f"{RECIPES}/third.yaml"])
    whole = head["goldens/tinythird_draft.yaml"].decode()
    settings = whole[: whole.index("curves:")].replace("output_len: 384", "output_len: 48")
    made = Desk(tmp_path)
    made.out.write_text(f"# A third model.\n{settings}curves: {{}}\n")
    return made


async def test_each_k_is_measured_for_real_or_not_written(desk: Desk) -> None:
    status, said = await desk.ended("--k", "1-2", "--out", desk.out.name, "--hardware", "a test")
    assert status == 1
    assert "K=2 not measured: The engine did not start" in said
    curve = desk.curve
    ((k, al),) = curve.values[Thinking.ON].items()
    assert k == 1
    assert 1.2 < al < 1.9  # the recipe would force more than one token can give
    assert round(al, 2) == al
    block = curve.collection
    assert block is not None
    assert (block.prompts_sha256, block.hardware) == (prompts.SHA256, "a test")
    assert block.engine.startswith("llamacpp ")
    assert block.server == {"ctx-size": 8192, "parallel": 2}
    assert (block.source or "").startswith("gatekit collect --cluster demo --recipe third.yaml:override_c1 ")
    assert desk.out.read_text().startswith("# A third model.\n")
    assert "synth" not in "".join((job / "job.json").read_text().partition('"unset"')[0] for job in desk.jobs)
    assert len(desk.jobs) == 2
    assert not desk.leftovers


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_an_interrupted_collect_leaves_nothing_running_and_the_file_as_it_was(
    desk: Desk, number: signal.Signals
) -> None:
    before = desk.out.read_text()
    async with desk.started("--k", "4", "--out", desk.out.name) as child:
        await until(lambda: any((job / "before.prom").exists() for job in desk.jobs), SECONDS)
        assert len(desk.leftovers) >= 2  # the node program, the engine
        child.send_signal(number)
        async with asyncio.timeout(SECONDS):
            _, err = await child.communicate()
    assert child.returncode == 130
    assert err.decode().endswith("nothing runs any more\n")
    assert not desk.leftovers
    assert desk.out.read_text() == before
    assert json.loads((desk.jobs[0] / "result.json").read_text())["reason"] == "cancelled"
