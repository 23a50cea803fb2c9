"""What letters say: built-in words or a study's own, the places in them, and what may not be written (M7)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from django.core.exceptions import ValidationError
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import Study, User
from study.people.frame import cohort_frame
from study.people.language import speaking
from study.people.mail.letter_kinds import Words
from study.people.models import Cohort, LetterTemplate
from study.people.pay.pay_rules import rules_of
from study.people.protocol import file_of, newest_frozen
from study.protocols.checks_texts import TAG, forbidden_in, private_names_in
from study.protocols.markup import PLACE, fill, places

LONGEST_SUBJECT = 150
LONGEST_TEXT = 6000


@dataclass(frozen=True)
class Written:
    """A subject and a text whose places are not filled in yet; ``own`` are a study's own words."""

    subject: str
    text: str
    own: bool = False


@dataclass(frozen=True)
class Filled:
    subject: str
    text: str


def built_in(words: Words, language: str) -> Written:
    """The words that come with Realia, in a language, with their places in braces."""
    names = {place.name: f"{{{place.name}}}" for place in words.known}
    with speaking(language):
        return Written(str(words.subject) % names, _rendered(words.template, tuple(names), language))


@lru_cache(maxsize=128)
def _rendered(template: str, names: tuple[str, ...], language: str) -> str:
    """A run of letters has one text in a few languages, so each is rendered once."""
    return render_to_string(template, {name: f"{{{name}}}" for name in names}).strip()


def words_for(study_id: int, kind: str, words: Words, language: str) -> Written:
    """A study's own words for a kind in a language, else the built-in ones."""
    row = LetterTemplate.objects.filter(study_id=study_id, kind=kind, language=language).first()
    return Written(row.subject, row.text, own=True) if row else built_in(words, language)


def filled(written: Written, values: dict[str, str]) -> Filled:
    """Every place replaced. A line that holds a place without a value is left out, label and all."""
    lines = [line for line in written.text.split("\n") if all(values.get(name, "") for name in places(line))]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(fill(line, **values) for line in lines)).strip()
    # A value with a line end would end the header; mail refuses it (and rightly so).
    return Filled(" ".join(fill(written.subject, **values).split()), text)


def common_values(cohort: Cohort) -> dict[str, str]:
    """The values of ``letter_kinds.COMMON`` for the people of a cohort, in the language being spoken."""
    frame = cohort_frame(cohort)
    file = frame["protocol"]
    low, high = file.length.at_least, file.length.at_most
    if low == high:
        minutes = _("%(n)s minutes") % {"n": high}
    else:
        minutes = _("%(low)s to %(high)s minutes") % {"low": low, "high": high}
    # What is read here first, the page of the link says in full, for every way to end.
    money = rules_of(cohort).get("complete") if cohort.pk else None
    amount = f"{money}." if money and money.amount else ""
    return {
        "title": frame["public_title"],
        "minutes": minutes,
        "visits": render_to_string("people/_visits_told.txt", frame).strip() if frame["visits_told"] else "",
        "pay": f"{amount} {file.pay.complete} {file.pay.when}".strip(),
        "need": _("a computer with a browser") if file.device == "desktop" else _("a browser"),
        "team": file.team.name,
        "contact": frame["ask"],
    }


def problems(words: Words, subject: str, text: str, study: Study) -> list[str]:
    """Why these words cannot be sent, each with its remedy; empty when they can."""
    found = [*_lengths(subject, text), *_places(words, subject, text)]
    both = f"{subject}\n{text}"
    if tag := TAG.search(both):
        found.append(_("“%(tag)s” would be read as typed: letters are plain text.") % {"tag": tag[0][:40]})
    frozen = newest_frozen(study.pk)
    if frozen is None or file_of(frozen).disclosure == "origin_after":
        found += [
            _("“%(word)s” may not be read before the ratings are locked. Say it without the word.") % {"word": word}
            for word in dict.fromkeys(forbidden_in(both))
        ]
    title = file_of(frozen).meta.public_title if frozen else ""
    for name in private_names_in(both, (study.name, study.code), title):
        found.append(_("“%(name)s” is the private name of the study. Write {title} instead.") % {"name": name})
    return found


def _lengths(subject: str, text: str) -> list[str]:
    found = []
    if not subject.strip():
        found.append(_("The subject is empty."))
    if "\n" in subject.strip() or "\r" in subject.strip():
        found.append(_("The subject has more than one line. Write it in one."))
    if len(subject) > LONGEST_SUBJECT:
        found.append(_("The subject is longer than %(n)d characters.") % {"n": LONGEST_SUBJECT})
    if not text.strip():
        found.append(_("The text is empty."))
    if len(text) > LONGEST_TEXT:
        found.append(_("The text is longer than %(n)d characters.") % {"n": LONGEST_TEXT})
    return found


def _places(words: Words, subject: str, text: str) -> list[str]:
    known = {place.name for place in words.known}
    offered = ", ".join(f"{{{place.name}}}" for place in words.known)
    found = [
        _("“{%(name)s}” is not filled in here. Known: %(names)s.") % {"name": name, "names": offered}
        for name in dict.fromkeys(places(subject) + places(text))
        if name not in known
    ]
    if text.strip():
        found += [
            _("{%(name)s} is missing from the text. Without it the letter leads nowhere.") % {"name": name}
            for name in words.needed
            if name not in places(text)
        ]
    if "link" in places(subject):
        found.append(_("A link cannot be pressed in a subject. Write {link} in the text only."))
    if re.search(r"[{}]", PLACE.sub("", f"{subject}\n{text}")):
        found.append(_("A brace stands alone. Places are written like {title}, without blanks."))
    return found


@transaction.atomic
def keep_words(study: Study, kind: str, words: Words, language: str, subject: str, text: str, *, by: User) -> None:
    """Send these words from now on. Raises ValidationError with every reason why not."""
    subject, text = subject.strip(), text.replace("\r\n", "\n").strip()
    if found := problems(words, subject, text, study):
        raise ValidationError(found)
    LetterTemplate.objects.update_or_create(
        study=study,
        kind=kind,
        language=language,
        defaults={"subject": subject, "text": text, "changed_at": timezone.now(), "changed_by": by},
    )
    audit("letter.words", by=by, study=study, target=f"{kind} {language}")


@transaction.atomic
def drop_words(study: Study, kind: str, language: str, *, by: User) -> bool:
    """Back to the built-in words; False when they stand already."""
    gone, _rows = LetterTemplate.objects.filter(study=study, kind=kind, language=language).delete()
    if gone:
        audit("letter.words_built_in", by=by, study=study, target=f"{kind} {language}")
    return bool(gone)
