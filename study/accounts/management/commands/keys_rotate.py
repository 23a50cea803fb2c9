"""manage.py keys_rotate: write everything encrypted again with the first key of REALIA_KEYS."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.accounts.rotating import Rotated, rotate


class Command(BaseCommand):
    help = (
        "Put a new key first in REALIA_KEYS, keep the old one behind it, restart, run this, then take the old one out. "
        "It may run beside everything else, and again at any time."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="count only; nothing is written")

    def handle(self, *args: Any, **options: Any) -> None:
        dry = options["dry_run"]
        done = rotate(dry=dry, say=self.tell)
        again, newest = sum(one.again for one in done), sum(one.newest for one in done)
        verb = "would be written" if dry else "written"
        self.stdout.write(f"{again} values {verb} with the newest key, {newest} had it already.")
        lost = [f"{one.column} of row {key}" for one in done for key in one.lost]
        if lost:
            raise CommandError(
                "No key in REALIA_KEYS opens:\n" + "\n".join(lost) + "\nPut the key back that these were written with."
            )
        if not dry:
            self.stdout.write("Older keys can be taken out of REALIA_KEYS. Backups made before still need them.")

    def tell(self, one: Rotated) -> None:
        if one.newest or one.again or one.lost:
            self.stdout.write(f"{one.column}: {one.again} again, {one.newest} newest, {len(one.lost)} lost")
