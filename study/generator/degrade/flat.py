"""Dates and owners spread evenly: no seasons, no weekdays, no office hours, nobody busier than anybody else.

A whole story is moved at once, an order with its cases, an opportunity with its letters, so that everything stays in
the order in which it happened and nothing takes longer or shorter than it did.
"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import UTC, date, datetime, time, timedelta
from functools import cache

from study.generator.degrade.org_tables import OrgTables, dated
from study.generator.degrade.stories import STORIES, Stories
from study.generator.groundwork.things import Row
from study.sandbox.engine.registry import ObjectDef

_DAY = timedelta(days=1)
_GOLDEN = 0.6180339887
Renamed = dict[str, list[tuple[str, str]]]
"""Record Id -> names in its texts that now are others'."""


def flatten(org: OrgTables, last_moment: datetime) -> Renamed:
    """Spread stories over the time between the first and the last of their kind, and their files over owners.

    Names and addresses of owners in letters, chats and calls follow their owners; what was renamed is told.
    """
    stories = Stories(org)
    _spread_dates(org, stories, last_moment)
    return _spread_owners(org, stories)


def _moment(value: object) -> datetime | None:
    if isinstance(value, datetime):
        return value
    return datetime.combine(value, time(0), UTC) if isinstance(value, date) else None


def _happened(item: ObjectDef) -> tuple[str, ...]:
    """Fields that say when something came to be or came to an end: not due dates, terms and plans."""
    own = [item.written.name] if item.written else []
    ends = ("ClosedDate", "ConvertedDate", "CustomerSignedDate", "CompanySignedDate", "LastModifiedDate")
    return (*own, *(name for name in ends if item.has(name)))


def _spread_dates(org: OrgTables, stories: Stories, last_moment: datetime) -> None:
    members: dict[str, list[tuple[ObjectDef, Row]]] = defaultdict(list)
    for record_id, (item, row) in org.by_id.items():
        root = stories.root(record_id)
        if org.by_id[root][0].name in STORIES:
            members[root].append((item, row))
    for name in STORIES:
        one = dated(org.registry.object(name)) if org.registry.has(name) else None
        if one is None:
            continue
        begun = [(at, root) for root in members if org.by_id[root][0].name == name
                 if (at := _moment(org.by_id[root][1].get(one.name)))]  # fmt: skip
        begun.sort()
        for n, (at, root) in enumerate(begun):
            first, last = begun[0][0], begun[-1][0]
            wished = first + (last - first) * ((n + 0.5) / len(begun))
            if one.type == "date":
                # A day has no hour to give to what follows it.
                wished = datetime.combine(wished.date(), time(0), UTC) + timedelta(days=n * _GOLDEN % 1)
            _shift(members[root], wished - at, last_moment, upward=one.type == "datetime")
    _first_things_first(org, members)


def _shift(story: list[tuple[ObjectDef, Row]], by: timedelta, last_moment: datetime, *, upward: bool) -> None:
    """Move a story; less far where its end would come after the last moment.

    Days move by whole days: ``upward`` to the next one, so that what was signed on the day it was offered still is
    signed no earlier; else to the one before, so that what was bought first stays first.
    """
    ends = [_end(value) for item, row in story for name in _happened(item) if isinstance(value := row.get(name), date)]
    if ends:
        by = min(by, last_moment - max(ends))
    by = timedelta(seconds=by // timedelta(seconds=1))
    days = timedelta(days=-(-by // _DAY) if upward else by // _DAY)
    for item, row in story:
        for one in item.fields:
            value = row.get(one.name)
            if isinstance(value, datetime):
                row[one.name] = value + by
            elif isinstance(value, date):
                row[one.name] = value + days


def _end(value: date) -> datetime:
    """The moment itself; of a day its end."""
    if isinstance(value, datetime):
        return value
    return datetime.combine(value + _DAY, time(0), UTC)


def _first_things_first(org: OrgTables, members: dict[str, list[tuple[ObjectDef, Row]]]) -> None:
    """Accounts are spread too, but are there before their first story."""
    item = org.registry.object("Account") if org.registry.has("Account") else None
    if item is None or not item.has("CreatedDate"):
        return
    first: dict[str, datetime] = {}
    for story in members.values():
        for kind, row in story:
            one = dated(kind)
            at = _moment(row.get(one.name)) if one else None
            account = str(row.get("AccountId") or "")
            if at and account and (account not in first or at < first[account]):
                first[account] = at
    rows = [row for row in org.rows("Account") if isinstance(row.get("CreatedDate"), datetime)]
    rows.sort(key=lambda row: (row["CreatedDate"], row["Id"]))
    times = [at for row in rows if (at := _moment(row["CreatedDate"]))]
    for n, row in enumerate(rows):
        even = times[0] + (times[-1] - times[0]) * ((n + 0.5) / len(rows))
        even = even.replace(microsecond=0)
        row["CreatedDate"] = min(even, first.get(str(row["Id"]), even))


def _spread_owners(org: OrgTables, stories: Stories) -> Renamed:
    renamed: Renamed = {}
    files: dict[str, list[tuple[ObjectDef, Row]]] = defaultdict(list)
    for record_id, (item, row) in org.by_id.items():
        if (found := stories.file(record_id)) is not None:
            files[found].append((item, row))
    for name in ("Lead", "Opportunity", "Order", "Case", "Account", "Contact"):
        rows = [row for row in org.rows(name) if row.get("OwnerId")]
        pool = _pool(org, rows)
        rows.sort(key=lambda row: str(row["Id"]))
        for n, row in enumerate(rows if pool else ()):
            inside = files.get(str(row["Id"]))
            if name in ("Account", "Contact"):
                row["OwnerId"] = pool[n % len(pool)]
            elif inside is not None:
                _hand_over(org, inside, _mapping(str(row["OwnerId"]), inside, pool, n), renamed)
    return renamed


def _pool(org: OrgTables, rows: list[Row]) -> list[str]:
    """Who owns any of these, those still here if there are any."""
    owners = sorted({str(row["OwnerId"]) for row in rows} & org.by_id.keys())
    here = [one for one in owners if org.by_id[one][1].get("IsActive", True)]
    return here or owners


def _people(inside: list[tuple[ObjectDef, Row]]) -> list[str]:
    """Users of a file in order of appearance."""
    found: dict[str, None] = {}
    for item, row in inside:
        for one in item.fields:
            if "User" in one.targets and row.get(one.name):
                found[str(row[one.name])] = None
    return list(found)


def _mapping(owner: str, inside: list[tuple[ObjectDef, Row]], pool: list[str], n: int) -> dict[str, str]:
    mapping = {owner: pool[n % len(pool)]}
    for other in _people(inside):
        if other not in mapping:
            mapping[other] = pool[(n + len(mapping)) % len(pool)]
    return mapping


def _hand_over(org: OrgTables, inside: list[tuple[ObjectDef, Row]], mapping: dict[str, str], renamed: Renamed) -> None:
    changed = {old: new for old, new in mapping.items() if old != new}
    words: dict[str, str] = {}
    for old, new in changed.items():
        words |= _words(org.found(old), org.found(new))
    for item, row in inside:
        touched = False
        for one in item.fields:
            value = row.get(one.name)
            if one.type == "reference" and str(value) in changed and "User" in one.targets:
                row[one.name] = changed[str(value)]
            elif one.name == "ToIds" and value:
                row[one.name] = re.sub(r"\w+", lambda hit: changed.get(hit[0], hit[0]), str(value))
            elif one.type in ("text", "string") and isinstance(value, str) and words and one.name != "Id":
                fresh = _pattern(tuple(words)).sub(lambda hit: words[hit[0]], value)
                touched = touched or fresh != value
                row[one.name] = fresh
        if touched:
            renamed[str(row["Id"])] = sorted(words.items(), key=lambda pair: -len(pair[0]))


def _words(old: Row | None, new: Row | None) -> dict[str, str]:
    """Full name, first name and address of one person -> those of another."""
    if old is None or new is None:
        return {}
    found = {}
    for make in (lambda r: f"{r.get('FirstName')} {r.get('LastName')}", lambda r: r.get("FirstName"),
                 lambda r: r.get("Email")):  # fmt: skip
        if make(old) and make(new):
            found[str(make(old))] = str(make(new))
    return found


@cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    listed = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?<![\w@.])(?:{listed})(?!\w)")
