"""The demo's own operator: a folder with models, prompts, a clusters file, and a bot made from them."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from bot.assembly import Parts
from bot.cluster.config import read_clusters
from bot.cluster.node_program import build_node
from bot.cluster.start import start_clusters
from bot.demo import prompts
from bot.demo.github.app import App
from bot.github.limits import GitHubLimits
from bot.settings import AppCredentials, Settings
from gatekit.domain.errors import Refusal

CHECKOUT = Path(__file__).resolve().parents[2]
LLAMA = Path(__file__).parent / "llama"
MODELS = "gatekit-demo"  # recipes name gatekit-demo/target.gguf

_CLUSTERS = """\
[clusters.demo]
serves = ["cluster:demo"]
executor = "local"
root = "{root}"
aiperf = ["{aiperf}"]
prompts = "{prompts}"
tokenizer = "{tokenizer}"
start_minutes = 1
replay_minutes = 3
max_jobs = 1
[clusters.demo.policy]
images = ["gatekit-demo/llamacpp:"]
models = ["gatekit-demo/"]
[clusters.demo.engines]
llamacpp = ["{python}", "{server}", "--models-dir", "{models}"]
"""


@dataclass(frozen=True, slots=True)
class Tools:
    """Environments that `make venv` sets up: the small engine's Python and the replayer."""

    engine_python: Path = CHECKOUT / ".venvs" / "engine" / "bin" / "python"
    aiperf: Path = CHECKOUT / ".venvs" / "aiperf" / "bin" / "aiperf"

    def check(self) -> None:
        """Raises Refusal where one is missing."""
        for tool in (self.engine_python, self.aiperf):
            if not tool.exists():
                raise Refusal(f"{tool} is missing: run `make venv` in the checkout of Gatekit")


def make_models(folder: Path, tools: Tools) -> Path:
    """Writes the small engine's models and the tokenizer below `folder`; the folder that recipes' names lie under."""
    models = folder / "models"
    subprocess.run(
        [tools.engine_python, LLAMA / "make_models.py", models / MODELS], check=True, capture_output=True, text=True
    )
    return models


def write_clusters(folder: Path, models: Path, tools: Tools) -> Path:
    """The operator's clusters.toml: one local cluster with the small engine."""
    path = folder / "clusters.toml"
    path.write_text(
        _CLUSTERS.format(
            root=folder / "cluster",
            aiperf=tools.aiperf,
            prompts=prompts.FILE,
            tokenizer=models / MODELS / "tokenizer",
            python=tools.engine_python,
            server=LLAMA / "llama_server.py",
            models=models,
        )
    )
    return path


def demo_parts(folder: Path, app: App, api_url: str, clusters_file: Path) -> Parts:
    """A bot that speaks to the stand-in at `api_url`, on free ports of this machine."""
    settings = Settings(
        github_api_url=api_url,
        database=folder / "gatekit.db",
        clusters_file=clusters_file,
        port=0,
        operator_port=0,
        allow_local=True,
        poll_seconds=0.25,
    )
    node = build_node(folder / "node")
    return Parts(
        settings=settings,
        identity=AppCredentials(app.id, SecretStr(app.private_key), SecretStr(app.webhook_secret)),
        clusters=start_clusters(read_clusters(clusters_file), node, allow_local=True),
        curves={},
        node=node,
        limits=GitHubLimits(write_gap=0.0),  # the stand-in has no secondary limits
    )
