"""Rules that are one question in SQL: which records break them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from study.generator.verify.outcome import Check, Tally, left_out
from study.generator.verify.source import Source

NOT_THERE = "the Org has no such objects or fields"


@dataclass(frozen=True)
class Asked:
    """``wrong`` selects Id and what is wrong with each record that breaks the rule; ``of`` is the object whose
    records are looked at (with ``among``, those of them it concerns). ``share``: the percentage that may."""

    name: str
    about: str
    of: str
    needs: tuple[str, ...]
    wrong: str
    among: str = ""
    share: float | None = None

    def check(self, source: Source) -> Check:
        if not source.has(self.of, *self.needs):
            return left_out(self.name, self.about, NOT_THERE)
        tally = Tally(self.name, self.about, self.share)
        parameters = source.parameters
        tally.seen(source.one(f'SELECT count(*) FROM "{self.of}" {self.among}', parameters) or 0)
        for record_id, what in source.rows(self.wrong, parameters):
            tally.fault(record_id, str(what or ""))
        return tally.check()


def asked(source: Source, rules: Iterable[Asked]) -> Iterator[Check]:
    for rule in rules:
        yield rule.check(source)
