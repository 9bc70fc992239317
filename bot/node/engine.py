"""The engine: started with an environment from nothing, and waited for until it answers."""

from __future__ import annotations

import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping
from urllib.parse import urljoin

from bot.node import logs, processes, web
from bot.node.failures import EngineFailed, Failed
from bot.node.jobfile import EngineStart, Job
from bot.node.stop import Stop

# What a program of ours inherits; everything else that it sees stands in the job.
PASSED_ON = (
    "PATH", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES",
    "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ROCM_PATH",
    "HF_HOME", "HF_HUB_CACHE",
    "SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_NODEID", "SLURM_PROCID", "SLURM_LOCALID",
)  # fmt: skip
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
PORT_TRIES = 50
VERSION_PATHS = {
    "vllm": ("/version", "version"),
    "sglang": ("/get_server_info", "version"),
    "trtllm": ("/version", "version"),
    "llamacpp": ("/props", "build_info"),
}


@dataclass(frozen=True)
class Start:
    """The words before the engine's own, none where it runs on the node itself; and the environment of the first."""

    before: tuple[str, ...]
    env: Mapping[str, str]


@dataclass
class Engine:
    """A started engine. `base` is its URL without a slash at the end."""

    process: subprocess.Popen[bytes]
    port: int
    command: tuple[str, ...]
    pump: logs.Pump
    hold: socket.socket  # see _hold_port

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def url(self, path: str) -> str:
        return urljoin(self.base + "/", path.replace("{port}", str(self.port)))

    def ended(self) -> str | None:
        """How it ended, in words; None while it runs."""
        code = self.process.poll()
        if code is None:
            return None
        return f"was killed by signal {-code}" if code < 0 else f"exited with code {code}"


def environment(inherited: Mapping[str, str], mark: str, scratch: Path) -> dict[str, str]:
    """The environment that a program of ours starts from. `mark`: of the job; `scratch`: home and temporary files."""
    env = {name: inherited[name] for name in PASSED_ON if name in inherited}
    env.setdefault("PATH", DEFAULT_PATH)
    env.update({"HOME": str(scratch), "TMPDIR": str(scratch), processes.MARKER: mark})
    return env


def bare(inherited: Mapping[str, str], job: Job, mark: str, scratch: Path) -> Start:
    """On the node, with the same less what the job takes away, plus what it gives. Our own names cannot be changed."""
    plain = environment(inherited, mark, scratch)
    env = {name: value for name, value in plain.items() if name not in job.engine.unset}
    env.update(job.engine.env)
    env.update({name: plain[name] for name in ("HOME", "TMPDIR", processes.MARKER)})
    return Start((), env)


def start(job: Job, how: Start, scratch: Path, log: Path) -> Engine:
    """Starts the engine on a port that is free now, in `scratch` with the job's files; its output goes to `log`."""
    for name, text in job.engine.files.items():
        (scratch / name).write_text(text, encoding="utf-8")
    port, hold = _free_port()
    command = tuple(word.replace("{port}", str(port)) for word in job.engine.command)
    process = processes.spawn((*how.before, *command), how.env, str(scratch))
    assert process.stdout is not None
    pump = logs.Pump(process.stdout, logs.BoundedFile(log))
    pump.start()
    return Engine(process, port, command, pump, hold)


def wait_until_healthy(engine: Engine, settings: EngineStart, stop: Stop) -> float:
    """Seconds until it answered 200. Raises EngineFailed where it ends before, or takes longer than the bound."""
    began = time.monotonic()
    while True:
        healthy = engine.ended() is None and _answers(engine.url(settings.health))
        if (how := engine.ended()) is not None:  # looked at again: another program may answer on its port
            raise EngineFailed(_died(engine, how))
        seconds = time.monotonic() - began
        if healthy:
            return seconds
        if seconds > settings.start_seconds:
            raise EngineFailed(f"the engine did not answer at {settings.health} within {settings.start_seconds:g} s")
        stop.wait(min(1.0, 0.1 + seconds / 20))


def port_was_taken(engine: Engine) -> bool:
    """Whether something else listens on the port of an engine that ended."""
    try:
        socket.create_connection(("127.0.0.1", engine.port), timeout=2).close()
    except OSError:
        return False
    return True


def version(engine: Engine, name: str) -> str | None:
    """What the engine says it is; None where it does not."""
    if name not in VERSION_PATHS:
        return None
    path, key = VERSION_PATHS[name]
    try:
        found = web.ask(engine.url(path)).get(key)
    except Failed:
        return None
    return str(found) if found else None


def _died(engine: Engine, how: str) -> str:
    if engine.process.returncode == 127:
        return f"the engine cannot be started: {engine.command[0]} is no program here, see engine.log"
    return f"the engine {how} before it answered, see engine.log"


def _answers(url: str) -> bool:
    try:
        return web.fetch(url, seconds=5.0)[0] == 200
    except web.NoAnswer:
        return False


def _free_port() -> tuple[int, socket.socket]:
    for _ in range(PORT_TRIES):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.bind(("", 0))
            port: int = probe.getsockname()[1]
        hold = _hold_port(port)
        if hold is not None:
            return port, hold
    raise Failed("no free port was found on this machine")


def _hold_port(port: int) -> socket.socket | None:
    """Tells other node programs of this machine that the port is ours, until the engine binds it and after.

    A name in the abstract namespace goes when its process goes, so nothing has to be cleaned up.
    """
    hold = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        hold.bind(f"\0gatekit-port-{port}")
    except OSError:
        hold.close()
        return None
    return hold
