"""One paper from a protocol, with what is empty listed above and below. Same protocol, same bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from django.conf import settings
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from study.protocols.documents.markdown import markdown
from study.protocols.documents.page import page
from study.protocols.documents.parts import Bullets, Document, Gap, Heading, Paragraph, Sheet
from study.protocols.documents.pdf import pdf
from study.protocols.packs.data_sheet import data_sheet
from study.protocols.packs.ethics import ethics
from study.protocols.packs.registration import registration
from study.protocols.schema import ProtocolFile

Name = Literal["ethics", "data", "registration"]
Form = Literal["md", "html", "pdf"]
FORMS: tuple[Form, ...] = ("html", "pdf", "md")
TYPES = {"md": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8", "pdf": "application/pdf"}


@dataclass(frozen=True)
class Kind:
    """``name`` is in file names and addresses."""

    name: Name
    title: Promise
    what: Promise
    write: Callable[[Sheet, ProtocolFile], None]


KINDS: tuple[Kind, ...] = (
    Kind(
        "ethics",
        gettext_lazy("Ethics pack"),
        gettext_lazy("For the board: every text people read, pay, risks, what is held back, how to leave."),
        ethics,
    ),
    Kind(
        "data",
        gettext_lazy("Data-protection sheet"),
        gettext_lazy("For the officer: purpose and basis, who has what, where and how long, the log field by field."),
        data_sheet,
    ),
    Kind(
        "registration",
        gettext_lazy("Registration"),
        gettext_lazy(
            "For the registry: the plan of the analysis, then the same in the order of OSF and of AsPredicted."
        ),
        registration,
    ),
)


def kind_named(name: str) -> Kind:
    """Raises KeyError."""
    return {kind.name: kind for kind in KINDS}[name]  # type: ignore[index]


def document(kind: Kind, file: ProtocolFile, sha256: str) -> Document:
    """The paper in the protocol's base language, whoever asks for it."""
    language = file.meta.language
    with translation.override(language):
        sheet = Sheet()
        kind.write(sheet, file)
        gaps = tuple(dict.fromkeys(block for block in sheet.blocks if isinstance(block, Gap)))
        listed = _listed(gaps)
        return Document(
            name=kind.name,
            title=f"{kind.title}: {file.meta.public_title}",
            about=_("Written from the protocol %(name)s %(version)s and from nothing else. Its sha256: %(sha256)s")
            % {"name": file.meta.name, "version": file.meta.version, "sha256": sha256},
            foot=f"{file.meta.name} {file.meta.version} · sha256 {sha256}",
            language=language,
            direction="rtl" if language.split("-")[0] in settings.LANGUAGES_BIDI else "ltr",
            blocks=(*listed, *sheet.blocks, *(listed if gaps else ())),
        )


def _listed(gaps: tuple[Gap, ...]) -> tuple[Heading | Paragraph | Bullets, ...]:
    if not gaps:
        return (Paragraph(_("No place of this paper is empty.")),)
    said = ngettext("%(n)d place is still empty. It is marked in the text.",
                    "%(n)d places are still "
                    "empty. They are marked in the text.", len(gaps)) % {"n": len(gaps)}  # fmt: skip
    return (
        Heading(1, _("Still empty")),
        Paragraph(said),
        Bullets(tuple(f"{gap.label} ({gap.key})" for gap in gaps)),
    )


def written(paper: Document, form: Form) -> bytes:
    """The bytes of a paper in one form."""
    with translation.override(paper.language):
        if form == "pdf":
            return pdf(paper)
        return (markdown(paper) if form == "md" else page(paper)).encode()
