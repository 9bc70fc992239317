"""The members of a tar.gz as git makes it, one after the other; what git never writes is refused.

`tarfile` reads the header blocks only: walking the archive with it lets hostile extended headers cost much time.
"""

import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from gatekit.domain.errors import BadInput
from gatekit.domain.text import shown

BLOCK = tarfile.BLOCKSIZE
FED = 64 * 1024  # compressed bytes at a time
GROWN = 256 * 1024  # inflated bytes at a time
PAX_BYTES = 64 * 1024
PAX_KEYS = {b"path": "path", b"linkpath": "linkpath"}  # what git says there of a member
NOT_GITS = "holds an extended header that git does not write; try again"
NOT_WRITTEN_BY_GIT = {
    tarfile.LNKTYPE: "a hard link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe",
}


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may unpack to. `members` counts files, folders and links."""

    members: int = 50_000
    file_bytes: int = 32 * 1024 * 1024
    total_bytes: int = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Blob:
    """What git stores as a blob: the bytes of a file, or the target of a link."""

    data: bytes
    link: bool


@dataclass(frozen=True, slots=True)
class Member:
    name: str  # as in the archive, without a slash at the end; bytes that are no UTF-8 as lone surrogates
    stored: Blob | None  # None: a folder


def members(gz: bytes, where: str, limits: ArchiveLimits) -> Iterator[Member]:
    """Every member up to the end mark. Raises BadInput for what git does not write, and before a limit is passed."""
    tar = _Inflated(gz, where, limits.total_bytes)
    pax: dict[str, str] = {}
    count = 0
    while any(block := tar.take(BLOCK)):
        try:
            header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except tarfile.TarError:
            raise BadInput(where, "is no tar archive; try again") from None
        if header.type in NOT_WRITTEN_BY_GIT:
            kind = NOT_WRITTEN_BY_GIT[header.type]
            raise BadInput(where, f"holds `{readable(header.name)}`, {kind}; take it out of the repository")
        data = _data(tar, header, where, limits)
        if header.type in (tarfile.XGLTYPE, tarfile.XHDTYPE):
            if pax or (header.type == tarfile.XGLTYPE and count):
                raise BadInput(where, NOT_GITS)
            pax = {} if header.type == tarfile.XGLTYPE else _pax_records(data, where)
            continue
        count += 1
        if count > limits.members:
            raise BadInput(where, f"holds more than {limits.members} files; take some out of the repository")
        yield _member(header, data, pax, where)
        pax = {}


def readable(name: str) -> str:
    """A member's name as text for a sentence."""
    return shown(name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))


def _data(tar: "_Inflated", header: tarfile.TarInfo, where: str, limits: ArchiveLimits) -> bytes:
    most = PAX_BYTES if header.type in (tarfile.XHDTYPE, tarfile.XGLTYPE) else limits.file_bytes
    if not 0 <= header.size <= most:
        name = readable(header.name)
        raise BadInput(
            where, f"holds `{name}` with {header.size} bytes, more than the {most} that are read; take it out"
        )
    data = tar.take(header.size)
    tar.take(-header.size % BLOCK)
    return data


def _member(header: tarfile.TarInfo, data: bytes, pax: dict[str, str], where: str) -> Member:
    name = pax.get("path", header.name).rstrip("/")
    match header.type:
        case tarfile.REGTYPE | tarfile.AREGTYPE:
            return Member(name, Blob(data, link=False))
        case tarfile.SYMTYPE:
            target = pax.get("linkpath", header.linkname)
            return Member(name, Blob(target.encode("utf-8", "surrogateescape"), link=True))
        case tarfile.DIRTYPE:
            return Member(name, None)
        case _:
            raise BadInput(where, f"holds `{readable(name)}` of a kind that git does not write; take it out")


def _pax_records(data: bytes, where: str) -> dict[str, str]:
    """The records `<length> <key>=<value>\\n` of an extended header."""
    records = {}
    while data:
        length, _, _ = data.partition(b" ")
        size = int(length) if length.isdigit() and len(length) < len(str(PAX_BYTES)) + 1 else 0
        key, equals, value = data[len(length) + 1 : size].partition(b"=")
        name = PAX_KEYS.get(key)
        if size > len(data) or not equals or not value.endswith(b"\n") or name is None or name in records:
            raise BadInput(where, NOT_GITS)
        records[name] = value[:-1].decode("utf-8", "surrogateescape")
        data = data[size:]
    return records


class _Inflated:
    """The tar inside the gzip, inflated as far as it is taken and no further than `limit` bytes."""

    def __init__(self, gz: bytes, where: str, limit: int) -> None:
        self._where = where
        self._limit = limit
        self._left = limit
        self._gz = memoryview(gz)
        self._fed = 0
        self._ready = memoryview(b"")
        self._zlib = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)

    def take(self, size: int) -> bytes:
        """Exactly `size` bytes. Raises BadInput where the archive ends before, or passes the limit."""
        parts: list[memoryview] = []
        while size:
            if not self._ready:
                self._ready = memoryview(self._inflate())
            parts.append(self._ready[:size])
            self._ready = self._ready[size:]
            size -= len(parts[-1])
        return b"".join(parts)

    def _inflate(self) -> bytes:
        feed = self._zlib.unconsumed_tail or self._gz[self._fed : self._fed + FED]
        if not self._zlib.unconsumed_tail:
            self._fed += len(feed)
        if self._zlib.eof or not feed:
            raise BadInput(self._where, "ends too early; try again")
        try:
            data = self._zlib.decompress(feed, GROWN)
        except zlib.error:
            raise BadInput(self._where, "is no gzip file; try again") from None
        self._left -= len(data)
        if self._left < 0:
            raise BadInput(
                self._where, f"unpacks to more than {self._limit} bytes; take large files out of the repository"
            )
        return data
