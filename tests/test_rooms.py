"""What a room brings along when it is imported."""

import subprocess
import sys

FOREIGN = ("aiohttp", "githubkit", "httpx", "asyncssh", "sqlite3", "_sqlite3", "bot", "handlers")

IMPORT_ALL = """
import importlib, pkgutil, sys
import gatekit
for module in pkgutil.walk_packages(gatekit.__path__, "gatekit."):
    importlib.import_module(module.name)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_the_library_brings_no_network_no_database_and_no_other_room() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL], check=True, capture_output=True, text=True
    ).stdout.split()
    assert "gatekit" in loaded
    assert set(FOREIGN) & set(loaded) == set()
