"""How varied the texts of a field are: nearly the same texts, openings, skeletons, pairs of words, lengths."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise

from study.generator.verify.likeness import Likeness
from study.generator.verify.outcome import Check, measured, percent
from study.generator.verify.source import Source
from study.generator.verify.wording import opening, sentences, skeleton, words, written
from study.sandbox.engine.registry import FieldDef, ObjectDef
from study.sandbox.engine.snapshot_write import quoted

ALIKE_LIMIT, COPIES_LIMIT, OPENING_LIMIT, SKELETONS_LEAST = 2.0, 0.1, 2.0, 0.5
FEWEST = 20
"""Texts a field must have for its variety to be judged."""
LOOKED_AT = 40_000
"""Texts of a field that are looked at; of more, every n-th."""
_LONG = 25
"""Words from which the same text twice is no chance."""
_SHORT = 8
"""Words up to which a text is a label: it counts for length and pairs of words only."""
_NAME_FIELDS = (
    ("User", "FirstName"), ("User", "LastName"), ("Contact", "FirstName"), ("Contact", "LastName"),
    ("Lead", "FirstName"), ("Lead", "LastName"), ("Lead", "Company"), ("Account", "Name"),
    ("Account", "ShippingCity"), ("Product2", "Name"),
)  # fmt: skip


@dataclass
class Variety:
    """Figures of one field. Shares in percent; ``skeletons`` and ``distinct_pairs`` are ratios."""

    object_name: str
    field_name: str
    texts: int = 0
    every: int = 1
    judged: int = 0
    alike: float = 0.0
    copies: float = 0.0
    opening_share: float = 0.0
    opening: str = ""
    skeletons: float = 0.0
    distinct_pairs: float = 0.0
    median: int = 0
    p95: int = 0
    examples: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.object_name}.{self.field_name}"


def known_names(source: Source) -> frozenset[str]:
    """Words of the names of people, places and products of the Org, in small letters."""
    found: set[str] = set()
    for name, column in _NAME_FIELDS:
        if source.has(f"{name}.{column}"):
            sql = (
                f"SELECT DISTINCT {quoted(column)} FROM {quoted(name)} WHERE {quoted(column)} IS NOT NULL LIMIT 200000"
            )
            for (text,) in source.rows(sql):
                found.update(re.findall(r"[a-z'’]{3,}", text.lower()))
    return frozenset(found - _PLAIN)


# Words of product names that are plain words of sentences too.
_PLAIN_WORDS = """
    the and for with set kit pro plus two three door panel table chair shelf light lamp control system unit cold
    store food sensor gateway software service care home garden room kitchen
"""
_PLAIN = frozenset(_PLAIN_WORDS.split())


def text_fields(source: Source) -> list[tuple[ObjectDef, FieldDef]]:
    """The fields of long text that have texts enough to be judged."""
    found = []
    for item, one in source.fields("text"):
        count = source.one(f"SELECT count({quoted(one.name)}) FROM {quoted(item.name)}")
        if count >= FEWEST:
            found.append((item, one))
    return found


def measure(source: Source, item: ObjectDef, one: FieldDef, names: frozenset[str]) -> Variety:
    column, table = quoted(one.name), quoted(item.name)
    total = int(source.one(f"SELECT count({column}) FROM {table}"))
    variety = Variety(item.name, one.name, texts=total, every=max(1, -(-total // LOOKED_AT)))
    measuring = _Measuring(item.name, names)
    sql = f"SELECT Id, {column} FROM {table} WHERE {column} IS NOT NULL AND rid % {variety.every} = 0 ORDER BY rid"
    for record_id, text in source.rows(sql):
        measuring.add(record_id, text)
    measuring.into(variety)
    return variety


class _Measuring:
    def __init__(self, object_name: str, names: frozenset[str]) -> None:
        self.object, self.names = object_name, names
        self.likeness = Likeness()
        self.wholes: dict[int, str] = {}
        self.copies: dict[str, str] = {}
        self.openings: Counter[str] = Counter()
        self.opens: dict[str, str] = {}
        self.frames: Counter[int] = Counter()
        self.framed: dict[int, str] = {}
        self.pairs: set[int] = set()
        self.all_pairs = self.judged = 0
        self.lengths: list[int] = []

    def add(self, record_id: str, text: str) -> None:
        lines = written(self.object, text)
        said = words(" ".join(lines))
        self.lengths.append(len(said))
        self.all_pairs += max(0, len(said) - 1)
        self.pairs.update(zlib.crc32(f"{a} {b}".encode()) for a, b in pairwise(said))
        if len(said) <= _SHORT:
            return
        self.judged += 1
        if len(said) >= _LONG:
            self._copied(record_id, " ".join(said))
        self.likeness.add(record_id, said)
        found = sentences(lines)
        first = opening(found)
        self.openings[first] += 1
        self.opens.setdefault(first, record_id)
        for sentence in found:
            code = zlib.crc32(skeleton(sentence, self.names).encode())
            self.frames[code] += 1
            if self.frames[code] == 1:
                self.framed[code] = record_id

    def _copied(self, record_id: str, whole: str) -> None:
        first = self.wholes.setdefault(hash_of(whole), record_id)
        if first != record_id:
            self.copies.setdefault(first, record_id)
            self.copies[record_id] = first

    def into(self, variety: Variety) -> None:
        lengths = sorted(self.lengths)
        variety.judged = self.judged
        variety.alike = percent(len(self.likeness.alike), self.judged)
        variety.copies = percent(len(self.copies), self.judged)
        variety.distinct_pairs = round(len(self.pairs) / self.all_pairs, 3) if self.all_pairs else 0.0
        variety.skeletons = round(len(self.frames) / self.judged, 3) if self.judged else 0.0
        if lengths:
            variety.median, variety.p95 = lengths[len(lengths) // 2], lengths[int(len(lengths) * 0.95)]
        if self.frames:
            commonest = self.frames.most_common(5)
            variety.examples["skeletons"] = tuple(
                f"{self.framed[code]} has one used {n} times" for code, n in commonest
            )
        if self.openings:
            variety.opening, most = self.openings.most_common(1)[0]
            variety.opening_share = percent(most, self.judged)
            variety.examples["opening"] = (f"{self.opens[variety.opening]} {variety.opening[:90]!r}, {most} times",)
        variety.examples["copies"] = tuple(f"{a} like {b}" for a, b in list(self.copies.items())[:5])
        variety.examples["alike"] = tuple(f"{a} like {b}" for a, b in list(self.likeness.alike.items())[:5])


def hash_of(text: str) -> int:
    """Eight bytes that stand for a text."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


def check_variety(found: Variety) -> Iterator[Check]:
    """Fields with too few texts that are more than labels are not judged; among few, one pair and four are chance."""
    if found.judged < FEWEST:
        return
    of = f"{found.name}" + (f", every {found.every}th" if found.every > 1 else "")
    yield measured(
        "texts.near_duplicates", f"{of}: texts with another nearly the same", found.judged, found.alike,
        max(ALIKE_LIMIT, percent(2, found.judged)),
        examples=found.examples.get("alike", ()),
    )  # fmt: skip
    yield measured(
        "texts.copies", f"{of}: texts of {_LONG} words or more that stand in another record, too", found.judged,
        found.copies, COPIES_LIMIT, examples=found.examples.get("copies", ()),
    )  # fmt: skip
    yield measured(
        "texts.openings", f"{of}: texts that share the commonest first sentence", found.judged, found.opening_share,
        max(OPENING_LIMIT, percent(4, found.judged)), examples=found.examples.get("opening", ()),
    )  # fmt: skip
    yield measured(
        "texts.skeletons", f"{of}: different skeletons of sentences for each text", found.judged, found.skeletons,
        SKELETONS_LEAST, unit="", least=True, examples=found.examples.get("skeletons", ()),
    )  # fmt: skip
