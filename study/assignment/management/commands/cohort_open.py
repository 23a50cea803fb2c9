"""manage.py cohort_open STUDY COHORT: open a cohort, made first with --create."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from django.utils.timezone import now

from study.accounts.models import Study
from study.assignment.flows import NotReady, open_cohort
from study.people.models import Cohort
from study.people.sample.cohorts import change_cohort, create_cohort, terms_of
from study.people.sample.moments import Terms, read_terms


class Command(BaseCommand):
    help = "Open a cohort, or say what is missing. One that cannot open is kept; fill in the rest and try again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("cohort")
        parser.add_argument("--create", action="store_true", help="make the cohort if it is not there")
        parser.add_argument("--name", help="name for staff")
        parser.add_argument("--arm", default="main", help="arm of the protocol, with --create (default: main)")
        parser.add_argument("--arms", metavar="CODE,CODE", help="with --create: people are randomised over these arms")
        parser.add_argument("--pilot", action="store_true", help="these people try the study and never count")
        parser.add_argument("--target", type=int, help="how many may take part (default for a new cohort: 20)")
        parser.add_argument("--contact", help="address for participants' questions")
        parser.add_argument("--closes", metavar="MOMENT", help="closing moment in --zone, such as 2026-10-31T23:59")
        parser.add_argument("--zone", help="IANA time zone of the cohort, such as Europe/Oslo (default: UTC)")
        parser.add_argument("--started-at-most", type=int, help="how many may start (default: the protocol's n_max)")
        parser.add_argument("--hold-hours", type=int, help="how long an eligible person's place is held (default: 24)")
        parser.add_argument("--moderated", action="store_true", help="people book a slot with a moderator")
        parser.add_argument("--open-link", action="store_true", help="let anyone with a link join, without an address")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(code=options["study"]).first()
        if study is None:
            raise CommandError(f"No study {options['study']}. manage.py study_create makes one.")
        try:
            cohort = self.cohort(study, options)
            opened = open_cohort(cohort, by=None)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        except NotReady as missing:
            for problem in missing.problems:
                self.stderr.write(f"- {problem.text} {problem.remedy}")
            raise CommandError(f"{options['cohort']} cannot open yet: {len(missing.problems)} missing.") from None
        self.stdout.write(f"{cohort.code} {'is open' if opened else 'was open already'}, target {cohort.target}.")
        if cohort.open_link:
            self.stdout.write(f"Open link: {settings.REALIA_URL}{reverse('open_link', args=[cohort.open_link])}")

    def cohort(self, study: Study, options: dict[str, Any]) -> Cohort:
        row = Cohort.objects.filter(study=study, code=options["cohort"]).first()
        if row is None and not options["create"]:
            raise CommandError(f"Study {study.code} has no cohort {options['cohort']}. Add --create to make it.")
        terms = self.terms(terms_of(row) if row else Terms(), options)
        if row is None:
            return create_cohort(
                study,
                code=options["cohort"],
                name=options["name"] or "",
                arms=(options["arms"] or options["arm"]).split(","),
                pilot=options["pilot"],
                target=options["target"] or 20,
                contact_email=options["contact"] or "",
                open_link=options["open_link"],
                terms=terms,
                by=None,
            )
        return change_cohort(
            row,
            name=options["name"] or row.name,
            target=options["target"] or row.target,
            contact_email=row.contact_email if options["contact"] is None else options["contact"],
            channel=row.channel,
            open_link=options["open_link"] or bool(row.open_link),
            pilot=True if options["pilot"] else None,
            terms=terms,
            by=None,
        )

    def terms(self, before: Terms, options: dict[str, Any]) -> Terms:
        """What was given over what is stored, read as the form reads it."""
        given = {
            "zone": options["zone"],
            "closes_at": options["closes"],
            "most_started": options["started_at_most"],
            "hold_hours": options["hold_hours"],
            "moderated": "1" if options["moderated"] or before.moderated else None,
        }
        return read_terms({name: str(value) for name, value in given.items() if value is not None}, now(), before)
