"""The short words of selling, read from ``sales_words.yaml`` of a world: projects, sources, sentences of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from study.generator.groundwork.draw import Draw
from study.generator.groundwork.material import Material, lines, listed, table
from study.generator.groundwork.phrases import Grammar


@dataclass(frozen=True)
class Project:
    """What a deal is about: ``name`` as it stands after the account's, ``need`` as it stands in a sentence, ``codes``
    the products it is mostly about."""

    category: str
    name: str
    need: str
    codes: tuple[str, ...]


class Words:
    """Everything sales_words.yaml says. KeyError for a part that is not there."""

    def __init__(self, material: Material) -> None:
        self._material = material
        self._raw = material.yaml("sales_words.yaml")
        self._grammars: dict[tuple[bool, bool], Grammar] = {}

    @cached_property
    def projects(self) -> tuple[Project, ...]:
        """``projects: {category: table of name | need | product codes}``."""
        return tuple(
            Project(category, name, need, listed(codes))
            for category, text in self._raw["projects"].items()
            for name, need, codes in table(text)
        )

    @cached_property
    def by_category(self) -> Mapping[str, tuple[Project, ...]]:
        found: dict[str, list[Project]] = {}
        for project in self.projects:
            found.setdefault(project.category, []).append(project)
        return {category: tuple(projects) for category, projects in found.items()}

    @cached_property
    def rivals(self) -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
        """``rivals``: table of name | subtopics it is strong in | subtopics it is weak in."""
        return {
            name: (frozenset(listed(strong)), frozenset(listed(weak)))
            for name, strong, weak in table(self._raw["rivals"])
        }

    @cached_property
    def losing(self) -> frozenset[str]:
        """Phrases of the stage guide for the end of a deal that also fit one that was lost."""
        return frozenset(lines(self._raw["losing"]))

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Where meetings are held; ``{city}`` is filled in."""
        return lines(self._raw["places"])

    @cached_property
    def spots(self) -> tuple[str, ...]:
        """Parts of a site or a house, as people call them."""
        return lines(self._raw["spots"])

    @cached_property
    def matters(self) -> tuple[str, ...]:
        """What there is to settle in between, as people call it."""
        return lines(self._raw["matters"])

    @cached_property
    def meetings(self) -> frozenset[str]:
        """Phrases of the stage guide that people meet for."""
        return frozenset(lines(self._raw["meetings"]))

    def grammar(self, *, rival: bool, quote: bool) -> Grammar:
        """The sentences of tasks (by phrase of the guide), deals, quotes and contracts; without those that name a
        competitor or a quote where a deal has none."""
        key = rival, quote
        if key not in self._grammars:
            left_out = [slot for slot, there in (("{rival}", rival), ("{quote}", quote)) if not there]
            self._grammars[key] = Grammar(
                {
                    rule: tuple(line for line in lines(text) if not any(slot in line for slot in left_out))
                    for part in ("kinds", "sentences")
                    for rule, text in self._raw[part].items()
                }
            )
        return self._grammars[key]

    def fits(self, kind: str, *, rival: bool, quote: bool) -> bool:
        """Whether something can be said of a kind of task: nobody answers an offer that was never made."""
        return bool(self.grammar(rival=rival, quote=quote).rules.get(kind))

    def need(self, draw: Draw) -> str:
        return draw.pick(self.projects).need

    def source(self, draw: Draw) -> str:
        """Where a lead comes from."""
        return draw.summed(*self._sources)

    @cached_property
    def _sources(self) -> tuple[list[str], list[float]]:
        rows = table(self._raw["sources"])
        return [name for name, _ in rows], list(accumulate(float(weight) for _, weight in rows))
