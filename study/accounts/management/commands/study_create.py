"""manage.py study_create CODE --name NAME --owner ADDRESS: a new, empty study with its owner."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email
from django.db import transaction

from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member, create_study
from study.accounts.models import Role


class Command(BaseCommand):
    help = "Create a study. People named here are made if they are not known yet."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code")
        parser.add_argument("--name", default="", help="private name, never shown to participants")
        parser.add_argument("--owner", required=True, help="address of the owner")
        parser.add_argument("--operator", action="store_true", help="let the owner make more studies in the pages")
        for role in (Role.RESEARCHER, Role.COORDINATOR, Role.VIEWER):
            parser.add_argument(f"--{role}", action="append", default=[], help=f"address of a {role}")

    def handle(self, *args: Any, **options: Any) -> None:
        roles = (Role.RESEARCHER, Role.COORDINATOR, Role.VIEWER)
        try:
            for address in [options["owner"], *(a for role in roles for a in options[role])]:
                validate_email(address)
            with transaction.atomic():
                owner = user_with_address(options["owner"])
                study = create_study(code=options["code"], name=options["name"], owner=owner)
                if options["operator"]:
                    owner.is_operator = True
                    owner.save(update_fields=["is_operator"])
                for role in roles:
                    for address in options[role]:
                        add_member(study, user_with_address(address), role, by=owner)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        self.stdout.write(f"Study {study.code} created. Next: manage.py protocol_import {study.code} FILE")
