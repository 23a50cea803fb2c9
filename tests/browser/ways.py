"""What walks have in common: parts of many ways, and the ways that are the same in every Org for the same question.

``When`` narrows a list or a report to the period of a question: ``label`` is the field's label and ``under`` the
heading under which menus offer it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.browser.clicking import ID, Walk

Answer = list[str | None]
Rows = list[list[str]]
When = Callable[[Walk, str, str], None]
STAGES = ("Qualification", "Discovery", "Quote", "Negotiation", "Closed")
WITHHELD: Answer = [None]


def filtered(w: Walk, field: str, value: str = "", how: str = "is", *, under: str = "", pasted: bool = False) -> None:
    """One more filter of a list."""
    w.condition("Add a filter", field, value, how, under=under, pasted=pasted)
    w.press("Apply")


def report_by(w: Walk, rows: str, *, under: str = "") -> Rows:
    """What the rows of the report are; then it runs."""
    w.choose("Rows", rows, under=under)
    w.press("Run")
    return w.rows()


def measured(w: Walk, function: str, what: str, unit: str = "") -> None:
    w.choose("Measure", function)
    w.choose("What is measured", what)
    if unit:
        w.choose("Unit of time", unit)


def number(row: list[str]) -> float:
    return float(re.sub(r"[^\d.-]", "", row[-1]) or "nan")


def named(rows: Rows) -> Rows:
    """The rows that stand for something: those of an empty field are passed over."""
    return [row for row in rows if row[0].casefold() not in {"empty", "(empty)", ""}]


def most(rows: Rows) -> list[str]:
    return max(named(rows), key=number)


def least(rows: Rows) -> list[str]:
    return min(named(rows), key=number)


def the_id(row: list[str]) -> str:
    return ID.findall(" ".join(row))[0]


def article(w: Walk, words: str, title: str) -> str:
    """Search, the hits, one article of Knowledge: its text."""
    w.find(words)
    w.reads(w.main)
    w.follow(title)
    return w.reads(w.main)


def at_the_top(words: str) -> When:
    """The period by the menu above the list, which acts at once."""
    return lambda w, label, under: w.choose(label, words, opens=True)


def by_filter(value: str, how: str) -> When:
    """The period by a filter, which takes any number."""
    return lambda w, label, under: filtered(w, label, value, how, under=under)


def winner(rows: Rows, highest: bool) -> Answer:
    """The Id of who is first."""
    return [the_id(most(rows) if highest else least(rows))]


def more_than(w: Walk, n: int) -> None:
    """Only rows of the report that stand for more than so many records."""
    w.write("Number", str(n), within=w.page.get_by_role("group", name="Only rows with"))


def assignments(w: Walk, when: When) -> None:
    """The report on owner assignments of a period."""
    w.object("Case history")
    w.tick("Owner Assignment", group="Change")
    when(w, "Created", "Case history")
    w.follow("Report")


# The ways.


def lead_routing_way(w: Walk, state: str) -> Answer:
    w.object("Territories")
    (there,) = [row[0] for row in w.rows() if state in row[-1].split(",")]
    w.follow(there)
    members = {row[0] for row in w.whole("Territory members")}
    w.object("Quotes")
    w.tick("Accepted", group="Status")
    w.follow("Report")
    accepted = [row for row in report_by(w, "Owner", under="Opportunity") if row[0] in members]
    level = {row[0] for row in accepted if number(row) == number(most(accepted))}
    if len(level) == 1:
        return winner(accepted, True)
    w.object("Leads")
    w.tick("No", group="Converted")
    w.follow("Report")
    return winner([row for row in report_by(w, "Owner", under="Lead") if row[0] in level], False)


def handle_time_way(w: Walk, when: When, n: int, *, highest: bool) -> Answer:
    assignments(w, when)
    more_than(w, n)
    given = {row[0] for row in report_by(w, "New value", under="Case history")}
    w.object("Cases")
    w.tick("Closed", group="Status")
    when(w, "Created", "Case")
    once = w.page.get_by_role("group", name="Related records")
    w.choose("How many", "exactly", within=once)
    w.choose("Related records", "Case history (Case)", within=once)
    w.choose("Only those where", "Change", under="Case history", within=once)
    w.write("Value of the related record's field", "Owner Assignment", within=once)
    w.press("Apply")
    w.follow("Report")
    measured(w, "average of", "Closed minus Created", "hours")
    return winner([row for row in report_by(w, "Owner", under="Case") if row[0] in given], highest)


def transfer_count_way(w: Walk, when: When, n: int, *, highest: bool) -> Answer:
    assignments(w, when)
    more_than(w, n)
    given = {the_id(row) for row in report_by(w, "New value", under="Case history")}
    # Who was given more than n may have handed on fewer.
    more_than(w, 0)
    handed = report_by(w, "Old value", under="Case history")
    return winner([row for row in named(handed) if the_id(row) in given], highest)


def cases_about(w: Walk, when: When, product: str) -> None:
    """The report on cases of a period about a product."""
    w.object("Cases")
    when(w, "Created", "Case")
    filtered(w, "Product", product, under="Order product", pasted=True)
    w.follow("Report")


def top_issue_way(w: Walk, when: When, product: str) -> Answer:
    cases_about(w, when, product)
    return winner(report_by(w, "Issue", under="Case"), True)


def busiest_month_way(w: Walk, when: When, product: str) -> Answer:
    cases_about(w, when, product)
    return [most(report_by(w, "Created", under="Case"))[0].split()[0]]


def best_region_way(w: Walk, when: When, *, highest: bool) -> Answer:
    w.object("Cases")
    w.tick("Closed", group="Status")
    when(w, "Created", "Case")
    w.follow("Report")
    measured(w, "average of", "Closed minus Created", "hours")
    states = report_by(w, "State", under="Account")
    return [(most if highest else least)(states)[0]]


def sold(w: Walk) -> Rows:
    """By owner of the order what the order products of the list come to."""
    w.follow("Report")
    w.choose("Measure", "sum of")
    w.choose("What is measured", "Quantity")
    w.choose("Worked out with", "times")
    w.choose("Second field", "Unit price", under="Order product")
    return named(report_by(w, "Owner", under="Order"))


def sales_cycle_way(w: Walk, when: When, *, highest: bool) -> Answer:
    w.object("Opportunities")
    when(w, "Company signed", "Contract")
    w.follow("Report")
    measured(w, "average of", "Contract › Company signed minus Created")
    return winner(named(report_by(w, "Owner", under="Opportunity")), highest)


def conversion_rate_way(w: Walk, when: When, converted: tuple[str, str], *, highest: bool) -> Answer:
    """``converted``: value and comparison of the day a lead was converted on."""
    w.object("Leads")
    when(w, "Created", "Lead")
    w.follow("Report")
    w.choose("Measure", "share of")
    w.choose("Only records where the field", "Converted on", under="Lead")
    line = w.main.locator("[data-measure]").first
    w.choose("Comparison", converted[1], within=line)
    w.write("Value", converted[0], within=line)
    return winner(named(report_by(w, "Owner", under="Lead")), highest)
