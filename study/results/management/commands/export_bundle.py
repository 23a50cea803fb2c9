"""manage.py export_bundle STUDY --out DIR: the study's data package, with its hash."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.accounts.audit import audit
from study.accounts.models import Study
from study.results.exporting import write_study


class Command(BaseCommand):
    help = "Write the bundle of a study into an empty folder. While the study is blind it holds no ratings."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="code of the study")
        parser.add_argument("--out", required=True, type=Path, help="folder for the bundle; made if need be")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(code=options["study"]).first()
        if study is None:
            known = ", ".join(Study.objects.order_by("code").values_list("code", flat=True)) or "none yet"
            raise CommandError(f"There is no study {options['study']!r}. Studies here: {known}.")
        try:
            written = write_study(study, options["out"], blind=study.blind)
        except ValueError as error:
            raise CommandError(str(error)) from None
        audit("bundle.exported", by=None, study=study, target=written.hash, rows=written.rows, blind=study.blind)
        for table, n in written.rows.items():
            self.stdout.write(f"{table:<16} {n:>7}")
        if study.blind:
            self.stdout.write("The study is blind: ratings and rationales are left out until an owner unblinds it.")
        self.stdout.write(f"bundle {written.hash}")
