"""What is kept of a text that somebody typed: all of it, but characters nobody can see and no database takes."""

import unicodedata

KEPT_CONTROLS = {"\n", "\t"}


def visible_text(text: str) -> str:
    """The text with line ends as LF and without control characters other than line feed and tab.

    NUL, vertical tab and the like break databases and spreadsheets (P-15); lone
    surrogates cannot be stored as UTF-8. Emoji, joiners and direction marks stay (P-16).
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in text if c in KEPT_CONTROLS or unicodedata.category(c) not in {"Cc", "Cs"})
