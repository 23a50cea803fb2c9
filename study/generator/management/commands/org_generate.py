"""manage.py org_generate service --seed 7 --name demo-service: a generated Org with its query instances."""

from __future__ import annotations

import time
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug

from study.generator.flows import WORLDS, Generated, NameTaken, generate_org
from study.sandbox.errors import SnapshotError


class Command(BaseCommand):
    help = "Generate an Org from a seed; the same seed gives the same Org."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("world", choices=sorted(WORLDS))
        parser.add_argument("--seed", type=int, required=True, help="zero or more")
        parser.add_argument("--name", required=True, help="the name of the Org: letters, digits, - and _")
        parser.add_argument("--scale", type=float, default=1.0, help="1 is about 5,000 records")
        parser.add_argument("--no-instances", action="store_true", help="only the Org, no questions about it")

    def handle(self, *args: Any, **options: Any) -> None:
        began = time.monotonic()
        try:
            validate_slug(options["name"])
            found = generate_org(
                options["world"],
                seed=options["seed"],
                name=options["name"],
                scale=options["scale"],
                instances=not options["no_instances"],
            )
        except ValidationError:
            raise CommandError(f"--name {options['name']}: use letters, digits, - and _.") from None
        except (NameTaken, ValueError, SnapshotError) as error:
            raise CommandError(str(error)) from None
        self._tell(found, options["name"], time.monotonic() - began)

    def _tell(self, found: Generated, name: str, seconds: float) -> None:
        width = max(map(len, found.info.counts))
        for item, count in found.info.counts.items():
            self.stdout.write(f"  {item:<{width}}  {count:>7,}")
        total = sum(found.info.counts.values())
        self.stdout.write(f"{len(found.info.counts)} objects, {total:,} records, last day {found.info.last_day}")
        if found.instances is not None:
            self.stdout.write(f"{found.instances.new} query instances")
        self.stdout.write(f"hash {found.info.hash}")
        if found.org.name == name:
            self.stdout.write(self.style.SUCCESS(f"Generated as {name} in {seconds:.1f} s."))
        else:
            self.stdout.write(f"This content is here already, as {found.org.name}; {name} was not added.")
