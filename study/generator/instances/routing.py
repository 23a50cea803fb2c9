"""New cases and new leads that need somebody."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from study.benchmark.rules import answer_by_rule
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.material import Place, ProductLine, lines
from study.generator.groundwork.phrases import Phrases, sentence_case
from study.generator.instances.making import Asked, Maker
from study.generator.instances.words import Said

CASES, LEADS = "case_routing", "lead_routing"
SLOT = re.compile(r"\{(\w+)\}")
SIDES = re.compile(r"([a-z]+)\) ")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


def ask_case_routing(maker: Maker) -> None:
    """New cases about issues and products of the world, each with the agent the policy names."""
    source, draw = maker.source, maker.draw(CASES)
    try:
        issues = [issue for issue in source.material.yaml("issues.yaml") if not issue.get("fresh")]
        products = source.material.product_lines
    except FileNotFoundError as error:
        maker.short[CASES] = str(error)
        return
    issue_ids = source.mapping("Issue__c", "Name", "Id")
    product_ids = source.mapping("Product2", "Name", "Id")
    phrases = maker.phrases(f"{CASES} new cases")
    pairs = [
        (issue, product)
        for issue in issues
        for product in products
        if issue["name"] in issue_ids and product.name in product_ids and concerns(issue, product)
    ]
    for most in (2, 5, 12, 1000, 1000, 1000):
        for issue, product in draw.shuffled(pairs):
            if not maker.wants(CASES, silent=False):
                return
            if maker.times(CASES, issue["name"]) >= max(8, most) or maker.times(CASES, product.name) >= most:
                continue
            params = {"issue_id": issue_ids[issue["name"]], "product_id": product_ids[product.name]}
            if not (answer := _clear(maker, CASES, params)):
                continue
            subject, facts = new_case(issue, product, phrases, draw)
            text = " ".join(fact.text for fact in facts)
            asked = Asked(
                CASES, answer, params, below=f"Subject: {subject}\nDescription: {text}", facts=facts, opened=0
            )
            if maker.ask(asked):
                maker.used(CASES, issue["name"])
                maker.used(CASES, product.name)


def _clear(maker: Maker, task: str, params: Mapping[str, Any]) -> list[str | None]:
    """The answer of the rule, empty where it is not clear; before any words are written."""
    found = answer_by_rule(task, maker.source.snapshot, params, maker.source.today)
    if found.tie or not found.values:
        maker.refuse(task, "tie" if found.tie else "nobody")
        return []
    if not found.clear:
        maker.refuse(task, "margin")
        return []
    return found.as_list()


def concerns(issue: Mapping[str, Any], product: ProductLine) -> bool:
    """Whether an issue can come up with a product."""
    if product.category not in issue["weight"]:
        return False
    if any(word in product.name for word in issue.get("never", ())):
        return False
    only = (issue.get("only") or {}).get(product.category)
    return only is None or product.code.startswith(tuple(only))


def new_case(issue: Mapping[str, Any], product: ProductLine, phrases: Phrases, draw: Draw) -> tuple[str, list[Said]]:
    """Subject, and what the customer writes: symptom, more about it, and what they want. The product is named.

    Where the issue has sides (care/matters.py), all of it is of one.
    """
    slots = {
        "product": product.name,
        "weekday": draw.pick(WEEKDAYS),
        "minutes": str(draw.pick((10, 15, 20, 30, 45))),
        "days": str(draw.whole(3, 9)),
        "months": str(draw.whole(2, 5)),
        "step": str(draw.whole(2, 9)),
        "percent": str(draw.pick((10, 15, 20, 30))),
        "diff": str(draw.whole(2, 6)),
        "inches": str(draw.whole(2, 5)),
        "count": str(draw.whole(2, 6)),
    }
    phrases.begin()
    naming = [line for line in _sayable(issue["problem"], slots) if "{product}" in line]
    sides = sorted({letter for line in naming for letter in _letters(line)})
    side = draw.pick(sides) if sides else ""
    subjects = _of_side(_sayable(issue["subject"], slots), side) or ["{product}"]
    subject = sentence_case(phrases.one_of(subjects, slots))
    problems = _of_side(naming, side) or ["There is something wrong with the {product}."]
    parts = [phrases.one_of(problems, slots)] + [
        phrases.one_of(found, slots)
        for kind in ("detail", "ask")
        if (found := _of_side(_sayable(issue.get(kind, ""), slots), side))
    ]
    topics = ("symptom", "environment", "impact")
    facts = [
        Said(topic, sentence_case(text), "", "", "diagnosis", stage)
        for stage, (topic, text) in enumerate(zip(topics, parts, strict=False), 1)
    ]
    return subject, facts


def _sayable(text: str, slots: Mapping[str, str]) -> list[str]:
    """The phrases whose slots can be filled; what a line in brackets at its beginning says is not for us."""
    return [
        line for line in lines(text) if not line.startswith("(") and all(slot in slots for slot in SLOT.findall(line))
    ]


def _letters(line: str) -> str:
    mark = SIDES.match(line)
    return mark[1] if mark else ""


def _of_side(found: Sequence[str], side: str) -> list[str]:
    """The phrases of one side and those of all, without the letters."""
    return [SIDES.sub("", line, count=1) if _letters(line) else line for line in found
            if not _letters(line) or side in _letters(line)]  # fmt: skip


def ask_lead_routing(maker: Maker) -> None:
    """New leads of all states whose territory has somebody to name."""
    source, draw = maker.source, maker.draw(LEADS)
    (descriptions,) = source.columns("Territory2", "Description")
    states = sorted({state.strip() for text in descriptions if text for state in re.split("[,;]", text)})
    answers = {state: _clear(maker, LEADS, {"state": state}) for state in states if len(state) == 2}
    asked = [state for state, answer in answers.items() if answer]
    places: dict[str, list[Place]] = {}
    for place in source.material.places:
        places.setdefault(place.state, []).append(place)
    asked = [state for state in asked if state in places]
    people = _strangers(maker, draw)
    misses = 0
    while asked and maker.wants(LEADS, silent=False) and misses < 5 * len(asked):
        for state in draw.shuffled(asked):
            if maker.wants(LEADS, silent=False):
                misses += not _ask_lead(maker, draw, next(people), draw.pick(places[state]), answers[state])


def _strangers(maker: Maker, draw: Draw) -> Iterator[str]:
    """Names of people who are neither users nor contacts nor leads, with a company where customers are companies."""
    source = maker.source
    known = {
        (first, last)
        for name in ("User", "Contact", "Lead")
        for first, last in zip(*source.columns(name, "FirstName", "LastName"), strict=True)
    }
    firsts, lasts = source.material.first_names, source.material.last_names
    while True:
        first, last = draw.pick(firsts), draw.pick(lasts)
        if (first, last) not in known:
            known.add((first, last))
            yield f"{first} {last}"


def _ask_lead(maker: Maker, draw: Draw, name: str, place: Place, answer: Sequence[str | None]) -> bool:
    sent = draw.pick(WAYS)
    below = f"Lead: {name}\nPlace: {place.city}, {place.state}\nCame in: {sent}"
    facts = [
        Said("lead_person", f"The lead is {name}, {sent.lower()}.", name, "", "", 1),
        Said("lead_place", f"The lead is in {place.city}, {place.state}.", f"{place.state}.", "", "diagnosis"),
    ]
    return maker.ask(Asked(LEADS, list(answer), {"state": place.state}, below=below, facts=facts))


WAYS = (
    "Web form", "Trade show", "Phone call", "Newsletter reply", "Recommended by a customer", "Catalog request",
    "Chat on the website", "Reply to a mailing",
)  # fmt: skip
