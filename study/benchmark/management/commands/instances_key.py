"""manage.py instances_key NAME IDX --answer A [--answer B] --reason WHY: change a key, or show how it changed."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.accounts.models import User
from study.benchmark.key_check import said
from study.benchmark.keys import KeyRefused, change_key, instance_named
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.models import Org
from study.sandbox.orgs import org_named


class Command(BaseCommand):
    help = "Change the answer key of an instance, with a reason; without --answer, show the key and its changes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("org", help="name or hash of the Org")
        parser.add_argument("instance", help="idx of the instance, or its key where a number names several")
        parser.add_argument(
            "--answer", action="append", help="the new answer; None for no record; more than once for several"
        )
        parser.add_argument("--reason", default="", help="why the key changes")
        parser.add_argument("--by", help="e-mail address of who changes it")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            instance = instance_named(org_named(options["org"]), options["instance"])
            by = User.objects.get(email=options["by"].lower()) if options["by"] else None
            if options["answer"] is not None:
                change_key(instance, options["answer"], by=by, reason=options["reason"])
        except User.DoesNotExist as error:
            raise CommandError(f"Nobody here has the address {options['by']}.") from error
        except (Org.DoesNotExist, KeyRefused, SnapshotError) as error:
            raise CommandError(str(error)) from error
        instance.refresh_from_db()
        self.stdout.write(f"{instance.task} {instance.idx or instance.key}: {said(instance.answer)}")
        self.stdout.write(f"version {instance.key_version} of the key")
        for change in instance.key_changes.all():
            who = f"{change.at.isoformat(timespec='seconds')}, {change.by_label}"
            self.stdout.write(
                f"  {change.version}: {said(change.old)} became {said(change.new)}, {who}: {change.reason}"
            )
        if options["answer"] is not None:
            self.stdout.write("Attempts graded before keep their grade until manage.py regrade STUDY.")
