"""Sections of the protocol file that say what the study is: who, what, how long, how many, what was promised."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from study.protocols.parts import ApiName, Code, Language, Line, Minutes, Note, OrgName, Part, Slug


class Replicates(Part):
    """The published study a replication repeats."""

    citation: Note
    participants: Note
    objects: Literal["published", "reconstructed"] = "published"
    """Whether the list of rated objects was printed, or is our reconstruction."""


class Meta(Part):
    """What the protocol is. Only ``public_title`` and ``language`` meet participants."""

    name: Slug
    version: Annotated[str, Field(min_length=1, max_length=20)]
    kind: Literal["recommended", "replication", "own"]
    public_title: Line
    language: Language = "en"
    summary: Note
    replicates: Replicates | None = None


class Length(Part):
    """The time a participant is told and paid for, in minutes, without the screener."""

    at_least: Minutes
    at_most: Minutes
    paid: Minutes


class Clocks(Part):
    """Minutes of each part of the hour. Only ``work`` is a limit; the others are guides (M15)."""

    screener: Minutes
    consent: Minutes
    orientation: Minutes
    work: Minutes
    ratings: Minutes
    end: Minutes
    idle: Minutes
    """A pause longer than this is not active time."""
    split_after: Minutes = 30
    """From the last task to the first rating: longer than this marks the visit as split."""
    resume_hours: Annotated[int, Field(ge=0, le=168)] = 24
    """Work and ratings of one visit lie within this; 0 means in one go."""

    @property
    def in_the_visit(self) -> int:
        """Minutes from consent to the end."""
        return self.consent + self.orientation + self.work + self.ratings + self.end


class Pay(Part):
    """What each outcome is paid, as participants read it before they start."""

    complete: Line
    screened_out: Line
    full: Line
    no_consent: Line
    time_up: Line
    withdrawn: Line
    technical_fault: Line
    when: Line
    by_whom: Line


class Team(Part):
    """Who runs the study, for consent and for every page's foot."""

    name: Line
    funder: Line
    ethics: Line
    contact: Line
    email: Annotated[Line, Field(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$")]
    complaints: Line
    data_kept: Line


class ObjectText(Part):
    """How an object is called: API name, a plain label, its plural, and one line for orientation."""

    api: ApiName
    label: Line
    plural: Line
    line: Line


class Washout(Part):
    """Days between the end of one visit and the next: from ``at_least_days``, up to ``at_most_days`` (M1)."""

    at_least_days: Annotated[int, Field(ge=0, le=365)] = 1
    at_most_days: Annotated[int, Field(ge=0, le=365)] = 14

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.at_most_days < self.at_least_days:
            raise ValueError("at_most_days is at least at_least_days")
        return self


class ArmVisit(Part):
    """One visit of an arm. What it leaves out is as the arm says.

    ``repeats`` names an earlier visit of the arm whose Org this one has again (test-retest);
    ``same_tasks`` then gives the same instances as well.
    """

    code: Slug
    orgs: tuple[OrgName, ...] = ()
    rate: Annotated[tuple[ApiName, ...], Field(max_length=16)] = ()
    orient: Annotated[tuple[ApiName, ...], Field(max_length=20)] = ()
    repeats: Slug | None = None
    same_tasks: bool = False


class Arm(Part):
    """A condition: its Orgs (a hash, or ``name:demo-service``), what is rated and what orientation names.

    ``console``: whether participants are offered the query console besides lists, search and reports.
    ``rate_each``: how many of the objects each person rates; the rest is missing by design (M15). ``visits``: more
    than one visit, in this ``order`` or counterbalanced over people, ``washout`` apart; empty means one visit.
    """

    code: Slug
    label: Note
    orgs: tuple[OrgName, ...]
    rate: tuple[ApiName, ...] = Field(min_length=1, max_length=16)
    orient: tuple[ApiName, ...] = Field(min_length=1, max_length=20)
    console: bool = False
    rate_each: Annotated[int, Field(ge=1, le=16)] | None = None
    visits: tuple[ArmVisit, ...] = ()
    order: Literal["fixed", "counterbalanced"] = "fixed"
    washout: Washout = Washout()

    @property
    def plans(self) -> tuple[ArmVisit, ...]:
        """The visits with everything filled in, in file order; an arm without ``visits`` has one, called as the arm."""
        return tuple(
            visit.model_copy(
                update={
                    "orgs": visit.orgs or self.orgs,
                    "rate": visit.rate or self.rate,
                    "orient": visit.orient or self.orient,
                }
            )
            for visit in self.visits or (ArmVisit(code=self.code),)
        )

    def plan(self, condition: str = "") -> ArmVisit:
        """The visit called ``condition``; the first one for an empty name. Raises KeyError."""
        for plan in self.plans:
            if plan.code == condition or not condition:
                return plan
        raise KeyError(condition)


class Allocation(Part):
    """How people of a cohort that feeds several arms are given to them: permuted blocks within cohort and cell (M1).

    A block holds each arm ``n`` times, ``n`` drawn from ``blocks``. ``cells``: screener items with options whose
    answers make the cells.
    """

    blocks: Annotated[tuple[Annotated[int, Field(ge=1, le=10)], ...], Field(min_length=1)] = (1, 2)
    cells: tuple[Code, ...] = ()


class Stratum(Part):
    """Tasks that count as one kind for the balance, and how many of the participant's tasks always come from it."""

    code: Code
    label: Line
    tasks: tuple[Code, ...] = Field(min_length=1)
    quota: Annotated[int, Field(ge=0, le=10)]


class Load(Part):
    """Minutes by hand that a participant's tasks sum to (M15)."""

    at_least: Annotated[float, Field(ge=0, le=600)]
    at_most: Annotated[float, Field(ge=0, le=600)]

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.at_most < self.at_least:
            raise ValueError("at_most is at least at_least")
        return self


class Tasks(Part):
    """Which tasks, how many, and over what they are spread.

    ``count`` = the sum of the quotas + ``rotating``. The rotating places go, from
    participant to participant, to different strata, at most one extra each.
    ``load`` keeps everybody's minutes alike. ``pinned``: keys of instances that everybody gets, each in a place of
    its stratum. ``overlap``: at most so many instances of each task are given out, so that several people meet the
    same one. ``bench_after``: this many people who left at an instance put it before the researcher.
    """

    by: Literal["skill", "role"]
    count: Annotated[int, Field(ge=1, le=20)] = 5
    rotating: Annotated[int, Field(ge=0, le=10)] = 0
    strata: tuple[Stratum, ...] = Field(min_length=1)
    load: Load | None = None
    pinned: tuple[Annotated[str, Field(min_length=1, max_length=40)], ...] = ()
    overlap: Annotated[int, Field(ge=1, le=1000)] | None = None
    bench_after: Annotated[int, Field(ge=1, le=100)] = 3


class Sets(Part):
    """Analysis sets as rules (M17). ``exposed``: either limit is enough."""

    exposed_minutes: Annotated[int, Field(ge=0, le=600)]
    exposed_attempts: Annotated[int, Field(ge=0, le=20)]
    analysed_cards_share: Annotated[float, Field(ge=0, le=1)]


PilotMeasure = Literal[
    "task_minutes", "card_minutes", "reached_3", "reached_4", "reached_5", "cannot_judge", "comprehension", "help",
    "unclear",
]  # fmt: skip


class Limit(Part):
    """A go/no-go limit of the pilot: the measure lies within these (shares from 0 to 1, times in minutes)."""

    measure: PilotMeasure
    at_least: Annotated[float, Field(ge=0)] | None = None
    at_most: Annotated[float, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _some(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("a limit has at_least, at_most or both")
        return self


class Pilot(Part):
    """How many people try the study first, counted nowhere, and what their hours must show before it begins (M14)."""

    people: Annotated[int, Field(ge=1, le=100)]
    limits: tuple[Limit, ...] = ()


class Exclusion(Part):
    """A reason for which somebody's data may be left out: written down before the first person takes part (M17)."""

    code: Code
    text: Note


class Unknown(Part):
    """Something a published study leaves open, and what we chose."""

    question: Note
    choice: Note
