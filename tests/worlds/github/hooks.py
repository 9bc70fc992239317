"""Webhooks as GitHub sends them: real payloads, really signed."""

import hashlib
import hmac
import json
import uuid
from functools import cache
from pathlib import Path
from typing import Any

SECRET = b"a secret of the tests"

_DATA = Path(__file__).parents[2] / "data" / "webhooks"


@cache
def pull_request_texts() -> tuple[str, ...]:
    """Every example of pull_request as JSON text."""
    return tuple(
        json.dumps(payload) for payload in json.loads((_DATA / "pull_request.json").read_text(encoding="utf-8"))
    )


@cache
def other_texts() -> tuple[tuple[str, str], ...]:
    """(event, JSON text) of the events that have no handler."""
    found = json.loads((_DATA / "others.json").read_text(encoding="utf-8"))
    return tuple((one["event"], json.dumps(one["payload"])) for one in found)


def pull_request(action: str, number: int = 2, **changed: Any) -> dict[str, Any]:
    """The first real example of this action, as an App gets it, for pull request `number`."""
    found = next(payload for text in pull_request_texts() if (payload := json.loads(text))["action"] == action)
    payload: dict[str, Any] = found
    payload["number"] = payload["pull_request"]["number"] = number
    payload.setdefault("installation", {"id": 1234, "node_id": "MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9uMTIzNA=="})
    return payload | changed


def labeled(label: str, number: int = 2) -> bytes:
    return json.dumps(pull_request("labeled", number, label={"name": label})).encode()


def signature(body: bytes, secret: bytes = SECRET) -> str:
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()


def headers(body: bytes, event: str = "pull_request", delivery: str | None = None) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": delivery or str(uuid.uuid4()),
        "X-Hub-Signature-256": signature(body),
    }
