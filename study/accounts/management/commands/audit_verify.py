"""manage.py audit_verify: check the seals over the audit log; exit 1 and name what was changed, removed or put in."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.accounts.audit_seals import verify
from study.accounts.models import AuditSeal

SHOWN = 20


class Command(BaseCommand):
    help = "Check every seal and sealed row of the audit log, and list the rows that wait for a seal."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--expect", metavar="NUMBER:SHA256", action="append", default=[],
            help="a seal that was written down earlier, elsewhere: finds a chain that was cut off or made anew",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        found = verify()
        faults = [*found.faults, *(fault for text in options["expect"] if (fault := self.unlike(text)))]
        self.stdout.write(f"{found.seals} seals over {found.rows} rows; the newest: {found.head or 'none'}")
        waiting = ", ".join(map(str, found.unsealed[:SHOWN]))
        more = len(found.unsealed) - SHOWN
        self.stdout.write(
            f"{len(found.unsealed)} rows wait for a seal"
            + (f": {waiting}" if waiting else "")
            + (f" and {more} more" if more > 0 else "")
        )
        if faults:
            raise CommandError("The audit log was tampered with:\n" + "\n".join(f"  {fault}" for fault in faults))
        self.stdout.write("Every seal holds.")

    def unlike(self, text: str) -> str:
        number, _, digest = text.partition(":")
        if not number.isdigit():
            raise CommandError(f"{text!r} is no seal. Give it as NUMBER:SHA256, as this command prints it.")
        seal = AuditSeal.objects.filter(number=int(number)).first()
        if seal is None:
            return f"seal {number}, written down earlier, is gone"
        return "" if seal.sha256 == digest else f"seal {number} is not the one written down earlier"
