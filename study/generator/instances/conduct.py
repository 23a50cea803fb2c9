"""Questions about what was written and said: policies broken in cases, leads in calls, remarks on deals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from study.benchmark.gates import MOST_OPENED
from study.benchmark.tasks import FACTORS
from study.generator.groundwork.facts import Fact
from study.generator.instances.making import Asked, Maker
from study.generator.instances.periods import MONTHS
from study.generator.instances.quoting import called, spread
from study.generator.instances.source import day_of
from study.generator.instances.words import words

REMARKS = "sales_insight_mining"
MOST_TOPICS = 4


def ask_about_conduct(maker: Maker) -> None:
    """``policy_violation_identification``."""
    task, source = "policy_violation_identification", maker.source
    facts = source.facts("violation")
    articles = sorted({fact.values["article"] for fact in facts if fact.values.get("article")})
    known, titles = source.columns("Knowledge__kav", "Id", "Title")
    articles += [one for one, title in zip(known, titles, strict=True) if title and one not in articles][:5]
    letters = source.grouped("EmailMessage", "ParentId", "Id")
    chats = source.grouped("LiveChatTranscript", "CaseId", "Id")
    names = called(source, "Case", ("CaseNumber", "Subject"), "case")
    for fact in spread(maker, task, maker.draw(task).shuffled(facts), lambda fact: str(fact.values.get("article"))):
        article = fact.values.get("article")
        written = [row[0] for row in (*letters.get(fact.of, ()), *chats.get(fact.of, ()))]
        if not written:
            maker.refuse(task, "evidence")
            continue
        evidence = [record_id for _name, record_id in fact.evidence] or written
        opened = [fact.of, *written, *([article] if article else [])]
        if len(opened) > MOST_OPENED:
            maker.refuse(task, "opened")
            continue
        maker.ask(
            Asked(
                task,
                [article],
                slots={"case": names.get(fact.of, "this case")},
                about=[("Case Id to be considered", fact.of, "")],
                evidence=[fact.of, *evidence, *([article] if article else [])],
                others=[other for other in articles if other != article],
                opened=len(opened),
            )
        )


def ask_about_leads(maker: Maker) -> None:
    """``lead_qualification``."""
    task, source = "lead_qualification", maker.source
    bant = source.settings.get("bant") or {}
    policy = {
        "budget": _sum("Budget: at least ${amount:,.0f} has been set aside.", bant),
        "timeline": _sum("Timeline: they want to decide within {months} months.", bant),
    }
    calls = source.grouped("VoiceCallTranscript__c", "LeadId__c", "Id")
    first, last, company = (source.mapping("Lead", "Id", name) for name in ("FirstName", "LastName", "Company"))
    facts = [fact for fact in source.facts("bant") if fact.values.get("missing") is not None]
    for fact in spread(maker, task, maker.draw(task).shuffled(facts), _missing):
        missing = [factor for factor in FACTORS if factor in fact.values["missing"]]
        evidence = [row[0] for row in calls.get(fact.of, ())]
        if not evidence:
            maker.refuse(task, "evidence")
            continue
        name = " ".join(filter(None, (first.get(fact.of), last.get(fact.of))))
        name += f" of {company[fact.of]}" if company.get(fact.of) else ""
        maker.ask(
            Asked(
                task,
                list(missing) or [None],
                slots={"lead": name or "this lead"},
                about=[("Lead Id to be considered", fact.of, "")],
                policy=policy,
                evidence=[fact.of, *evidence],
                others=[*(factor for factor in FACTORS if factor not in missing), "None" if missing else "all"],
                opened=1 + len(evidence),
            )
        )


def _sum(text: str, bant: dict[str, float]) -> str:
    try:
        return text.format(**bant)
    except KeyError:
        return "The guide for qualifying leads says what is needed."


def _missing(fact: Fact) -> str:
    return ", ".join(fact.values["missing"]) or "None"


class Remark(NamedTuple):
    call: str
    month: str
    subtopic: str
    sentiment: str
    competitor: str | None


class Talk(NamedTuple):
    """What can be asked about some calls of a deal: the wording, the answer, and what else was said."""

    wording: str
    answer: tuple[str, ...]
    others: tuple[str, ...]
    competitor: str = ""


def ask_about_calls(maker: Maker) -> None:
    """``sales_insight_mining``, the kinds of question in turn."""
    source, draw = maker.source, maker.draw(REMARKS)
    at = source.mapping("VoiceCallTranscript__c", "Id", "CreatedDate")
    calls = source.grouped("VoiceCallTranscript__c", "OpportunityId__c", "Id")
    names = called(source, "Opportunity", ("Name",), "opportunity")
    said: dict[str, list[Remark]] = defaultdict(list)
    for fact in source.facts("insight"):
        values = fact.values
        if at.get(values["call"]):
            day = day_of(at[values["call"]])
            said[fact.of].append(
                Remark(values["call"], f"{MONTHS[day.month - 1]} {day.year}", values["subtopic"], values["sentiment"],
                       values.get("competitor"))
            )  # fmt: skip
    rivals = sorted({remark.competitor for remarks in said.values() for remark in remarks if remark.competitor})
    topics = source.settings.get("subtopics") or sorted({r.subtopic for remarks in said.values() for r in remarks})
    listed = f"Use these names of topics: {', '.join(topics)}."
    for most in (1, 2, 4):
        for deal in draw.shuffled(list(said)):
            if not maker.wants(REMARKS, silent=False):
                return
            if maker.times(REMARKS, deal) >= most:
                continue
            heard = [row[0] for row in calls.get(deal, ())]
            picked = _talk(maker, said[deal], heard, at, rivals)
            if picked is None:
                continue
            talk, within, opened = picked
            asked = Asked(
                REMARKS,
                [", ".join(talk.answer)],
                wording=talk.wording,
                slots={"deal": names.get(deal, "this opportunity"), "within": within, "competitor": talk.competitor},
                about=[("Opportunity Id to be considered", deal, "")],
                policy={"remark": listed, "tone": "" if talk.wording in ("competitor", "against") else _tone()},
                evidence=[deal, *opened],
                others=talk.others,
                opened=1 + len(opened),
                answer_format="list",
            )
            if maker.ask(asked):
                maker.used(REMARKS, deal)


def _tone() -> str:
    return next(fact.text for fact in words(REMARKS).policy if fact.topic == "tone")


def _talk(
    maker: Maker, remarks: Sequence[Remark], heard: Sequence[str], at: dict[str, int], rivals: Sequence[str]
) -> tuple[Talk, str, list[str]] | None:
    """One question about all calls of a deal, or about those of one month; None with the reason counted."""
    draw = maker.draw(REMARKS)
    months = sorted({remark.month for remark in remarks})
    month = draw.pick(months) if len(months) > 1 and (len(heard) > MOST_OPENED - 2 or draw.chance(0.3)) else ""
    opened = [
        call
        for call in heard
        if not month or ((day := day_of(at[call])) and f"{MONTHS[day.month - 1]} {day.year}" == month)
    ]
    if len(opened) > MOST_OPENED - 1:
        maker.refuse(REMARKS, "opened")
        return None
    found = list(_talks([remark for remark in remarks if not month or remark.month == month], rivals))
    if not found:
        maker.refuse(REMARKS, "distractors")
        return None
    return draw.pick(found), f" in {month}" if month else "", opened


def _talks(remarks: Sequence[Remark], rivals: Sequence[str]) -> Iterator[Talk]:
    ours = [remark for remark in remarks if not remark.competitor]
    for sentiment in ("negative", "positive"):
        own = {remark.subtopic for remark in ours if remark.sentiment == sentiment}
        # A remark on a competitor is not about us, but a careless ear might hear it so.
        heard = {remark.subtopic for remark in remarks if remark.sentiment == sentiment}
        rest = tuple(sorted({remark.subtopic for remark in remarks} - heard))
        if 1 <= len(own) <= MOST_TOPICS and own == heard and len(rest) >= 2:
            yield Talk(sentiment, tuple(sorted(own)), rest)
    named = sorted({remark.competitor for remark in remarks if remark.competitor})
    if len(named) == 1:
        yield Talk("competitor", (named[0],), tuple(rival for rival in rivals if rival != named[0]))
        against = {remark.subtopic for remark in remarks if remark.competitor}
        rest = tuple(sorted({remark.subtopic for remark in remarks} - against))
        if 1 <= len(against) <= MOST_TOPICS and len(rest) >= 2:
            yield Talk("against", tuple(sorted(against)), rest, named[0])
