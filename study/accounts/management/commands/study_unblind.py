"""manage.py study_unblind STUDY --reason TEXT --by ADDRESS: open ratings and estimates to researchers, once."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.accounts.flows import unblind
from study.accounts.models import Membership, Role, Study


class Command(BaseCommand):
    help = "Open a study's ratings and estimates to its researchers. It cannot be taken back; the report prints why."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="study code")
        parser.add_argument("--reason", required=True, help="why, in a sentence; kept and printed in the report")
        parser.add_argument("--by", required=True, metavar="ADDRESS", help="address of the owner who decides")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(code=options["study"]).first()
        if study is None:
            raise CommandError(f"No study {options['study']}. manage.py study_create makes one.")
        address = options["by"].strip().lower()
        owners = Membership.objects.filter(study=study, role=Role.OWNER).select_related("user")
        owner = next((one.user for one in owners if one.user.email == address), None)
        if owner is None:
            raise CommandError(f"{address} is not an owner of {study.code}. Only an owner may unblind a study.")
        try:
            opened = unblind(study, by=owner, reason=options["reason"])
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        if opened:
            self.stdout.write(f"Study {study.code} is unblinded.")
        else:
            study.refresh_from_db()
            self.stdout.write(f"Study {study.code} was unblinded already: {study.unblind_reason}")
