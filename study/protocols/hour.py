"""Sections of the protocol file that participants meet, in the order of the hour."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from study.protocols.parts import ApiName, Choice, Code, Item, Line, Part, Prose, Rule

Position = Literal["screener", "before_work", "after_each_task", "after_ratings"]
POSITIONS: tuple[Position, ...] = ("screener", "before_work", "after_each_task", "after_ratings")
SCALE_LABELS = ("Very Unrealistic", "Unrealistic", "Neutral", "Realistic", "Very Realistic")
"""The published labels, values 1 to 5; approval is 4 or 5."""


class Eligibility(Part):
    """Who qualifies. The version is stored with every decision."""

    version: Annotated[str, Field(min_length=1, max_length=20)]
    rule: Rule


class Screener(Part):
    intro: Prose
    items: tuple[Item, ...] = Field(min_length=1)
    eligibility: Eligibility
    refusal: Prose
    full: Prose


class ConsentSection(Part):
    heading: Line
    text: Prose


class Statement(Part):
    """One box to tick; none is preselected."""

    id: Code
    text: Line


class Consent(Part):
    """The information sheet, the ticks it needs, and the optional ones that change nothing else."""

    title: Line
    intro: Prose
    sections: tuple[ConsentSection, ...] = Field(min_length=1)
    statements: tuple[Statement, ...] = Field(min_length=1)
    optional: tuple[Statement, ...] = ()
    accept: Line
    decline: Line


class Practice(Part):
    """A practice question on an object that is not rated: how many of its records there are."""

    object: ApiName
    question: Line
    right: Line
    other: Line
    """Said when the number differs; ``{count}`` is filled in."""


class CheckItem(Part):
    id: Code
    text: Line
    answer: bool
    explain: Line


class Comprehension(Part):
    """True-or-false lines; after ``tries`` the right answers are shown and the person goes on (M18)."""

    intro: Line
    tries: Annotated[int, Field(ge=1, le=5)] = 2
    items: tuple[CheckItem, ...] = Field(min_length=1)


class Orientation(Part):
    """What comes before the work. Practice and check are ours: a strict replication has neither."""

    title: Line
    story: Prose
    role: Prose
    look: Line
    """Introduces the list of objects; each has a link and its line."""
    notes: tuple[Line, ...] = ()
    practice: Practice | None = None
    check: Comprehension | None = None


class Work(Part):
    """What the dock says and offers during the tasks."""

    intro: Prose
    role_line: Line
    none_label: Line
    withheld_label: Line
    skip_reasons: tuple[Choice, ...] = Field(min_length=1)
    confidentiality: bool = False
    console: bool = False


class ScaleOption(Part):
    """One point: the published label and our own line under it."""

    label: Line
    line: Line


class Card(Part):
    """One rating page: its stem, five options (values 1 to 5), and why someone can't judge.

    ``{object}`` and ``{objects}`` in texts of the object card become label and plural.
    """

    stem: Line
    options: tuple[ScaleOption, ...] = Field(min_length=5, max_length=5)
    cannot_judge_reasons: tuple[Choice, ...] = Field(min_length=1)


class Look(Part):
    """Records shown at random before an object is rated (M3)."""

    records: Annotated[int, Field(ge=1, le=10)] = 3
    intro: Line
    unfamiliar: Line
    """The way on for someone who does not know this kind of record."""


class CannotJudge(Part):
    label: Line
    placement: Literal["apart", "first"] = "apart"
    hint: Line | None = None


class Rationale(Part):
    """Two boxes, their order drawn per person; one filled is enough (M16)."""

    right: Line
    off: Line
    hint_below: Annotated[int, Field(ge=0, le=80)] = 15
    """Visible characters under which ``hint`` is shown, once."""
    hint: Line


class Lock(Part):
    title: Line
    text: Prose
    button: Line


class Rating(Part):
    intro: Prose
    org: Card
    object: Card
    look: Look | None = None
    cannot_judge: CannotJudge
    rationale: Rationale
    lock: Lock


class Module(Part):
    """Questions added to the hour, at a named place (M2). Modules at one place come in file order."""

    id: Code
    position: Position
    title: Line
    intro: Prose | None = None
    items: tuple[Item, ...] = Field(min_length=1)


class Debrief(Part):
    """Where the records came from, why it was held back, and the one question: keep or take out (M7)."""

    title: Line
    text: Prose
    keep_question: Line
    keep: Line
    take_out: Line
    take_out_note: Line
    results_wanted: Line
    answers_shown: bool = False


class Completion(Part):
    """The last page, by outcome. A code stands under each of them."""

    complete: Prose
    no_consent: Prose
    withdrawn: Prose
    lapsed: Prose


class Wording(Part):
    """Lines that come back on many pages."""

    rather_not: Line
    privacy: Line
    """Stands above every text box."""
