"""Is what the server acknowledged what the bundle holds? Both directions, cell by cell, with the csv module alone.

The ledger has one JSON object per line, in order of acknowledgement:
``{"participant", "field", "value", "version", "at"}``, from the second visit of a person on with ``period``.
Fields and values (a later line replaces an earlier one of the same participant and field):

- ``attempt/<n>``: ``{"outcome": answered | none | withheld | skipped, "answer": list or None, "reason": str}``
- ``after/<n>``: ``{"confidence": str, "frequency_at_work": str, "one_clear_answer": str}``
- ``rating/<target>``: ``{"choice": "1".."5" | cannot_judge | rather_not_say, "reason": str}``
- ``rating/<target>/<dimension>``, ``card/<target>``: the same, of a short dimension and of a card after the lock
- ``rationale/<target>/<side>``: ``{"text": str, "tags": list}``
- ``closing/<item>``: the value, a list of values, or ``{"choice": value, "asked": {field: text}}``

Nothing here uses ``analysis``: a fault of the reader must not hide a fault of the writer.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Key = tuple[str, str]
"""Participant (from the second visit on with its number, ``P-7KQ4-2``) and field."""
Parts = dict[str, Any]
Row = dict[str, str]
ENDED = {"answered", "none", "withheld", "skipped"}
LINES = ("confidence", "frequency_at_work", "one_clear_answer")
GIVEN_BLANKS = {"cannot_judge", "rather_not_say"}
SHOWN, BEFORE = 120, 40
"""Characters of a value that a line about a difference shows, and how many of them where both are still the same."""


class Unreadable(ValueError):
    """A ledger or a bundle that cannot be read; the text names file and line."""


@dataclass(frozen=True)
class Difference:
    """One thing that is not the same on both sides."""

    participant: str
    field: str
    text: str

    def __str__(self) -> str:
        return f"{self.participant}, {self.field}: {self.text}"


def plain(cell: str) -> str:
    """A text as it was typed: exactly one leading apostrophe is the guard against formulas (docs/export-format.md)."""
    return cell.removeprefix("'")


def table(bundle: Path, name: str) -> list[Row]:
    """Rows of one CSV of a bundle, cells as they stand. Raises Unreadable."""
    # A rationale may be longer than the module's own limit of 131,072 characters.
    csv.field_size_limit(2**31 - 1)
    path = bundle / f"{name}.csv"
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Unreadable(f"{path.name}: {error}") from error


def bundle_hash(bundle: Path) -> str:
    """The sha256 of checksums.txt, after every file was found to have the sum stated there. Raises Unreadable."""
    try:
        sums = (bundle / "checksums.txt").read_bytes()
        for line in sums.decode().splitlines():
            stated, _, name = line.partition("  ")
            if hashlib.sha256((bundle / name).read_bytes()).hexdigest() != stated:
                raise Unreadable(f"{name}: its checksum is not the one stated in checksums.txt")
    except OSError as error:
        raise Unreadable(f"{bundle.name}: {error}") from error
    return hashlib.sha256(sums).hexdigest()


def read_ledger(path: Path) -> dict[Key, Parts]:
    """The last acknowledged value of each participant and field. Raises Unreadable with the line's number."""
    found: dict[Key, Parts] = {}
    try:
        # Not splitlines(): a text may hold characters that it takes for line ends.
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise Unreadable(f"{path.name}: {error}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            key = (_whose(str(row["participant"]), int(row.get("period") or 1)), str(row["field"]))
            found[key] = _of_ledger(key[1], row["value"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Unreadable(f"{path.name}, line {number}: not a line of a ledger ({error!r})") from error
    return found


def _whose(participant: str, period: int) -> str:
    return participant if period == 1 else f"{participant}-{period}"


def _of_ledger(field: str, value: Any) -> Parts:
    kind = field.partition("/")[0]
    if kind == "attempt":
        return {"outcome": value["outcome"], "answer": _many(value["answer"]), "reason": value.get("reason") or ""}
    if kind == "after":
        return {line: str(value.get(line) or "") for line in LINES}
    if kind in ("rating", "card"):
        return {"choice": str(value["choice"]), "reason": value.get("reason") or ""}
    if kind == "rationale":
        return {"text": value.get("text") or "", "tags": sorted(value.get("tags") or [])}
    if kind == "closing":
        return {"value": _closing(value)}
    raise ValueError(f"no field {field}")


def _many(value: Any) -> list[str]:
    if value is None:
        return []
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]


def _closing(value: Any) -> list[str]:
    """One value, or several, as a list; nothing given is the empty list."""
    if isinstance(value, Mapping):
        return [*_many(value.get("choice")), *(str(text) for text in (value.get("asked") or {}).values())]
    if isinstance(value, str) and value.startswith("["):
        try:
            return _many(json.loads(value))
        except ValueError:
            return [value]
    return [] if value == "" else _many(value)


def bundle_values(bundle: Path) -> dict[Key, Parts]:
    """Everything somebody gave, by the rows of a bundle, in the ledger's own form. Raises Unreadable."""
    people = {
        plain(row["id"]): _whose(plain(row["participant"]), int(row["period"] or 1)) for row in table(bundle, "visits")
    }
    found: dict[Key, Parts] = {}
    sources = (
        ("attempts", _attempt), ("attempts", _lines), ("ratings", _rating), ("rationales", _box), ("closing", _item),
    )  # fmt: skip
    for name, values in sources:
        for number, row in enumerate(table(bundle, name), start=1):
            try:
                given = values(row)
                key = (people[plain(row["visit"])], given[0]) if given else None
            except (KeyError, ValueError) as error:
                raise Unreadable(f"{name}.csv, row {number}: {error!r}") from error
            if given is None or key is None:
                continue
            if key in found:
                raise Unreadable(f"{name}.csv, row {number}: {key[0]} has {key[1]} twice")
            found[key] = given[1]
    return found


Given = tuple[str, Parts] | None


def _attempt(row: Row) -> Given:
    outcome = plain(row["outcome"])
    if outcome not in ENDED:
        return None
    answer = _many(json.loads(row["answer"] or "[]"))
    return f"attempt/{row['position']}", {"outcome": outcome, "answer": answer, "reason": plain(row["reason"])}


def _lines(row: Row) -> Given:
    if plain(row["outcome"]) not in ENDED:
        return None
    return f"after/{row['position']}", {line: plain(row[line]) for line in LINES}


def _rating(row: Row) -> Given:
    choice = row["final"] or (row["final_blank"] if row["final_blank"] in GIVEN_BLANKS else "")
    if not choice:
        return None
    return _rated_field(row), {"choice": choice, "reason": plain(row["cant_judge_reason"])}


def _rated_field(row: Row) -> str:
    kind, target, dimension = (plain(row[name]) for name in ("kind", "target", "dimension"))
    if kind in ("record", "pair"):
        return f"card/{target}"
    return f"rating/{target}" if dimension in ("", "overall") else f"rating/{target}/{dimension}"


def _box(row: Row) -> Given:
    tags = sorted(json.loads(row["tags"] or "[]"))
    return f"rationale/{plain(row['target'])}/{plain(row['side'])}", {"text": plain(row["text"]), "tags": tags}


def _item(row: Row) -> Given:
    if row["value_blank"] == "not_asked":
        return None
    value = row["value_blank"] if row["value_blank"] in GIVEN_BLANKS else plain(row["value"])
    return f"closing/{plain(row['item'])}", {"value": _closing(value)}


def ledger_differences(ledger: Mapping[Key, Parts], bundle: Mapping[Key, Parts]) -> list[Difference]:
    """What the ledger has and the bundle has not, what is not the same, and what the bundle alone has."""
    return list(_differences(_filled(ledger), _filled(bundle)))


def _filled(values: Mapping[Key, Parts]) -> dict[Key, Parts]:
    """Without the boxes and items that were sent empty: an empty one is no row in a bundle."""
    return {key: parts for key, parts in values.items() if any(parts.values())}


def _differences(ledger: Mapping[Key, Parts], bundle: Mapping[Key, Parts]) -> Iterator[Difference]:
    for key in sorted({*ledger, *bundle}):
        said, held = ledger.get(key), bundle.get(key)
        if held is None:
            yield Difference(*key, f"acknowledged as {_shown(said)}, and the bundle has no such value")
        elif said is None:
            yield Difference(*key, f"the bundle has {_shown(held)}, and nothing like it was acknowledged")
        else:
            for part in said:
                if said[part] != held[part]:
                    mine, other = _apart(said[part], held[part])
                    yield Difference(*key, f"{part} was acknowledged as {mine}, and the bundle has {other}")


def _apart(said: Any, held: Any) -> tuple[str, str]:
    """Both values for one line; of two texts the part from shortly before the first character that differs."""
    if not isinstance(said, str) or not isinstance(held, str):
        return _shown(said), _shown(held)
    pairs = enumerate(zip(said, held, strict=False))
    same = next((place for place, (mine, other) in pairs if mine != other), min(len(said), len(held)))
    start = max(0, same - BEFORE)
    mark = "…" if start else ""
    return mark + _shown(said[start:]), mark + _shown(held[start:])


def _shown(value: Any) -> str:
    """A value for one line; a long one is cut, and says so."""
    if isinstance(value, Mapping):
        return ", ".join(f"{part} {_shown(one)}" for part, one in value.items() if one)
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text)} characters)"
