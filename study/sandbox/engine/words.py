"""Search text taken literally: every word must occur; nothing in it is an operator (P-45).

Words are looked up in the word index, where endings, capitals and accents do not
count. A word that holds more than letters and digits (O'Dell, A_B, 50%) must also
stand in the record's text just so.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from study.sandbox.engine.folding import clean_text, fold, search_letters
from study.sandbox.engine.registry import FOLDED, ObjectDef
from study.sandbox.engine.scope import Context
from study.sandbox.engine.snapshot_write import quoted, shadow, word_index

MAX_WORDS = 20
MAX_LENGTH = 400
_EDGE = ".,;:!?()[]{}<>\"'«»“”„‘’…"


@dataclass(frozen=True)
class Words:
    """``indexed``: words for the index; ``literal``: folded words that must stand in the text as they are."""

    indexed: tuple[str, ...]
    literal: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.indexed or self.literal)


def parse_words(text: str) -> Words:
    """The words of a search text; at most 20 words of 400 characters in all count."""
    given = clean_text(text)[:MAX_LENGTH].split()[:MAX_WORDS]
    bare = [word.strip(_EDGE) or word for word in given]
    indexed = [word for word in bare if _has_token(word)]
    # Marks standing alone ("Printer - broken") say nothing, unless there is nothing else.
    chosen = indexed or bare
    literal = [folded for word in chosen if (folded := fold(word)) and not folded.isalnum()]
    return Words(tuple(search_letters(word) for word in indexed), tuple(dict.fromkeys(literal)))


def _has_token(word: str) -> bool:
    return any(char.isalnum() or unicodedata.category(char) == "Co" for char in word)


def index_query(words: Words, *, prefix: bool = False) -> str:
    """The words as quoted phrases, which must all occur; with ``prefix`` the last may go on."""
    phrases = ['"' + word.replace('"', '""') + '"' for word in words.indexed]
    return " ".join(phrases) + ("*" if prefix and phrases else "")


def match_conditions(context: Context, item: ObjectDef, alias: str, words: Words, *, prefix: bool = False) -> list[str]:
    """SQL conditions for the records of ``alias`` that hold the words; an object without texts has none."""
    if not item.searched or not words:
        return ["0"]
    conditions = []
    if words.indexed:
        table = word_index(item)
        query = context.bind(index_query(words, prefix=prefix))
        conditions.append(f"{alias}.rid IN (SELECT rowid FROM {table} WHERE {table} MATCH {query})")
    texts = [f"{alias}.{shadow(f)}" if f.type in FOLDED else f"fold({alias}.{quoted(f.name)})" for f in item.searched]
    for word in words.literal:
        mark = context.bind(word)
        conditions.append("(" + " OR ".join(f"instr({text}, {mark}) > 0" for text in texts) + ")")
    return conditions
