"""Everything the study holds of one participant, in plain words, for that participant at any time.

Nothing here tells what is told only after the ratings: no arm, no Org, no right
answer (M7, M8). What is held back, and until when, is said on the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts import subject_access
from study.assignment.models import Visit
from study.people.coordinating.board import letter_words
from study.people.models import Contact, End, Participant
from study.people.protocol import file_of, protocol_of
from study.protocols.parts import RATHER_NOT, Item
from study.protocols.schema import ProtocolFile


@dataclass(frozen=True)
class Line:
    """One thing that is stored: what it is, its value in words, and when it was stored if that is known."""

    what: str
    value: str
    at: datetime | None = None


@dataclass(frozen=True)
class Section:
    title: str
    lines: tuple[Line, ...]
    note: str = ""


def sections_of(participant: Participant) -> list[Section]:
    """All of it, in the order of the hour; sections without anything are left out."""
    from study.fieldwork.own_hour import hour_sections

    file = file_of(protocol_of(participant.cohort))
    found = [_person(participant), _screener(participant, file), _consents(participant, file)]
    for visit in Visit.objects.select_related("protocol", "org").filter(participant=participant).order_by("period"):
        visit.participant = participant
        found += hour_sections(visit)
    found += [_letters(participant), _held_back(participant)]
    return [section for section in found if section.lines or section.note]


def as_json(participant: Participant) -> dict[str, Any]:
    """The same for a file: sections with their lines, then each table as it is stored, with why and how long."""
    access = subject_access.Access(answers=True, all_is_told=may_tell_all(participant))
    return {
        "participant": participant.code,
        "study": file_of(protocol_of(participant.cohort)).meta.public_title,
        "at": timezone.now().isoformat(timespec="seconds"),
        "tables": subject_access.everything(participant.study, participant.code, access),
        "sections": [
            {
                "title": section.title,
                **({"note": section.note} if section.note else {}),
                "lines": [
                    {"what": line.what, "value": line.value, **({"at": line.at.isoformat()} if line.at else {})}
                    for line in section.lines
                ],
            }
            for section in sections_of(participant)
        ],
    }


def may_tell_all(participant: Participant) -> bool:
    """After the debrief nothing has to be held back any more."""
    return participant.end == End.COMPLETE


def _person(participant: Participant) -> Section:
    contact = Contact.objects.filter(participant=participant).first()
    lines = [
        Line(_("Your code"), participant.code),
        Line(_("How you came"), _("by open link") if participant.channel == "open link" else _("by invitation")),
        Line(_("Address we wrote to"), (contact.email if contact else "") or _("none")),
        Line(_("Invited or arrived"), "", participant.invited_at),
        Line(_("Joined"), "", participant.joined_at) if participant.joined_at else None,
        Line(_("Where you are"), str(participant.get_stage_display())),
        Line(_("How it ended"), str(participant.get_end_display()), participant.ended_at) if participant.end else None,
        Line(_("Completion code"), participant.completion_code) if participant.completion_code else None,
        Line(_("Keep or take out"), participant.data_choice.replace("_", " ")) if participant.data_choice else None,
        Line(_("Last seen"), "", participant.last_seen_at) if participant.last_seen_at else None,
    ]
    return Section(_("You"), tuple(line for line in lines if line))


def _screener(participant: Participant, file: ProtocolFile) -> Section:
    items = [*file.screener.items, *(item for module in file.modules_at("screener") for item in module.items)]
    lines: list[Line] = []
    for screening in participant.screenings.order_by("number"):
        if screening.number > 1:
            lines.append(Line(_("Sent once more, and not counted"), "", screening.at))
        lines += item_lines(items, screening.answers, file, screening.at)
    return Section(_("First questions"), tuple(lines))


def _consents(participant: Participant, file: ProtocolFile) -> Section:
    words = {statement.id: statement.text for statement in (*file.consent.statements, *file.consent.optional)}
    lines = []
    for consent in participant.consents.order_by("at"):
        lines.append(Line(_("Agreed to the text with the mark"), consent.sha256, consent.at))
        for option, given in consent.options.items():
            lines.append(Line(words.get(option, option), _("yes") if given else _("no"), consent.at))
        for choice in consent.choices.order_by("pk"):
            said = _("given later") if choice.given else _("taken back")
            lines.append(Line(words.get(choice.option, choice.option), said, choice.at))
    return Section(_("Consent"), tuple(lines))


def _letters(participant: Participant) -> Section:
    lines = [
        Line(letter.kind.replace("_", " ").capitalize(), letter_words(letter), letter.sent_at or letter.due_at)
        for letter in participant.letters.order_by("pk")
    ]
    return Section(_("Letters to you"), tuple(lines))


def _held_back(participant: Participant) -> Section:
    if may_tell_all(participant):
        return Section(_("Not shown here"), (), _("Passwords and keys: only their fingerprints are stored."))
    note = _(
        "How the records came about, which group of the study you are in and whether answers fit are not told before "
        "the end, because knowing could colour the ratings. The last pages of the hour explain it. Keys are stored as "
        "fingerprints only."
    )
    return Section(_("Not shown here yet"), (), note)


def item_lines(
    items: Iterable[Item], answers: Mapping[str, Any], file: ProtocolFile, at: datetime | None
) -> Iterable[Line]:
    """Each answered item with its text and what was chosen or typed."""
    for item in items:
        if item.id in answers:
            yield Line(item.text, in_words(item, answers[item.id], file), at)
        for option in item.options:
            if typed := answers.get(f"{item.id}.{option.code}"):
                yield Line(option.ask or option.text, str(typed), at)


def in_words(item: Item, value: object, file: ProtocolFile) -> str:
    """A stored answer as it was read on the page."""
    if isinstance(value, dict):
        asked = [str(text) for text in value.get("asked", {}).values()]
        return "; ".join([in_words(item, value.get("choice"), file), *asked])
    labels = {option.code: option.text for option in item.options} | {RATHER_NOT: file.wording.rather_not}
    many: Sequence[object] = value if isinstance(value, list) else [value]
    return "; ".join(labels.get(str(one), str(one)) for one in many if one not in (None, ""))
