"""Starting and stopping the daemons of a cluster by their pid files, without an init system."""

import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from tests.worlds.bot.until import PATIENCE, wait_until
from tests.worlds.slurm.conf import Place

SQL_SIZES = ("--innodb-buffer-pool-size=64M", "--innodb-log-file-size=32M", "--innodb-flush-log-at-trx-commit=0")


def environment(place: Place) -> Mapping[str, str]:
    return {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        "LANG": "C.UTF-8",
        "SLURM_CONF": f"{place.conf}/slurm.conf",
        "MYSQL_UNIX_PORT": str(place.sql),
    }


def run(place: Place, *words: object, seconds: float = PATIENCE) -> str:
    """A command of root's; what it said. Raises CalledProcessError."""
    command = [str(word) for word in words]
    done = subprocess.run(
        command, env=environment(place), capture_output=True, text=True, timeout=seconds, check=False, cwd="/"
    )
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr or done.stdout}")
    return done.stdout


def answers(place: Place, *words: object) -> bool:
    try:
        run(place, *words, seconds=5)
    except (AssertionError, subprocess.TimeoutExpired):
        return False
    return True


def start_munge(place: Place) -> None:
    folder = place.folder
    run(
        place, "munged", f"--key-file={folder}/munge/key", f"--socket={place.munge}", f"--pid-file={folder}/munged.pid",
        f"--log-file={place.log}/munged.log", f"--seed-file={folder}/munge/seed", "--num-threads=4",
    )  # fmt: skip


def start_accounting(place: Place) -> None:
    """MariaDB on a socket in our folder, as its own user, then slurmdbd."""
    mysql, scratch = place.folder / "mysql", place.folder / "mysql-tmp"
    account = pwd.getpwnam("mysql")
    for folder in (mysql, scratch):
        folder.mkdir(mode=0o700)
        os.chown(folder, account.pw_uid, account.pw_gid)
    # without a scratch folder of its own it would remove what that of another cluster has in /tmp
    options = ["--no-defaults", f"--datadir={mysql}", f"--tmpdir={scratch}", "--user=mysql"]
    install = ["--auth-root-authentication-method=socket", "--auth-root-socket-user=root", "--skip-test-db"]
    run(place, "mariadb-install-db", *options, *install)
    (place.folder / "mariadbd.pid").symlink_to(mysql / "pid")
    server = [f"--socket={place.sql}", f"--pid-file={mysql}/pid", "--skip-networking", f"--log-error={mysql}/log"]
    subprocess.run(
        ["setsid", "--fork", "mariadbd", *options, *server, *SQL_SIZES],
        env=environment(place), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        cwd="/", check=True,
    )  # fmt: skip
    wait_until(lambda: answers(place, "mariadb-admin", "--no-defaults", f"--socket={place.sql}", "ping"), "MariaDB")
    run(place, "slurmdbd")
    wait_until(lambda: answers(place, "sacctmgr", "-n", "show", "cluster"), "slurmdbd")
    run(place, "sacctmgr", "-i", "-Q", "add", "cluster", "small")


def start_controller(place: Place) -> None:
    run(place, "slurmctld")
    wait_until(lambda: answers(place, "scontrol", "ping"), "slurmctld")


def start_node(place: Place, number: int) -> None:
    run(place, "slurmd", "-N", f"node{number}")


def start_sshd(place: Place) -> None:
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd's own, where it has no init system either
    run(
        place,
        shutil.which("sshd", path="/usr/sbin") or "sshd",
        "-f",
        f"{place.conf}/sshd_config",
        "-E",
        f"{place.log}/sshd.log",
    )
    wait_until(lambda: pid_of(place, "sshd") is not None, "sshd")


def pid_of(place: Place, daemon: str) -> int | None:
    """The living process of a pid file, if it is that daemon."""
    try:
        pid = int((place.folder / f"{daemon}.pid").read_text())
        name = Path(f"/proc/{pid}/comm").read_text().strip()
    except (OSError, ValueError):
        return None
    return pid if daemon.startswith(name) and is_living(pid) else None


def is_living(pid: int) -> bool:
    """A zombie is dead; whoever is its parent may bury it late."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def stop(place: Place, daemon: str, number: signal.Signals = signal.SIGTERM, seconds: float = 10) -> None:
    """Ends a daemon, and waits until it is gone."""
    pid = pid_of(place, daemon)
    if pid is None:
        return
    os.kill(pid, number)
    until = time.monotonic() + seconds
    while is_living(pid):
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
            until += seconds
        time.sleep(0.02)
