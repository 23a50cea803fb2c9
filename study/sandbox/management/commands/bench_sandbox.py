"""How quick the sandbox is: the engine beside SQL written by hand, pages, and the trace.

All are judged by the processor time they take: everything happens in this process, and
other programs on the machine do not lengthen it. Pages and the trace are shown by the
clock as well, which on a machine that does nothing else says nearly the same.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.test import Client

from study.sandbox import trace
from study.sandbox.bench_lines import NEEDED, Drawn, Line, Lines
from study.sandbox.engine.errors import QueryTimeout
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.engine.snapshot_write import INDEXES
from study.sandbox.management.commands.bench_pages import collect_static, visitor
from study.sandbox.models import Desk, Org
from study.sandbox.opened import snapshot_of
from study.sandbox.orgs import org_named

SCALES = {"55k": 55_000, "5m": 5_000_000}
SEED = 1
RATIO = 1.3
COUNTS_FROM_MS = 5.0
PAGE_MS = {"55k": 60.0, "5m": 100.0}
TRACE_MS = 2.0
LEAST_RUNS, QUICK_RUNS, WARM = 30, 7, 2
ATTEMPTS = 5


@dataclass(frozen=True)
class Measured:
    """A line's two medians in milliseconds."""

    name: str
    engine: float
    sql: float

    @property
    def ratio(self) -> float:
        return self.engine / self.sql if self.sql else 1.0

    @property
    def fails(self) -> bool:
        """Whether the engine takes too long beside SQL by hand; what is quick anyway is not compared."""
        return self.engine > COUNTS_FROM_MS and self.ratio > RATIO


class Command(BaseCommand):
    help = "Measure the engine beside hand-written SQL, pages and the trace; exit 1 when a goal is missed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--scale", choices=sorted(SCALES), default="55k", help="how many records (default 55k)")
        parser.add_argument("--org", help="measure this Org instead of one made for measuring")
        parser.add_argument("--quick", action="store_true", help=f"{QUICK_RUNS} runs of each instead of {LEAST_RUNS}")

    def handle(self, *args: Any, **options: Any) -> None:
        scale, runs = options["scale"], QUICK_RUNS if options["quick"] else LEAST_RUNS
        org = self._org(options["org"], SCALES[scale])
        collect_static()
        snapshot = snapshot_of(org)
        if missing := [name for name in NEEDED if not snapshot.counts.get(name)]:
            raise CommandError(f"{org.name} has no {', '.join(missing)}: it cannot be measured.")
        self.stdout.write(f"{org.name}: {sum(org.counts.values()):,} records, {runs} runs of each, medians in ms")
        measured = self._lines(snapshot, runs)
        with visitor(org) as (client, desk):
            pages = self._pages(client, desk, snapshot, runs)
            traced = self._trace(desk, runs)
        self._verdict(measured, pages, traced, PAGE_MS[scale])

    def _org(self, name: str | None, records: int) -> Org:
        """The Org to measure; one of the right size is made where there is none yet, or only one made earlier."""
        with suppress(Org.DoesNotExist):
            org = org_named(name or f"shapes-{records}-{SEED}")
            if name or org.manifest.get("indexes") == INDEXES:
                return org
            (Path(settings.REALIA_VAR) / org.file).unlink(missing_ok=True)
            org.delete()
        if name:
            raise CommandError(f"No Org is called {name}. org_list shows the names.")
        call_command("org_generate", "shapes", records=records, seed=SEED, stdout=self.stdout)
        return org_named(f"shapes-{records}-{SEED}")

    def _lines(self, snapshot: Snapshot, runs: int) -> list[Measured]:
        lines = Lines(snapshot)
        self.stdout.write(f"{'':<28}{'engine':>10}{'SQL':>10}{'ratio':>8}")
        found = []
        for line in lines.all():
            try:
                one = side_by_side(line, lines.drawn(runs + WARM))
            except QueryTimeout as error:
                raise CommandError(f"{line.name}: {error.message}") from error
            self.stdout.write(f"{one.name:<28}{one.engine:>10.2f}{one.sql:>10.2f}{one.ratio:>8.2f}")
            found.append(one)
        return found

    def _pages(self, client: Client, desk: Desk, snapshot: Snapshot, runs: int) -> dict[str, float]:
        draws = Lines(snapshot).drawn(runs + WARM)
        found = {}
        self.stdout.write(f"{'':<28}{'processor':>10}{'clock':>10}")
        for name, address in _addresses().items():
            times, clock = [], []
            for place, drawn in enumerate(draws):
                # What was counted before is not known to the next: every page is a first one.
                snapshot.forget()
                url = f"/crm/{desk.code}/{address(drawn)}"
                began, worked = time.perf_counter(), time.thread_time()
                response = client.get(url, secure=settings.HTTPS)
                took, waited = time.thread_time() - worked, time.perf_counter() - began
                if response.status_code != 200:
                    raise CommandError(f"{url} answered {response.status_code}.")
                if place >= WARM:
                    times.append(took * 1000)
                    clock.append(waited * 1000)
            found[name] = median(times)
            self.stdout.write(f"{name:<28}{found[name]:>10.2f}{median(clock):>10.2f}")
        return found

    def _trace(self, desk: Desk, runs: int) -> float:
        times, clock = [], []
        for _ in range(runs):
            began, worked = time.perf_counter(), time.thread_time()
            trace.record(desk, "list", "Case", query={"object": "Case"}, n=7)
            times.append((time.thread_time() - worked) * 1000)
            clock.append((time.perf_counter() - began) * 1000)
        self.stdout.write(f"{'trace, one event':<28}{median(times):>10.2f}{median(clock):>10.2f}")
        return median(times)

    def _verdict(self, measured: list[Measured], pages: dict[str, float], traced: float, most: float) -> None:
        slow = [f"{one.name} ({one.ratio:.2f})" for one in measured if one.fails]
        late = [f"{name} ({took:.0f} ms)" for name, took in pages.items() if took > most]
        goals = [
            (f"engine at most {RATIO:g} times SQL by hand, over {COUNTS_FROM_MS:g} ms", slow),
            (f"first pages and suggestions under {most:g} ms", late),
            (f"an event of the trace under {TRACE_MS:g} ms", [f"{traced:.1f} ms"] if traced > TRACE_MS else []),
        ]
        for goal, missed in goals:
            self.stdout.write(f"{'MISSED' if missed else 'met':<8}{goal}{': ' + ', '.join(missed) if missed else ''}")
        if any(missed for _goal, missed in goals):
            raise CommandError("A goal was missed.")


def side_by_side(line: Line, draws: list[Drawn]) -> Measured:
    """Both sides in turn, each first every other time. CommandError where their answers are of different size."""
    times: dict[str, list[float]] = {"engine": [], "sql": []}
    for place, drawn in enumerate(draws):
        sizes = {}
        for side in ("engine", "sql") if place % 2 else ("sql", "engine"):
            answer, took = _patiently(getattr(line, side), drawn)
            sizes[side] = line.size(answer)
            times[side] += [took] if place >= WARM else []
        if sizes["engine"] != sizes["sql"]:
            raise CommandError(f"{line.name}: the engine answers {sizes['engine']}, SQL by hand {sizes['sql']}.")
    return Measured(line.name, median(times["engine"]), median(times["sql"]))


def _patiently(side: Callable[[Drawn], Any], drawn: Drawn) -> tuple[Any, float]:
    """The answer and its processor time. On a busy machine a query may be stopped by the clock: it is asked again."""
    for attempt in range(ATTEMPTS):
        began = time.thread_time()
        try:
            answer = side(drawn)
        except QueryTimeout:
            if attempt == ATTEMPTS - 1:
                raise
            continue
        return answer, (time.thread_time() - began) * 1000
    raise AssertionError("unreachable")


def _addresses() -> dict[str, Callable[[Drawn], str]]:
    draw = random.Random(SEED)  # noqa: S311 - which pages are asked for, nothing secret

    def filtered(drawn: Drawn) -> str:
        pairs = [("s.Status", drawn["given"]["Status"])] if draw.random() < 0.7 else []
        window = [("w.CreatedDate", f"past_months:{drawn['months']}")] if draw.random() < 0.5 else []
        return "o/Case/?" + urlencode([*pairs, *window])

    return {
        "page: a list": lambda drawn: "o/Case/",
        "page: a list with conditions": filtered,
        "page: a record": lambda drawn: f"r/{drawn['id']}/",
        "suggestions": lambda drawn: "search/suggest/?" + urlencode({"q": drawn["typed"]}),
    }
