"""Signs that nobody ever worked with these records: unfilled slots, placeholders, sequences that are too even."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from study.generator.verify.outcome import Check, Tally, left_out, measured, percent
from study.generator.verify.source import NUMBERS, Source
from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.snapshot_write import quoted
from study.sandbox.gui.reading import MAIL, MAIL_BODY, mail_parts

# Brackets and marks that a text may hold: times of chats, references in subjects, addresses in heads of mail, arrows.
_ALLOWED = re.compile(
    r"[\[(]\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp][Mm])?[\])]|\[[\w #:.-]*\d{3,}\]|<[\w.+-]+@[\w.-]+>|[-=]>|<-|<3|"
    r"^(?:> ?)+|\[(?:sic|laughs|laughter|pause|inaudible|crosstalk|silence)\]",
    re.MULTILINE,
)
_SLOT = re.compile(r"[\[\]{}<>|]|\b[a-z]+_[a-z_]+\b|%[sd]\b|\$\w*\{")
_WORDS = {
    "fingerprints.placeholders": (
        "placeholders and empty values written out",
        re.compile(
            r"lorem|ipsum|\bTODO\b|\bTBD\b|\bFIXME\b|\bN/A\b|\bundefined\b|\bNaN\b|\bnan\b|\bnull\b|\bXXX+\b|placeholder|"
            r"(?<=[a-z,] )None\b(?! of\b)|\bNone\s*$"
        ),
    ),
    "fingerprints.origin": (
        "words that tell how texts came about",
        re.compile(
            r"\bas an ai\b|language model|\bsynthetic(?:ally)?\b|\b(?:auto-?)?generated\b|\bbenchmark|\btest data\b|"
            r"\bdummy data\b|\bsample data\b|\bsimulat(?:ed|ion)\b|\bartificial(?:ly)? (?:data|text|generated)\b|"
            r"\bchatgpt\b|\bgpt-?\d|\bllm\b|\bprompt template\b",
            re.IGNORECASE,
        ),
    ),
}
_TWICE = re.compile(r"\b([a-z']+) \1\b", re.IGNORECASE)
_SAID_TWICE_WORDS = """
    that had no yes so very really bye ok okay well now there right sure many much long far ha yeah please never
    ever more again hello hi knock do is it's
"""
_SAID_TWICE = frozenset(_SAID_TWICE_WORDS.split())
_SPACING = re.compile(r"\S  +\S| [,.;!?](?:\s|$)|,,|\?\.|!\.|\.\s\.(?:\s|$)|(?<![.?!])\.\.(?!\.)|,\.")
_MOST_EQUAL = 50.0
_FEWEST = 200


def check_fingerprints(source: Source) -> Iterator[Check]:
    yield from _texts(source)
    yield from _sequences(source)
    yield _digits(source)
    yield _round_times(source)
    yield from _people(source)


def _texts(source: Source) -> Iterator[Check]:
    slots = Tally("fingerprints.slots", "unfilled slots and marks of templates")
    spacing = Tally("fingerprints.spacing", "double blanks, blanks before marks, doubled marks", share=0.2)
    twice = Tally("fingerprints.repeated_words", "the same word twice in a row", share=0.2)
    tallies = {name: Tally(name, about) for name, (about, _) in _WORDS.items()}
    for item, one in source.fields("text", "string"):
        mail = item.name == MAIL and one.name == MAIL_BODY
        for record_id, whole in source.values(item, one.name):
            # What is quoted stands in the letter before.
            text = "\n".join(part.text for part in mail_parts(whole) if not part.quoted) if mail else whole
            where = f"{item.name}.{one.name}"
            for tally in (slots, spacing, twice, *tallies.values()):
                tally.seen()
            for name, (_, pattern) in _WORDS.items():
                if found := pattern.search(text):
                    tallies[name].fault(record_id, f"{where}: {_around(text, found)!r}")
            if one.name in ("Username", "UrlName", "Email") or ("@" in text and " " not in text):
                continue
            if found := _SLOT.search(_ALLOWED.sub("", text)):
                slots.fault(record_id, f"{where}: {found[0]!r} in {text[:60]!r}")
            if found := _SPACING.search(text):
                spacing.fault(record_id, f"{where}: {_around(text, found)!r}")
            if (found := _TWICE.search(text)) and found[1].lower() not in _SAID_TWICE:
                twice.fault(record_id, f"{where}: {_around(text, found)!r}")
    yield from (tally.check() for tally in (slots, *tallies.values(), spacing, twice))


def _around(text: str, found: re.Match[str]) -> str:
    return text[max(0, found.start() - 25) : found.end() + 25].replace("\n", " ")


def _sequences(source: Source) -> Iterator[Check]:
    """In a system that is used, Ids and running numbers have gaps, and not always the same one."""
    ids = Tally("fingerprints.equal_gaps", "Ids, running numbers and times do not count up by equal steps")
    for item in source.objects:
        if source.count(item.name) < _FEWEST:
            continue
        ids.seen()
        rows = (record_id for (record_id,) in source.rows(f"SELECT Id FROM {quoted(item.name)} ORDER BY Id LIMIT 5000"))
        _regular(ids, item.name, "Ids", [_counter(one) for one in rows if normal_id(one)])
        if item.written is not None and item.written.type == "datetime":
            column = quoted(item.written.name)
            ids.seen()
            times = f"SELECT {column} FROM {quoted(item.name)} WHERE {column} IS NOT NULL ORDER BY {column} LIMIT 5000"
            _regular(ids, item.name, item.written.name, [value for (value,) in source.rows(times)])
    for name, column in NUMBERS.values():
        if source.has(f"{name}.{column}") and source.count(name) >= _FEWEST:
            ids.seen()
            sql = (
                f"SELECT {quoted(column)} FROM {quoted(name)} WHERE {quoted(column)} IS NOT NULL ORDER BY Id LIMIT 5000"
            )
            _regular(ids, name, column, [int("0" + re.sub(r"\D", "", number)[-12:]) for (number,) in source.rows(sql)])
    yield ids.check() if ids.looked_at else left_out(ids.name, ids.about, "too few records")


def _counter(record_id: str) -> int:
    """The place of an Id in its count, base 62."""
    value = 0
    for char in record_id[6:15]:
        value = value * 62 + _DIGIT[char]
    return value


_DIGIT = {c: n for n, c in enumerate("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")}


def _regular(tally: Tally, name: str, what: str, numbers: list[int]) -> None:
    gaps = [b - a for a, b in pairwise(numbers) if b != a]
    if len(gaps) < _FEWEST // 2:
        return
    gap, most = Counter(gaps).most_common(1)[0]
    if percent(most, len(gaps)) > _MOST_EQUAL:
        tally.fault(name, f"{what}: {percent(most, len(gaps)):.0f} % of the gaps are {gap}")


def _digits(source: Source) -> Check:
    """The last digits of running numbers and phones are spread over all ten."""
    tally = Tally("fingerprints.last_digits", "last digits of running numbers and phones are spread over all ten")
    columns = [pair for pair in NUMBERS.values() if source.has(".".join(pair))]
    columns += [(item.name, one.name) for item, one in source.fields("string") if one.name.endswith("Phone")]
    for name, column in columns:
        sql = (
            f"SELECT substr({quoted(column)}, -1) AS digit, count(*) FROM {quoted(name)} "
            f"WHERE {quoted(column)} IS NOT NULL GROUP BY digit"
        )
        found = {digit: n for digit, n in source.rows(sql) if digit in "0123456789"}
        total = sum(found.values())
        if total < _FEWEST:
            continue
        tally.seen(total)
        digit, most = max(found.items(), key=lambda pair: pair[1])
        if len(found) < 10 or percent(most, total) > 20:
            tally.fault(name, f"{column}: {percent(most, total):.0f} % end in {digit}, {len(found)} digits occur")
    return tally.check() if tally.looked_at else left_out(tally.name, tally.about, "no running numbers or phones")


def _round_times(source: Source) -> Check:
    """Nobody works on the full hour only. Fields that hold days as times (all at midnight) are left out."""
    tally = Tally("fingerprints.round_times", "times that people and systems write fall on any minute and second")
    for item in source.objects:
        one = item.written
        if one is None or one.type != "datetime" or source.count(item.name) < _FEWEST:
            continue
        column = quoted(one.name)
        sql = f"SELECT count({column}), sum({column} % 60000 = 0), sum({column} % 3600000 = 0) FROM {quoted(item.name)}"
        total, minutes, hours = next(source.rows(sql))
        tally.seen(total)
        if percent(minutes or 0, total) > 30 or percent(hours or 0, total) > 10:
            tally.fault(item.name, f"{one.name}: {percent(minutes, total):.0f} % on the full minute")
    return tally.check() if tally.looked_at else left_out(tally.name, tally.about, "no times")


def _people(source: Source) -> Iterator[Check]:
    """Names repeat in any large company, but not often."""
    for name in ("User", "Contact", "Lead"):
        about = f"{name}: people who share first and last name with another"
        if not source.has(f"{name}.FirstName", f"{name}.LastName"):
            continue
        sql = (
            "SELECT sum(n), sum(CASE WHEN n > 1 THEN n - 1 ELSE 0 END), min(CASE WHEN n > 1 THEN id END) FROM (SELECT "
            f"count(*) AS n, max(Id) AS id FROM {quoted(name)} WHERE LastName IS NOT NULL GROUP BY FirstName, LastName)"
        )
        total, again, example = next(source.rows(sql))
        if (total or 0) < 50:
            yield left_out("fingerprints.shared_names", about, "fewer than 50 people")
            continue
        # More people than a few thousand names can tell apart share them, as in life.
        limit = 5.0 if total <= 5_000 else 25.0 if total <= 50_000 else 60.0
        found = percent(again, total)
        yield measured("fingerprints.shared_names", about, total, found, limit, examples=(example,) if example else ())
