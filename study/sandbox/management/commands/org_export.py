"""manage.py org_export NAME --to csv --out DIR: an Org as CSV files with its schema; org_load reads them back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.sandbox.errors import SnapshotError
from study.sandbox.export_csv import export_csv
from study.sandbox.models import Org
from study.sandbox.orgs import org_named, snapshot_for


class Command(BaseCommand):
    help = "Write an Org out as one CSV file per object and a schema.json."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name of the Org, or its hash")
        parser.add_argument("--to", choices=["csv"], default="csv", help="the form to write")
        parser.add_argument("--out", type=Path, required=True, help="the folder to write into; made if missing")

    def handle(self, *, name: str, out: Path, **options: Any) -> None:
        try:
            snapshot = snapshot_for(org_named(name))
            files = export_csv(snapshot, out)
        except (Org.DoesNotExist, SnapshotError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror or error}") from error
        self.stdout.write(f"{len(files)} files in {out}, hash {snapshot.hash}")
