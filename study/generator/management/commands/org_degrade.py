"""manage.py org_degrade NAME --recipe shuffled|flat|canned|pristine --seed S [--name N]: a control Org."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug

from study.generator.degrade.flows import RECIPES, degrade_org
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.workshop import stoppable
from study.sandbox.models import Org
from study.sandbox.orgs import org_named


class Command(BaseCommand):
    help = "Make a control Org: the same Org with one thing about it destroyed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name of the Org, or its hash")
        parser.add_argument("--recipe", required=True, help="; ".join(f"{k}: {v}" for k, v in RECIPES.items()))
        parser.add_argument("--seed", type=int, required=True, help="zero or more; the same seed gives the same Org")
        parser.add_argument("--name", dest="called", help="the name of the control Org; NAME-RECIPE-SEED without it")

    def handle(self, *args: Any, name: str, recipe: str, seed: int, called: str | None, **options: Any) -> None:
        try:
            if called:
                validate_slug(called)
            parent = org_named(name)
            with stoppable():
                made = degrade_org(parent, recipe, seed, called)
        except ValidationError:
            raise CommandError(f"{called} cannot be a name: letters, digits, - and _ only.") from None
        except (Org.DoesNotExist, ValueError, SnapshotError) as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped. No Org was made.", returncode=130) from None
        self.stdout.write(f"{sum(made.info.counts.values()):,} records, parent {parent.hash[:12]}, recipe {recipe}")
        if made.facts is None:
            self.stdout.write("The parent has no truth file, so there are no facts and no query instances.")
        else:
            self.stdout.write(f"{made.facts:,} facts still hold")
        if made.instances is not None:
            self.stdout.write(f"{made.instances.new} query instances")
        self.stdout.write(f"hash {made.info.hash}")
        self.stdout.write(self.style.SUCCESS(f"Made as {made.org.name}."))
