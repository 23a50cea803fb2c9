"""manage.py timing_fit LOG --out timing.yaml: when things happen in an event log, as weights for a world."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.generator.event_log import EventLogError, read_log
from study.generator.timing_fit import TimingError, fit


class Command(BaseCommand):
    help = "Fit the timing of a world from an event log (CSV with case, activity, time, resource; or OCEL)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("log", type=Path)
        parser.add_argument("--out", type=Path, required=True, help="where to write the weights (YAML)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            cases = read_log(options["log"])
            found = fit(cases)
            options["out"].write_text(found.as_yaml(), encoding="utf-8")
        except (EventLogError, TimingError) as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{options['out']} cannot be written: {error.strerror}.") from None
        self.stdout.write(f"{len(cases):,} cases, median {found.hours_taken:g} hours, sigma {found.sigma:g}")
        self.stdout.write(f"Use it with org_generate … --timing {options['out']}.")
