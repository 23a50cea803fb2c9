"""Accounts and contacts: who may buy, where they are, what they are like, and how to reach them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import sqrt
from typing import Any

from study.generator.company.naming import Business, CompanyNames, Naming, Role, roles
from study.generator.company.notes import company_note, home_note
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.draw import Draw, apportioned, zipf_weights
from study.generator.groundwork.ids import foreign_id
from study.generator.groundwork.things import (
    MANNERS,
    BottomLine,
    ComplaintHabit,
    Manner,
    Member,
    Party,
    Person,
    Row,
    ShoppingHabit,
)

EVEN = (1.0,) * 12
# Accounts are opened from so many days before the first day on, until so far into the period.
BEFORE, UNTIL = 500, 0.6


@dataclass
class _Making:
    """What the making of one branch's parties shares."""

    branch: Branch
    draw: Draw
    naming: Naming
    calendar: Calendar
    record_type: str
    buys: list[float]
    writes: list[float]
    places: int = 0

    def habits(self) -> tuple[ShoppingHabit, ComplaintHabit]:
        at = self.places
        self.places += 1
        return self._shopping(self.buys[at]), self._complaints(self.writes[at])

    def _shopping(self, often: float) -> ShoppingHabit:
        kinds: Mapping[str, Mapping[str, Any]] = self.branch.plan.latents["ShoppingHabit"]["kinds"]
        name = self.draw.weighted(list(kinds), [kind["share"] for kind in kinds.values()])
        kind, rate = kinds[name], self.draw.between(0.7, 1.3)
        basket, bargain = self.draw.between(0.75, 1.25), self.draw.between(0.0, 0.2)
        if not self.branch.plan.ingredients.causes:
            return ShoppingHabit("any", EVEN, often, 1.0, 0.3)
        return ShoppingHabit(
            name, tuple(float(weight) for weight in kind["months"]), round(often * kind["rate"] * rate, 4),
            round(kind["basket"] * basket, 2), round(min(1.0, kind["bargain"] + bargain), 2),
        )  # fmt: skip

    def _complaints(self, often: float) -> ComplaintHabit:
        settings = self.branch.plan.latents["ComplaintHabit"]
        channel = self.draw.weighted(list(settings["channels"]), list(settings["channels"].values()))
        length = self.draw.between(*settings["length"])
        shared = self.branch.shared
        category, issues = self.draw.pick(list(shared.categories)), self.draw.some(list(shared.issues), 2)
        if not self.branch.plan.ingredients.causes:
            return ComplaintHabit(often, channel, 1.0)
        return ComplaintHabit(often, channel, length, dict.fromkeys((category, *issues), float(settings["minds"])))

    def manner(self) -> Manner:
        return self.draw.weighted(MANNERS, (5, 4, 2, 2) if self.branch.plan.consumer else (6, 5, 2, 1))


def make_parties(branch: Branch) -> None:
    """Fill ``branch.parties`` and add Account and Contact records, Ids in the order accounts were opened.

    An account without a contact is on record and no party: nobody there can buy or write.
    """
    draw = branch.draw("parties")
    n, people = branch.counts["Account"], branch.counts["Contact"]
    plan = branch.plan
    making = _Making(
        branch, draw, Naming(plan, draw, branch.number), Calendar(plan), foreign_id(Draw(branch.seed, "types"), "012"),
        _often(branch, draw, "ShoppingHabit", n), _often(branch, draw, "ComplaintHabit", n),
    )  # fmt: skip
    starts = _starts(branch, making.calendar, draw, n)
    if plan.consumer:
        parties = [_household(making, since) for since in starts]
        loads = [1] * n
        for at in draw.some(range(n), max(0, n - people)):
            loads[at] = 0
    else:
        names = CompanyNames(plan, branch.seed, branch.number, plan.counts["Account"])
        parties = [_company(making, names, since) for since in starts]
        loads = apportioned(people, [sqrt(party.size) for party in parties], least=min(1, people // n))
    _look_after(branch, draw, parties)
    for party, load in zip(parties, loads, strict=True):
        _staff(making, party, load)
    _tell(branch, parties)


def _often(branch: Branch, draw: Draw, latent: str, n: int) -> list[float]:
    """How often each of ``n`` does it, in random order: few do much, most little."""
    if not branch.plan.ingredients.skew:
        return [1.0] * n
    return draw.shuffled(zipf_weights(n, branch.plan.latents[latent]["spread"]))


def _starts(branch: Branch, calendar: Calendar, draw: Draw, n: int) -> list[datetime]:
    length = (branch.today - branch.first_day).days
    days = [branch.first_day + timedelta(days=draw.whole(-BEFORE, round(length * UNTIL))) for _ in range(n)]
    return sorted(calendar.at_work(calendar.working_day(day), draw) for day in days)


def _household(making: _Making, since: datetime) -> Party:
    naming, draw = making.naming, making.draw
    place, (first, last) = naming.place(), naming.person()
    shopping, complaints = making.habits()
    size = draw.weighted((1, 2, 3, 4, 5), (5, 7, 4, 4, 2))
    row: Row = {
        "Id": making.branch.new_id("Account"), "FirstName": first, "LastName": last,
        "PersonEmail": naming.private_address(first, last), "Phone": naming.phone(place.area),
        "RecordTypeId": making.record_type, "ShippingCity": place.city, "ShippingState": place.state,
        "CreatedDate": since,
    }  # fmt: skip
    if making.branch.plan.sells:
        row["Description"] = home_note(draw, place, size, since.date())
    return Party(
        str(row["Id"]), f"{first} {last}", place.city, place.state, place.area, "", size, since, shopping, complaints,
        row=row,
    )  # fmt: skip


def _company(making: _Making, names: CompanyNames, since: datetime) -> Party:
    naming, draw = making.naming, making.draw
    place = naming.place()
    name, business, domain = names.next(draw)
    shopping, complaints = making.habits()
    size = _employees(draw, business)
    row: Row = {
        "Id": making.branch.new_id("Account"), "Name": name, "Industry": business.industry,
        "Description": company_note(draw, name, business, place, since.date()), "NumberOfEmployees": size,
        "Phone": naming.phone(place.area), "ShippingCity": place.city, "ShippingState": place.state,
        "CreatedDate": since,
    }  # fmt: skip
    party = Party(
        str(row["Id"]), name, place.city, place.state, place.area, business.industry, size, since, shopping, complaints,
        row=row,
    )  # fmt: skip
    party.domain = domain
    return party


def _employees(draw: Draw, business: Business) -> int:
    """Between the least and the most, the smaller the more often; large numbers are round."""
    n = min(business.most, business.least + int((business.most - business.least) * round(draw.share() ** 2.2, 6)))
    return n if n < 100 else n // 10 * 10


def _look_after(branch: Branch, draw: Draw, parties: list[Party]) -> None:
    """An owner for every account: in worlds that sell a seller of its territory who is still there."""
    there = [member for member in branch.members if member.until is None]
    sellers = [member for member in there if member.team == "sales"] or there
    by_state: dict[str, list[Member]] = {}
    for place, (_, states) in enumerate(branch.shared.territories):
        local = [member for member in sellers if place in member.territories]
        by_state.update(dict.fromkeys(states, local))
    for party in parties:
        party.owner = draw.pick(by_state.get(party.state) or sellers)


def _staff(making: _Making, party: Party, n: int) -> None:
    """The ``n`` contacts of an account; it becomes a party of the branch if there are any."""
    branch, gaps = making.branch, making.branch.plan.ingredients.gaps
    for _ in range(n):
        person = _same(making, party) if branch.plan.consumer else _employee(making, party)
        party.contacts.append(person)
    if gaps:
        _gaps_and_slips(making.draw, party)
    branch.add("Account", [party.row])
    branch.add("Contact", [person.row for person in party.contacts])
    if party.contacts:
        branch.parties.append(party)


def _person_row(making: _Making, party: Party, first: str, last: str, email: str, phone: str) -> Row:
    return {
        "Id": making.branch.new_id("Contact"), "FirstName": first, "LastName": last, "Email": email, "Phone": phone,
        "AccountId": party.id, "OwnerId": party.owner.id if party.owner else None,
    }  # fmt: skip


def _same(making: _Making, party: Party) -> Person:
    """The contact of a person account: the person itself."""
    first, last, phone = (str(party.row[name]) for name in ("FirstName", "LastName", "Phone"))
    row = _person_row(making, party, first, last, str(party.row["PersonEmail"]), phone)
    line = _bottom_line(making, party, None)
    return Person(str(row["Id"]), first, last, str(row["Email"]), phone, "", making.manner(), party, line, row)


def _employee(making: _Making, party: Party) -> Person:
    naming, draw = making.naming, making.draw
    first, last = naming.person()
    choice = roles(making.branch.plan)
    held = {person.title for person in party.contacts}
    role = draw.weighted(choice, [role.weight * (0.2 if role.title in held else 1.0) for role in choice])
    phone = naming.phone(party.area)
    row = _person_row(making, party, first, last, naming.work_address(first, last, party.domain), phone)
    row["Title"] = role.title
    line = _bottom_line(making, party, role)
    return Person(str(row["Id"]), first, last, str(row["Email"]), phone, role.title, making.manner(), party, line, row)


def _bottom_line(making: _Making, party: Party, role: Role | None) -> BottomLine | None:
    """What a buyer can spend, whether they sign, what they need, and when; by the size of the company and the role."""
    plan, draw = making.branch.plan, making.draw
    if not plan.sells:
        return None
    settings = plan.latents["ContactBottomLine"]
    low, high = settings["budget"]
    factor = min(max(draw.lognormal(settings["spread"]), 0.2), 8.0)
    middle = sqrt(low * high) * (min(max(party.size / 150, 0.4), 3.0) if role else 1.0)
    budget = float(max(round(min(max(middle * factor, low), high * 3) / 500) * 500, 500))
    signs = draw.chance(role.signs if role else settings["signs"])
    first, last = settings["months"]
    return BottomLine(budget, signs, draw.pick(list(making.branch.shared.categories)), draw.whole(first, last))


def _gaps_and_slips(draw: Draw, party: Party) -> None:
    """What a used system looks like: a phone number nobody asked for, a city in small letters."""
    row = party.row
    if draw.chance(0.06):
        row["Phone"] = None
    if draw.chance(0.03):
        row["ShippingCity"] = str(row["ShippingCity"]).lower()
    if row.get("Description") and draw.chance(0.2):
        row["Description"] = None
    for person in party.contacts:
        if draw.chance(0.12):
            person.row["Phone"] = person.phone = None
        if draw.chance(0.02):
            person.row["LastName"] = str(person.row["LastName"]).upper()
        if person.row.get("Title") and draw.chance(0.08):
            person.row["Title"] = None


def _tell(branch: Branch, parties: list[Party]) -> None:
    for party in parties:
        buys, writes = party.shopping, party.complaints
        branch.tell(
            "latent", party.id, name="ShoppingHabit", habit=buys.kind, rate=buys.rate, basket=buys.basket,
            bargain=buys.bargain,
        )  # fmt: skip
        branch.tell(
            "latent", party.id, name="ComplaintHabit", rate=writes.rate, channel=writes.channel, length=writes.length,
            minds=writes.minds,
        )  # fmt: skip
        for person in party.contacts:
            if (line := person.bottom_line) is not None:
                branch.tell(
                    "latent", person.id, name="ContactBottomLine", budget=line.budget, signs=line.signs, need=line.need,
                    months=line.months,
                )  # fmt: skip
