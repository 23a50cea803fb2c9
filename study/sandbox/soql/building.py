"""From the grammar's rules to nodes, as they are recognised. Nesting is measured here: nothing deep is ever built."""

from __future__ import annotations

from typing import Any, Never

from lark import Token, Transformer

from study.sandbox.soql.errors import NUMBER_OUTSIDE, fault
from study.sandbox.soql.nodes import (
    Call,
    Child,
    Column,
    Compared,
    Found,
    Joined,
    Literal,
    Negated,
    Node,
    Number,
    Operand,
    Path,
    Query,
    Returned,
    SortKey,
    Source,
    Values,
)

MAX_DEPTH = 15
MAX_CONDITIONS = 400
MAX_CALLS = 3
MAX_NUMBER = 2**31 - 1
HARMLESS_WITH = frozenset({"SECURITY_ENFORCED", "USER_MODE", "SYSTEM_MODE"})
HARMLESS_FOR = frozenset({"VIEW", "REFERENCE", "UPDATE"})
HARMLESS_UPDATE = frozenset({"TRACKING", "VIEWSTAT"})

SCOPES = frozenset({"ALL", "NAME", "EMAIL", "PHONE", "SIDEBAR"})

Parts = list[Any]


def _nested(depth: int, at: int) -> int:
    if depth > MAX_DEPTH:
        raise fault(f"Conditions and subqueries may be nested {MAX_DEPTH} deep.", at)
    return depth


class Builder(Transformer):  # type: ignore[type-arg]
    """Callbacks of the parser, one per rule. No state: several threads may parse at once."""

    # names and functions

    def path(self, parts: Parts) -> Path:
        return Path(str(parts[0]), parts[0].start_pos)

    def call(self, parts: Parts) -> Call:
        name, *given = parts
        arguments = tuple(one for one in given if isinstance(one, Path | Call))
        depth = 1 + max((one.depth for one in arguments if isinstance(one, Call)), default=0)
        if depth > MAX_CALLS:
            raise fault(f"Functions may be nested {MAX_CALLS} deep.", name.start_pos)
        other = any(isinstance(one, Literal) for one in given)
        return Call(str(name), arguments, name.start_pos, other, depth)

    def other_argument(self, parts: Parts) -> Literal:
        return Literal("other", str(parts[0]), parts[0].start_pos)

    # values

    def _literal(self, kind: str, token: Token) -> Literal:
        return Literal(kind, str(token), token.start_pos or 0)

    def text(self, parts: Parts) -> Literal:
        return self._literal("text", parts[0])

    def number(self, parts: Parts) -> Literal:
        return self._literal("number", parts[0])

    def moment(self, parts: Parts) -> Literal:
        return self._literal("moment", parts[0])

    def day(self, parts: Parts) -> Literal:
        return self._literal("day", parts[0])

    def counted(self, parts: Parts) -> Literal:
        return self._literal("counted", parts[0])

    def word(self, parts: Parts) -> Literal:
        return self._literal("word", parts[0])

    def bound(self, parts: Parts) -> Never:
        raise fault(
            f"{parts[0]} is a variable of a program; there is none here. Write the value itself.", parts[0].start_pos
        )

    def values(self, parts: Parts) -> Values:
        return Values(tuple(parts), parts[0].at)

    def subquery(self, parts: Parts) -> Query:
        return parts[0]  # type: ignore[no-any-return]

    # conditions

    def compared(self, parts: Parts) -> Compared:
        operand, sign, value = parts
        return Compared(operand, "!=" if sign == "<>" else str(sign), value, operand.at)

    def like(self, parts: Parts) -> Compared:
        return Compared(parts[0], "LIKE", parts[1], parts[0].at)

    def inside(self, parts: Parts) -> Compared:
        return self._among("IN", *parts)

    def outside(self, parts: Parts) -> Compared:
        return self._among("NOT IN", *parts)

    def _among(self, word: str, operand: Operand, value: Values | Query) -> Compared:
        depth = 1 + value.depth if isinstance(value, Query) else 1
        return Compared(operand, word, value, operand.at, _nested(depth, operand.at))

    def set_compared(self, parts: Parts) -> Never:
        message = f"{str(parts[1]).upper()} is for fields of several values; this Org has none. Use = or IN."
        raise fault(message, parts[1].start_pos, "INVALID_QUERY_FILTER_OPERATOR")

    def conjunction(self, parts: Parts) -> Joined:
        return self._joined("AND", parts)

    def disjunction(self, parts: Parts) -> Joined:
        return self._joined("OR", parts)

    def _joined(self, word: str, parts: list[Node]) -> Joined:
        if len(parts) > MAX_CONDITIONS:
            raise fault(
                f"One {word} joins at most {MAX_CONDITIONS} conditions; a list with IN holds more.", parts[0].at
            )
        depth = _nested(1 + max(part.depth for part in parts), parts[0].at)
        return Joined(word, tuple(parts), parts[0].at, depth)

    def negation(self, parts: Parts) -> Negated:
        return Negated(parts[0], parts[0].at, _nested(1 + parts[0].depth, parts[0].at))

    # columns and clauses

    def column(self, parts: Parts) -> Column:
        operand, alias = parts
        return Column(operand, str(alias or ""), operand.at)

    def child(self, parts: Parts) -> Child:
        query: Query = parts[0]
        if any(isinstance(column, Child) for column in query.columns):
            raise fault("A subquery among the columns holds no subquery of its own.", query.at)
        return Child(query, query.at)

    def typeof(self, parts: Parts) -> Never:
        at = parts[0].start_pos
        raise fault("TYPEOF is not spoken here. Ask for the fields through the lookup, such as What.Name.", at)

    def select_list(self, parts: Parts) -> tuple[Any, ...]:
        return tuple(parts)

    def source(self, parts: Parts) -> Source:
        alias = str(parts[1]) if len(parts) > 1 else ""
        return Source(str(parts[0]), alias, parts[0].start_pos)

    def sources(self, parts: Parts) -> tuple[Source, ...]:
        return tuple(parts)

    def scope(self, parts: Parts) -> tuple[str, None]:
        if str(parts[0]).casefold() != "everything":
            raise fault(f"USING SCOPE {parts[0]} is not spoken here; only Everything is.", parts[0].start_pos)
        return "scope", None

    def where(self, parts: Parts) -> tuple[str, Node]:
        return "where", parts[0]

    def with_(self, parts: Parts) -> tuple[str, None]:
        words = " ".join(str(part).upper() for part in parts)
        if words not in HARMLESS_WITH:
            raise fault(f"WITH {words} is not spoken here; leave it out.", parts[0].start_pos)
        return "with", None

    def tail(self, parts: Parts) -> tuple[str, None]:
        if parts and str(parts[0]).upper() not in HARMLESS_FOR | HARMLESS_UPDATE:
            raise fault(f"{parts[0]} is not spoken here; leave it out.", parts[0].start_pos)
        return "tail", None

    def grouping(self, parts: Parts) -> tuple[str, tuple[tuple[Operand, ...], Node | None]]:
        *groups, having = parts
        return "grouping", (tuple(groups), having)

    def sort_key(self, parts: Parts) -> SortKey:
        operand, direction, place = parts
        descending = direction is not None and str(direction).upper() == "DESC"
        return SortKey(operand, descending, None if place is None else str(place).upper() == "LAST")

    def ordering(self, parts: Parts) -> tuple[str, tuple[SortKey, ...]]:
        return "order", tuple(parts)

    def _whole(self, name: str, token: Token) -> tuple[str, Number]:
        at = token.start_pos or 0
        if token.type == "BIND":
            self.bound([token])
        if not str(token).lstrip("+").isdigit():
            raise fault(f"{name.upper()} takes a whole number of 0 or more, not {token}.", at)
        if len(str(token)) > 10 or int(token) > MAX_NUMBER:
            raise fault(f"{name.upper()} {str(token)[:20]} is too large a number.", at, NUMBER_OUTSIDE)
        return name, Number(int(token), at)

    def limit(self, parts: Parts) -> tuple[str, Number]:
        return self._whole("limit", parts[0])

    def offset(self, parts: Parts) -> tuple[str, Number]:
        return self._whole("offset", parts[0])

    def query(self, parts: Parts) -> Query:
        columns, sources, *clauses = parts
        said = {name: value for name, value in filter(None, clauses) if value is not None}
        groups, having = said.pop("grouping", ((), None))
        depths = [node.depth for node in (said.get("where"), having) if node is not None]
        depths += [column.query.depth for column in columns if isinstance(column, Child)]
        depth = 1 + max(depths, default=0)
        return Query(columns, sources, columns[0].at, groups=groups, having=having, depth=depth, **said)

    # the two kinds of text

    def soql(self, parts: Parts) -> Query:
        return parts[0]  # type: ignore[no-any-return]

    def braced(self, parts: Parts) -> tuple[str, int]:
        return str(parts[0])[1:-1], parts[0].start_pos + 1

    def quoted(self, parts: Parts) -> tuple[str, int]:
        return str(parts[0])[1:-1], parts[0].start_pos + 1

    def returned(self, parts: Parts) -> Returned:
        name, columns, *clauses = parts
        said: dict[str, Any] = dict(filter(None, clauses))
        source = (Source(str(name), "", name.start_pos),)
        return Returned(str(name), name.start_pos, Query(columns or (), source, name.start_pos, **said))

    def sosl(self, parts: Parts) -> Found:
        (words, at), scope, *rest = parts
        returned = tuple(part for part in rest if isinstance(part, Returned))
        limit = next((part[1] for part in rest if isinstance(part, tuple) and part[0] == "limit"), None)
        if scope is not None and scope.upper() not in SCOPES:
            known = ", ".join(sorted(SCOPES))
            raise fault(f"IN {scope} FIELDS is not spoken here; the words there are {known}.", scope.start_pos)
        return Found(words, at, str(scope or "ALL").upper(), returned, limit)
