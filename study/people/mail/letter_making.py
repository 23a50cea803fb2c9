"""From a letter's row to the message that goes out: words filled in, HTML beside plain text, the headers."""

from __future__ import annotations

from email.utils import parseaddr

from django.conf import settings
from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from study.people.language import speaking
from study.people.mail import unsubscribing
from study.people.mail.letter_html import letter_html
from study.people.mail.letter_kinds import Kind, Words, kind_of
from study.people.mail.letter_words import Filled, common_values, filled, words_for
from study.people.models import Letter
from study.people.protocol import language_of

WHOSE = "X-Realia-Participant"
"""By which files of letters are found again when somebody is erased."""


def message_for(letter: Letter) -> EmailMultiAlternatives:
    """The message as it goes out, in the participant's language."""
    kind, participant = kind_of(letter.kind), letter.participant
    language = language_of(participant)
    with speaking(language):
        if kind.words and kind.values:
            values = common_values(participant.cohort) | kind.values(letter)
            said = filled(words_for(participant.study_id, kind.name, kind.words, language), values)
            stop = unsubscribing.link_of(participant) if kind.unasked else ""
            message = composed(said, kind.words, language, link=values.get("link", ""), stop=stop)
            message.to, message.reply_to = [participant.contact.email], [values["contact"]]
        else:
            message = dressed(_written(kind, letter), language)
    message.extra_headers |= {"Message-ID": message_id(letter), WHOSE: participant.code, "Content-Language": language}
    # Asks programs for absence not to answer; who answers all the same is no dead address (P-37).
    message.extra_headers |= {"Precedence": "bulk", "X-Auto-Response-Suppress": "OOF, AutoReply"}
    return message


def composed(said: Filled, words: Words, language: str, *, link: str, stop: str = "") -> EmailMultiAlternatives:
    """Filled words as plain text and HTML; with ``stop`` the way to get no more letters, in text and header."""
    foot = _("To get no more letters about this study: %(link)s") % {"link": stop} if stop else ""
    text = f"{said.text}\n\n{foot}\n" if foot else f"{said.text}\n"
    message = EmailMultiAlternatives(said.subject, text)
    button = str(words.button)
    drawn = letter_html(said.subject, said.text, language=language, link=link, button=button, foot=foot)
    message.attach_alternative(drawn, "text/html")
    if stop:
        # One click of the mail program's own button, without cookies or a page (RFC 8058).
        message.extra_headers["List-Unsubscribe"] = f"<{stop}>"
        message.extra_headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return message


def dressed(plain: EmailMessage, language: str) -> EmailMultiAlternatives:
    """A message that somebody wrote as plain text, with its HTML beside it."""
    subject, body = " ".join(str(plain.subject).split()), str(plain.body)
    message = EmailMultiAlternatives(
        subject, body, None, plain.to, headers=dict(plain.extra_headers), reply_to=plain.reply_to
    )
    message.attachments = plain.attachments
    message.attach_alternative(letter_html(subject, body, language=language), "text/html")
    return message


def _written(kind: Kind, letter: Letter) -> EmailMessage:
    if kind.write is None:
        raise ValueError(f"Nobody writes letters of kind {kind.name!r}.")
    return kind.write(letter)


def message_id(letter: Letter) -> str:
    """The same for every try of one letter, so that a mailbox which has it already may tell."""
    mark = salted_hmac("study.people.letter", f"{letter.pk}", algorithm="sha256").hexdigest()[:32]
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
    return f"<{mark}@{domain}>"
