"""manage.py audit_export FILE: the audit log of the whole installation as CSV."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.accounts.audit import audit
from study.accounts.audit_reading import chosen, csv_lines
from study.accounts.models import Study


class Command(BaseCommand):
    help = "Write the audit log, of all studies or of one, to a CSV file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--study", default="", help="code of one study; default: everything")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(code=options["study"]).first()
        if options["study"] and study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        rows = chosen(study).order_by("pk")
        n = rows.count()
        with options["file"].open("w", encoding="utf-8", newline="") as file:
            file.writelines(csv_lines(rows.iterator(chunk_size=500)))
        audit("audit.exported", by=None, study=study, target=study.code if study else "everything", rows=n)
        self.stdout.write(f"{n} rows written to {options['file']}")
