"""Sections of the protocol file that say what the study is: who, what, how long, how many, what was promised."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from study.protocols.parts import ApiName, Code, Line, Minutes, Note, Part, Slug


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
    language: Literal["en"] = "en"
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


class Arm(Part):
    """A condition: its Orgs (a hash, or ``name:demo-service``), what is rated and what orientation names.

    ``console``: whether participants are offered the query console besides lists, search and reports.
    """

    code: Slug
    label: Note
    orgs: tuple[Annotated[str, Field(pattern=r"^([0-9a-f]{12,64}|name:[A-Za-z0-9][A-Za-z0-9._-]{0,79})$")], ...]
    rate: tuple[ApiName, ...] = Field(min_length=1, max_length=16)
    orient: tuple[ApiName, ...] = Field(min_length=1, max_length=20)
    console: bool = False


class Stratum(Part):
    """Tasks that count as one kind for the balance, and how many of the participant's tasks always come from it."""

    code: Code
    label: Line
    tasks: tuple[Code, ...] = Field(min_length=1)
    quota: Annotated[int, Field(ge=0, le=10)]


class Tasks(Part):
    """Which tasks, how many, and over what they are spread.

    ``count`` = the sum of the quotas + ``rotating``. The rotating places go, from
    participant to participant, to different strata, at most one extra each.
    """

    by: Literal["skill", "role"]
    count: Annotated[int, Field(ge=1, le=20)] = 5
    rotating: Annotated[int, Field(ge=0, le=10)] = 0
    strata: tuple[Stratum, ...] = Field(min_length=1)


class Sets(Part):
    """Analysis sets as rules (M17). ``exposed``: either limit is enough."""

    exposed_minutes: Annotated[int, Field(ge=0, le=600)]
    exposed_attempts: Annotated[int, Field(ge=0, le=20)]
    analysed_cards_share: Annotated[float, Field(ge=0, le=1)]


class Stopping(Part):
    """``fixed``: stop at n_target. ``precision``: look at ``first_look`` raters, then every ``every``."""

    rule: Literal["fixed", "precision"]
    first_look: Annotated[int, Field(ge=2, le=1000)] | None = None
    every: Annotated[int, Field(ge=1, le=1000)] | None = None
    half_width: Annotated[float, Field(gt=0, lt=0.5)] | None = None


class Analysis(Part):
    """What was promised before the first person took part. Numbers of people are per arm."""

    n_target: Annotated[int, Field(ge=1, le=100_000)]
    n_max: Annotated[int, Field(ge=1, le=100_000)]
    primary: Literal["mean_over_objects", "org_approval", "pooled_share"]
    level: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    sets: Sets
    stopping: Stopping
    note: Note | None = None


class Unknown(Part):
    """Something a published study leaves open, and what we chose."""

    question: Note
    choice: Note
