"""Webhook deliveries: signed, posted in order, recorded, and sent again on request."""

import asyncio
import hashlib
import hmac
import json
import random
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count

import aiohttp

from bot.demo.github.world import Json, World

DEADLINE = 10.0  # seconds that GitHub waits for an answer
SEED = 20260105  # delivery ids are UUIDs and yet the same in every run
HOOK_ID = 3001


@dataclass(slots=True)
class Delivery:
    """One attempt to deliver. `status` is None until it was answered; 0: no answer came."""

    id: int
    guid: str
    event: str
    body: bytes
    redelivery: bool
    at: datetime
    status: int | None = None
    seconds: float = 0.0

    @property
    def payload(self) -> Json:
        payload: Json = json.loads(self.body)
        return payload

    @property
    def action(self) -> str | None:
        action = self.payload.get("action")
        return action if isinstance(action, str) else None


def signature(secret: str, body: bytes, algorithm: str = "sha256") -> str:
    return f"{algorithm}={hmac.new(secret.encode(), body, algorithm).hexdigest()}"


@dataclass(slots=True)
class Hooks:
    """`target` is the bot's webhook address; None: nobody is told, and the deliveries stay unanswered."""

    world: World
    target: str | None = None
    deliveries: list[Delivery] = field(default_factory=list)
    _waiting: "asyncio.Queue[Delivery]" = field(default_factory=asyncio.Queue)
    _numbers: "count[int]" = field(default_factory=lambda: count(7001))
    _random: random.Random = field(default_factory=lambda: random.Random(SEED))

    def emit(self, event: str, payload: Json) -> None:
        body = json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode()
        self._queue(event, body, self._guid(), redelivery=False)

    def redeliver(self, delivery: Delivery) -> Delivery:
        """GitHub's own "Redeliver": the same GUID and the same bytes."""
        return self._queue(delivery.event, delivery.body, delivery.guid, redelivery=True)

    async def settled(self) -> None:
        """Every delivery so far was answered, or its deadline passed."""
        await self._waiting.join()

    async def run(self) -> None:
        """Posts what is waiting, one after the other, until it is cancelled."""
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=DEADLINE)) as session:
            while True:
                delivery = await self._waiting.get()
                try:
                    await self._post(session, delivery)
                finally:
                    self._waiting.task_done()

    async def _post(self, session: aiohttp.ClientSession, delivery: Delivery) -> None:
        if self.target is None:
            return
        start = asyncio.get_running_loop().time()
        try:
            headers = self.headers(delivery)
            async with session.post(self.target, data=delivery.body, headers=headers) as answer:
                await answer.read()
                delivery.status = answer.status
        except (aiohttp.ClientError, TimeoutError):
            delivery.status = 0
        delivery.seconds = asyncio.get_running_loop().time() - start

    def headers(self, delivery: Delivery) -> Mapping[str, str]:
        secret = self.world.app.webhook_secret
        return {
            "Accept": "*/*",
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/5d1a9e0",
            "X-GitHub-Delivery": delivery.guid,
            "X-GitHub-Event": delivery.event,
            "X-GitHub-Hook-ID": str(HOOK_ID),
            "X-GitHub-Hook-Installation-Target-ID": str(self.world.app.id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-Hub-Signature": signature(secret, delivery.body, hashlib.sha1().name),
            "X-Hub-Signature-256": signature(secret, delivery.body),
        }

    def _guid(self) -> str:
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def _queue(self, event: str, body: bytes, guid: str, *, redelivery: bool) -> Delivery:
        delivery = Delivery(next(self._numbers), guid, event, body, redelivery, self.world.tick())
        self.deliveries.append(delivery)
        self._waiting.put_nowait(delivery)
        return delivery
