"""manage.py signin_link ADDRESS: print a link that signs one person in for 15 minutes."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.accounts.flows import LINK_MINUTES, make_signin_link


class Command(BaseCommand):
    help = "Print a sign-in link for one address. It works once, by pressing its button, for 15 minutes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            path = make_signin_link(options["address"], minutes=LINK_MINUTES)
        except ValidationError as error:
            raise CommandError(f"{error.messages[0]} Add them to a study first.") from None
        self.stdout.write(f"{settings.REALIA_URL}{path}")
