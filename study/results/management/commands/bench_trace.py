"""manage.py bench_trace: how much memory an export of the trace takes, however many events there are.

Everything happens in a data folder of its own, which is deleted afterwards: a program makes the events, another one
exports them, and what the system says that the second took at most is compared with the limit.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.results.traces.exporting import FORMATS
from study.results.traces.many import CODE, make_many

EVENTS, QUICK = 10_000_000, 100_000
LIMIT_MB = 400


@dataclass(frozen=True)
class Measured:
    """What one program took: seconds by the clock, and memory at its most."""

    seconds: float
    peak_mb: float
    said: dict[str, str]


class Command(BaseCommand):
    help = "Export many trace events and print the memory it took; fails above the limit."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--events", type=int, help=f"{EVENTS:,} unless said otherwise")
        parser.add_argument("--quick", action="store_true", help=f"{QUICK:,} events")
        parser.add_argument("--limit-mb", type=float, default=LIMIT_MB)
        parser.add_argument("--fill", action="store_true", help="only make the events, in the present database")

    def handle(self, *args: Any, **options: Any) -> None:
        events = options["events"] or (QUICK if options["quick"] else EVENTS)
        if events < 1:
            raise CommandError("Give at least one event.")
        if options["fill"]:
            make_many(events)
            return
        with tempfile.TemporaryDirectory(dir=settings.REALIA_VAR, prefix="bench-trace-") as place:
            most = self._measured(Path(place), events)
        limit = options["limit_mb"]
        if most >= limit:
            raise CommandError(f"An export took {most:.0f} MB, which is not under {limit:.0f} MB.")
        self.stdout.write(f"at most {most:.0f} MB, limit {limit:.0f} MB")

    def _measured(self, place: Path, events: int) -> float:
        run(place, "migrate", "--verbosity", "0")
        made = run(place, "bench_trace", "--fill", "--events", str(events))
        self.stdout.write(f"{events:,} events made in {made.seconds:.0f} s")
        most = 0.0
        for kind, ending in FORMATS.items():
            file = place / f"trace.{ending}"
            took = run(place, "export_trace", CODE, "--format", kind, "--out", str(file))
            if took.said["events"] != str(events):
                raise CommandError(f"{took.said['events']} events were written, not {events}.")
            size = file.stat().st_size / 1e6
            self.stdout.write(f"{kind:<5} {took.seconds:7.0f} s {took.peak_mb:7.0f} MB at most, file of {size:,.0f} MB")
            file.unlink()
            most = max(most, took.peak_mb)
        return most


def run(place: Path, *words: str) -> Measured:
    """One of our commands as a program of its own on the data folder ``place``, and what it took."""
    around = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    manage = [sys.executable, str(settings.BASE_DIR / "manage.py")]
    began = time.monotonic()
    with subprocess.Popen(
        [*manage, *words], env=around | {"REALIA_VAR": str(place)}, stdout=subprocess.PIPE, text=True
    ) as program:
        out = program.stdout.read() if program.stdout else ""
        _pid, status, used = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
    if program.returncode:
        raise CommandError(f"manage.py {words[0]} ended with {program.returncode}.")
    # Kilobytes on Linux, bytes on macOS.
    per_mb = 1e6 if sys.platform == "darwin" else 1e3
    said = dict(line.split(" ", 1) for line in out.splitlines() if " " in line)
    return Measured(time.monotonic() - began, used.ru_maxrss / per_mb, said)
