"""What the boxes of a rating hold: length, different content words, the same text again, words of the page itself.

Works in any script: where words are not divided by blanks, each character stands for a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

SHORT = 20
FEW_WORDS = 3
ALIKE = 0.8
_UNDIVIDED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNDIVIDED}]|[^\W{_UNDIVIDED}]+")
_LEAST_LETTERS = 3


def tokens(text: str) -> list[str]:
    """The words of a text in lower case, in their order."""
    return _TOKEN.findall(text.casefold())


def content_words(text: str) -> set[str]:
    """Different words of three letters or more, without numbers; of undivided scripts each character."""
    return {one for one in tokens(text) if not one.isdigit() and (len(one) >= _LEAST_LETTERS or _undivided(one))}


def _undivided(token: str) -> bool:
    return re.match(rf"[{_UNDIVIDED}]", token) is not None


def jaccard(a: set[str], b: set[str]) -> float | None:
    """Shared words over all words of both; None for two empty texts."""
    every = a | b
    return len(a & b) / len(every) if every else None


def near_duplicates(texts: Sequence[str], threshold: float = ALIKE) -> NDArray[np.int_]:
    """Pairs (i, j), i < j, of texts whose words overlap by at least `threshold` (Jaccard); shape (pairs, 2).

    Texts with fewer than three content words can't be told from chance and are in no pair.
    """
    words = [set(tokens(text)) if len(content_words(text)) >= FEW_WORDS else set() for text in texts]
    index = {word: place for place, word in enumerate(sorted(set().union(*words)))} if words else {}
    rows = [row for row, own in enumerate(words) for _ in own]
    columns = [index[word] for own in words for word in sorted(own)]
    if not rows:
        return np.empty((0, 2), dtype=int)
    table = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(words), len(index)))
    shared = (table @ table.T).tocoo()
    size = np.array([len(own) for own in words])
    i, j = shared.coords
    alike = shared.data / (size[i] + size[j] - shared.data) >= threshold - 1e-12
    kept = alike & (i < j)
    return np.column_stack([i[kept], j[kept]]).astype(int)


def prompt_shingles(parts: Iterable[Any]) -> set[tuple[str, ...]]:
    """Every three words in a row of the texts in a (nested) block of a protocol."""
    found: set[tuple[str, ...]] = set()
    for part in parts:
        if isinstance(part, str):
            found |= _shingles(part)
        elif isinstance(part, dict):
            found |= prompt_shingles(part.values())
        elif isinstance(part, list):
            found |= prompt_shingles(part)
    return found


def is_copied(text: str, prompts: set[tuple[str, ...]], threshold: float = ALIKE) -> bool:
    """Whether most of a text of five words or more stands in the page's own words, three in a row at a time."""
    own = _shingles(text)
    return len(own) >= 3 and len(own & prompts) / len(own) >= threshold


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = tokens(text)
    return {tuple(words[start : start + 3]) for start in range(len(words) - 2)}
