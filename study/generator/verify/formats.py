"""What a single value must look like: Ids, addresses, numbers, dates, picklists, money, names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from study.generator.verify.area_codes import STATE_OF, STATES
from study.generator.verify.outcome import Check, Tally, left_out
from study.generator.verify.source import DAY, Source
from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.snapshot_write import quoted

_MAIL = re.compile(r"[A-Za-z0-9._%+'-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}")
_MAIL_FIELDS = ("Email", "PersonEmail", "FromAddress", "ToAddress", "Username")
_PHONE = re.compile(r"(?:\+1[ .-]?)?(?:\((\d{3})\) ?|(\d{3})[ .-])(\d{3})[ .-](\d{4})")
_MONEY = frozenset({"UnitPrice", "TotalPrice", "Amount", "TotalAmount"})
_STATE_FIELDS = frozenset({"ShippingState", "State"})
_NAME_FIELDS = frozenset({"Name", "FirstName", "LastName", "Company"})
_PLACEHOLDER = re.compile(
    r"\b(?:test|foo|baz|asdf|qwerty|xxx+|n/?a|null|none|nan|unknown|undefined|placeholder|sample|dummy|"
    r"(?:first|last) ?name|(?:john|jane) (?:doe|smith)|acme|company \d+|user \d+|customer \d+|product \d+)\b",
    re.IGNORECASE,
)
_EARLIEST = date(1990, 1, 1)
# Due dates, planned events, terms and validity lie ahead, but not for ever.
_AHEAD = timedelta(days=6 * 366)


def check_formats(source: Source) -> Iterator[Check]:
    yield _ids(source)
    yield _addresses(source)
    yield from _phones(source)
    yield _states(source)
    yield _dates(source)
    yield _picklists(source)
    yield _money(source)
    yield _names(source)


def _ids(source: Source) -> Check:
    tally = Tally("formats.ids", "18 characters, checksum and key prefix of the object")
    for item in source.objects:
        table = quoted(item.name)
        for (record_id,) in source.rows(f"SELECT Id FROM {table}"):
            tally.seen()
            if normal_id(record_id) != record_id:
                tally.fault(record_id, f"{item.name}: not an Id of 18 characters with the right checksum")
            elif item.key_prefix and not record_id.startswith(item.key_prefix):
                tally.fault(record_id, f"{item.name}: begins with {record_id[:3]}, not {item.key_prefix}")
    for item, one in source.fields("reference"):
        for record_id, value in source.values(item, one.name):
            tally.seen()
            if normal_id(value) != value:
                tally.fault(record_id, f"{item.name}.{one.name} = {value}")
    return tally.check()


def _each(source: Source, tally: Tally, wanted: Callable[[str], bool], wrong: Callable[[str], str]) -> Check:
    """Every value of the short text fields of these names through one question."""
    for item, one in source.fields("string", "picklist"):
        if not wanted(one.name):
            continue
        for record_id, value in source.values(item, one.name):
            tally.seen()
            if fault := wrong(value):
                tally.fault(record_id, f"{item.name}.{one.name} = {value[:60]!r}: {fault}")
    return tally.check()


def _addresses(source: Source) -> Check:
    def wrong(value: str) -> str:
        for one in re.split(r"[;,]\s*", value):
            if not _MAIL.fullmatch(one.strip()):
                return "not an address"
            if source.own and not one.strip().lower().endswith(".example"):
                return "does not end in .example"
        return ""

    return _each(source, Tally("formats.addresses", "e-mail addresses"), lambda name: name in _MAIL_FIELDS, wrong)


def _phones(source: Source) -> Iterator[Check]:
    def wrong(value: str) -> str:
        match = _PHONE.fullmatch(value.strip())
        if not match:
            return "not a telephone number"
        if source.own and not (match[3] == "555" and match[4].startswith("01")):
            return "not a 555-01 number"
        return ""

    yield _each(source, Tally("formats.phones", "telephone numbers"), lambda name: name.endswith("Phone"), wrong)
    yield _area_codes(source)


def _area_codes(source: Source) -> Check:
    # People move and keep their number: a few may differ.
    tally = Tally("formats.area_codes", "area code of the phone and state of the address", share=5.0)
    for item in source.objects:
        state = next((name for name in sorted(_STATE_FIELDS) if item.has(name)), None)
        if not state or not item.has("Phone"):
            continue
        sql = f"SELECT Id, Phone, {quoted(state)} FROM {quoted(item.name)} WHERE Phone IS NOT NULL"
        for record_id, phone, where in source.rows(sql):
            match = _PHONE.fullmatch(phone.strip())
            code = (match[1] or match[2]) if match else ""
            if where in STATES and code:
                tally.seen()
                if STATE_OF.get(code) != where:
                    tally.fault(record_id, f"{item.name}: {phone} in {where}")
    return tally.check() if tally.looked_at else left_out(tally.name, tally.about, "no object has both")


def _states(source: Source) -> Check:
    tally = Tally("formats.states", "two-letter names of states")
    if not source.own:
        return left_out(tally.name, tally.about, "an Org from elsewhere")
    return _each(source, tally, lambda name: name in _STATE_FIELDS, lambda v: "" if v in STATES else "no state")


def _dates(source: Source) -> Check:
    tally = Tally("formats.dates", "dates between 1990 and six years after the last day")
    latest = source.snapshot.last_day + _AHEAD
    bounds = {
        "date": (_EARLIEST.isoformat(), latest.isoformat()),
        "datetime": ((_EARLIEST - date(1970, 1, 1)).days * DAY, (latest - date(1970, 1, 1)).days * DAY),
    }
    for item, one in source.fields("date", "datetime"):
        low, high = bounds[one.type]
        column, table = quoted(one.name), quoted(item.name)
        tally.seen(source.one(f"SELECT count({column}) FROM {table}"))
        wrong = f"SELECT Id, {column} FROM {table} WHERE {column} < :low OR {column} > :high"
        for record_id, value in source.rows(wrong, {"low": low, "high": high}):
            tally.fault(record_id, f"{item.name}.{one.name} = {value}")
    return tally.check()


def _picklists(source: Source) -> Check:
    tally = Tally("formats.picklists", "values of picklists")
    for item, one in source.fields("picklist"):
        column, table, known = quoted(one.name), quoted(item.name), set(one.values)
        if not known:
            continue
        grouped = f"SELECT min(Id), {column}, count(*) FROM {table} WHERE {column} IS NOT NULL GROUP BY {column}"
        for record_id, value, count in source.rows(grouped):
            tally.seen(count)
            if value not in known:
                tally.faults += count - 1
                tally.fault(record_id, f"{item.name}.{one.name} = {value!r} ({count:,} records)")
    return tally.check()


def _money(source: Source) -> Check:
    tally = Tally("formats.money", "amounts of money have two decimals at most")
    for item, one in source.fields("number"):
        if one.name not in _MONEY:
            continue
        column, table = quoted(one.name), quoted(item.name)
        tally.seen(source.one(f"SELECT count({column}) FROM {table}"))
        wrong = f"SELECT Id, {column} FROM {table} WHERE abs({column} * 100 - round({column} * 100)) > 0.0001"
        for record_id, value in source.rows(wrong):
            tally.fault(record_id, f"{item.name}.{one.name} = {value}")
    return tally.check()


def _names(source: Source) -> Check:
    def wrong(value: str) -> str:
        if found := _PLACEHOLDER.search(value):
            return f"the placeholder {found[0]!r}"
        return "" if any(char.isalpha() for char in value) else "no letters"

    return _each(source, Tally("formats.names", "names without placeholders"), lambda n: n in _NAME_FIELDS, wrong)
