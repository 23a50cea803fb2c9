"""The articles a world has in its files, read and filled in.

``knowledge.txt`` and ``product_articles.txt`` (the second may be missing) hold one article after the other::

    ## code | Title | required | issue=<code> | competitor=<name> | fresh
    > Summary in one line.
    Paragraphs and lists, one a line.
    ? A question a customer would ask | the answer, word for word as it stands above
    ! A question nobody outside may have answered | likewise

``required``, ``issue`` and ``competitor`` articles are in every Org, as are the rules of customer care in
``policies.yaml``; ``fresh`` marks what was written in the last days. A line that begins with ``# `` is a comment.
Slots in braces are filled in from selling.yaml (rules.py), so that an article and the rule behind it cannot differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from study.generator.groundwork.material import table
from study.generator.groundwork.plan import Plan
from study.generator.knowledge.rules import slots_of

_ITEM = re.compile(r"[-*•] |\d+[.)] |[a-z]\) ")
FILES = ("knowledge.txt", "product_articles.txt")
POLICIES = "policies.yaml"


@dataclass(frozen=True)
class Article:
    """``asked`` and ``private`` are pairs of question and answer; the second kind is confidential.

    ``issues`` are codes of issues the article solves or that the policy in it is about.
    """

    code: str
    title: str
    summary: str
    body: str
    asked: tuple[tuple[str, str], ...] = ()
    private: tuple[tuple[str, str], ...] = ()
    issues: tuple[str, ...] = ()
    competitor: str | None = None
    required: bool = False
    fresh: bool = False
    policy: bool = False


@dataclass
class _Draft:
    """An article while its lines are read."""

    head: list[str]
    summary: str = ""
    body: list[str] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    private: list[tuple[str, str]] = field(default_factory=list)

    def take(self, line: str) -> None:
        if line.startswith("> "):
            self.summary = line[2:].strip()
        elif line.startswith(("? ", "! ")):
            question, answer = (part.strip() for part in line[2:].split(" | "))
            (self.asked if line[0] == "?" else self.private).append((question, answer))
        else:
            self.body.append(line.rstrip())

    def finished(self, slots: Mapping[str, str]) -> Article:
        """ValueError for a head without title or a text with a slot that nothing fills."""
        if len(self.head) < 2 or not self.summary:
            raise ValueError(f"Article {self.head[0]!r} needs a code, a title and a summary.")
        marks = {name: value for name, _, value in (mark.partition("=") for mark in self.head[2:])}
        text = "\n".join(self.body).strip()
        return Article(
            self.head[0], self.head[1], self.summary, spaced(_filled(text, slots, self.head[0])),
            tuple(self.asked), tuple(self.private), (marks["issue"],) if "issue" in marks else (),
            marks.get("competitor"), bool(marks.keys() & {"required", "issue", "competitor"}), "fresh" in marks,
        )  # fmt: skip


def _filled(text: str, slots: Mapping[str, str], code: str) -> str:
    if "{" not in text:
        return text
    try:
        return text.format_map({**slots, **_of_competitor(code, slots)})
    except KeyError as missing:
        raise ValueError(f"Article {code!r}: nothing fills the slot {missing}.") from None


def _of_competitor(code: str, slots: Mapping[str, str]) -> dict[str, str]:
    """``{strengths}`` and ``{weaknesses}`` are those of the competitor whose article it is."""
    names = ("strengths", "weaknesses")
    return {name: slots[f"{code} {name}"] for name in names if f"{code} {name}" in slots}


def spaced(text: str) -> str:
    """Paragraphs stand apart by an empty line; the lines of a list or table follow each other."""
    kept: list[str] = []
    for line in text.split("\n"):
        if kept and line and kept[-1] and _is_prose(line) and _is_prose(kept[-1]):
            kept.append("")
        kept.append(line)
    return "\n".join(kept)


def _is_prose(line: str) -> bool:
    return line[-1] in '.!?"' and not _ITEM.match(line)


def written_articles(plan: Plan) -> Iterator[Article]:
    """The articles of the text files, in their order."""
    slots = slots_of(plan)
    for name in FILES:
        try:
            text = plan.material.text(name)
        except FileNotFoundError:
            if name == FILES[0]:
                raise
            continue
        draft: _Draft | None = None
        for line in text.split("\n"):
            if line.startswith("## "):
                if draft:
                    yield draft.finished(slots)
                draft = _Draft([part.strip() for part in line[3:].split(" | ")])
            elif draft and not line.startswith("# "):
                draft.take(line)
        if draft:
            yield draft.finished(slots)


def policy_articles(plan: Plan) -> Iterator[Article]:
    """The rules of customer care as articles."""
    entries: list[dict[str, Any]] = plan.material.yaml(POLICIES)
    for entry in entries:
        body = spaced(str(entry["body"]).strip())
        yield Article(
            entry["code"], entry["title"], entry["summary"], body,
            tuple((question, as_written(answer, body)) for question, answer in table(entry.get("qa", ""))), (),
            tuple(entry.get("issues", ())), None, required=True, policy=True,
        )  # fmt: skip


def as_written(answer: str, body: str) -> str:
    """An answer with the capitals it has in the article."""
    place = body.casefold().find(answer.casefold())
    return body[place : place + len(answer)] if place >= 0 else answer


def articles_of(plan: Plan, count: int | None = None) -> tuple[Article, ...]:
    """The articles of a world, as many as its plan says (or ``count``), what others rely on always among them.

    ValueError where the files have too few, or two articles share a code or title.
    """
    wanted = plan.counts["Knowledge__kav"] if count is None else count
    found = [*policy_articles(plan), *written_articles(plan)]
    for what in ("code", "title"):
        names = [getattr(article, what).lower() for article in found]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"{plan.name}: two articles have the {what} {twice[0]!r}.")
    if len(found) < wanted:
        raise ValueError(f"{plan.name}: {wanted} articles are asked for, and the files hold {len(found)}.")
    room = wanted - sum(article.required for article in found)
    optional = [article.code for article in found if not article.required]
    kept = frozenset(optional[: max(room, 0)])
    return tuple(article for article in found if article.required or article.code in kept)


def article_codes(plan: Plan, count: int | None = None) -> tuple[str, ...]:
    """The codes of the articles of a world, in the order they are stored; ``count`` instead of the plan's number."""
    return tuple(article.code for article in articles_of(plan, count))
