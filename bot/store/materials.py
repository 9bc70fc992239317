"""The raw material of finished attempts, compressed, under the job's name."""

import sqlite3
import zlib

from pydantic import TypeAdapter

from bot.store.database import Database
from gatekit.domain.ids import JobName
from gatekit.domain.job import Material

_MATERIAL: TypeAdapter[Material] = TypeAdapter(Material)


class MaterialStore:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def put(self, job: JobName, material: Material) -> None:
        """Stores it; what was stored before under this name stays."""
        packed = zlib.compress(_MATERIAL.dump_json(material))
        await self._db.write(
            lambda conn: conn.execute("INSERT OR IGNORE INTO materials (job, packed) VALUES (?, ?)", (job, packed))
        )

    async def get(self, job: JobName) -> Material | None:
        def read(conn: sqlite3.Connection) -> bytes | None:
            row = conn.execute("SELECT packed FROM materials WHERE job = ?", (job,)).fetchone()
            return None if row is None else bytes(row[0])

        packed = await self._db.read(read)
        return None if packed is None else _MATERIAL.validate_json(zlib.decompress(packed))
