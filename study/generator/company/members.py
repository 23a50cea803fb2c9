"""Users: who works in customer care and in sales, from when to when, how much, how quickly and how well."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from study.generator.company.naming import Naming
from study.generator.groundwork.branch import Branch
from study.generator.groundwork.draw import Draw, apportioned, zipf_weights
from study.generator.groundwork.things import Member, Row

Team = Literal["service", "sales"]
CARE_SHARE, FEWEST_CARERS = 0.13, 5
ACTIVITY = 0.7
_TITLES: dict[tuple[Team, bool], tuple[str, tuple[str, ...], tuple[int, ...]]] = {
    ("service", True): ("Team Lead", ("Customer Care Agent", "Senior Care Agent", "Technical Specialist"), (6, 3, 3)),
    ("service", False): (
        "Support Team Lead", ("Support Engineer", "Senior Support Engineer", "Field Support Specialist"), (6, 3, 2),
    ),
    ("sales", True): (
        "Sales Manager", ("Design Consultant", "Senior Design Consultant", "Showroom Advisor"), (8, 3, 4),
    ),
    ("sales", False): (
        "Sales Manager", ("Account Executive", "Senior Account Executive", "Sales Engineer"), (8, 3, 3),
    ),
}  # fmt: skip
_DEPARTMENTS: dict[Team, str] = {"service": "Customer Care", "sales": "Sales"}


@dataclass(frozen=True)
class _Post:
    """A place in a team of so many; the first ones lead it and have little work of their own."""

    team: Team
    place: int
    size: int

    @property
    def leads(self) -> bool:
        return self.place < max(1, self.size // 14)


def make_members(branch: Branch) -> None:
    """Fill ``branch.members`` and add User and UserTerritory2Association records; Ids in the order people joined."""
    draw, naming = branch.draw("members"), Naming(branch.plan, branch.draw("members names"), branch.number)
    posts = [*_posts(branch)]
    terms = [_employment(branch, draw, post) for post in posts]
    activity = {team: _activities(branch, draw, [p for p in posts if p.team == team]) for team in _DEPARTMENTS}
    taken: set[tuple[str, str]] = set()
    for at in sorted(range(len(posts)), key=lambda at: (terms[at][0], at)):
        post = posts[at]
        member = _hired(branch, draw, naming, post, terms[at], taken)
        member.activity = activity[post.team][post.place]
        branch.members.append(member)
    branch.add("User", [member.row for member in branch.members])
    if branch.plan.sells:
        _give_territories(branch, branch.sellers())
    for member in branch.members:
        branch.tell("latent", member.id, name="ResponseTime", factor=member.response, hands_on=member.hands_on)
        branch.tell("latent", member.id, name="Skill", issues=member.skill, selling=member.selling)


def _posts(branch: Branch) -> list[_Post]:
    n = branch.counts["User"]
    carers = min(n, max(FEWEST_CARERS, round(n * CARE_SHARE))) if branch.plan.sells else n
    sellers = n - carers
    return [_Post("service", at, carers) for at in range(carers)] + [
        _Post("sales", at, sellers) for at in range(sellers)
    ]


def _activities(branch: Branch, draw: Draw, posts: list[_Post]) -> list[float]:
    """By Zipf's law, who comes when by chance; who leads does little else."""
    n = len(posts)
    weights = zipf_weights(n, ACTIVITY) if branch.plan.ingredients.skew else [1.0] * n
    ranks = draw.some(range(n), n)
    return [round(weights[ranks[post.place]] * (0.15 if post.leads and n > 4 else 1.0), 6) for post in posts]


def _employment(branch: Branch, draw: Draw, post: _Post) -> tuple[date, date | None]:
    """Most were there before the records begin; a quarter joins later, a sixth leaves."""
    first, length = branch.first_day, (branch.today - branch.first_day).days
    since = first - timedelta(days=draw.whole(60, 1500))
    if post.place >= post.size - post.size // 4:
        since = first + timedelta(days=draw.whole(60, length - 120))
    leads = max(1, post.size // 14)
    leaves = leads <= post.place < leads + post.size // 6
    return since, first + timedelta(days=draw.whole(200, length - 40)) if leaves else None


def _hired(
    branch: Branch, draw: Draw, naming: Naming, post: _Post, terms: tuple[date, date | None],
    taken: set[tuple[str, str]],
) -> Member:  # fmt: skip
    plan = branch.plan
    first, last = naming.person()
    while (first, last) in taken:
        first, last = naming.person()
    taken.add((first, last))
    lead, titles, weights = _TITLES[post.team, plan.consumer]
    title = lead if post.leads else draw.weighted(titles, weights)
    address = naming.work_address(first, last, plan.mail_domain)
    since, until = terms
    speed, well = plan.latents["ResponseTime"], plan.latents["Skill"]
    causes = plan.ingredients.causes
    response, selling = draw.between(*speed["range"]), draw.between(*well["selling"])
    hands_on, skill = draw.pick(speed["hands_on"]), _skill(branch, draw)
    row: Row = {
        "Id": branch.new_id("User"), "FirstName": first, "LastName": last, "Email": address, "Username": address,
        "Phone": f"({plan.area}) 555-01{draw.whole(0, 99):02d}",
        "Alias": (first[0] + last[:6]).lower(), "Title": title, "Department": _DEPARTMENTS[post.team],
        "IsActive": until is None, "EmailEncodingKey": "UTF-8", "LanguageLocaleKey": "en_US",
        "LocaleSidKey": "en_US", "TimeZoneSidKey": "GMT",
    }  # fmt: skip
    return Member(
        str(row["Id"]), first, last, address, title, post.team, since, until, 1.0, response if causes else 1.0,
        hands_on if causes else 1.0, skill if causes else dict.fromkeys(skill, 0.6), selling if causes else 0.5, (),
        row,
    )  # fmt: skip


def _skill(branch: Branch, draw: Draw) -> dict[str, float]:
    """By issue: a few that somebody knows well, the others less."""
    settings, codes = branch.plan.latents["Skill"], list(branch.shared.issues)
    known = set(draw.some(codes, settings["known"]))
    return {code: draw.between(*settings["well" if code in known else "other"]) for code in codes}


def _give_territories(branch: Branch, sellers: list[Member]) -> None:
    """Exactly as many associations as counted: mostly one territory each, some with two, some with none.

    Who stays comes first, so that every territory has somebody as long as there are enough associations.
    """
    draw, total = branch.draw("territories"), branch.counts["UserTerritory2Association"]
    territories = branch.shared.territories
    staying = sorted(sellers, key=lambda member: (member.until is not None, member.since, member.id))
    loads = apportioned(total, [1] * len(staying), most=len(territories))
    for _ in range(len(staying) // 20):
        one, other = draw.whole(len(territories), len(staying) - 1), draw.whole(0, len(staying) - 1)
        if one != other and loads[one] == loads[other] == 1:
            loads[one], loads[other] = 0, 2
    weights = _weights(branch)
    left = apportioned(total, weights, least=1 if total >= len(territories) else 0, most=len(staying))
    rows: list[Row] = []
    for member, load in zip(staying, loads, strict=True):
        # Those with most places left first, which always leaves enough different ones for the rest.
        chosen = sorted(range(len(left)), key=lambda at: (-left[at], at))[:load]
        for at in chosen:
            left[at] -= 1
        member.territories = tuple(sorted(chosen))
        rows += [{"UserId": member.id, "Territory2Id": territories[at][0]} for at in member.territories]
    rows.sort(key=lambda row: str(row["UserId"]))
    branch.add("UserTerritory2Association", [{"Id": branch.new_id("UserTerritory2Association")} | row for row in rows])


def _weights(branch: Branch) -> list[float]:
    """Territories by the people who live in them, as far as the list of places tells."""
    lived: dict[str, float] = {}
    for place in branch.plan.material.places:
        lived[place.state] = lived.get(place.state, 0) + place.weight
    return [round(sum(lived.get(state, 0) for state in states) + 1, 6) for _, states in branch.shared.territories]
