"""One SSH connection, made strictly: the host's key stands in the operator's file, and no key but theirs is shown."""

import asyncio
import logging
import socket
from dataclasses import dataclass

import asyncssh


class CannotConnect(Exception):
    """`str(error)` says what to mend. `lasting`: trying again soon would only earn a ban."""

    def __init__(self, problem: str, *, lasting: bool) -> None:
        super().__init__(problem)
        self.lasting = lasting


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int
    user: str
    key_file: str
    known_hosts_file: str
    jump: str | None = None  # [user@]host[:port]

    def __str__(self) -> str:
        return f"{self.user}@{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds."""

    connect: float = 20.0
    keepalive: float = 5.0  # a peer that is silent three times as long is gone
    first_pause: float = 0.5  # after the second connection in a row that could not be made or was cut; doubles
    longest_pause: float = 60.0
    lasting_pause: float = 600.0  # where a person must mend something first


@dataclass(frozen=True, slots=True)
class Connected:
    through: asyncssh.SSHClientConnection | None
    last: asyncssh.SSHClientConnection

    def is_closed(self) -> bool:
        return self.last.is_closed()

    async def close(self) -> None:
        for connection in (self.last, self.through):
            if connection is not None:
                connection.abort()
                await connection.wait_closed()


async def connect(address: Address, timing: Timing) -> Connected:
    """Raises CannotConnect."""
    asyncssh.set_log_level(logging.WARNING)  # it has a line to say on every command
    hosts, key = await asyncio.to_thread(_known_hosts, address), await asyncio.to_thread(_key, address)
    through = None
    if address.jump is not None:
        through = await _connect(_jump(address), hosts, key, timing, None)
    try:
        return Connected(through, await _connect(address, hosts, key, timing, through))
    except BaseException:
        if through is not None:
            through.abort()
        raise


def _known_hosts(address: Address) -> asyncssh.SSHKnownHosts:
    path = address.known_hosts_file
    try:
        return asyncssh.read_known_hosts(path)
    except OSError as error:
        problem = f"known_hosts_file {path} cannot be read ({error.strerror}): write the host's keys into it"
        raise CannotConnect(problem, lasting=True) from error
    except (ValueError, UnicodeError) as error:
        raise CannotConnect(f"known_hosts_file {path} has an entry that is none: {error}", lasting=True) from error


def _key(address: Address) -> asyncssh.SSHKey:
    path = address.key_file
    try:
        return asyncssh.read_private_key(path)
    except OSError as error:
        problem = f"key_file {path} cannot be read ({error.strerror}): give the bot its key"
        raise CannotConnect(problem, lasting=True) from error
    except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError) as error:
        raise CannotConnect(f"key_file {path} is no private key without a passphrase", lasting=True) from error


def _jump(address: Address) -> Address:
    user, _, place = (address.jump or "").rpartition("@")
    host, _, port = place.partition(":")
    return Address(
        host, int(port) if port.isdigit() else 22, user or address.user, address.key_file, address.known_hosts_file
    )


async def _connect(
    address: Address,
    hosts: asyncssh.SSHKnownHosts,
    key: asyncssh.SSHKey,
    timing: Timing,
    through: asyncssh.SSHClientConnection | None,
) -> asyncssh.SSHClientConnection:
    try:
        return await asyncssh.connect(
            address.host,
            address.port,
            username=address.user,
            known_hosts=hosts,
            client_keys=[key],
            tunnel=through or (),
            config=None,
            agent_path=None,
            gss_host=None,
            preferred_auth="publickey",
            connect_timeout=timing.connect,
            login_timeout=timing.connect,
            keepalive_interval=timing.keepalive,
            keepalive_count_max=3,
        )
    except asyncssh.HostKeyNotVerifiable as error:
        raise CannotConnect(_host_key(address, hosts), lasting=True) from error
    except asyncssh.PermissionDenied as error:
        problem = f"{address} does not let the key {address.key_file} in: add it to the account's authorized_keys"
        raise CannotConnect(problem, lasting=True) from error
    except (asyncssh.Error, OSError, TimeoutError) as error:
        raise CannotConnect(f"{address} cannot be reached: {_out_of_reach(address, error)}", lasting=False) from error


def _host_key(address: Address, hosts: asyncssh.SSHKnownHosts) -> str:
    """A host that shows another key than before may be another host; one without a key was never written down."""
    keys, authorities, *_ = hosts.match(address.host, "", address.port)
    file = address.known_hosts_file
    if keys or authorities:
        return f"the key of {address.host} is not the one in {file}: compare them, and mend the file"
    return f"{file} has no key of {address.host}: write it there (ssh-keyscan), and compare it with what the site says"


def _out_of_reach(address: Address, error: Exception) -> str:
    """What to look at first; else what the library said."""
    if isinstance(error, socket.gaierror):
        return f"{address.host} is no name that this machine can look up; correct `host`, or mend its name service"
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there; correct `host` and `port`, or start its sshd"
    if isinstance(error, TimeoutError):
        return "it does not answer; correct `host` and `port`, or let the network's filters pass it"
    return str(error) or type(error).__name__
