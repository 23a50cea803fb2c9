"""Pulling a live org: describe, then query in pages, resumable; the result is an Org like any other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import available_timezones

from study.sandbox.engine.errors import SnapshotError
from study.sandbox.exchange.cells import cell
from study.sandbox.exchange.describing import Described, choosable, registry_of, usual_choice
from study.sandbox.exchange.layout_file import apply_layout, read_layout
from study.sandbox.exchange.live_org import LiveOrg, PullStopped, Refusal
from study.sandbox.exchange.org_files import OrgInput
from study.sandbox.exchange.org_loading import load_tables
from study.sandbox.exchange.pull_state import Progress, PullState

BULK_FROM = 50_000
_LONGEST_ADDRESS = 12_000
_NO_COLUMN = re.compile(r"No such column '(\w+)'")
_GONE = {"INVALID_JOB", "INVALIDJOB", "NOT_FOUND", "BULK_FAILED", "INVALID_LOCATOR"}
_ATTEMPTS = 50

Told = Callable[[str, int, int | None], None]
"""Object, records so far, records there are."""


@dataclass(frozen=True)
class PullWish:
    """What is to be pulled. No ``objects``: the published ones that are there and every custom one."""

    folder: Path
    objects: tuple[str, ...] = ()
    zone: str = ""
    company: str = ""
    layout: Path | None = None
    bulk_from: int = BULK_FROM


class Pull:
    """One pull into one folder; run it again after an interruption and it goes on."""

    def __init__(self, org: LiveOrg, wish: PullWish, told: Told = lambda name, done, total: None) -> None:
        self.org = org
        self.wish = wish
        self.told = told
        self.notes: list[str] = []
        self.state = PullState.opened(wish.folder)

    def run(self) -> OrgInput:
        """Everything that is missing, then what it comes to. PullStopped where it cannot go on now."""
        if not self.state.begun:
            self._begin()
        self._same_pull()
        described = self._described()
        for name, progress in self.state.objects.items():
            if not progress.done:
                self._object(name, described.asked[name])
        return self._input(self._described())

    def _begin(self) -> None:
        there = choosable(self.org.overview())
        wanted = self._wanted(there)
        if not wanted:
            raise SnapshotError("The org holds none of the published objects and no custom one. Use --objects.")
        found = []
        for place, name in enumerate(wanted):
            self.told(f"describing {name}", place, len(wanted))
            found.append(self._described_alone(name))
        about = {"instance": self.org.host, "objects": list(self.wish.objects), **self._company()}
        self.state.begin(about, found)

    def _described_alone(self, name: str) -> dict[str, object]:
        try:
            return self.org.describe(name)
        except Refusal as error:
            raise SnapshotError(f"{name} cannot be described: {error.message}") from None

    def _wanted(self, there: list[str]) -> list[str]:
        if not self.wish.objects:
            return usual_choice(there)
        if self.wish.objects == ("all",):
            return there
        known = {name.lower(): name for name in there}
        if missing := [name for name in self.wish.objects if name.lower() not in known]:
            raise SnapshotError(f"The org has no object {', '.join(missing)} that can be queried.")
        return list(dict.fromkeys(known[name.lower()] for name in self.wish.objects))

    def _company(self) -> dict[str, object]:
        asked = "SELECT Name, TimeZoneSidKey, FiscalYearStartMonth FROM Organization LIMIT 1"
        found = self.org.first(asked) or {}
        zone = str(found.get("TimeZoneSidKey") or "UTC")
        return {
            "company": self.wish.company or str(found.get("Name") or ""),
            "zone": self.wish.zone or (zone if zone in available_timezones() else "UTC"),
            "fiscal_start": int(found.get("FiscalYearStartMonth") or 1),
        }

    def _same_pull(self) -> None:
        about = self.state.about
        if about["instance"] != self.org.host:
            raise SnapshotError(
                f"The folder holds a pull of {about['instance']}, not of {self.org.host}. Name another folder."
            )
        if self.wish.objects and list(self.wish.objects) != about["objects"]:
            raise SnapshotError(
                "The folder holds a pull of other objects. Name another folder, or leave out --objects."
            )

    def _described(self) -> Described:
        about, left = self.state.about, []
        for item in self.state.described():
            dropped = set(self.state.objects[item["name"]].dropped)
            left.append(item | {"fields": [field for field in item["fields"] if field["name"] not in dropped]})
        return registry_of(left, zone=about["zone"], company=about["company"], fiscal_start=int(about["fiscal_start"]))

    def _object(self, name: str, fields: tuple[str, ...]) -> None:
        """All that is missing of one object; a field that is gone since it was described is left out."""
        asked = list(fields)
        for _attempt in range(_ATTEMPTS):
            try:
                self._records(name, asked, self.state.objects[name])
                break
            except Refusal as error:
                self._refused(name, asked, error)
                if self.state.objects[name].done:
                    break
        else:
            raise PullStopped(f"{name} could not be finished. Run the same command again: it goes on where it stopped.")
        self.state.objects[name].done = True
        self.state.save()

    def _refused(self, name: str, asked: list[str], error: Refusal) -> None:
        """Make the next attempt one that can succeed, or give the object up where nothing was got of it."""
        progress = self.state.objects[name]
        gone = _NO_COLUMN.search(error.message)
        if error.code == "INVALID_QUERY_LOCATOR" and not progress.job:
            return
        if error.code in _GONE and progress.job:
            # A bulk query is kept for some days only; the records are asked for anew.
            self.state.forget(name)
        elif error.code == "INVALID_FIELD" and gone and gone[1] in asked and gone[1] != "Id":
            asked.remove(gone[1])
            progress.dropped.append(gone[1])
            self.state.forget(name)
        elif progress.rows:
            raise PullStopped(f"{name} is refused now: {error.message} What it gave so far is kept.") from None
        else:
            self.notes.append(f"{name} cannot be queried: {error.message}; it holds no records here.")
            progress.done = True

    def _records(self, name: str, fields: list[str], progress: Progress) -> None:
        total = self.org.count(name)
        self.told(name, progress.rows, total)
        soql = f"SELECT {', '.join(fields)} FROM {name}"
        if progress.job or total > self.wish.bulk_from or len(soql) > _LONGEST_ADDRESS:
            self._in_bulk(name, soql, progress, total)
            return
        if progress.last_id and not progress.last_id.isalnum():
            raise PullStopped(f"{name}: {progress.last_id!r} is no Id to go on from.")
        where = f" WHERE Id > '{progress.last_id}'" if progress.last_id else ""
        for page in self.org.pages(f"{soql}{where} ORDER BY Id"):
            self.state.add(name, map(_cells, page))
            self.told(name, progress.rows, total)

    def _in_bulk(self, name: str, soql: str, progress: Progress, total: int) -> None:
        if not progress.job:
            self.state.forget(name)
            progress = self.state.objects[name]
            progress.job = self.org.start_bulk(name, soql)
            self.state.save()
        self.org.finished_bulk(name, progress.job)
        while progress.locator or not progress.rows:
            rows, progress.locator = self.org.bulk_page(name, progress.job, progress.locator)
            self.state.add(name, map(_cells, rows))
            self.told(name, progress.rows, total)
            if not progress.locator:
                return

    def _input(self, described: Described) -> OrgInput:
        registry = described.registry
        if self.wish.layout:
            registry = apply_layout(registry, read_layout(self.wish.layout))
        tables = (self.state.table(item.name, described.asked[item.name]) for item in registry.objects)
        loaded = load_tables(registry, tables)
        gone = [
            f"{name}.{column}: it is gone since it was described; it is not taken."
            for name, progress in self.state.objects.items()
            for column in progress.dropped
        ]
        loaded.notes[:0] = [*described.notes, *gone, *self.notes]
        return OrgInput(loaded, None, {"pulled": str(self.state.about["instance"])})


def _cells(row: dict[str, object]) -> dict[str, str]:
    """A record as cells; empty ones are left out."""
    return {name: text for name, value in row.items() if (text := cell(value)) is not None}


def stopped_words(error: PullStopped, states: Iterable[tuple[str, Progress]]) -> str:
    """Where a pull stands when it stops."""
    done = [name for name, progress in states if progress.done]
    rows = sum(progress.rows for _name, progress in states)
    return f"{error} So far: {len(done)} objects whole, {rows:,} records."
