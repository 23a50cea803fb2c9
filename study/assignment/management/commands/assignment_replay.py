"""manage.py assignment_replay STUDY: rebuild every assignment from seeds and log, and compare."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from study.accounts.models import Study
from study.assignment.balance import ranges
from study.assignment.replay import first_difference
from study.assignment.replaying import StoredWorld, allocations, entries, pools_now, visit_rows
from study.people.protocol import file_of, newest_frozen


class Command(BaseCommand):
    help = "Rebuild every place and every order of a study from its seeds and its log; exit 1 at the first difference."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(code=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        with transaction.atomic(using=settings.READER_ALIAS):
            log, rows, drawn = list(entries(study)), list(visit_rows(study)), list(allocations(study))
        self.stdout.write(f"{study.code}: {len(log)} rows of the log, {len(rows)} visits")
        protocol = newest_frozen(study.pk)
        if protocol is not None:
            for arm, stratum, least, most in ranges(rows, pools_now(study, file_of(protocol))):
                self.stdout.write(f"{arm:<16} {stratum:<24} exposure {least} to {most}, range {most - least}")
        if found := first_difference(log, rows, StoredWorld(study), drawn):
            raise CommandError(f"first difference {found}")
        self.stdout.write("identical")
