"""The two ports: can the bot listen there, or does it already?"""

import errno
import http.client
import json
import socket
from contextlib import closing
from dataclasses import dataclass

from bot.doctor.finding import Finding, bad, fine, unknown
from bot.settings import Settings

SECONDS = 3.0  # for who listens there to answer
ANSWER_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Port:
    name: str
    prefix: str  # of the settings HOST and PORT
    host: str
    port: int  # 0: any free one
    page: str  # which only a Gatekit answers so


def check_ports(settings: Settings) -> tuple[Finding, ...]:
    """Listens for a moment on each; sends nothing but one GET, to who listens there already."""
    return (
        check_port(Port("webhook port", "", settings.host, settings.port, "/healthz")),
        check_port(Port("operator port", "OPERATOR_", settings.operator_host, settings.operator_port, "/readyz")),
    )


def check_port(port: Port) -> Finding:
    at = f"{port.host}:{port.port}"
    try:
        family, _, _, _, address = socket.getaddrinfo(port.host, port.port, type=socket.SOCK_STREAM)[0]
        with closing(socket.create_server((str(address[0]), port.port), family=family)):
            return fine(port.name, f"{at}: any free one" if port.port == 0 else f"{at} is free")
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return _taken(port, at)
        why = f"nobody can listen at {at} ({error.strerror})"
        mend = f"set GATEKIT_{port.prefix}HOST to an address of this machine, and GATEKIT_{port.prefix}PORT to a port"
        return bad(port.name, why, f"{mend} above 1023" if error.errno == errno.EACCES else f"{mend} that is free")


def _taken(port: Port, at: str) -> Finding:
    mend = f"end what listens there, or set GATEKIT_{port.prefix}PORT to a free port"
    try:
        ours = _answers_as_we_do(port)
    except (OSError, http.client.HTTPException):
        return unknown(port.name, f"{at} is in use, by something that does not answer", mend)
    return fine(port.name, f"{at} is in use by a running bot") if ours else bad(port.name, f"{at} is in use", mend)


def _answers_as_we_do(port: Port) -> bool:
    with closing(http.client.HTTPConnection(_near(port.host), port.port, timeout=SECONDS)) as asked:
        asked.request("GET", port.page)
        text = asked.getresponse().read(ANSWER_BYTES).decode(errors="replace")
    if port.page == "/healthz":
        return text in ("ok\n", "the database takes no work\n")
    try:
        said = json.loads(text)
    except ValueError:
        return False
    return isinstance(said, dict) and "lease_holder" in said


def _near(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
