"""Brings up a whole SLURM with its own sshd in one folder, and takes it down again. Needs root; no init system."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bot.node.processes import stat
from tests.worlds.bot.ports import free_port
from tests.worlds.bot.until import wait_until
from tests.worlds.slurm import access, conf, daemons
from tests.worlds.slurm.conf import Place, Ports

CHECKOUT = Path(__file__).resolve().parents[3]
PLUGIN = Path(__file__).with_name("container.c")
PARENT, PREFIX = Path("/tmp"), "gkslurm-"  # short: sockets lie below it
OWNER = "owner"  # pid and start of the session whose cluster it is


@contextlib.contextmanager
def cluster(sessions: int = conf.Place.sessions) -> Iterator[Place]:
    """A cluster of its own, with an account of its own; both are gone at the end, and those of sessions that died.

    `sessions`: that its sshd allows in one connection.
    """
    if os.geteuid() != 0:
        raise AssertionError("a SLURM of one's own needs root: run the tests as root, or in a container")
    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=PARENT))
    place = Place(folder, f"gk{os.getpid()}", _host(), _ports(), sessions)
    try:
        _up(place)
        yield place
    finally:
        down(place)


def _host() -> str:
    return socket.gethostname().partition(".")[0]


def _sweep() -> None:
    """A session that was killed has left its cluster running."""
    for folder in PARENT.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError, ValueError):
            pid, started = map(int, (folder / OWNER).read_text().split())
            owner = stat(pid)
            if owner is None or owner.started != started or not daemons.is_living(pid):
                down(Place(folder, f"gk{pid}", _host(), Ports(0, 0, 0, (0,) * conf.NODES)))


def _up(place: Place) -> None:
    me = stat(os.getpid())
    (place.folder / OWNER).write_text(f"{os.getpid()} {me.started if me else 0}")
    _folders(place)
    _account(place)
    _files(place)
    _plugin(place)
    daemons.start_munge(place)
    daemons.start_accounting(place)
    daemons.start_controller(place)
    for number in range(1, len(place.ports.nodes) + 1):
        daemons.start_node(place, number)
    daemons.start_sshd(place)
    wait_until(lambda: idle_nodes(place) == len(place.ports.nodes), "idle nodes")


def idle_nodes(place: Place) -> int:
    return len(set(daemons.run(place, "sinfo", "-h", "-N", "-p", "gpu", "-t", "idle", "-o", "%N").split()))


def down(place: Place) -> None:
    """Ends exactly what belongs to this cluster: daemons by pid file, then whatever its account still runs."""
    for daemon in ("sshd", *(f"slurmd-node{number}" for number in range(1, len(place.ports.nodes) + 1))):
        daemons.stop(place, daemon)
    for daemon in ("slurmctld", "slurmdbd", "mariadbd", "munged"):
        if (pid := daemons.pid_of(place, daemon)) is not None:
            os.kill(pid, signal.SIGCONT)  # a drill may have frozen it
        daemons.stop(place, daemon)
    for pid in _stray(place):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if (uid := _uid(place)) is not None:
        for folder in _programs():
            for one in folder.parents:
                access.stop_passing(uid, one)
        subprocess.run(["userdel", "--force", place.user], check=False, capture_output=True)
    for mount in _mounts(place):
        subprocess.run(["umount", "--lazy", mount], check=False)
    shutil.rmtree(place.folder)


def _mounts(place: Place) -> list[str]:
    """Of drills that were cut short."""
    points = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    return [point for point in points if Path(point).is_relative_to(place.folder)]


def _programs() -> tuple[Path, ...]:
    """What jobs run of ours."""
    return CHECKOUT, Path(sys.executable).resolve()


def _stray(place: Place) -> list[int]:
    """Processes of the account, and step daemons and ssh sessions that were started with our configuration."""
    ours = f"SLURM_CONF={place.conf}/slurm.conf".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            owner = entry.stat().st_uid
            name = (entry / "comm").read_text().strip()
            mine = name in ("slurmstepd", "sshd") and ours in (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if mine or owner == _uid(place):
            found.append(int(entry.name))
    return found


def _uid(place: Place) -> int | None:
    try:
        return pwd.getpwnam(place.user).pw_uid
    except KeyError:
        return None


def _ports() -> Ports:
    found: set[int] = set()
    while len(found) < 3 + conf.NODES:
        found.add(free_port())
    controller, accounting, ssh, *nodes = found
    return Ports(controller, accounting, ssh, tuple(nodes))


def _folders(place: Place) -> None:
    place.folder.chmod(0o755)
    for name in ("conf", "log", "home", "shared", "n", "dev", "spool", "munge/sock"):
        (place.folder / name).mkdir(parents=True, mode=0o755)
    (place.folder / "munge").chmod(0o711)
    (place.folder / "controller").mkdir(mode=0o700)


def _account(place: Place) -> None:
    """`*` and not `!` as its password: sshd takes the latter for a locked account."""
    home = place.home / place.user
    subprocess.run(["useradd", "-M", "-d", home, "-s", "/bin/bash", "-p", "*", place.user], check=True)
    account = pwd.getpwnam(place.user)
    (home / ".ssh").mkdir(parents=True, mode=0o700)
    for path in (home, home / ".ssh", place.shared, place.local):
        os.chown(path, account.pw_uid, account.pw_gid)
    for key in (place.conf / "host_key", place.folder / "bot_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key], check=True)
    allow(place, (place.folder / "bot_key.pub").read_text())
    for path in access.closed_above(_programs()):
        access.let_pass(account.pw_uid, path)
    known = (place.conf / "host_key.pub").read_text().strip()
    (place.folder / "known_hosts").write_text(f"[127.0.0.1]:{place.ports.ssh} {known}\n")


def allow(place: Place, line: str) -> None:
    """The whole authorized_keys of the account."""
    path = place.home / place.user / ".ssh" / "authorized_keys"
    path.write_text(line)
    shutil.chown(path, place.user, place.user)
    path.chmod(0o600)


def _files(place: Place) -> None:
    key = place.folder / "munge" / "key"
    key.touch(mode=0o600)
    key.write_bytes(os.urandom(1024))
    devices = _devices(place)
    (place.conf / "slurm.conf").write_text(conf.slurm_conf(place))
    (place.conf / "gres.conf").write_text(conf.gres_conf(place, devices=devices))
    (place.conf / "sshd_config").write_text(conf.sshd_conf(place))
    prolog = place.conf / "prolog"
    prolog.write_text(conf.prolog(place))
    prolog.chmod(0o755)
    accounting = place.conf / "slurmdbd.conf"
    accounting.touch(mode=0o600)
    accounting.write_text(conf.accounting_conf(place))


def _plugin(place: Place) -> None:
    """The stand-in for pyxis, built for this SLURM."""
    (place.containers / "root").mkdir(parents=True)
    shutil.chown(place.containers, place.user)
    flags = ("-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC")
    daemons.run(place, "gcc", *flags, "-o", place.conf / "container.so", PLUGIN)
    (place.conf / "plugstack.conf").write_text(conf.plugstack(place))


def _devices(place: Place) -> bool:
    """Character devices stand in for GPUs, so that SLURM numbers them; False where none can be made."""
    try:
        for number in range(conf.GPUS):
            os.mknod(place.folder / "dev" / f"gpu{number}", 0o020666, os.makedev(1, 3))
    except PermissionError:
        return False
    return True
