"""Numbers as people read them, the same on every page: p-values, signs, the first letter of a sentence."""

from __future__ import annotations


def p_number(p: float | None) -> str:
    """ ".034", "< .001", and nothing where there is no test."""
    if p is None:
        return ""
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def p_words(p: float) -> str:
    """ "p = .034", "p < .001"."""
    return f"p {p_number(p)}" if p < 0.001 else f"p = {p_number(p)}"


def minus(value: float, digits: int = 2) -> str:
    """A number with a proper minus sign, and none before 0."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


def capital(words: str) -> str:
    """The first letter large, the rest as it is."""
    return words[:1].upper() + words[1:]
