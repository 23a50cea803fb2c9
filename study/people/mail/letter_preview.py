"""A letter as an invented person would get it, for whoever writes its words; and sent to themselves as a test."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import Study, User
from study.people.language import speaking
from study.people.mail.letter_failures import failure
from study.people.mail.letter_kinds import Kind, Words
from study.people.mail.letter_making import composed
from study.people.mail.letter_words import Written, common_values, filled
from study.people.models import Cohort
from study.people.protocol import NoProtocol, file_of, newest_frozen
from study.people.wording_dates import last_day

VALID_FOR = timedelta(days=60)
NOBODY = "/u/7KQ4-3b1f90c2a7d84e5f6a1b2c3d/"


class NotSent(Exception):
    """The test letter did not leave; the text says what the server said."""


def cohort_shown(study: Study) -> Cohort:
    """A cohort to fill the places from: the study's newest, or one that exists nowhere. Raises NoProtocol."""
    if row := study.cohorts.order_by("-created_at").first():
        return row
    frozen = newest_frozen(study.pk)
    if frozen is None:
        raise NoProtocol(f"Study {study.pk} has no frozen protocol.")
    return Cohort(study=study, arm=file_of(frozen).arms[0].code)


def sample_values(study: Study, words: Words) -> dict[str, str]:
    """Real facts of the study, and an invented person's link and dates."""
    values = common_values(cohort_shown(study))
    for place in words.places:
        values[place.name] = str(place.sample) or f"({place.told})"
    values["until"] = last_day(timezone.now() + VALID_FOR)
    if "link" in values:
        values["link"] = settings.REALIA_URL + values["link"]
    return values


def sampled(study: Study, kind: Kind, words: Words, written: Written, language: str) -> EmailMultiAlternatives:
    """The whole letter with invented values. Raises NoProtocol."""
    with speaking(language):
        values = sample_values(study, words)
        said = filled(written, values)
        stop = settings.REALIA_URL + NOBODY if kind.unasked else ""
        message = composed(said, words, language, link=values.get("link", ""), stop=stop)
        message.reply_to = [values["contact"]]
    return message


def html_of(message: EmailMultiAlternatives) -> str:
    return str(message.alternatives[0][0])


def send_test(study: Study, kind: Kind, words: Words, written: Written, language: str, *, to: User) -> None:
    """To the signed-in person and nobody else. Raises NotSent."""
    message = sampled(study, kind, words, written, language)
    message.subject = _("[Test] %(subject)s") % {"subject": message.subject}
    message.to = [str(to.email)]
    # The way to get no more letters belongs to nobody here.
    message.extra_headers = {}
    try:
        message.send()
    except Exception as error:  # whatever the server says, the person who tests it reads it
        raise NotSent(failure(error).said) from error
    audit("letter.tested", by=to, study=study, target=f"{kind.name} {language}")
