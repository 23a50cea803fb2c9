"""What a query text says, before anybody asks whether the Org has such objects and fields.

Every node knows where in the text it stands (``at``, characters from the start).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Path:
    """A field, or a way to one: ``Account.Owner.Name``."""

    text: str
    at: int


@dataclass(frozen=True)
class Call:
    """A function of a field. ``other`` says that a number or text stands among the arguments."""

    name: str
    arguments: tuple[Operand, ...]
    at: int
    other: bool = False
    depth: int = 1


Operand: TypeAlias = Path | Call


@dataclass(frozen=True)
class Literal:
    """A value as written: kind text, number, moment, day, counted, word or bound."""

    kind: str
    text: str
    at: int


@dataclass(frozen=True)
class Values:
    items: tuple[Literal, ...]
    at: int


@dataclass(frozen=True)
class Compared:
    """``operator`` is a sign, LIKE, IN, NOT IN, INCLUDES or EXCLUDES."""

    operand: Operand
    operator: str
    value: Literal | Values | Query
    at: int
    depth: int = 1


@dataclass(frozen=True)
class Joined:
    """Conditions that hold all (``AND``) or in part (``OR``)."""

    word: str
    items: tuple[Node, ...]
    at: int
    depth: int


@dataclass(frozen=True)
class Negated:
    item: Node
    at: int
    depth: int


Node: TypeAlias = Compared | Joined | Negated


@dataclass(frozen=True)
class Column:
    operand: Operand
    alias: str
    at: int


@dataclass(frozen=True)
class Child:
    """A subquery among the columns."""

    query: Query
    at: int


@dataclass(frozen=True)
class SortKey:
    operand: Operand
    descending: bool
    last: bool | None


@dataclass(frozen=True)
class Number:
    """A limit or an offset."""

    value: int
    at: int


@dataclass(frozen=True)
class Source:
    path: str
    alias: str
    at: int


@dataclass(frozen=True)
class Query:
    """A whole SELECT, or a subquery."""

    columns: tuple[Column | Child, ...]
    sources: tuple[Source, ...]
    at: int
    where: Node | None = None
    groups: tuple[Operand, ...] = ()
    having: Node | None = None
    order: tuple[SortKey, ...] = ()
    limit: Number | None = None
    offset: Number | None = None
    depth: int = 1


@dataclass(frozen=True)
class Returned:
    """One object of a RETURNING list; without columns it answers with Ids."""

    name: str
    at: int
    query: Query


@dataclass(frozen=True)
class Found:
    """A whole FIND: the words as they stood in braces or quotes, and what to return."""

    words: str
    at: int
    scope: str
    returned: tuple[Returned, ...]
    limit: Number | None
