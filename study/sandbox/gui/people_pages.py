"""People and territories: what a user owns, open and closed; the states of a territory."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from study.sandbox.engine.queryspec import And, Compare, QuerySpec
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.gui.rooms import Room

# Object -> its status and the value that ends the work.
_ENDS = {
    "Case": ("Status", "Closed"), "Lead": ("Status", "Closed"), "Opportunity": ("StageName", "Closed"),
    "Task": ("Status", "Completed"),
}  # fmt: skip
OWNER = "OwnerId"


@dataclass(frozen=True)
class Owned:
    """What a user owns of one object: numbers, and the lists that hold the records. -1: nothing to close there."""

    item: ObjectDef
    total: int
    url: str
    open: int = -1
    open_url: str = ""
    closed: int = -1
    closed_url: str = ""


def owned_by(room: Room, item: ObjectDef, record_id: str) -> list[Owned]:
    """One line for each object whose owner may be a user, work that is opened and closed first."""
    if item.name != "User":
        return []
    children = [child for child, field in room.registry.references_to(item.name) if field.name == OWNER]
    children.sort(key=lambda child: child.name not in _ENDS)
    return [_owned(room, child, record_id) for child in children]


def _owned(room: Room, child: ObjectDef, record_id: str) -> Owned:
    mine = Compare(OWNER, "eq", record_id)
    total, url = room.count(QuerySpec(child.name, where=mine)), _list(room, child, record_id)
    status, end = _ENDS.get(child.name, ("", ""))
    if not child.has(status):
        return Owned(child, total, url)
    counts = {op: room.count(QuerySpec(child.name, where=And(mine, Compare(status, op, end)))) for op in ("ne", "eq")}
    urls = {op: _list(room, child, record_id, status, op, end) for op in ("ne", "eq")}
    return Owned(child, total, url, counts["ne"], urls["ne"], counts["eq"], urls["eq"])


def _list(room: Room, child: ObjectDef, record_id: str, status: str = "", op: str = "", end: str = "") -> str:
    pairs = [("c", OWNER), ("o", "eq"), ("v", record_id)]
    if status:
        pairs += [("c", status), ("o", op), ("v", end)]
    return f"{room.list_url(child.name)}?{urlencode(pairs)}"


def states_of(room: Room, item: ObjectDef, values: dict[str, object]) -> list[tuple[str, str]]:
    """(state, the accounts there) for each state a territory names; without such accounts no address."""
    if item.name != "Territory2":
        return []
    states = [part.strip() for part in str(values.get("Description") or "").replace(";", ",").split(",")]
    account = room.registry.has("Account") and room.registry.object("Account").has("ShippingState")
    url = room.list_url("Account")
    found = []
    for state in dict.fromkeys(state for state in states if state):
        pairs = urlencode([("c", "ShippingState"), ("o", "eq"), ("v", state)])
        found.append((state, f"{url}?{pairs}" if account and len(state) <= 40 else ""))
    return found
