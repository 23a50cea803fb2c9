"""Sections of the protocol file that participants meet, in the order of the hour."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from study.protocols.parts import ApiName, Choice, Code, Item, Line, OrgName, Part, Prose, Rule

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
    """The information sheet, the ticks it needs, and the optional ones that change nothing else.

    ``version`` names the text. ``change`` says how it differs from the version before: after a ``material`` change
    people who agreed to an earlier one are asked again before they go on, after an ``editorial`` one they are not.
    """

    version: Annotated[str, Field(min_length=1, max_length=20)] = "1"
    change: Literal["material", "editorial"] = "material"
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


class Move(Part):
    """One timed move in the practice (M10): find a record, filter a list, follow a related list.

    ``object``: where it begins. ``field``: what the list is filtered by, ``related``: the object of the related list.
    In ``text`` and ``help`` ``{record}`` becomes the name of the record drawn for this person and ``{value}`` the
    value to filter for.
    """

    id: Code
    kind: Literal["find", "filter", "follow"]
    object: ApiName
    field: ApiName | None = None
    related: ApiName | None = None
    text: Line
    help: Line


class Moves(Part):
    """The timed moves with their introduction. Each can be left undone."""

    intro: Line
    leave: Line
    items: tuple[Move, ...] = Field(min_length=1, max_length=6)


class Orientation(Part):
    """What comes before the work. Moves, practice and check are ours: a strict replication has none of them."""

    title: Line
    story: Prose
    role: Prose
    look: Line
    """Introduces the list of objects; each has a link and its line."""
    notes: tuple[Line, ...] = ()
    moves: Moves | None = None
    practice: Practice | None = None
    check: Comprehension | None = None


Withhold = Literal["none", "policy", "definitions", "diagnosis"]
RequesterStyle = Literal["full", "terse", "vague", "mistaken", "unknowing"]


class Requester(Part):
    """Someone to ask where the question holds something back (M19). Form and style are drawn per attempt.

    ``rating``: asked after an attempt in which there was somebody to ask.
    """

    withhold: Annotated[tuple[Withhold, ...], Field(min_length=1)] = ("none",)
    styles: Annotated[tuple[RequesterStyle, ...], Field(min_length=1)] = ("full",)
    title: Line
    intro: Line
    placeholder: Line
    not_understood: Line
    nothing_more: Line
    rating: Item | None = None


class Work(Part):
    """What the dock says and offers during the tasks.

    ``scratch``: a private pad with a calculator. ``notes``: a neutral note button; notes come back at the ratings.
    ``pins``: records and fields can be pinned as evidence.
    """

    intro: Prose
    role_line: Line
    none_label: Line
    withheld_label: Line
    skip_reasons: tuple[Choice, ...] = Field(min_length=1)
    confidentiality: bool = False
    console: bool = False
    scratch: bool = True
    notes: bool = False
    pins: bool = False
    requester: Requester | None = None


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
    """Two boxes, their order drawn per person, one filled is enough (M16); or a single one, called ``why``."""

    boxes: Literal["two", "one"] = "two"
    right: Line
    off: Line
    why: Line | None = None
    hint_below: Annotated[int, Field(ge=0, le=80)] = 15
    """Visible characters under which ``hint`` is shown, once."""
    hint: Line


class Lock(Part):
    title: Line
    text: Prose
    button: Line


class Dimension(Part):
    """A short question on a card after the overall one, on the same scale. Off by default: halo (M, instrument 2.6)."""

    code: Code
    text: Line


class Rating(Part):
    """``layout``: a card for each target, or the published matrix. ``evidence``: records and fields can be attached to
    a rationale. ``dimensions``: short questions after the overall one."""

    layout: Literal["cards", "matrix"] = "cards"
    evidence: bool = False
    dimensions: tuple[Dimension, ...] = ()
    intro: Prose
    org: Card
    object: Card
    look: Look | None = None
    cannot_judge: CannotJudge
    rationale: Rationale
    lock: Lock


class Cards(Part):
    """Records shown on cards after the lock, each rated on the five points (M5, M6), or pairs to choose from.

    ``anchors`` and ``reference`` name a ``card_set``; ``dossiers`` and ``pairs`` draw ``count`` records, half of them
    from the ``control`` Org. In ``stem`` ``{object}`` becomes the record's kind.
    """

    kind: Literal["anchors", "reference", "dossiers", "pairs"]
    card_set: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    control: OrgName | None = None
    count: Annotated[int, Field(ge=2, le=24)] = 6
    stem: Line
    options: tuple[ScaleOption, ...] = ()
    cannot_judge: Line | None = None


class Module(Part):
    """Questions added to the hour, at a named place (M2). Modules at one place come in file order.

    ``for_each`` repeats the items: for each rated object (``{object}``, ``{objects}``), each episode the person named
    in the screener (``{episode}``), or each question worked on (``{question}``); their ids get the object's name or a
    number. ``visits``: after which visits of a person with several it comes.
    """

    id: Code
    position: Position
    title: Line
    intro: Prose | None = None
    for_each: Literal["object", "episode", "attempt"] | None = None
    visits: Literal["each", "first", "last"] = "each"
    items: tuple[Item, ...] = ()
    cards: Cards | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.items and self.cards is None:
            raise ValueError("a module has items, cards or both")
        return self


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


class Help(Part):
    """Neutral texts that answer somebody who asked for help in the hour (M21): chosen from, never written freely."""

    replies: Annotated[tuple[Choice, ...], Field(min_length=1)]


class Wording(Part):
    """Lines that come back on many pages."""

    rather_not: Line
    privacy: Line
    """Stands above every text box."""
