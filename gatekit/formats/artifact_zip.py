"""The zip of a workflow run's results: read without trust, in memory, only as far as needed.

Whoever may change a workflow of a pull request decides what is in it. Nothing is unpacked but JSON, and of that the
smallest file first, until one holds a result row.
"""

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO

from gatekit.domain.errors import BadInput
from gatekit.domain.text import is_inside, shown
from gatekit.formats.bounded_json import JSON, JsonLimits, bounded_json

_END = struct.Struct("<4s4H2LH")  # of the end record: signature, disks, members, directory size and offset, comment
_LOCATOR = 20  # bytes before it, where a zip64 archive says so
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OverflowError, RuntimeError, ValueError)


@dataclass(frozen=True, slots=True)
class ZipLimits:
    """Bytes, where nothing else is said."""

    packed: int = 64 * 1024 * 1024
    unpacked: int = 512 * 1024 * 1024  # by its own account; only JSON is unpacked
    members: int = 5_000
    directory: int = 2 * 1024 * 1024  # the list of members
    json: JsonLimits = JSON
    read: int = 64 * 1024 * 1024  # of JSON in all


LIMITS = ZipLimits()


def result_rows(packed: bytes, name: str, limits: ZipLimits = LIMITS) -> int:
    """How many result rows its first JSON file with any holds; 0: none of them has one. `name`: the artifact's.

    A result row is a JSON object with a number in it, alone in its file or in a list. Raises BadInput for what is no
    zip as GitHub makes it, leads out of its folder, or is larger than it may be.
    """
    return next((rows for value in json_values(packed, name, limits) if (rows := _rows(value))), 0)


def json_values(packed: bytes, name: str, limits: ZipLimits = LIMITS) -> Iterator[object]:
    """What its JSON files hold, one after the other, the smallest first: only what is asked for is unpacked.

    Raises BadInput as `result_rows` does.
    """
    try:
        with zipfile.ZipFile(BytesIO(_bounded(packed, name, limits))) as archive:
            files = tuple(_files(archive.infolist(), name, limits))
            read = 0
            for file in sorted(files, key=lambda one: (one.file_size, one.filename)):
                yield _json(archive, file, name, limits)
                read += file.file_size
                if read > limits.read:
                    raise BadInput(name, f"has more than the {limits.read // 2**20} MiB of JSON that are read")
    except _UNREADABLE as error:
        raise BadInput(name, f"is no zip archive that can be read ({shown(type(error).__name__)})") from None


def _bounded(packed: bytes, name: str, limits: ZipLimits) -> bytes:
    """The archive, once its list of members is known to be short: the reader takes that into memory at once."""
    if len(packed) > limits.packed:
        raise too_large(name, limits)
    if len(packed) < _END.size:
        raise BadInput(name, "is no zip archive")
    signature, *_, directory, _, comment = _END.unpack_from(packed, len(packed) - _END.size)
    if signature != b"PK\5\6" or comment:
        raise BadInput(name, "is no zip archive, or one with something behind its end")
    if packed[-_END.size - _LOCATOR :][:4] == b"PK\6\7":
        raise BadInput(name, "is a zip64 archive, which is for larger ones than are read")
    if directory > limits.directory:
        raise BadInput(name, f"has a list of members of {directory:,} bytes, more than {limits.directory:,}")
    return packed


def too_large(name: str, limits: ZipLimits = LIMITS) -> BadInput:
    return BadInput(name, f"is larger than the {limits.packed // 2**20} MiB that are read")


def _files(members: Sequence[zipfile.ZipInfo], name: str, limits: ZipLimits) -> Iterator[zipfile.ZipInfo]:
    """Its JSON files. Raises BadInput where any member is what no artifact has."""
    if len(members) > limits.members:
        raise BadInput(name, f"has {len(members):,} members, more than {limits.members:,}")
    if sum(member.file_size for member in members) > limits.unpacked:
        raise BadInput(name, f"unpacks to more than {limits.unpacked // 2**20} MiB")
    seen: set[str] = set()
    for member in members:
        path = member.orig_filename
        if (problem := _odd(member, path)) is not None or path in seen:
            raise BadInput(name, f"has the member {shown(path)}, which {problem or 'is there twice'}")
        seen.add(path)
        if path.endswith(".json"):
            yield member


def _odd(member: zipfile.ZipInfo, path: str) -> str | None:
    mode = member.external_attr >> 16
    if not is_inside(path.removesuffix("/")) or "\\" in path:
        return "leads out of its folder"
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is no file"
    if member.flag_bits & _ENCRYPTED:
        return "is encrypted"
    return None if member.compress_type in _METHODS else "is packed in a way that is not read"


def _json(archive: zipfile.ZipFile, file: zipfile.ZipInfo, name: str, limits: ZipLimits) -> object:
    where = f"{name}/{file.filename}"
    if file.file_size > limits.json.size:
        raise BadInput(where, f"is larger than the {limits.json.size // 2**20} MiB of JSON that are read")
    with archive.open(file) as stream:
        data = stream.read(file.file_size + 1)  # without a number up to 1 GiB is unpacked, whatever the member says
    return bounded_json(data, where, limits.json)


def _rows(value: object) -> int:
    if isinstance(value, list):
        return sum(_is_row(one) for one in value)
    if isinstance(value, dict):
        return 1 if _is_row(value) else sum(_rows(inner) for inner in value.values() if isinstance(inner, list))
    return 0


def _is_row(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    return any(isinstance(one, int | float) and not isinstance(one, bool) for one in value.values())
