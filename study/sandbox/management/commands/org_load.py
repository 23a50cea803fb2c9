"""manage.py org_load PATH --name NAME: a snapshot, a folder of CSV files, or a foreign database, into an Org."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug

from study.sandbox.errors import SnapshotError
from study.sandbox.models import Org
from study.sandbox.org_files import OrgInput, read_org
from study.sandbox.orgs import orgs_folder, register_org
from study.sandbox.snapshot import SnapshotInfo, write_snapshot


class Command(BaseCommand):
    help = "Load an Org from a snapshot file, or from a folder of CSV files with a schema."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a snapshot file, a folder of CSV files, or an SQLite database")
        parser.add_argument("--name", required=True, help="the name of the Org: letters, digits, - and _")
        parser.add_argument("--schema", type=Path, help="the schema, if it is not in the folder")
        parser.add_argument("--strict", action="store_true", help="load nothing if there is any problem")

    def handle(self, *, path: Path, name: str, schema: Path | None, strict: bool, **options: Any) -> None:
        try:
            validate_slug(name)
            given = read_org(path, schema)
            self._tell_problems(given)
            if strict and given.loaded.problems:
                raise CommandError(f"{_counted(len(given.loaded.problems), 'problem')}; nothing was loaded (--strict).")
            org, info = _stored(given, name)
        except ValidationError as error:
            raise CommandError(f"--name {name}: use letters, digits, - and _.") from error
        except SnapshotError as error:
            raise CommandError(str(error)) from error
        self._tell_org(org, info, name, given)

    def _tell_problems(self, given: OrgInput) -> None:
        for note in given.loaded.notes:
            self.stdout.write(f"note: {note}")
        for problem in given.loaded.problems:
            self.stdout.write(f"problem: {problem}")

    def _tell_org(self, org: Org, info: SnapshotInfo, name: str, given: OrgInput) -> None:
        width = max(map(len, info.counts), default=0)
        for item, count in info.counts.items():
            self.stdout.write(f"  {item:<{width}}  {count:>9,}")
        records = _counted(sum(info.counts.values()), "record")
        self.stdout.write(f"{_counted(len(info.counts), 'object')}, {records}, last day {info.last_day}")
        self.stdout.write(f"hash {info.hash}")
        if given.loaded.problems:
            self.stdout.write(f"{_counted(len(given.loaded.problems), 'problem')} above; the rest was loaded.")
        if org.name == name:
            self.stdout.write(self.style.SUCCESS(f"Loaded as {name}."))
        else:
            self.stdout.write(f"This content is here already, as {org.name}; nothing was added.")


def _stored(given: OrgInput, name: str) -> tuple[Org, SnapshotInfo]:
    loaded = given.loaded
    with tempfile.TemporaryDirectory(dir=orgs_folder()) as folder:
        beside = Path(folder) / "org.sqlite"
        info = write_snapshot(beside, loaded.registry, loaded.tables, today=given.today, extra=given.about)
        if given.hash not in (None, info.hash):
            raise SnapshotError(
                f"The file says it is Org {given.hash}, but its content comes to {info.hash}. Nothing was loaded."
            )
        return register_org(info, name), info


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
