"""The requester of a protocol: something has to be withheld for somebody to be asked, and each thing named once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from study.protocols.problems import Finding, Path
from study.protocols.schema import ProtocolFile

HERE: Path = ("work", "requester")


def requester_findings(protocol: ProtocolFile) -> Iterator[Finding]:
    requester = protocol.work.requester
    if requester is None:
        return
    if set(requester.withhold) == {"none"}:
        yield Finding(
            (*HERE, "withhold"),
            _("Nothing is withheld, so nobody is ever asked."),
            _("Add policy, definitions or diagnosis, or leave requester: out."),
        )
    elif "none" not in requester.withhold:
        yield Finding(
            (*HERE, "withhold"),
            _("Something is withheld in every question that has such a form."),
            _("With none: in the list, what asking costs can be compared within this study."),
            "warning",
        )
    yield from _twice((*HERE, "withhold"), requester.withhold)
    yield from _twice((*HERE, "styles"), requester.styles)


def _twice(path: Path, names: Sequence[str]) -> Iterator[Finding]:
    for n, name in enumerate(names):
        if name in names[:n]:
            yield Finding(
                (*path, n),
                _("“%(name)s” is here twice.") % {"name": name},
                _("Each is drawn equally often; name it once."),
            )
