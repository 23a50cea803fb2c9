"""Words to find, with AND, OR, AND NOT, phrases and wildcards, and the SQL that finds them.

``tent AND (red OR "sky blue") AND NOT torn``, ``batter*``, ``te?t``. Words side by
side must all occur. Capitals and accents do not count; endings do not count either,
except in words with wildcards. ``*`` stands for any letters, ``?`` for one; a
backslash takes the next character as it is. Every word reaches the index in quotes:
nothing in it is an operator there (P-45).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from study.sandbox.engine.errors import INVALID_SEARCH, QueryError
from study.sandbox.engine.folding import clean_text, fold
from study.sandbox.engine.registry import FOLDED, FieldDef, ObjectDef
from study.sandbox.engine.scope import Context
from study.sandbox.engine.snapshot_write import quoted, shadow, word_index
from study.sandbox.engine.words import MAX_LENGTH as LENGTH_OF_A_PHRASE
from study.sandbox.engine.words import MAX_WORDS as WORDS_OF_A_PHRASE
from study.sandbox.engine.words import index_query, parse_words

MAX_LENGTH = 4_000
MAX_WORDS = 60
MAX_DEPTH = 10
MIN_LETTERS = 2
_TOKEN = re.compile(r'\s+|([()])|"((?:[^"\\]|\\.)*)"|((?:\\.|[^\s()"\\])+)|(.)', re.DOTALL)
_OPERATORS = frozenset({"AND", "OR", "NOT"})
# Wildcards of a pattern: two characters of the private use area, so that no character of a text is one of them.
ANY, ONE = "\ue000", "\ue001"
_WORD = re.compile(r"\w+")
_NARROWED = re.compile(r"[a-z]{4}")


class InvalidSearch(QueryError):
    """Words that cannot be searched for; ``at`` is the place of the fault among them."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(INVALID_SEARCH, message)
        self.at = at


@dataclass(frozen=True)
class Word:
    """A word, a phrase, or with ANY and ONE in it a pattern for one word."""

    text: str

    @property
    def wild(self) -> bool:
        return ANY in self.text or ONE in self.text


@dataclass(frozen=True)
class All:
    """All of ``items`` and none of ``without``."""

    items: tuple[Term, ...]
    without: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Any:
    items: tuple[Term, ...]


Term = Word | All | Any


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    at: int


def _tokens(words: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(words):
        mark, phrase, word, stray = match.groups()
        if mark:
            yield _Token(mark, mark, match.start())
        elif phrase is not None:
            said = _as_said(phrase)
            if len(said.split()) > WORDS_OF_A_PHRASE or len(said) > LENGTH_OF_A_PHRASE:
                raise InvalidSearch(f"A phrase takes at most {WORDS_OF_A_PHRASE} words.", match.start())
            yield _Token("word", said, match.start())
        elif word is not None and len(word) > LENGTH_OF_A_PHRASE:
            raise InvalidSearch(f"A word takes at most {LENGTH_OF_A_PHRASE} characters.", match.start())
        elif word is not None and any(char.isalnum() for char in word):
            # Marks standing alone ("printer - broken") say nothing.
            kind = word.upper() if word.upper() in _OPERATORS else "word"
            yield _Token(kind, _pattern(word, match.start()), match.start())
        elif stray is not None:
            message = "A phrase has no closing quote." if stray == '"' else "A backslash stands before nothing."
            raise InvalidSearch(message, match.start())


def _as_said(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def _pattern(word: str, at: int) -> str:
    if word[0] in "*?":
        raise InvalidSearch("A word cannot begin with * or ?.", at)
    parts = re.findall(r"\\.|[^\\]", word, flags=re.DOTALL)
    return "".join({"*": ANY, "?": ONE}.get(part) or _as_said(part) for part in parts)


class _Reader:
    def __init__(self, words: str) -> None:
        self.tokens = list(_tokens(words))
        self.end = len(words)
        self.place = 0
        if sum(token.kind == "word" for token in self.tokens) > MAX_WORDS:
            raise InvalidSearch(f"A search takes at most {MAX_WORDS} words.")

    def peek(self) -> str:
        return self.tokens[self.place].kind if self.place < len(self.tokens) else ""

    def at(self) -> int:
        return self.tokens[self.place].at if self.place < len(self.tokens) else self.end

    def any(self, depth: int = 0) -> Term:
        if depth > MAX_DEPTH:
            raise InvalidSearch(f"Parentheses may be nested {MAX_DEPTH} deep.", self.at())
        items = [self.all(depth)]
        while self.peek() == "OR":
            self.place += 1
            items.append(self.all(depth))
        return items[0] if len(items) == 1 else Any(tuple(items))

    def all(self, depth: int) -> Term:
        items, without = [self.one(depth)], []
        while (kind := self.peek()) in {"AND", "word", "(", "NOT"}:
            if kind == "NOT":
                raise InvalidSearch("Write AND NOT between words.", self.at())
            self.place += kind == "AND"
            if self.peek() == "NOT":
                self.place += 1
                without.append(self.one(depth))
            else:
                items.append(self.one(depth))
        return items[0] if len(items) == 1 and not without else All(tuple(items), tuple(without))

    def one(self, depth: int) -> Term:
        kind, at = self.peek(), self.at()
        self.place += 1
        if kind == "word":
            return Word(clean_text(self.tokens[self.place - 1].text))
        if kind != "(":
            raise InvalidSearch("A word or a phrase is missing here.", at)
        inner = self.any(depth + 1)
        if self.peek() != ")":
            raise InvalidSearch("A parenthesis is not closed.", self.at())
        self.place += 1
        return inner


@lru_cache(maxsize=256)
def parse_term(words: str) -> Term:
    """What is sought. InvalidSearch for words that cannot be searched for."""
    words = re.sub(f"[{ANY}{ONE}]", " ", words)
    if len(words) > MAX_LENGTH:
        raise InvalidSearch(f"A search takes at most {MAX_LENGTH:,} characters.", MAX_LENGTH)
    letters = sum(char.isalnum() for token in _tokens(words) if token.kind == "word" for char in token.text)
    if letters < MIN_LETTERS:
        raise InvalidSearch(f"A search needs at least {MIN_LETTERS} letters or digits.")
    reader = _Reader(words)
    term = reader.any()
    if reader.peek():
        raise InvalidSearch("A parenthesis closes nothing.", reader.at())
    return term


def sought_sql(context: Context, item: ObjectDef, alias: str, words: str, fields: Sequence[str] = ()) -> str:
    """SQL that holds for the records of ``alias`` whose texts (or these fields) hold what is sought."""
    shown = [field for field in item.searched if not fields or field.name in fields]
    term = parse_term(words)
    return f"({_sql(_Place(context, item, alias, tuple(shown)), term)})" if shown else "0"


@dataclass(frozen=True)
class _Place:
    context: Context
    item: ObjectDef
    alias: str
    fields: tuple[FieldDef, ...]

    def matching(self, phrase: str) -> str:
        """Records whose fields hold a phrase that is written as the index takes it."""
        table = word_index(self.item)
        within = ""
        if len(self.fields) < len(self.item.searched):
            within = "{" + " ".join(quoted(field.name) for field in self.fields) + "} : "
        mark = self.context.bind(within + phrase)
        return f"{self.alias}.rid IN (SELECT rowid FROM {table} WHERE {table} MATCH {mark})"

    def texts(self) -> list[str]:
        """The folded texts of the fields."""
        return [
            f"{self.alias}.{shadow(f)}" if f.type in FOLDED else f"fold({self.alias}.{quoted(f.name)})"
            for f in self.fields
        ]


def _sql(place: _Place, term: Term) -> str:
    if isinstance(term, Word):
        return _wild_sql(place, term.text) if term.wild else _word_sql(place, term.text)
    if isinstance(term, Any):
        return " OR ".join(f"({_sql(place, item)})" for item in term.items)
    parts = [f"({_sql(place, item)})" for item in term.items]
    parts += [f"(({_sql(place, item)}) IS NOT TRUE)" for item in term.without]
    return " AND ".join(parts)


def _word_sql(place: _Place, text: str) -> str:
    """A word or phrase: in the index as one phrase, its words with marks also in the text just so."""
    words = parse_words(text)
    parts = []
    if words.indexed:
        phrase = " ".join(words.indexed).replace('"', " ")
        parts.append(place.matching(f'"{phrase}"'))
    for word in words.literal:
        mark = place.context.bind(word)
        parts.append("(" + " OR ".join(f"instr({text}, {mark}) > 0" for text in place.texts()) + ")")
    return " AND ".join(parts) or "0"


def _wild_sql(place: _Place, text: str) -> str:
    """A pattern: read word by word, after the index has named the records where a word begins alike."""
    mark = place.context.bind(fold(text))
    found = " OR ".join(f"has_word({text}, {mark})" for text in place.texts())
    # The index knows stems, which keep the first letters of a longer word but not always the last ones.
    begun = _NARROWED.match(fold(text))
    return f"{place.matching(index_query(parse_words(begun[0][:2]), prefix=True))} AND ({found})" if begun else found


def has_word(text: str | None, pattern: str) -> bool:
    """Whether a folded text holds words that fit a folded pattern; marks in a pattern part it as they part a text."""
    if not text:
        return False
    return all(_holds(text, part, letters) for part, letters in _parts(pattern))


def _holds(text: str, part: str, letters: str) -> bool:
    """Whether a word of the text fits; only words that hold the pattern's longest row of letters are looked at."""
    at = text.find(letters)
    while at >= 0:
        start = at
        while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
            start -= 1
        word = _WORD.match(text, start)
        if word and _fits(word[0], part):
            return True
        at = text.find(letters, max(at + 1, word.end() if word else 0))
    return False


@lru_cache(maxsize=512)
def _parts(pattern: str) -> tuple[tuple[str, str], ...]:
    """The words of a pattern, each with its longest row of letters between wildcards."""
    words = re.findall(rf"[\w{ANY}{ONE}]+", pattern)
    rows = [(word, max(re.split(f"[{ANY}{ONE}]", word), key=len)) for word in words]
    return tuple((word, letters) for word, letters in rows if letters)


def _fits(word: str, pattern: str) -> bool:
    """Whether a word fits a pattern, in time that grows with the product of their lengths at most."""
    at = step = 0
    star, resumed = -1, 0
    while at < len(word):
        if step < len(pattern) and pattern[step] == ANY:
            star, resumed = step, at
            step += 1
        elif step < len(pattern) and pattern[step] in {ONE, word[at]}:
            at, step = at + 1, step + 1
        elif star >= 0:
            resumed += 1
            at, step = resumed, star + 1
        else:
            return False
    return all(mark == ANY for mark in pattern[step:])
