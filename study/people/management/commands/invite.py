"""manage.py invite STUDY COHORT ADDRESS… or --file FILE: invite people into a cohort."""

import sys
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.people.models import Cohort, CohortState
from study.people.ways.addresses import shortened
from study.people.ways.invitations import checked, invite
from study.people.ways.people_lists import from_text


class Command(BaseCommand):
    help = "Invite addresses into a cohort. The worker sends the letters while the cohort is open."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("cohort")
        parser.add_argument("address", nargs="*")
        parser.add_argument("--file", help="a text file with addresses; - reads standard input")
        parser.add_argument("--dry-run", action="store_true", help="say what would go out, and send nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        cohort = Cohort.objects.filter(study__code=options["study"], code=options["cohort"]).first()
        if cohort is None:
            study, code = options["study"], options["cohort"]
            raise CommandError(f"Study {study} has no cohort {code}. manage.py cohort_open --create makes one.")
        text = "\n".join([*options["address"], self.from_file(options["file"])])
        rows = checked(cohort, from_text(text))
        refused = [row for row in rows if row["problem"]]
        for row in refused:
            self.stderr.write(f"line {row['row']}: {shortened(row['email'])}: {row['problem']}")
        for row in rows:
            if row["doubt"]:
                self.stderr.write(f"line {row['row']}: {row['email']}: {row['doubt']} Invited all the same.")
        if options["dry_run"]:
            self.stdout.write(f"{len(rows) - len(refused)} would be invited, {len(refused)} not.")
            return
        try:
            invited = invite(cohort, text, by=None)
        except ValidationError as error:
            raise CommandError(error.messages[0]) from None
        for participant in invited:
            self.stdout.write(f"{participant.code}  {participant.contact.email}")
        waits = "" if cohort.state == CohortState.OPEN else " The letters wait until the cohort is open."
        self.stdout.write(f"{len(invited)} invited, {len(refused)} not.{waits}")

    def from_file(self, name: str | None) -> str:
        if not name:
            return ""
        try:
            return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{name} cannot be read: {error}") from None
