"""Records drawn at random, written out as Markdown for people who want to see what an Org is like."""

from __future__ import annotations

from collections.abc import Iterator

from study.generator.groundwork.draw import Draw
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.sheets import Sheet, names_of, sheet, some_ids


def samples(snapshot: Snapshot, each: int, seed: int) -> Iterator[tuple[ObjectDef, int, list[Sheet]]]:
    """For every object: how many records there are, and ``each`` of them (all, if there are fewer) in Id order."""
    for item in snapshot.registry.objects:
        ids = some_ids(snapshot, item.name)
        chosen = sorted(Draw(seed, f"samples {item.name}").some(ids, each))
        records = [record for one in chosen if (record := snapshot.record(item.name, one)) is not None]
        names = names_of(snapshot, item, records)
        yield item, len(ids), [sheet(item, record, names, gaps=True) for record in records]


def markdown(item: ObjectDef, total: int, found: list[Sheet]) -> str:
    """One object as a file of Markdown."""
    lines = [f"# {item.plural}", "", f"`{item.name}`, {len(found):,} of {total:,} records.", ""]
    for one in found:
        lines += [f"## {_plain(one.name) or one.label}", "", f"`{one.id}`", ""]
        lines += [f"- **{label}:** {_plain(value) or '–'}" for label, value in one.values]
        for label, text in one.texts:
            lines += ["", f"**{label}**", "", *(_quoted(text) if text else ["> –"])]
        lines.append("")
    return "\n".join(lines)


def contents(title: str, files: list[tuple[ObjectDef, int, str]]) -> str:
    """The list of all objects, with links."""
    lines = [f"# {title}", "", "| object | records | |", "|---|---|---|"]
    lines += [f"| {item.plural} | {total:,} | [{name}]({name}) |" for item, total, name in files]
    return "\n".join([*lines, ""])


def _quoted(text: str) -> list[str]:
    """A text as a block that keeps its lines."""
    return ["```text", *text.replace("```", "'''").splitlines(), "```"]


def _plain(text: str) -> str:
    """Marks of Markdown as letters."""
    for mark in "\\`*_[]<>|":
        text = text.replace(mark, "\\" + mark)
    return text
