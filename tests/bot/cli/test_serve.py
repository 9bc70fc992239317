"""`gatekit serve` at its own door: what the machine does not give is one sentence."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bot.demo.github.app import make_app
from bot.demo.site import Tools, write_clusters
from tests.worlds.bot.until import PATIENCE


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "GATEKIT_APP_ID": "1",
        "GATEKIT_PRIVATE_KEY": make_app().private_key,
        "GATEKIT_WEBHOOK_SECRET": "a secret of some length",
        "GATEKIT_CLUSTERS_FILE": str(write_clusters(tmp_path, tmp_path / "models", Tools())),
        "GATEKIT_DATABASE": str(tmp_path / "gatekit.db"),
        "GATEKIT_PORT": "0",
        "GATEKIT_OPERATOR_PORT": "0",
        "GATEKIT_ALLOW_LOCAL": "1",
    }


def serve(settings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bot"]
    return subprocess.run(command, env=settings, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GATEKIT_PORT", "taken"),
        ("GATEKIT_OPERATOR_PORT", "taken"),
        ("GATEKIT_HOST", "192.0.2.1"),
        ("GATEKIT_DATABASE", "/proc/gatekit.db"),
    ],
)
def test_what_the_machine_does_not_give_is_one_sentence(settings: dict[str, str], name: str, value: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        found = serve({**settings, name: str(taken.getsockname()[1]) if value == "taken" else value})
    assert (found.returncode, found.stdout) == (2, "")
    said = [line for line in found.stderr.splitlines() if not line.startswith("{")]
    assert len(said) == 1, found.stderr
    assert said[0].startswith("The bot cannot start (")
    assert name in said[0]
    assert "Traceback" not in found.stderr
