"""manage.py anchors_make ORG --seed S [--clean 6 --broken 6] [--name N]: anchor cards, to be shown after the lock."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.fieldwork.anchors import make_anchors
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.models import Org
from study.sandbox.orgs import org_named


class Command(BaseCommand):
    help = "Make anchor cards from an Org: some records as they are, some altered copies with one stated fault each."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("org", help="the name of the Org, or its hash")
        parser.add_argument("--seed", type=int, required=True, help="zero or more; the same seed gives the same cards")
        parser.add_argument("--clean", type=int, default=6, help="records as they are (6)")
        parser.add_argument("--broken", type=int, default=6, help="altered copies (6)")
        parser.add_argument("--name", default="", help="what the set is called; anchors/ORG/SEED if not given")

    def handle(self, *args: Any, org: str, seed: int, clean: int, broken: int, name: str, **options: Any) -> None:
        try:
            made, new = make_anchors(org_named(org), seed=seed, clean=clean, broken=broken, name=name)
        except (Org.DoesNotExist, SnapshotError, ValueError) as error:
            raise CommandError(str(error)) from None
        for card in made.cards.all():
            said = f"{card.fault}, grade {card.grade}" if card.grade else "as it is"
            self.stdout.write(f"{card.key}  {card.object:20}  {said}")
        self.stdout.write(f"{made.name}: {'made' if new else 'there already'}, sha256 {made.sha256}")
        self.stdout.write(f"In the protocol: cards: {{kind: anchors, card_set: {made.name}, …}} (docs/cards.md)")
