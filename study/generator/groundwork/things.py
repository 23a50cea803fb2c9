"""The people and things of a world before they become records: what its parts hand to each other.

Whoever makes a thing gives it its Id; whoever writes its words adds them later. Nothing here is ever stored as it is:
latent variables shape records and stay behind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal

from study.generator.groundwork.material import ProductLine

Row = dict[str, object]
Stage = Literal["Qualification", "Discovery", "Quote", "Negotiation", "Closed"]
STAGES: tuple[Stage, ...] = ("Qualification", "Discovery", "Quote", "Negotiation", "Closed")
FACTORS = ("Budget", "Authority", "Need", "Timeline")
Manner = Literal["plain", "polite", "terse", "hasty"]
MANNERS: tuple[Manner, ...] = ("plain", "polite", "terse", "hasty")


@dataclass(frozen=True)
class Item(ProductLine):
    """A product of the catalogue with its Id. ``entries``: entry Id and price by price book; it need not be in all."""

    id: str
    entries: dict[int, tuple[str, float]] = field(default_factory=dict, compare=False)


@dataclass
class Member:
    """A user. ``response`` (ResponseTime) multiplies times, ``skill`` (Skill) is 0 to 1 by issue code."""

    id: str
    first: str
    last: str
    email: str
    title: str
    team: Literal["service", "sales"]
    since: date
    until: date | None
    activity: float
    response: float
    hands_on: float
    skill: dict[str, float]
    selling: float
    territories: tuple[int, ...]
    row: Row = field(repr=False)

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    def works_on(self, day: date) -> bool:
        return self.since <= day and (self.until is None or day < self.until)


@dataclass
class ShoppingHabit:
    """When and how a customer buys: weights of the twelve months, orders a year, size of the basket, discounts."""

    kind: str
    months: tuple[float, ...]
    rate: float
    basket: float
    bargain: float


@dataclass
class ComplaintHabit:
    """How often a customer writes when something fails, through which channel, and how long the letters are."""

    rate: float
    channel: str
    length: float
    # What this customer minds more than others, by product category and by issue code.
    minds: dict[str, float] = field(default_factory=dict)


@dataclass
class Party:
    """An account with its contacts; a person account has one contact, itself."""

    id: str
    name: str
    city: str
    state: str
    area: str
    industry: str
    size: int
    since: datetime
    shopping: ShoppingHabit
    complaints: ComplaintHabit
    contacts: list[Person] = field(default_factory=list)
    owner: Member | None = None
    row: Row = field(default_factory=dict, repr=False)
    # Where the mail of a company goes; empty for people.
    domain: str = ""


@dataclass
class BottomLine:
    """ContactBottomLine: what a buyer can spend, whether they sign, what they need, and when."""

    budget: float
    signs: bool
    need: str
    months: int


@dataclass
class Person:
    id: str
    first: str
    last: str
    email: str
    phone: str | None
    title: str
    manner: Manner
    party: Party
    bottom_line: BottomLine | None = None
    row: Row = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"


@dataclass
class Bought:
    """One line of an order: what a case can be about."""

    id: str
    order_id: str
    order_number: str
    day: date
    item: Item
    party: Party
    person: Person
    activated: bool


@dataclass
class Remark:
    """ConversationInsights: a subtopic that comes up in a call, how it is felt, and whom it is about, if anyone."""

    subtopic: str
    sentiment: Literal["positive", "neutral", "negative"]
    competitor: str | None = None


@dataclass
class Call:
    """SalesConversation: one call with a lead or about an opportunity. ``topic`` is the stage (or lead status) it
    belongs to; ``settles`` says for a lead which factors are spoken of and whether each is met. Who writes the words
    sets ``body`` and may move ``end``."""

    id: str
    start: datetime
    end: datetime
    member: Member
    topic: str
    remarks: list[Remark] = field(default_factory=list)
    settles: dict[str, bool] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    body: str = ""


@dataclass
class Letter:
    """One e-mail. ``topic`` says what it is for; ``place`` is its place in the thread that ``thread`` names."""

    id: str
    at: datetime
    inbound: bool
    topic: str
    thread: str
    place: int
    member: Member
    person: Person
    subject: str = ""
    body: str = ""
    facts: dict[str, str] = field(default_factory=dict)


@dataclass
class Activity:
    """A task or an event of an opportunity. ``stage`` is the stage its kind belongs to by the guide; ``kind`` the
    phrase of the guide that stands in its subject."""

    id: str
    stage: Stage
    kind: str
    subject: str
    description: str
    status: str
    priority: str
    day: date
    owner: Member
    # Events only.
    start: datetime | None = None
    minutes: int = 0
    location: str = ""
    created: datetime | None = None


@dataclass
class DealLine:
    """A line of products; ``discount`` is in percent."""

    id: str
    item: Item
    entry: str
    quantity: int
    unit_price: float
    discount: float

    @property
    def total(self) -> float:
        return round(self.quantity * self.unit_price * (1 - self.discount / 100), 2)


@dataclass
class QuoteLine(DealLine):
    """A line of a quote, and the line of the opportunity it offers."""

    deal_line: DealLine


@dataclass
class Quote:
    """``breaks`` names the selling rule it breaks (a code of selling.yaml), or None."""

    id: str
    name: str
    description: str
    status: str
    created: datetime
    expires: datetime
    lines: list[QuoteLine]
    breaks: str | None = None
    number: str = ""

    @property
    def total(self) -> float:
        return round(sum(line.total for line in self.lines), 2)


@dataclass
class Contract:
    id: str
    status: str
    start: date
    customer_signed: date | None
    company_signed: date | None
    months: int
    description: str = ""
    number: str = ""
    order_number: str = ""


@dataclass
class Deal:
    """An opportunity. ``stage`` is what is recorded, ``true_stage`` what its tasks say (WrongStage)."""

    id: str
    name: str
    party: Party
    person: Person
    owner: Member
    created: datetime
    closes: date
    true_stage: Stage
    stage: Stage
    won: bool | None
    need: str
    lines: list[DealLine] = field(default_factory=list)
    quotes: list[Quote] = field(default_factory=list)
    contract: Contract | None = None
    activities: list[Activity] = field(default_factory=list)
    events: list[Activity] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    letters: list[Letter] = field(default_factory=list)
    # OpportunitiesCompetitors and CompetingOffers: name to what they offered, in dollars.
    competitors: dict[str, float] = field(default_factory=dict)
    amount: float = 0.0
    probability: int = 0
    description: str = ""
    # When each stage up to ``true_stage`` began; a lost deal may skip some. ``ended`` is the moment it was won or lost.
    entered: dict[Stage, datetime] = field(default_factory=dict)
    ended: datetime | None = None


@dataclass
class Prospect:
    """Somebody nobody has in the books yet."""

    first: str
    last: str
    email: str
    phone: str | None
    company: str
    title: str
    state: str
    manner: Manner


@dataclass
class Lead(Prospect):
    """``missing`` are the factors it fails; None where nobody has found out yet."""

    id: str
    need: str
    owner: Member
    created: datetime
    status: str
    missing: tuple[str, ...] | None
    converted: date | None = None
    party: Party | None = None
    person: Person | None = None
    calls: list[Call] = field(default_factory=list)
    source: str = ""

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"


@dataclass
class Sales:
    """What selling makes, for the texts and for customer care."""

    deals: list[Deal] = field(default_factory=list)
    leads: list[Lead] = field(default_factory=list)
    bought: list[Bought] = field(default_factory=list)
