"""What sales and design write down about a customer when it first deals with one."""

from __future__ import annotations

from datetime import date

from study.generator.company.naming import Business
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.material import Place

_HOMES = (
    "row house", "ranch house", "townhouse", "two-storey house", "split-level", "condo", "bungalow", "farmhouse",
    "corner house", "duplex", "loft", "cottage", "house on a slope", "end-of-row house",
)  # fmt: skip
_PEOPLE = (
    ("lives alone", "single household", "one person and two cats"),
    ("household of two", "couple, both working", "retired couple"),
    ("household of three", "couple with a baby", "parents and a grown son"),
    ("family of four", "two parents, twins", "family with two teenagers"),
    ("family of five", "three generations", "patchwork family, five on weekends"),
)
_HOME_FORMS = (
    "{Home} in {city}, built {built}; {people}.",
    "{People}, {home} near {city}.",
    "{People}, {home} from {built}.",
    "{Home} bought in {since}, {people}.",
    "Moved to {city} for work; {home}, {people}.",
    "{City}, {home}. {People}.",
    "{Home} with a garden on the {side} side; {people}.",
    "With us since {since}: {people}, {home}.",
    "{Home} in {city}, {built}, first visit {since}.",
    "{People}, {home}, about {feet} sq ft.",
    "{Home} outside {city}, {feet} square feet, {people}.",
    "First came to the {city} showroom in {since}, {people}, {home}.",
)
_WISHES = (
    "Moving in stages, room by room.", "Wants one contact for everything.", "Prefers to be called after five.",
    "Found us through a neighbor.", "Saw the display kitchen twice before the first visit.", "Plans to stay for good.",
    "Rents out the upper floor.", "Likes oak and dislikes handles.", "Measures twice and asks for drawings.",
    "Has a dog; call before ringing the bell.", "Keeps a folder with every offer.", "Decides together with a sister.",
    "Parking behind the house only.", "Works from home on Fridays.", "Wants to be done before the holidays.",
    "Has renovated before and knows the trades.", "Stairs are narrow, measure the landing.", "Pays by check.",
    "Sends photos rather than words.", "Would like to reuse the old cupboards.", "Cooks a lot, bakes on weekends.",
    "Asks for samples by mail.", "No deliveries during nap time.", "Father is a carpenter and checks the joints.",
    "Doors swing into the hall, not the room.", "Gray is out, green is in.", "Ceiling is lower than it looks.",
    "Elevator holds two people and no tabletop.", "Homeowners' association must agree to anything outside.",
    "Text is better than a phone call.", "Always ask for the second phone number.", "Gate code is with dispatch.",
    "Paid the last invoice a little late, no problem since.", "Good reference for {city}, may be named.",
    "Wants prices with tax included.", "Does not want calls about promotions.", "Budget is discussed openly.",
    "Compares with the big box stores.", "Asked for a quote in {since} and came back later.", "Street parking is hard.",
    "Old house, no wall is straight.", "Floor heating planned.", "Landlord has to agree to drilling.",
    "Very particular about colors.", "Easygoing, decides fast.", "Takes time to decide; do not push.",
    "In {city} half the year only.", "Mail address differs from the house.", "Bring shoe covers.",
    "Delivery through the garage.", "Allergic to wool.", "Contractor on site until further notice.",
    "Neighbors have bought from us too.", "Interested in outdoor lighting at some point.", "One complaint, settled.",
    "Best reached by mail in the evening.", "Collects design magazines.", "Kids do homework at the kitchen table.",
    "Needs everything wheelchair accessible.", "Downsizing from a bigger place.", "Second home, first one was sold.",
)  # fmt: skip
_SIDES = ("north", "south", "east", "west", "street", "sunny")

_COMPANY_FORMS = (
    "{name} {what}. Founded {year}, {sites}, head office in {where}.",
    "Based in {where}. The company {what} from {sites}.",
    "{What}; {sites}. Customer since {since}.",
    "Family-owned since {year}. {What}.",
    "{name} in {where}: {what}, {sites}.",
    "{What}. First contact was at a trade show; {sites} near {city}.",
    "Came to us in {since} through a service partner in {city}. {What}.",
    "{city}: {sites}. {What}, in business since {year}.",
    "Since {year} {name} {what}.",
    "Customer from {since} on, {sites}, {where}. {What}.",
)
_COMPANY_NOTES = (
    "Two shifts.", "Three shifts in summer.", "Audited every spring.", "Invoices go to the head office.",
    "Older panels from the nineties in part of the plant.", "Deliveries before ten only.", "Only purchasing buys.",
    "Their own electricians do the mounting.", "Expansion planned.", "Quality has the last word.",
    "Parking behind the loading dock.", "Budget year ends in June.", "New management since {since}.",
    "Prefers calls to mail.", "Safety training needed before any visit.", "Power is billed by peak load there.",
    "PO number required on every invoice.", "Net 45 agreed in {since}.", "Sign in at the gate, photo ID.",
    "Had trouble with another supplier before.", "Good reference for {city}.", "Maintenance decides up to $5,000.",
    "Corporate IT must clear anything on the network.", "Site visits on weekdays only.", "Credit limit raised once.",
    "Uses an outside refrigeration contractor.", "Spare parts are kept on site.", "Plant closes over the holidays.",
    "Some rooms still on chart recorders.", "Asks for three quotes as a rule.", "Steel-toe shoes and hairnet.",
    "Part of the plant is leased.", "Long-time customer, low maintenance.", "Send drawings as PDF.",
)  # fmt: skip
_NO_FORM = 0.12
"""Share of notes that are only remarks, without who or what the customer is."""


def home_note(draw: Draw, place: Place, size: int, since: date) -> str:
    """Of a household of ``size`` people: the home, and one or two things worth knowing."""
    home, people = draw.pick(_HOMES), draw.pick(_PEOPLE[size - 1])
    told = [] if draw.chance(_NO_FORM) else [draw.pick(_HOME_FORMS)]
    text = " ".join(
        (*told, *draw.some(_WISHES, draw.weighted((0, 1, 2, 3), (1, 4, 4, 2)) if told else draw.whole(2, 3)))
    )
    return text.format(
        home=home, Home=_capital(home), people=people, People=_capital(people), city=place.city, City=place.city,
        built=draw.whole(1908, since.year - 2), since=since.year, side=draw.pick(_SIDES),
        feet=f"{50 * draw.whole(16, 68):,}",
    )  # fmt: skip


def company_note(draw: Draw, name: str, business: Business, place: Place, since: date) -> str:
    """Of a company: what it does and where, and perhaps something worth knowing."""
    what, sites = draw.pick(business.about), draw.weighted((1, 2, 3, 4, 6), (8, 4, 2, 1, 1))
    told = [] if draw.chance(_NO_FORM) else [draw.pick(_COMPANY_FORMS)]
    more = draw.weighted((0, 1, 2, 3), (4, 4, 2, 1)) if told else draw.whole(1, 2)
    text = " ".join((*told, *draw.some(_COMPANY_NOTES, more)))
    return text.format(
        name=name, what=what, What=_capital(what), year=draw.whole(1921, 2014), city=place.city,
        sites=f"{sites} sites" if sites > 1 else "a single site", where=f"{place.city}, {place.state}",
        since=since.year,
    )  # fmt: skip


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
