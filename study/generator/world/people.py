"""Agents who come and go, and customers with their contact details."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from study.generator.world.draw import Draw, zipf_weights
from study.generator.world.identifiers import Ids, foreign_id
from study.generator.world.material import Place, company, issues, mail_hosts, names, places
from study.generator.world.timing import FIRST_DAY, TODAY, moment

Row = dict[str, object]
SPECIALTIES = 3


@dataclass
class Agent:
    """A member of customer care; ``pace`` multiplies handle times, ``hands_on`` the chance of a transfer."""

    id: str
    first: str
    last: str
    email: str
    since: date
    until: date | None
    title: str
    activity: float
    pace: float
    hands_on: float
    specialties: tuple[int, ...]
    row: Row = field(repr=False)

    def works_on(self, day: date) -> bool:
        return self.since <= day and (self.until is None or day < self.until)


@dataclass
class Customer:
    """A person account with its contact. ``orders`` and ``complains`` are habits: how often they buy and write."""

    account_id: str
    contact_id: str
    first: str
    last: str
    email: str
    place: Place
    since: datetime
    orders: float
    complains: float
    manner: str
    row: Row = field(repr=False)
    contact: Row = field(repr=False)


def make_agents(seed: int, n: int) -> list[Agent]:
    draw, ids = Draw(seed, "agents"), Ids(seed, "User")
    firsts, lasts = (draw.some(pool, n) for pool in names())
    weights, domain = zipf_weights(n, 0.7), company()[1]
    order = draw.some(range(n), n)
    agents = []
    for place in range(n):
        first, last = firsts[place], lasts[place]
        since, until = _employment(draw, place, n)
        title = (
            "Team Lead"
            if place < 2
            else draw.weighted(("Customer Care Agent", "Senior Care Agent", "Technical Specialist"), (6, 3, 3))
        )
        address = f"{first}.{last}".lower() + f"@{domain}"
        row: Row = {
            "Id": ids.next(),
            "FirstName": first,
            "LastName": last,
            "Email": address,
            "Username": address,
            "Phone": f"(614) 555-01{10 + place % 90:02d}",
            "Alias": (first[0] + last[:6]).lower(),
            "Title": title,
            "Department": "Customer Care",
            "IsActive": until is None,
            "EmailEncodingKey": "UTF-8",
            "LanguageLocaleKey": "en_US",
            "LocaleSidKey": "en_US",
            "TimeZoneSidKey": "GMT",
        }
        agents.append(
            Agent(
                str(row["Id"]),
                first,
                last,
                address,
                since,
                until,
                title,
                weights[order[place]] * (0.15 if place < 2 else 1.0),
                round(0.65 + 0.85 * draw.share(), 2),
                draw.pick((0.3, 0.5, 0.7, 1.0, 1.7, 3.0)),
                tuple(draw.some(range(len(issues())), SPECIALTIES)),
                row,
            )
        )
    return agents


def _employment(draw: Draw, place: int, n: int) -> tuple[date, date | None]:
    """Most were there before the records begin; a few join later, a few leave."""
    length = (TODAY - FIRST_DAY).days
    since = FIRST_DAY - timedelta(days=draw.whole(60, 1500))
    if place >= n - n // 4:
        since = FIRST_DAY + timedelta(days=draw.whole(60, length - 120))
    leaves = 2 <= place < 2 + n // 6
    return since, FIRST_DAY + timedelta(days=draw.whole(200, length - 40)) if leaves else None


def make_customers(seed: int, n: int, agents: list[Agent]) -> list[Customer]:
    draw, ids, contact_ids = Draw(seed, "customers"), Ids(seed, "Account"), Ids(seed, "Contact")
    buys, writes = zipf_weights(n, 0.62), zipf_weights(n, 0.75)
    ranks = draw.some(range(n), n)
    record_type, taken, customers = foreign_id(draw, "012"), dict[str, int](), []
    staff = [agent for agent in agents if agent.until is None]
    starts = sorted(moment(FIRST_DAY + timedelta(days=draw.whole(-400, 800)), draw) for _ in range(n))
    for number, since in enumerate(starts):
        first, last = (draw.pick(pool) for pool in names())
        email, place = _address(draw, first, last, taken), draw.weighted(places(), [p.weight for p in places()])
        row: Row = {
            "Id": ids.next(),
            "FirstName": first,
            "LastName": last,
            "PersonEmail": email,
            "Phone": f"({place.area}) 555-01{draw.whole(0, 99):02d}",
            "RecordTypeId": record_type,
            "ShippingCity": place.city,
            "ShippingState": place.state,
            "CreatedDate": since,
        }
        contact: Row = {
            "Id": contact_ids.next(),
            "FirstName": first,
            "LastName": last,
            "Email": email,
            "Phone": row["Phone"],
            "AccountId": row["Id"],
            "OwnerId": draw.pick(staff).id,
        }
        _gaps_and_slips(draw, row, contact)
        manner = draw.weighted(("plain", "polite", "terse", "hasty"), (5, 4, 2, 2))
        customers.append(
            Customer(
                str(row["Id"]),
                str(contact["Id"]),
                first,
                last,
                email,
                place,
                since,
                buys[ranks[number]],
                writes[ranks[-1 - number]],
                manner,
                row,
                contact,
            )
        )
    return customers


def _address(draw: Draw, first: str, last: str, taken: dict[str, int]) -> str:
    hosts, weights = mail_hosts()
    a, b = first.lower(), last.lower()
    local = draw.weighted((f"{a}.{b}", f"{a[0]}{b}", f"{a}{b[0]}", f"{a}_{b}", f"{b}.{a}"), (6, 4, 2, 2, 1))
    address = f"{local}@{draw.weighted(hosts, weights)}"
    taken[address] = taken.get(address, 0) + 1
    return address if taken[address] == 1 else address.replace("@", f"{draw.whole(55, 99)}{taken[address]}@")


def _gaps_and_slips(draw: Draw, row: Row, contact: Row) -> None:
    """What a used system looks like: a phone number nobody asked for, a city in small letters."""
    if draw.chance(0.06):
        row["Phone"] = contact["Phone"] = None
    elif draw.chance(0.10):
        contact["Phone"] = None
    if draw.chance(0.03):
        row["ShippingCity"] = str(row["ShippingCity"]).lower()
    if draw.chance(0.03):
        contact["LastName"] = str(contact["LastName"]).upper()
