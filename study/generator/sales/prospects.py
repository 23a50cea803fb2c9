"""Who writes in for the first time: people and their companies or households, with the slips of web forms."""

from __future__ import annotations

from study.generator.company.naming import Naming, businesses, company_stems, roles
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.material import Place
from study.generator.groundwork.things import MANNERS, Lead, Person, Prospect

_TAILS = ("", "", "", "", " Inc.", " LLC", " Co.", " Group", " & Sons")
_JUNK = (
    ("SEO", "Services"), ("Info", "Desk"), ("Web", "Traffic"), ("Job", "Applicant"), ("Sales", "Department"),
    ("Marketing", "Team"), ("Press", "Office"), ("Purchasing", "Dept"),
)  # fmt: skip
_JUNK_FIRMS = ("Rank Your Site First", "student project", "private", "just looking", "self", "recruiting")


class Prospects:
    """Draws people nobody has in the books yet."""

    def __init__(self, branch: Branch, draw: Draw) -> None:
        self.branch, self.draw = branch, draw
        self.gaps = branch.plan.ingredients.gaps
        self.consumer = branch.plan.consumer
        self._naming = Naming(branch.plan, draw, branch.number)
        self._taken = {party.name for party in branch.parties}
        if not self.consumer:
            self._stems, self._businesses = company_stems(branch.plan), businesses(branch.plan)
            self._roles = roles(branch.plan)
            self._role_weights = [role.weight for role in self._roles]
            self._business_weights = [business.weight for business in self._businesses]

    def place(self) -> Place:
        return self._naming.place()

    def stranger(self, place: Place) -> Prospect:
        """Somebody new; some leave the phone number out or type in small letters."""
        draw = self.draw
        first, last = self._naming.person()
        if self.consumer:
            company, title, email = "", "", self._naming.private_address(first, last)
        else:
            company, domain = self._company()
            title = draw.weighted(self._roles, self._role_weights).title
            email = self._naming.work_address(first, last, domain)
        phone: str | None = self._naming.phone(place.area)
        if self.gaps:
            if draw.chance(0.14):
                phone = None
            if draw.chance(0.04):
                first, last = first.lower(), last.lower()
            if title and draw.chance(0.08):
                title = ""
        return Prospect(first, last, email, phone, company, title, place.state, draw.pick(MANNERS))

    def junk(self, place: Place) -> Prospect:
        """What nobody will ever sell to."""
        draw = self.draw
        first, last = draw.pick(_JUNK)
        number = f"{self.branch.number or ''}{draw.whole(100, 999)}"
        company = "" if self.consumer else draw.pick(_JUNK_FIRMS)
        phone = f"({place.area}) 555-0100" if draw.chance(0.5) else None
        return Prospect(
            first, last, f"{first}{number}@inbox.example".lower(), phone,
            company, "", place.state, "terse",
        )  # fmt: skip

    def again(self, lead: Lead) -> Prospect:
        """Somebody who fills the form in once more, not quite the same way."""
        draw = self.draw
        first, company = lead.first, lead.company
        if draw.chance(0.4):
            first = f"{first[0]}." if draw.chance(0.4) else first.lower()
        if company and draw.chance(0.5):
            company = company.split(",")[0].removesuffix(" Inc.").removesuffix(" LLC") or company
        phone = lead.phone if draw.chance(0.6) else None
        return Prospect(first, lead.last, lead.email, phone, company, lead.title, lead.state, lead.manner)

    def known(self, person: Person) -> Prospect:
        """Somebody whom the books have by now, as they were when they wrote in."""
        party = person.party
        company = "" if self.consumer else party.name
        return Prospect(
            person.first, person.last, person.email, person.phone, company, person.title, party.state, person.manner
        )

    def _company(self) -> tuple[str, str]:
        """A company name not yet met in this branch, and its mail domain."""
        for turn in range(60):
            business = self.draw.weighted(self._businesses, self._business_weights)
            stem, noun = self.draw.pick(self._stems), self.draw.pick(business.nouns)
            name = f"{stem} {noun}{self.draw.pick(_TAILS)}"
            if name not in self._taken or turn == 59:
                break
        self._taken.add(name)
        return name, "".join(c for c in f"{stem}{noun}".lower() if c.isalnum()) + ".example"
