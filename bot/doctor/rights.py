"""What the App must be granted, by what the bot sends and hears; held against what it is granted."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from bot.deliveries.translate import EVENTS
from bot.github.operations import OPERATIONS, Level

# Of events that GitHub sends only to Apps with this permission; no operation of ours needs it.
_EVENT_PERMISSIONS = {"merge_group": "merge_queues"}
_RANK = {"read": 1, "write": 2, "admin": 3}


@dataclass(frozen=True, slots=True)
class Rights:
    """Permissions as the manifest spells them, with their levels; events that the App subscribes to."""

    permissions: Mapping[str, str]
    events: frozenset[str]


def needed() -> Rights:
    """For every operation the highest level that any needs; every event that is translated."""
    levels: dict[str, str] = {name: "read" for event, name in _EVENT_PERMISSIONS.items() if event in EVENTS}
    for operation in OPERATIONS:
        name = operation.permission
        if name is not None and (name not in levels or operation.level is Level.WRITE):
            levels[name] = operation.level.value
    return Rights(levels, EVENTS)


def lacking(granted: Mapping[str, str]) -> Mapping[str, str]:
    """Needed permissions that are not granted at their level, by name."""
    return {name: level for name, level in needed().permissions.items() if _rank(granted.get(name)) < _RANK[level]}


def beyond(granted: Mapping[str, str]) -> Mapping[str, str]:
    """Granted permissions, or levels of them, that nothing needs."""
    wanted = needed().permissions
    return {name: level for name, level in granted.items() if _rank(level) > _rank(wanted.get(name))}


def unheard(events: Collection[str]) -> tuple[str, ...]:
    """Events that are handled and not subscribed to."""
    return tuple(sorted(needed().events - set(events)))


def listed(permissions: Mapping[str, str]) -> str:
    return ", ".join(f"{name}: {level}" for name, level in sorted(permissions.items()))


def _rank(level: str | None) -> int:
    """A level that GitHub added since counts as none: then a person looks."""
    return 0 if level is None else _RANK.get(level, 0)
