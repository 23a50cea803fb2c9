"""manage.py export_trace STUDY --format ocel|csv --out FILE: what people did in the sandbox, event by event."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.accounts.audit import audit
from study.accounts.models import Study
from study.results.traces.exporting import FORMATS, OrgAway, write_trace


class Command(BaseCommand):
    help = "Write the trace of a study as CSV or OCEL 2.0. Previews and pilots are left out; no rating is in it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="code of the study")
        parser.add_argument("--format", choices=sorted(FORMATS), default="ocel")
        parser.add_argument("--out", required=True, type=Path, help="file to write; packed when its name ends in .gz")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(code=options["study"]).first()
        if study is None:
            known = ", ".join(Study.objects.order_by("code").values_list("code", flat=True)) or "none yet"
            raise CommandError(f"There is no study {options['study']!r}. Studies here: {known}.")
        target: Path = options["out"]
        if not target.parent.is_dir():
            raise CommandError(f"{target.parent} is not a folder. Make it first.")
        try:
            written = write_trace(study, options["format"], target)
        except OrgAway as away:
            raise CommandError(str(away)) from None
        rows = {"events": written.events}
        audit("trace.exported", by=None, study=study, target=written.sha256, rows=rows, format=options["format"])
        self.stdout.write(f"events {written.events}")
        self.stdout.write(f"bytes {written.size}")
        self.stdout.write(f"sha256 {written.sha256}")
