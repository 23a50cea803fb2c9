"""Whether what looks up a record finds one, of an object it may point to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from study.generator.verify.outcome import Check, Tally, left_out
from study.generator.verify.source import Source
from study.sandbox.engine.snapshot_write import quoted

_PEOPLE = ("User", "Contact", "Lead", "Account")


def check_lookups(source: Source) -> Iterator[Check]:
    resolve = Tally("lookups.resolve", "every lookup finds its record")
    kind = Tally("lookups.kind", "a lookup points to an object it may point to, told by the key prefix")
    for item, one in source.fields("reference"):
        if not one.targets:
            continue
        targets = [source.snapshot.registry.object(name) for name in one.targets]
        column, table = quoted(one.name), quoted(item.name)
        counted = int(source.one(f"SELECT count({column}) FROM {table}"))
        resolve.seen(counted)
        kind.seen(counted)
        found = " OR ".join(f"EXISTS (SELECT 1 FROM {quoted(t.name)} WHERE Id = child.{column})" for t in targets)
        dangling = f"SELECT Id, {column} FROM {table} AS child WHERE {column} IS NOT NULL AND NOT ({found})"
        for record_id, value in source.rows(dangling):
            resolve.fault(record_id, f"{item.name}.{one.name} = {value}")
            if value[:3] not in {target.key_prefix for target in targets}:
                kind.fault(record_id, f"{item.name}.{one.name} = {value}, not of {', '.join(one.targets)}")
    yield resolve.check()
    yield kind.check()
    yield _recipients(source)


def _recipients(source: Source) -> Check:
    """Letters name whom they go to by Id, in a field of text."""
    tally = Tally("lookups.recipients", "letters go to people who exist")
    if not source.has("EmailMessage.ToIds"):
        return left_out(tally.name, tally.about, "no letters that name recipients by Id")
    people = [item for item in source.objects if item.name in _PEOPLE]
    tables = {item.key_prefix: quoted(item.name) for item in people}
    for record_id, value in source.values(source.snapshot.registry.object("EmailMessage"), "ToIds"):
        for one in re.findall(r"[0-9A-Za-z]{15,18}", value):
            tally.seen()
            table = tables.get(one[:3])
            if not table or source.one(f"SELECT 1 FROM {table} WHERE Id = :id", {"id": one}) is None:
                tally.fault(record_id, f"EmailMessage.ToIds = {one}")
    return tally.check()
