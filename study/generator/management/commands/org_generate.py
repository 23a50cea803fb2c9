"""manage.py org_generate service --seed 7 --name demo-service: a generated Org with its query instances.

manage.py org_generate shapes --records 55000 --seed 1: rows of the right shape and skew without meaning, for measuring.
"""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug

from study.generator.flows import WORLDS, Generated, NameTaken, generate_org, generate_shapes
from study.generator.shapes import LEAST
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.progress import ProgressLine
from study.sandbox.engine.workshop import stoppable

SHAPES = "shapes"


class Command(BaseCommand):
    help = "Generate an Org from a seed; the same seed gives the same Org."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("world", choices=[*sorted(WORLDS), SHAPES])
        parser.add_argument("--seed", type=int, required=True, help="zero or more")
        parser.add_argument("--name", help="the name of the Org: letters, digits, - and _")
        parser.add_argument("--records", type=int, help=f"for {SHAPES}: how many records, from {LEAST} up")
        parser.add_argument("--scale", type=float, default=1.0, help="1 is about 5,000 records")
        parser.add_argument("--no-instances", action="store_true", help="only the Org, no questions about it")

    def handle(self, *args: Any, **options: Any) -> None:
        began = time.monotonic()
        name = self._name(options)
        try:
            validate_slug(name)
            with stoppable(), closing(ProgressLine(self.stdout)) as progress:
                if options["world"] == SHAPES:
                    found = generate_shapes(
                        records=options["records"], seed=options["seed"], name=name, progress=progress
                    )
                else:
                    found = self._world(options, name)
        except ValidationError:
            raise CommandError(f"--name {name}: use letters, digits, - and _.") from None
        except (NameTaken, ValueError, SnapshotError) as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped. No Org was made.", returncode=130) from None
        self._tell(found, name, time.monotonic() - began)

    @staticmethod
    def _name(options: dict[str, Any]) -> str:
        """The name asked for; Orgs for measuring are called by their size and seed."""
        if options["world"] == SHAPES:
            if options["records"] is None:
                raise CommandError(f"{SHAPES} needs --records.")
            return options["name"] or f"{SHAPES}-{options['records']}-{options['seed']}"
        if options["records"] is not None:
            raise CommandError(f"--records is for {SHAPES}; use --scale.")
        if not options["name"]:
            raise CommandError("The following arguments are required: --name")
        return str(options["name"])

    @staticmethod
    def _world(options: dict[str, Any], name: str) -> Generated:
        return generate_org(
            options["world"],
            seed=options["seed"],
            name=name,
            scale=options["scale"],
            instances=not options["no_instances"],
        )

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
