"""manage.py org_load PATH --name NAME: a snapshot, a folder of CSV files, or a foreign database, into an Org."""

from __future__ import annotations

from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug

from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.progress import ProgressLine
from study.sandbox.engine.snapshot import SnapshotInfo
from study.sandbox.engine.workshop import stoppable
from study.sandbox.exchange.org_files import OrgInput
from study.sandbox.exchange.org_intake import Refused, Wish, study_named, take_in
from study.sandbox.models import Org


class Command(BaseCommand):
    help = "Load an Org from a snapshot, a folder or .zip of table files with a schema, or an SQLite database."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "path", type=Path, help="a snapshot, a folder or .zip of table files, or an SQLite database"
        )
        parser.add_argument("--name", required=True, help="the name of the Org: letters, digits, - and _")
        parser.add_argument("--schema", type=Path, help="the schema, if it is not in the folder")
        parser.add_argument("--layout", type=Path, help="a layout file: labels, columns, sections, views")
        parser.add_argument("--zone", default="", help="the Org's time zone, if its schema does not say (default UTC)")
        parser.add_argument("--company", default="", help="the company's name, if its schema does not say")
        parser.add_argument("--study", help="the code of the study that alone will see the Org (default: every study)")
        parser.add_argument("--strict", action="store_true", help="load nothing if there is any problem")

    def handle(self, *args: Any, **options: Any) -> None:
        wish = Wish(**{field.name: options[field.name] for field in fields(Wish)})
        try:
            validate_slug(wish.name)
            study = study_named(options["study"])
            with stoppable(), closing(ProgressLine(self.stdout)) as progress:
                stored, given = take_in(wish, study=study, heard=self._tell_problems, progress=progress)
        except ValidationError as error:
            raise CommandError(f"--name {wish.name}: use letters, digits, - and _.") from error
        except Refused as error:
            raise CommandError(f"{_counted(self.problems, 'problem')}; {error}") from error
        except SnapshotError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. Nothing was loaded.", returncode=130) from None
        except OSError as error:
            raise CommandError(f"{error.filename or wish.path}: {error.strerror or error}.") from error
        self._tell_org(stored.org, stored.info, wish.name, given)

    def _tell_problems(self, given: OrgInput) -> None:
        self.problems = len(given.loaded.problems)
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


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
