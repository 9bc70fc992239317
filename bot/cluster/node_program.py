"""Packs `bot/node` into one file that a cluster can run: the same sources make the same bytes, on every machine."""

import hashlib
import io
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path

import bot.node

SHEBANG = b"#!/usr/bin/env python3\n"
STAMP = (1980, 1, 1, 0, 0, 0)  # the oldest moment that a zip file can hold
UNIX = 3
MODE = 0o644


@dataclass(frozen=True, slots=True)
class NodeProgram:
    """`digest`: SHA-256 in hex of the file, and the "measuring code" part of the reuse key."""

    path: Path
    digest: str


def pack() -> bytes:
    """The zipapp: `bot/node/*.py`, an empty `bot/__init__.py`, and `bot/node/__main__.py` again where Python starts."""
    folder = Path(bot.node.__path__[0])
    sources = {f"bot/node/{path.name}": path.read_bytes() for path in folder.glob("*.py")}
    files = {**sources, "bot/__init__.py": b"", "__main__.py": sources["bot/node/__main__.py"]}
    packed = io.BytesIO(SHEBANG)
    packed.seek(len(SHEBANG))
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_STORED) as archive:  # stored: compressors differ between machines
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, STAMP)
            entry.create_system = UNIX
            entry.external_attr = MODE << 16
            archive.writestr(entry, files[name])
    return packed.getvalue()


def build_node(folder: Path) -> NodeProgram:
    """Writes the node program as `node-<digest>.pyz` into `folder`, by rename; one that is there already stays."""
    data = pack()
    digest = hashlib.sha256(data).hexdigest()
    path = folder / f"node-{digest}.pyz"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        new = folder / f".{path.name}.{os.getpid()}"
        new.write_bytes(data)
        os.replace(new, path)
    return NodeProgram(path, digest)
