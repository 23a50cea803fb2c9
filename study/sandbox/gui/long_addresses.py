"""Addresses too long for a server's line: their query string is stored under its sha256 and linked as ``?k=`` (A8).

What is stored is a question, never an answer: field names, comparisons and the values somebody typed.
It names no record that its reader could not ask for anyway, and every desk answers it from its own Org,
so any desk may open any stored address.
"""

from __future__ import annotations

import hashlib
import re
from urllib.parse import parse_qsl, urlencode

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _

from study.sandbox.engine.errors import MALFORMED_QUERY, QueryError
from study.sandbox.engine.folding import clean_text
from study.sandbox.models import Desk, LongAddress, SavedView, TraceEvent

LONGEST = 3_000
"""Bytes of a query string that may stand in an address; servers refuse lines a little longer."""
MOST_BYTES = 100_000
MOST_FIELDS = 900
KEY = "k"
_HASH = re.compile(r"[0-9a-f]{64}")
# What changes from link to link of one page stands beside the key, so that a page stores one row, not one per link.
_BESIDE = frozenset({"sort", "page", "view", "record", "drop", "chart", "from", "for"})
Pairs = list[tuple[str, str]]


def address(base: str, pairs: Pairs, known: set[str] | None = None) -> str:
    """The address of a page with these parameters; a long one is stored on the way.

    ``known`` holds what was stored for this request already.
    """
    query = urlencode(pairs)
    if len(query) <= LONGEST:
        return f"{base}?{query}" if query else base
    beside = [pair for pair in pairs if pair[0] in _BESIDE and len(pair[1]) < 200]
    kept = urlencode([pair for pair in pairs if pair not in beside])
    return f"{base}?{urlencode([(KEY, store(kept, known)), *beside])}"


def store(query: str, known: set[str] | None = None) -> str:
    """Keep a query string and return its key. QueryError for one that is too long even so.

    This is the one thing a page that is only read may write: without it a link on the page would be
    longer than a server takes. The row is named by its content, so writing it again changes nothing.
    """
    query = clean_text(query)
    if len(query.encode("utf-8", "replace")) > MOST_BYTES or query.count("&") >= MOST_FIELDS:
        raise QueryError(MALFORMED_QUERY, _("These conditions are too long to be kept. Take some away."))
    key = hashlib.sha256(query.encode("utf-8", "replace")).hexdigest()
    if known is None or key not in known:
        LongAddress.objects.bulk_create([LongAddress(hash=key, query=query)], ignore_conflicts=True)
        if known is not None:
            known.add(key)
    return key


def expanded(given: QueryDict) -> QueryDict | None:
    """The parameters an address stands for; None for an unknown key.

    What stands beside the key takes the place of a stored sort, page and the like; a condition is one more.
    """
    key = given.get(KEY, "")
    found = LongAddress.objects.filter(hash=key).first() if _HASH.fullmatch(key) else None
    if found is None:
        return None
    whole = QueryDict(mutable=True)
    for name, value in parse_qsl(found.query, keep_blank_values=True, max_num_fields=MOST_FIELDS + 1):
        if name not in given or name not in _BESIDE:
            whole.appendlist(name, value)
    for name in given:
        if name != KEY:
            whole.setlist(name, [*whole.getlist(name), *given.getlist(name)])
    return whole


def forget(desks: QuerySet[Desk]) -> None:
    """Delete what was stored while these desks were in use, unless another desk or a kept view still leads there."""
    for opened, closed in desks.values_list("opened_at", "closed_at"):
        stored = LongAddress.objects.filter(stored_at__gte=opened)
        for row in stored.filter(stored_at__lte=closed) if closed else stored:
            elsewhere = TraceEvent.objects.exclude(desk__in=desks.values("pk")).filter(address__contains=row.hash)
            if not elsewhere.exists() and not SavedView.objects.filter(query__contains=row.hash).exists():
                row.delete()
