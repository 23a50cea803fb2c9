"""Which places the papers have beyond what the hour says, which of them each paper needs, and which are empty."""

from __future__ import annotations

from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from study.protocols.documents.parts import Gap
from study.protocols.parts import Part
from study.protocols.schema import ProtocolFile

PLACES: dict[str, Promise | str] = {
    "question": _("The question of the study"),
    "hypotheses": _("What is expected, or that nothing is tested"),
    "change_mind": _("Results after which the team would think otherwise"),
    "population": _("Who the people stand for"),
    "channels": _("How people are reached"),
    "sample_rationale": _("Why so many people"),
    "registry": _("Where the study is registered"),
    "release": _("What is published, where and when"),
    "recruitment": _("The texts people read before they come"),
    "risks": _("Risks for those who take part"),
    "remedies": _("What is done about the risks"),
    "benefits": _("Benefits"),
    "ai_use": _("AI systems that people meet, or that they meet none"),
    "incomplete_disclosure": _("Why something is told only after the ratings"),
    "ethics_reference": _("Reference of the ethics board"),
    "complaints": _("Where complaints go"),
    "withdrawal_until": _("Until when answers can be taken out, and why then"),
    "controller": _("Who is responsible for the data (the controller)"),
    "dpo": _("How to reach the data-protection officer"),
    "purpose": _("Purpose of the processing"),
    "lawful_basis": _("Lawful basis of the processing"),
    "categories": _("Categories of data"),
    "recipients": _("Who receives which data"),
    "processors": _("Who handles data for the team"),
    "places": _("Where the data lie"),
    "transfers": _("Transfers to other countries"),
    "retention": _("How long each kind of data is kept"),
    "rights": _("Rights of the people, and how they use them"),
    "pseudonym_key": _("What ties codes to people, and who holds it"),
    "dpia": _("Screening for an impact assessment"),
    "exclusions": _("Reasons for which data may be left out"),
}


def value_of(file: ProtocolFile, key: str) -> Any:
    """What stands in a place; None or an empty tuple where it is empty."""
    if key == "exclusions":
        return file.exclusions
    return getattr(file.papers, key) if file.papers is not None else None


def is_asked(file: ProtocolFile, key: str) -> bool:
    return key != "incomplete_disclosure" or file.disclosure == "origin_after"


def gap(key: str) -> Gap:
    return Gap(str(PLACES[key]), key if key == "exclusions" else f"papers.{key}")


def gaps_of(file: ProtocolFile) -> tuple[Gap, ...]:
    """Every place that is still empty, each once."""
    return tuple(gap(key) for key in PLACES if is_asked(file, key) and not value_of(file, key))


def told(file: ProtocolFile) -> list[tuple[str, list[str]]]:
    """Label and lines of every place that is filled in, as the protocol page shows them."""
    return [(str(label), lines_in(value)) for key, label in PLACES.items() if (value := value_of(file, key))]


def lines_in(value: Any) -> list[str]:
    """A place's value as lines: a text, a list of texts, or a list of small sections.

    >>> lines_in(("a", "b"))
    ['a', 'b']
    """
    if isinstance(value, str):
        return [value]
    return [": ".join(str(getattr(one, name)) for name in type(one).model_fields) if isinstance(one, Part) else str(one)
            for one in value]  # fmt: skip
