"""The small values a protocol file is made of: texts, options, items, and the rule over answers.

Every model is frozen and refuses keys it does not know. What a participant can
read is typed ``Line`` (one line) or ``Prose`` (paragraphs and bullets); the walk
in ``texts.py`` finds these types, so a new text is searched for unwelcome words
without anybody remembering to list it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator


class Shown:
    """Marks a text that participants read."""


Line = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400, pattern=r"^[^\n]*$"), Shown
]
Prose = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=6000), Shown]
Note = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]
Code = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,39}$")]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
ApiName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,79}$")]
OrgName = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{12,64}|name:[A-Za-z0-9][A-Za-z0-9._-]{0,79})$")]
Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$")]
"""A BCP 47 language tag such as ``en``, ``ar`` or ``pt-BR``."""
Minutes = Annotated[int, Field(ge=1, le=600)]

Answers = Mapping[str, str | Sequence[str]]
"""Item id to the code chosen, the codes chosen, or the texts typed."""

RATHER_NOT = "rather_not_say"
RESERVED_CODES = frozenset({RATHER_NOT, "cannot_judge", "not_asked", "not_reached", "removed"})


class Part(BaseModel):
    """A frozen mapping of the file with no keys but its own."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Choice(Part):
    """One option of a list: what is stored and what is read."""

    code: Code
    text: Line


class Option(Choice):
    """One option of an item.

    ``alone`` unticks the others of a multi item ("none of these"); ``last`` keeps
    its place at the end when the rest is in random order; ``flag`` marks an option
    whose choice is counted, never a gate: a product that does not exist, a right
    answer to a knowledge question.
    """

    alone: bool = False
    last: bool = False
    flag: Literal["overclaim", "correct"] | None = None
    ask: Line | None = None
    """A short text to ask for when this option is chosen ("How?")."""


ItemType = Literal["single", "multi", "text", "texts", "scale"]
ItemUse = Literal[
    "rule", "products", "experience", "familiarity", "knowledge", "episodes", "conflict", "independence", "description"
]


class Item(Part):
    """One question outside the ratings.

    ``single`` and ``multi`` have options, ``text`` is one text, ``texts`` is
    ``count`` short texts, ``scale`` runs from ``low`` to ``high`` by ``step`` with
    labels at its ends. A required item always also offers "I'd rather not say",
    which counts as answered (M16); nothing is ever preselected.
    """

    id: Code
    text: Line
    type: ItemType
    hint: Line | None = None
    required: bool = True
    options: tuple[Option, ...] = ()
    random_order: bool = False
    count: Annotated[int, Field(ge=1, le=5)] = 1
    low: int = 0
    high: int = 0
    step: Annotated[int, Field(ge=1)] = 1
    low_label: Line | None = None
    high_label: Line | None = None
    use: ItemUse = "description"

    @property
    def offers_rather_not(self) -> bool:
        return self.required

    @property
    def points(self) -> tuple[int, ...]:
        """The values of a scale item, low to high; empty for other types."""
        return tuple(range(self.low, self.high + 1, self.step)) if self.type == "scale" else ()

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(option.code for option in self.options)


class Rule(Part):
    """A rule over answers, as data: ``all``, ``any``, ``not``, or ``item`` with ``in``.

    ``{item: S1, in: [daily, weekly]}`` holds when one of the codes was chosen. An
    item that was not answered, or answered "I'd rather not say", satisfies nothing.
    """

    all_of: tuple[Rule, ...] | None = Field(None, alias="all", min_length=1)
    any_of: tuple[Rule, ...] | None = Field(None, alias="any", min_length=1)
    none_of: Rule | None = Field(None, alias="not")
    item: Code | None = None
    among: tuple[Code, ...] | None = Field(None, alias="in", min_length=1)

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        kinds = [k for k in (self.all_of, self.any_of, self.none_of, self.item) if k is not None]
        if len(kinds) != 1:
            raise ValueError("a rule is one of: all, any, not, or item with in")
        if (self.item is None) != (self.among is None):
            raise ValueError("item and in belong together")
        return self

    def holds(self, answers: Answers) -> bool:
        if self.all_of is not None:
            return all(part.holds(answers) for part in self.all_of)
        if self.any_of is not None:
            return any(part.holds(answers) for part in self.any_of)
        if self.none_of is not None:
            return not self.none_of.holds(answers)
        given = answers.get(self.item or "", ())
        chosen = {given} if isinstance(given, str) else set(given)
        return bool(chosen & set(self.among or ()))

    def leaves(self) -> tuple[Rule, ...]:
        """The ``item … in`` parts, in reading order."""
        below = (self.all_of or ()) + (self.any_of or ()) + ((self.none_of,) if self.none_of else ())
        return tuple(leaf for part in below for leaf in part.leaves()) or ((self,) if self.item else ())
