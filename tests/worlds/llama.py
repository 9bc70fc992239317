"""The small real engine for tests: its models, made once per session folder, and the command lines that start it."""

import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PYTHON = CHECKOUT / ".venvs" / "engine" / "bin" / "python"
LLAMA = CHECKOUT / "bot" / "demo" / "llama"
AIPERF = CHECKOUT / ".venvs" / "aiperf" / "bin" / "aiperf"
RUN = CHECKOUT / "tests" / "worlds" / "run.py"
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
