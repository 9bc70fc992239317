"""The boundary of the console script, as a shell starts it."""

import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli.main import main

GATEKIT = Path(sys.executable).with_name("gatekit")
FULL = "The output cannot be written (No space left on device): make room, or send it elsewhere.\n"
CLOSED = "The output cannot be written (Bad file descriptor): make room, or send it elsewhere.\n"


@pytest.mark.parametrize("command", ["goldens list", "goldens show qwen3.5_mtp", "plan --help", "--version"])
@pytest.mark.parametrize(
    ("where", "status", "says"),
    [(">/dev/full", 1, FULL), (">&-", 1, CLOSED), (">/dev/null", 0, "")],
)
def test_output_that_cannot_be_written_is_one_sentence(command: str, where: str, status: int, says: str) -> None:
    ended = subprocess.run(["sh", "-c", f'"$0" {command} {where}', GATEKIT], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (status, says)


def test_a_reader_that_goes_away_is_told_nothing() -> None:
    script = '{ "$0" goldens list; echo $? >&2; } | true'
    ended = subprocess.run(["sh", "-c", script, GATEKIT], capture_output=True, text=True)
    assert ended.stderr in ("1\n", "0\n")  # it may have written all before the reader left


@pytest.mark.parametrize(
    ("words", "usage", "error"),
    [
        (["plan", "--bogus"], "usage: gatekit plan [", "gatekit plan: error: unrecognized arguments: --bogus"),
        (
            ["deliveries", "list", "x"],
            "usage: gatekit deliveries list [",
            "gatekit deliveries list: error: unrecognized arguments: x",
        ),
        (["al"], "usage: gatekit al [", "gatekit al: error: the following arguments are required: --before, --after"),
        (["nothing"], "usage: gatekit [", "gatekit: error: argument COMMAND: invalid choice: 'nothing'"),
    ],
)
def test_wrong_usage_is_answered_with_the_usage_of_its_command(
    capsys: pytest.CaptureFixture[str], words: list[str], usage: str, error: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(usage)
    assert second.startswith(error)


@pytest.mark.parametrize("command", ["plan", "recipe", "doctor", "collect", "al"])
def test_help_says_what_the_command_does(capsys: pytest.CaptureFixture[str], command: str) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    about = capsys.readouterr().out.split("\n\n")[1]
    assert about.endswith(".")
