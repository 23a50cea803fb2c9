"""Catalogs of what participants read: gather the strings, compile them, check them. Needs Babel (requirements-dev).

    python locale/messages.py update     strings of the sources into every catalog; gone ones are dropped
    python locale/messages.py compile    django.po to django.mo
    python locale/messages.py check      exit 1 where a catalog is not up to date or something is not translated

Only the pages of the hour, its letters and the dock are translated: staff and the CRM stay in English. A new language
begins with an empty folder: locale/LANGUAGE/LC_MESSAGES.
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_python
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SOURCES = (
    "templates/base.html", "templates/hour_base.html", "templates/_mark.html", "templates/fieldwork/*.html",
    "templates/fieldwork/letters/*", "templates/people/*.html", "templates/people/*.txt", "templates/people/letters/*",
    "templates/assignment/next_visit.html", "templates/assignment/letters/*", "templates/accounts/subject_access.html",
    "study/fieldwork/*.py", "study/fieldwork/views/*.py", "study/people/*.py", "study/people/*/*.py",
    "study/assignment/views.py", "study/assignment/flows.py", "study/assignment/second_visit.py",
    "study/accounts/typed_text.py", "study/benchmark/tasks.py",
)  # fmt: skip
# Met by staff only, as are the templates that extend study_base.html. What is not named here is gathered.
STAFF = (
    "templates/fieldwork/help_requests.html",
    *(f"templates/people/{name}.html" for name in (
        "_cannot_open", "_cohort_buttons", "_cohort_state", "_cohort_terms", "_cohort_ways", "_flow_lines", "_funnel",
        "_page_turner", "_payments_asked", "_payments_table", "_quota_grid",
    )),
    *(f"study/fieldwork/{name}.py" for name in (
        "card_problems", "grades", "marking", "models_cards", "needs", "preview", "visits_told",
    )),
    *(f"study/fieldwork/views/{name}.py" for name in ("help_staff", "incident_staff", "previews")),
    *(f"study/people/{name}.py" for name in (
        "coordinating/*", "sample/*", "consenting/adopting*", "models_pay", "needs_me",
        "mail/letter_failures", "mail/letter_kinds", "mail/letter_log*", "mail/letter_preview", "mail/letter_views",
        "mail/mail_reports", "mail/reminder_*",
        "moderated/slot_needs", "moderated/slot_staff_views",
        "pay/pay_batches", "pay/pay_entry_views", "pay/pay_flows", "pay/pay_import", "pay/pay_money", "pay/pay_needs",
        "pay/pay_owing", "pay/pay_views",
        "privacy/erasing*", "privacy/privacy_*", "privacy/retention",
        "ways/addresses", "ways/import*", "ways/inviting_again", "ways/panel_*", "ways/people_lists",
        "ways/reconciling", "ways/spreadsheets",
    )),
)  # fmt: skip
# Modules of which participants read what these functions say, and nothing else.
ONLY = {
    "study/fieldwork/incidents.py": ("TOLD",),
    "study/people/models.py": ("Stage", "End"),
    "study/people/coordinating/board.py": ("letter_words",),
    "study/people/mail/letter_words.py": ("common_values",),
    "study/people/moderated/slots.py": ("too_late", "book"),
    "study/people/pay/pay_room.py": ("reason_words", "owed_to"),
    "study/people/pay/pay_rules.py": ("lines_of",),
    "study/people/ways/invitations.py": ("why_unusable",),
    "study/people/ways/panels.py": ("panel_of",),
    "study/people/ways/staff_conflicts.py": ("why_not_join",),
}
# What coordinators read of a kind of letter: its label, when it is sent, what its places are.
OF_A_LETTER = frozenset(("label", "told"))
# Read by staff alone, though they stand beside what participants read.
FOR_STAFF = frozenset((
    "%(code)s asks for help: %(kind)s.", "%(code)s has not ended. People in the hour can leave by themselves.",
    "Help asked for: %(code)s", "In their words:", "invited, not confirmed", "confirmed, not begun",
    "begun, not here for a while", "asks for a needed fact not yet given",
    "asks for one already given", "asks for one not needed",
))  # fmt: skip
KEYWORDS = {
    "_": None, "gettext": None, "gettext_lazy": None, "gettext_noop": None, "ngettext": (1, 2),
    "ngettext_lazy": (1, 2), "pgettext": ((1, "c"), 2), "npgettext": ((1, "c"), 2, 3),
}  # fmt: skip
VOLATILE = re.compile(
    r'^"(POT-Creation-Date|PO-Revision-Date|Last-Translator|Generated-By|Report-Msgid[^:]*):.*\n', re.M
)


def sources() -> Iterator[Path]:
    for pattern in SOURCES:
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file() and not for_staff(path):
                yield path


def for_staff(path: Path) -> bool:
    name = path.relative_to(ROOT).as_posix()
    listed = name not in ONLY and any(fnmatch(name, pattern) for pattern in STAFF)
    return listed or (path.suffix == ".html" and 'extends "study_base.html"' in path.read_text(encoding="utf-8"))


def strings_in(path: Path) -> Iterator[tuple[str | tuple[str, ...], str | None]]:
    """Each message of a file with its context."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        text = met_in(text, ONLY.get(path.relative_to(ROOT).as_posix()))
    else:
        from django.utils.translation.template import templatize

        # What is left of a template is no Python; without indentation it can be read as such.
        text = "\n".join(line.lstrip() for line in templatize(text, str(path)).splitlines())
    for _line, name, found, _comments in extract_python(io.BytesIO(text.encode()), list(KEYWORDS), [], {}):
        places = KEYWORDS[name] or (1,)
        given = found if isinstance(found, tuple) else (found,)
        texts = [given[place - 1] for place in places if isinstance(place, int) and place <= len(given)]
        context = next((given[place[0] - 1] for place in places if isinstance(place, tuple)), None)
        if texts and all(isinstance(one, str) and one for one in texts):
            yield (tuple(texts) if len(texts) > 1 else texts[0]), context


def met_in(text: str, only: tuple[str, ...] | None) -> str:
    """A module without what staff alone read: functions that are not among ``only``, what describes a letter."""
    tree = ast.parse(text)
    if only is not None:
        tree.body = [one for one in tree.body if _name_of(one) in only]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            node.keywords = [one for one in node.keywords if one.arg not in OF_A_LETTER]
            if isinstance(node.func, ast.Name) and node.func.id == "Place":
                node.args = []
    return ast.unparse(tree)


def _name_of(node: ast.stmt) -> str:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return str(getattr(node, "name", ""))


def gathered() -> Catalog:
    made = Catalog(charset="utf-8")
    for path in sources():
        for message, context in strings_in(path):
            if message not in FOR_STAFF:
                made.add(message, context=context)
    return made


def catalogs() -> Iterator[Path]:
    yield from sorted(HERE.glob("*/LC_MESSAGES"))


def read(folder: Path) -> Catalog:
    locale, file = folder.parent.name, folder / "django.po"
    if not file.exists():
        return Catalog(locale=locale, charset="utf-8")
    with file.open("rb") as stream:
        return read_po(stream, locale=locale, charset="utf-8")


def updated(folder: Path) -> str:
    catalog = read(folder)
    catalog.update(gathered(), no_fuzzy_matching=True)
    catalog.obsolete.clear()
    catalog.fuzzy = False
    catalog.header_comment = f"# What participants read, in {folder.parent.name}. Gathered by locale/messages.py."
    out = io.BytesIO()
    write_po(out, catalog, width=110, no_location=True, sort_output=True, omit_header=False, ignore_obsolete=True)
    return VOLATILE.sub("", out.getvalue().decode("utf-8"))


def compiled(folder: Path) -> bytes:
    out, catalog = io.BytesIO(), read(folder)
    # Without a day of its own, the same texts make the same file.
    catalog.creation_date = catalog.revision_date = datetime(2000, 1, 1, tzinfo=UTC)
    write_mo(out, catalog)
    return out.getvalue()


def in_use(folder: Path) -> dict[object, object]:
    """What the compiled catalog says."""
    with (folder / "django.mo").open("rb") as stream:
        return filled(read_mo(stream))


def filled(catalog: Catalog) -> dict[object, object]:
    """Texts by message and context, those that are translated."""
    return {(_plain(m.id), m.context): _plain(m.string) for m in catalog if m.id and _whole(m.string)}


def _plain(text: object) -> object:
    return tuple(text) if isinstance(text, (tuple, list)) else text


def untranslated(folder: Path) -> list[str]:
    return [str(message.id) for message in read(folder) if message.id and not _whole(message.string)]


def _whole(string: str | tuple[str, ...] | list[str]) -> bool:
    return all(string) if isinstance(string, (tuple, list)) else bool(string)


def problems(folder: Path) -> Iterator[str]:
    name = folder.parent.name
    if updated(folder) != (folder / "django.po").read_text(encoding="utf-8"):
        yield f"{name}: strings have changed; run make messages"
    if not (folder / "django.mo").exists() or in_use(folder) != filled(read(folder)):
        yield f"{name}: django.mo is not what django.po says; run make compile-messages"
    for text in untranslated(folder):
        yield f"{name}: not translated: {text[:90]!r}"


def main(act: str) -> int:
    if act not in ("update", "compile", "check"):
        sys.stderr.write(str(__doc__))
        return 2
    found = 0
    for folder in catalogs():
        if act == "update":
            (folder / "django.po").write_text(updated(folder), encoding="utf-8")
        if act in ("update", "compile"):
            (folder / "django.mo").write_bytes(compiled(folder))
            sys.stdout.write(f"{folder.parent.name}: {len(untranslated(folder))} not translated\n")
        for said in problems(folder) if act == "check" else ():
            found += 1
            sys.stdout.write(said + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
