"""Freezing is a claim: of two people with the same page open, one freezes and the other is told."""

from __future__ import annotations

import pytest

from study.accounts.models import AuditRow, Study, User
from study.protocols.flows import DraftNotSaved, NotFrozen, freeze_protocol, import_protocol, save_draft
from study.protocols.library import builtin_text
from study.protocols.models import Protocol
from study.protocols.problems import ProtocolInvalid

HOUR = builtin_text("realia-hour")


def test_a_stale_copy_cannot_freeze_what_is_frozen(study: Study, ada: User) -> None:
    mine = import_protocol(study, HOUR, ada)
    theirs = Protocol.objects.get(pk=mine.pk)
    freeze_protocol(mine, ada)
    with pytest.raises(NotFrozen, match="frozen already"):
        freeze_protocol(theirs, ada)
    assert AuditRow.objects.filter(act="protocol.frozen").count() == 1


def test_a_stale_copy_cannot_freeze_a_text_nobody_looked_at(study: Study, ada: User) -> None:
    stale = import_protocol(study, HOUR, ada)
    save_draft(study, HOUR + "# changed\n", ada)
    with pytest.raises(NotFrozen):
        freeze_protocol(stale, ada)
    assert Protocol.objects.get().state == "draft"


def test_an_import_with_errors_leaves_no_trace(study: Study, ada: User) -> None:
    with pytest.raises(ProtocolInvalid) as raised:
        import_protocol(study, "realia: 1\n", ada)
    assert len(raised.value.problems) > 10
    assert "line 1" in str(raised.value)
    assert not Protocol.objects.exists()
    assert not AuditRow.objects.filter(act="protocol.saved").exists()


@pytest.mark.parametrize("text", ["a: \x00", "a: \ud800", "x" * 200_001])
def test_what_no_database_takes_is_not_saved(study: Study, ada: User, text: str) -> None:
    """P-15: control characters and lone surrogates are refused before they reach the database."""
    with pytest.raises(DraftNotSaved):
        save_draft(study, text, ada)
    assert not Protocol.objects.exists()
