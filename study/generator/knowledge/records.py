"""Articles as records, and what is known about them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta

from study.generator.groundwork.branch import Shared
from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.draw import Draw
from study.generator.groundwork.plan import Plan
from study.generator.groundwork.things import Row
from study.generator.knowledge.library import Article, articles_of
from study.generator.knowledge.truth import tell_answers, tell_latents, tell_particulars

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DATED = re.compile(rf"\b(?:({'|'.join(_MONTHS)}) (?:\d{{1,2}}, )?|\d{{1,2}} ({'|'.join(_MONTHS)}) )?(20[12]\d)\b")
_BEFORE = 200
"""Days before the first day of the Org on which the oldest articles were last touched."""


def make_articles(plan: Plan, shared: Shared, seed: int, tell: Callable[..., None]) -> list[Row]:
    """The rows of Knowledge__kav, one for each article that ``shared`` has an Id for; facts about them are told."""
    articles = [article for article in articles_of(plan, len(shared.articles)) if article.code in shared.articles]
    draw, calendar = Draw(seed, f"{plan.name} knowledge"), Calendar(plan)
    rows = [_row(article, shared.articles[article.code], plan, draw, calendar) for article in articles]
    tell_latents(plan, shared, articles, tell)
    tell_answers(articles, shared, tell)
    tell_particulars(articles, shared, tell)
    return rows


def _row(article: Article, key: str, plan: Plan, draw: Draw, calendar: Calendar) -> Row:
    changed = changed_on(article, plan, draw)
    return {
        "Id": key,
        "Title": article.title,
        "Summary": article.summary,
        "FAQ_Answer__c": article.body,
        "UrlName": url_name(article.title),
        "PublishStatus": "Online",
        "Language": "en_US",
        "LastModifiedDate": min(calendar.at_work(calendar.working_day(changed), draw), plan.now),
    }


def changed_on(article: Article, plan: Plan, draw: Draw) -> date:
    """The day of the last change: after every date the text names, and more often lately than long ago."""
    if article.fresh:
        return plan.today - timedelta(days=draw.whole(2, 6))
    earliest = max(
        (day for day in named_months(f"{article.summary} {article.body}") if day <= plan.today),
        default=plan.first_day - timedelta(days=_BEFORE),
    )
    span = (plan.today - earliest).days
    return earliest + timedelta(days=int(span * (1 - draw.share() ** 1.4)))


def named_months(text: str) -> Sequence[date]:
    """The first day after each month, or first day of each bare year, that a text names."""
    found: list[date] = []
    for month, other, year in _DATED.findall(text):
        place = _MONTHS.index(month or other) + 1 if month or other else 0
        found.append(date(int(year) + (place == 12), place % 12 + 1, 1))
    return found


def url_name(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower().replace("'", "")).strip("-")
