"""Set-ups that are begun at once, in one checkout: one makes the environment, the others wait for it and say so."""

import fcntl
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Its lock asks for no package, so that an environment is Python and pip alone."""
    (tmp_path / "scripts").mkdir()
    for name in ("venv.sh", "turn.sh"):
        shutil.copy(SCRIPTS / name, tmp_path / "scripts")
    (tmp_path / "requirements").mkdir()
    for name in ("requirements/aiperf.lock", "pyproject.toml"):
        (tmp_path / name).touch()
    return tmp_path


@contextmanager
def another(checkout: Path) -> Iterator[None]:
    """Another set-up is under way."""
    (checkout / ".venvs").mkdir(exist_ok=True)
    with (checkout / ".venvs" / ".aiperf.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def begun(checkout: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(["scripts/venv.sh", "aiperf"], cwd=checkout, stderr=subprocess.PIPE, text=True)


def test_of_set_ups_at_once_one_makes_the_environment_and_the_others_wait(checkout: Path) -> None:
    with another(checkout):
        both = (begun(checkout), begun(checkout))
        for one in both:
            assert one.stderr is not None
            waits = "scripts/venv.sh: another set-up of aiperf is under way here: waiting\n"
            assert one.stderr.readline() == waits
    said = sorted(one.communicate()[1] for one in both)
    assert ([one.returncode for one in both], said) == ([0, 0], ["", "setting up .venvs/aiperf\n"])
    works = [checkout / ".venvs" / "aiperf" / "bin" / "python", "-c", "import pip"]
    assert subprocess.run(works, check=False).returncode == 0
    with another(checkout):  # who finds it up to date waits for nobody
        late = begun(checkout)
        assert (late.communicate()[1], late.returncode) == ("", 0)
