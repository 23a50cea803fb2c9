"""manage.py org_export NAME --to csv|sqlite|parquet --out PLACE: an Org as files; org_load reads them back."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.sandbox.engine.errors import SnapshotError
from study.sandbox.exchange.exporting import FORMS, export_org
from study.sandbox.models import Org
from study.sandbox.orgs import org_named, snapshot_for


class Command(BaseCommand):
    help = "Write an Org out as CSV files, Parquet files or an SQLite database, with its schema."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name of the Org, or its hash")
        parser.add_argument("--to", choices=FORMS, default="csv", help="the form to write")
        parser.add_argument("--out", type=Path, required=True, help="the folder to write into; for sqlite also a file")

    def handle(self, *args: Any, name: str, to: str, out: Path, **options: Any) -> None:
        try:
            org = org_named(name)
            snapshot = snapshot_for(org)
            files = export_org(snapshot, to, out, org.name)
        except (Org.DoesNotExist, SnapshotError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror or error}") from error
        except sqlite3.Error as error:
            raise CommandError(f"{out} cannot be written: {error}") from error
        self.stdout.write(f"{len(files)} files in {out}, hash {snapshot.hash}")
