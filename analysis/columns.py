"""What a table of a bundle is made of: columns with their type, unit, allowed values and kinds of blank."""

from __future__ import annotations

from dataclasses import dataclass, replace

SCALE = ("Very Unrealistic", "Unrealistic", "Neutral", "Realistic", "Very Realistic")

BLANKS = {
    "not_asked": "the protocol did not ask this person",
    "not_reached": "the person left or time was up before it",
    "rather_not_say": "the person chose “I'd rather not say”",
    "cannot_judge": "the person chose “can't judge”",
    "removed": "it was there and has been taken out (withdrawal, erasure or redaction)",
}


@dataclass(frozen=True)
class Column:
    """One column. `kind`: string, integer, number, boolean, date, datetime, list or object (both JSON in the cell).

    `unit`: of a number. `values`: the allowed values, if they are a closed list. `blanks`: what an empty cell may
    mean (keys of BLANKS), given in the companion column `<name>_blank`. `since`: the first format that has it.
    """

    name: str
    kind: str
    text: str
    unit: str = ""
    values: tuple[str, ...] = ()
    blanks: tuple[str, ...] = ()
    required: bool = False
    bounds: tuple[int, int] | None = None
    since: int = 1


@dataclass(frozen=True)
class Table:
    """A table: columns in the order of the file, the key (no two rows alike) and its references to other tables."""

    name: str
    text: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    references: tuple[tuple[str, str, str], ...] = ()  # (column, table, column there)
    since: int = 1

    def column(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"{self.name} has no column {name}")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def names_in(self, version: int) -> tuple[str, ...]:
        """The columns a bundle of this format has, in their order."""
        return tuple(column.name for column in self.columns if column.since <= version)


def text(name: str, text: str, *values: str, required: bool = False) -> Column:
    return Column(name, "string", text, values=values, required=required)


def key(name: str, text: str) -> Column:
    return Column(name, "string", text, required=True)


def flag(name: str, text: str) -> Column:
    return Column(name, "boolean", text)


def count(name: str, text: str, unit: str = "", *, required: bool = False) -> Column:
    return Column(name, "integer", text, unit=unit, required=required, bounds=(0, 2**63 - 1))


def time(name: str, text: str) -> Column:
    return Column(name, "datetime", text)


def explained(column: Column, *blanks: str) -> tuple[Column, Column]:
    """A column and the companion that says why it is empty."""
    return replace(column, blanks=blanks), text(f"{column.name}_blank", f"why {column.name} is empty", *blanks)


def score(name: str, text: str) -> Column:
    return Column(name, "integer", text, unit="scale point, 1 Very Unrealistic to 5 Very Realistic", bounds=(1, 5))


def new(*columns: Column) -> tuple[Column, ...]:
    """Columns that came with format 2, the whole hour."""
    return tuple(replace(column, since=2) for column in columns)
