"""SPEED-Bench's prompts: prepared by its own script, in an environment that this machine's others have no part in.

The bot ships none of their text: it may not be passed on. The script stands at one revision, and what it needs is
resolved as of one day, so that the same file comes out wherever it runs.
"""

import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.node.failures import Failed

REVISION = "bcf059af55c20a89f797724598f9908d126153e6"  # of github.com/NVIDIA-NeMo/Skills
SCRIPT = f"https://raw.githubusercontent.com/NVIDIA-NeMo/Skills/{REVISION}/nemo_skills/dataset/speed-bench/prepare.py"
NEEDS = ("datasets", "numpy", "pandas", "tiktoken")
AS_OF = "2026-10-27"
CONFIG = "qualitative"
LONGEST_SCRIPT = 1024 * 1024
SECONDS = 60  # to fetch the script
STDERR = 2  # what the script says is no answer of ours

# What of our environment the script may see: the way out, where packages come from, and who asks for the sources.
_PASSED_ON = (
    *("PATH", "TMPDIR", "LANG", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX"),
    *("HF_TOKEN", "HF_ENDPOINT"),
)


@dataclass(frozen=True, slots=True)
class Preparing:
    """`script`: a copy of prepare.py; None: it is fetched from `address`."""

    script: Path | None = None
    needs: tuple[str, ...] = NEEDS
    address: str = SCRIPT


def prepare(how: Preparing, environment: Mapping[str, str]) -> bytes:
    """The prepared file. What the script says goes to stderr. Raises Failed."""
    with TemporaryDirectory(prefix="gatekit-prompts-") as folder:
        home = Path(folder)
        script = home / "prepare.py"
        script.write_bytes(_fetched(how.address) if how.script is None else _copied(how.script))
        out = home / "out"
        out.mkdir()
        words = [*_isolated(how.needs), str(script), "--config", CONFIG, "--output_dir", str(out)]
        _run(words, home, environment)
        made = out / f"{CONFIG}.jsonl"
        if not made.is_file():
            raise Failed(f"prepare.py ended well and wrote no {made.name}; look at what it said above")
        return made.read_bytes()


def _isolated(needs: tuple[str, ...]) -> list[str]:
    """The beginning of a command that runs in an environment of its own, gone afterwards."""
    beside = Path(sys.executable).with_name("uv")
    uv = str(beside) if beside.is_file() else shutil.which("uv")
    if uv is None:
        raise Failed("uv is needed for an environment as of a date, and is not there; install it: pip install uv")
    options = ["--no-project", "--isolated", "--no-config", "--exclude-newer", AS_OF, "--python", sys.executable]
    return [uv, "run", *options, *(word for need in needs for word in ("--with", need)), "python"]


def _run(words: list[str], home: Path, environment: Mapping[str, str]) -> None:
    own = {"HOME": str(home), "HF_HOME": str(home / "hf"), "UV_CACHE_DIR": str(home / "uv")}
    passed = {name: environment[name] for name in _PASSED_ON if name in environment}
    try:
        done = subprocess.run(words, cwd=home, env={**passed, **own}, stdout=STDERR, check=False)
    except OSError as error:
        raise Failed(f"{words[0]} cannot be started ({error.strerror}); install it again: pip install uv") from None
    if done.returncode:
        raise Failed(
            f"prepare.py ended with {done.returncode}; what it said stands above. Some sources are open to known "
            "accounts only: set HF_TOKEN to a read token of one that accepted their terms"
        )


def _copied(script: Path) -> bytes:
    try:
        return script.read_bytes()
    except OSError as error:
        raise Failed(f"{script} cannot be read ({error.strerror}); correct the path") from None


def _fetched(address: str) -> bytes:
    try:
        with urllib.request.urlopen(address, timeout=SECONDS) as answer:
            data: bytes = answer.read(LONGEST_SCRIPT + 1)
    except OSError as error:
        raise Failed(
            f"{address} cannot be fetched ({error}); fetch it elsewhere, and name the copy with --script"
        ) from None
    if len(data) > LONGEST_SCRIPT:
        raise Failed(f"{address} is larger than a script should be; look at it, and name a copy with --script")
    return data


def write(data: bytes, out: Path) -> None:
    """Whole or not at all. Raises Failed."""
    beside = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        beside.write_bytes(data)
        beside.replace(out)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise Failed(f"{out} cannot be written ({error.strerror}); make room, or name another file") from None
