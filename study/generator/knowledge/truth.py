"""What is known about the articles: questions with their answers, the rules behind them, particulars in their words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from study.generator.groundwork.branch import Shared
from study.generator.groundwork.plan import Plan
from study.generator.knowledge.library import Article

Tell = Callable[..., None]
_OBJECT, _BODY = "Knowledge__kav", "FAQ_Answer__c"
_MOST_PARTICULARS = 6
_COUNT = (
    r"(?:\d[\d,]*(?:\.\d+)?|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?|two|three|four|five|six|"
    r"seven|eight|nine|ten|eleven|twelve|\w+teen)"
)
_UNIT = (
    r"(?:(?:business |working )?(?:days|hours)|seconds|minutes|weeks|months|years|°F|inches|feet|pounds|gallons|volts|"
    r"amps|watts|psi|hertz|times|pieces|sensors)"
)
_PARTICULARS = {
    "measure": re.compile(rf"(?<![\w.,$-]){_COUNT} {_UNIT}(?!\w)"),
    "amount": re.compile(r"\$\d[\d,]*\b|\b\d[\d,]* dollars\b"),
    "percent": re.compile(r"\b\d+(?:\.\d+)? percent\b"),
    "number": re.compile(r"(?<![\w.,$-])\d[\d,]*(?:\.\d+)?(?![\w,.-])"),
}


def answerable(articles: Sequence[Article]) -> Iterator[tuple[Article, str, str]]:
    """Questions for customers whose answer stands in one article and in no other."""
    bodies = {article.code: plain(article) for article in articles}
    for article in articles:
        for question, answer in article.asked:
            if not any(said_in(answer, body) for code, body in bodies.items() if code != article.code):
                yield article, question, answer


def plain(article: Article) -> str:
    return f"{article.summary}\n{article.body}".casefold()


def said_in(answer: str, text: str) -> bool:
    """Whether the words of an answer stand in a text (in small letters), as whole words."""
    place = -1
    small = answer.casefold()
    while (place := text.find(small, place + 1)) >= 0:
        before, after = text[place - 1 : place], text[place + len(small) : place + len(small) + 1]
        if not before.isalnum() and not after.isalnum():
            return True
    return False


def tell_answers(articles: Sequence[Article], shared: Shared, tell: Tell) -> None:
    for article, question, answer in answerable(articles):
        tell("article", shared.articles[article.code], question=question, answer=answer, confidential=False)
    for article in articles:
        for question, answer in article.private:
            tell("article", shared.articles[article.code], question=question, answer=answer, confidential=True)


def tell_particulars(articles: Sequence[Article], shared: Shared, tell: Tell) -> None:
    """Amounts, percentages and other numbers that stand in the article, at most six of each article."""
    for article in articles:
        for slot, text in _particulars(article.body)[:_MOST_PARTICULARS]:
            tell("said", shared.articles[article.code], object=_OBJECT, field=_BODY, slot=slot, text=text)


def _particulars(body: str) -> list[tuple[str, str]]:
    found = [(slot, text) for slot, pattern in _PARTICULARS.items() for text in pattern.findall(body)]
    return list(dict.fromkeys(found))


def tell_latents(plan: Plan, shared: Shared, articles: Sequence[Article], tell: Tell) -> None:
    """Which articles solve which issue, the rules of selling, and what is to be said of competitors."""
    for issue, key in shared.issues.items():
        about = [article for article in articles if issue in article.issues]
        solutions = [article.code for article in about if not article.policy]
        policies = [article.code for article in about if article.policy]
        evidence = [(_OBJECT, shared.articles[article.code]) for article in about]
        tell("latent", key, evidence, name="IssueSolution", issue=issue, solutions=solutions, policies=policies)
    for article in articles:
        if article.issues and not article.policy:
            values = {"solution": article.code, "title": article.title}
            tell("latent", shared.articles[article.code], name="Solution", **values)
    if plan.sells:
        _tell_rules(plan, shared, tell)
        _tell_competitors(plan, shared, articles, tell)


def _tell_rules(plan: Plan, shared: Shared, tell: Tell) -> None:
    rules, item = plan.material.selling, shared.by_code

    def rule(kind: str, name: str, **values: object) -> None:
        article = shared.articles[rules.articles[kind]]
        tell("latent", article, [(_OBJECT, article)], name=name, **values)

    rule("limits", "QuantityLimits", most={item[code].id: most for code, most in rules.limits.items() if code in item})
    rule("steps", "VolumeDiscounts", steps=[[step.least, step.percent] for step in rules.steps])
    rule(
        "exclusions", "ExclusionConstraints",
        pairs=[[item[one].id, item[other].id] for one, other in rules.exclusions if one in item and other in item],
    )  # fmt: skip
    rule(
        "requirements", "ProductRequirements",
        needs=[[item[one].id, item[other].id, each] for one, other, each in rules.requirements
               if one in item and other in item],
    )  # fmt: skip


def _tell_competitors(plan: Plan, shared: Shared, articles: Sequence[Article], tell: Tell) -> None:
    by_name = {article.competitor: article for article in articles if article.competitor}
    for competitor in plan.material.selling.competitors:
        key = shared.articles[by_name[competitor.name].code]
        strong, weak = list(competitor.strengths), list(competitor.weaknesses)
        tell("latent", key, [(_OBJECT, key)], name="Strengths", competitor=competitor.name, strengths=strong)
        tell("latent", key, [(_OBJECT, key)], name="Competitors", competitor=competitor.name, weaknesses=weak)
