"""The facts of the truth file, found again in the Org: in texts by patterns of our own, in records by counting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from study.generator.groundwork.facts import Fact, read_facts
from study.generator.verify.ledger import check_ledger
from study.generator.verify.mentions import Mentions
from study.generator.verify.outcome import Check, Tally, left_out
from study.generator.verify.source import Source
from study.generator.verify.wording import stands, written_by

_CHUNK = 2_000
NO_TRUTH = "no truth file"
_ABOUT = {
    "facts.said": "particulars of texts stand in them, found again by patterns",
    "facts.answers": "answers of articles stand word for word in them",
    "facts.violations": "broken policies are of articles, and show in letters or chats of their case",
    "facts.qualification": "what leads lack was said in calls with them",
    "facts.insights": "remarks were made in calls of their opportunity, and name the competitor",
    "facts.latents": "latent variables are of records that exist",
}


def check_facts(source: Source, mentions: Mentions) -> Iterator[Check]:
    if source.truth is None:
        for name, about in _ABOUT.items():
            yield left_out(name, about, NO_TRUTH)
        yield from check_ledger(source, ())
        return
    for name, kind, look in _LOOKS:
        tally = Tally(name, _ABOUT[name])
        for chunk in _chunks(read_facts(source.truth, frozenset({kind}))):
            tally.seen(len(chunk))
            look(source, mentions, chunk, tally)
        yield tally.check() if tally.looked_at else left_out(name, _ABOUT[name], "no such facts")
    wanted = frozenset({"stage", "priority", "configuration", "discount"})
    yield from check_ledger(source, read_facts(source.truth, wanted))


def _chunks(facts: Iterator[Fact]) -> Iterator[list[Fact]]:
    while chunk := list(islice(facts, _CHUNK)):
        yield chunk


def _texts(source: Source, wanted: Sequence[tuple[str, str, str]]) -> dict[tuple[str, str, str], str]:
    """(object, field, Id) -> text, for those that exist."""
    by_field: dict[tuple[str, str], list[str]] = {}
    for name, field, record_id in wanted:
        by_field.setdefault((name, field), []).append(record_id)
    found: dict[tuple[str, str, str], str] = {}
    for (name, field), ids in by_field.items():
        if source.has(f"{name}.{field}"):
            texts = source.texts_of(name, field, dict.fromkeys(ids))
            found |= {(name, field, record_id): text for record_id, text in texts.items()}
    return found


def _said(source: Source, mentions: Mentions, chunk: list[Fact], tally: Tally) -> None:
    keys = [(str(f.values["object"]), str(f.values["field"]), f.of) for f in chunk]
    texts = _texts(source, keys)
    extracted: dict[tuple[str, str, str], dict[str, set[str]]] = {}
    for fact, key in zip(chunk, keys, strict=True):
        slot, said = str(fact.values["slot"]), str(fact.values["text"])
        if key not in texts:
            tally.fault(fact.of, f"{key[0]}.{key[1]}: no such text")
            continue
        text = written_by(key[0], key[1], texts[key])
        if key not in extracted:
            extracted[key] = mentions.of(text)
        if fault := _missing(said, text, extracted[key], mentions):
            tally.fault(fact.of, f"{key[0]}.{key[1]}: {slot} {said[:50]!r} {fault}")


def _missing(said: str, text: str, extracted: dict[str, set[str]], mentions: Mentions) -> str:
    """Why a particular is not found again; empty if it is."""
    if not stands(said, text):
        return "does not stand in the text"
    for kind, hits in mentions.of(said).items():
        if kind != "number" and hits - extracted.get(kind, set()):
            return f"is not found again as {kind}"
    return ""


def _answers(source: Source, mentions: Mentions, chunk: list[Fact], tally: Tally) -> None:
    body, summary = (
        _texts(source, [("Knowledge__kav", field, f.of) for f in chunk]) for field in ("FAQ_Answer__c", "Summary")
    )
    for fact in chunk:
        answer = str(fact.values.get("answer", ""))
        text = body.get(("Knowledge__kav", "FAQ_Answer__c", fact.of), "") + "\n"
        text += summary.get(("Knowledge__kav", "Summary", fact.of), "")
        if not answer or answer.casefold() not in text.casefold():
            tally.fault(fact.of, f"{answer[:60]!r} does not stand in the article")


def _exists(source: Source, object_name: str, record_id: str) -> bool:
    if not source.has(object_name):
        return False
    return source.one(f'SELECT 1 FROM "{object_name}" WHERE Id = :id', {"id": record_id}) is not None


def _belong(source: Source, fact: Fact, lookups: dict[str, tuple[str, ...]], tally: Tally) -> bool:
    """Whether every evidence record exists and looks up the record the fact is of."""
    for name, record_id in fact.evidence:
        if not _exists(source, name, record_id):
            tally.fault(fact.of, f"evidence {record_id} ({name}) does not exist")
            return False
        for lookup in lookups.get(name, ())[:1]:
            ways = " OR ".join(f"{way} = :of" for way in lookups[name] if source.has(f"{name}.{way}"))
            sql = f'SELECT 1 FROM "{name}" WHERE Id = :id AND ({ways})'
            if source.one(sql, {"id": record_id, "of": fact.of}) is None:
                tally.fault(fact.of, f"evidence {record_id} is not its own by {lookup}")
                return False
    return True


_OF_CASE = {"EmailMessage": ("ParentId", "RelatedToId"), "LiveChatTranscript": ("CaseId",)}


def _violations(source: Source, mentions: Mentions, chunk: list[Fact], tally: Tally) -> None:
    for fact in chunk:
        article = fact.values.get("article")
        if not _exists(source, "Case", fact.of):
            tally.fault(fact.of, "no such case")
        elif article and not _exists(source, "Knowledge__kav", str(article)):
            tally.fault(fact.of, f"no article {article}")
        elif article and not fact.evidence:
            tally.fault(fact.of, "nothing shows that the policy was broken")
        else:
            _belong(source, fact, _OF_CASE, tally)


def _qualification(source: Source, mentions: Mentions, chunk: list[Fact], tally: Tally) -> None:
    for fact in chunk:
        if not _exists(source, "Lead", fact.of):
            tally.fault(fact.of, "no such lead")
        elif set(fact.values.get("missing") or ()) - {"Budget", "Authority", "Need", "Timeline"}:
            tally.fault(fact.of, f"unknown factors in {fact.values['missing']}")
        else:
            _belong(source, fact, {"VoiceCallTranscript__c": ("LeadId__c",)}, tally)


def _insights(source: Source, mentions: Mentions, chunk: list[Fact], tally: Tally) -> None:
    texts = _texts(source, [("VoiceCallTranscript__c", "Body__c", str(f.values.get("call", ""))) for f in chunk])
    for fact in chunk:
        call, competitor = str(fact.values.get("call", "")), fact.values.get("competitor")
        text = texts.get(("VoiceCallTranscript__c", "Body__c", call))
        sql = "SELECT OpportunityId__c FROM VoiceCallTranscript__c WHERE Id = :id"
        if text is None:
            tally.fault(fact.of, f"no call {call}")
        elif fact.of.startswith("006") and source.one(sql, {"id": call}) != fact.of:
            tally.fault(fact.of, f"call {call} is of another opportunity")
        elif competitor and str(competitor).casefold() not in text.casefold():
            tally.fault(fact.of, f"call {call} does not name {competitor}")


def _latents(source: Source, mentions: Mentions, chunk: list[Fact], tally: Tally) -> None:
    by_object: dict[str, set[str]] = {}
    for fact in chunk:
        if fact.of and (item := source.snapshot.registry.object_for_id(fact.of)):
            by_object.setdefault(item.name, set()).add(fact.of)
    for name in sorted(by_object):
        for record_id in sorted(by_object[name] - set(source.texts_of(name, "Id", sorted(by_object[name])))):
            tally.fault(record_id, f"no such {name}")


_Look = Callable[[Source, Mentions, list[Fact], Tally], None]
_LOOKS: tuple[tuple[str, str, _Look], ...] = (
    ("facts.said", "said", _said),
    ("facts.answers", "article", _answers),
    ("facts.violations", "violation", _violations),
    ("facts.qualification", "bant", _qualification),
    ("facts.insights", "insight", _insights),
    ("facts.latents", "latent", _latents),
)
