"""The small real engine for tests: its models, made once per session folder, and the command lines that start it."""

import asyncio
import contextlib
import subprocess
from pathlib import Path

from aiohttp import ClientError, ClientSession

from tests.worlds.bot.until import PATIENCE

CHECKOUT = Path(__file__).resolve().parents[3]
PYTHON = CHECKOUT / ".venvs" / "engine" / "bin" / "python"
LLAMA = CHECKOUT / "bot" / "demo" / "llama"
AIPERF = CHECKOUT / ".venvs" / "aiperf" / "bin" / "aiperf"
RUN = CHECKOUT / "tests" / "worlds" / "engine" / "run.py"
MODELS = "gatekit-demo"  # the folder under the models' folder: recipes name gatekit-demo/target.gguf


def make_models(models_dir: Path) -> list[str]:
    """Writes what is missing under `models_dir`/gatekit-demo; the names of what was written."""
    command = [PYTHON, LLAMA / "make_models.py", models_dir / MODELS]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def engine_words(models_dir: Path) -> tuple[str, ...]:
    """What an operator writes as `engines.llamacpp`."""
    return (str(PYTHON), str(LLAMA / "llama_server.py"), "--models-dir", str(models_dir))


def tokenizer(models_dir: Path) -> str:
    return str(models_dir / MODELS / "tokenizer")


async def until_healthy(client: ClientSession, url: str) -> None:
    """Returns when `url` answers 200."""
    async with asyncio.timeout(PATIENCE):
        while True:
            with contextlib.suppress(ClientError):
                async with client.get(url) as answer:
                    if answer.status == 200:
                        return
            await asyncio.sleep(0.02)
