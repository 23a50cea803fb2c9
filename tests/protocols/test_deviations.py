"""The freeze asks about what is empty, and the log of deviations opens with it (M14)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from study.accounts.models import AuditRow, Study, User
from study.protocols.flows import freeze_protocol, import_protocol
from study.protocols.library import builtin_text
from study.protocols.models import Deviation, Protocol, Unchangeable
from study.protocols.reading import sha256_of

HOUR = builtin_text("realia-hour")


def test_the_freeze_asks_about_what_is_empty(client: Client, study: Study, ada: User) -> None:
    client.force_login(ada)
    text = HOUR.replace("  dpo: The", "  # dpo: The")
    import_protocol(study, text, ada)
    look = client.get("/studies/spring/protocol/freeze/").content.decode()
    assert "papers.dpo" in look
    assert "papers.controller" not in look
    sent = {"sha256": sha256_of(text)}
    refused = client.post("/studies/spring/protocol/freeze/now/", sent)
    assert refused.status_code == 422
    assert "Tick below that this is meant" in refused.content.decode()
    assert Protocol.objects.get().state == "draft"
    assert client.post("/studies/spring/protocol/freeze/now/", sent | {"with_gaps": "yes"}).status_code == 302
    assert AuditRow.objects.get(act="protocol.frozen").detail["empty"] == ["papers.dpo"]


def test_lines_are_added_numbered_and_never_changed(client: Client, study: Study, ada: User) -> None:
    client.force_login(ada)
    page, now = "/studies/spring/papers/deviations/", timezone.now()
    line = {"happened_on": now.date().isoformat(), "what": "Two <b>more</b> people.", "why": "A panel sent them."}
    assert client.post(page, line).status_code == 422
    assert "not open yet" in client.get(page).content.decode()
    freeze_protocol(import_protocol(study, HOUR, ada), ada)
    late = (now + timedelta(days=2)).date().isoformat()
    for wrong in ({"what": " "}, {"why": ""}, {"happened_on": "soon"}, {"happened_on": late}, {"what": "x" * 4001}):
        answer = client.post(page, line | wrong)
        assert answer.status_code == 422, wrong
        assert "A panel" in answer.content.decode() or "why" in wrong
    assert not Deviation.objects.exists()
    client.post(page, line)
    Study.objects.filter(pk=study.pk).update(unblinded_at=now)
    client.post(page, line | {"what": "Another."})
    rows = list(Deviation.objects.values_list("number", "after_unblinding", "protocol_number", "by"))
    assert rows == [(1, False, 1, ada.pk), (2, True, 1, ada.pk)]
    shown = client.get(page).content.decode()
    assert "Two &lt;b&gt;more&lt;/b&gt; people." in shown
    one = Deviation.objects.get(number=1)
    one.what = "Nothing."
    for act in (one.save, lambda: Deviation.objects.update(what=""), Deviation.objects.all().delete):
        with pytest.raises(Unchangeable):
            act()
    from analysis.deviations import section
    from study.results.frames import frames

    bundled = frames(Study.objects.get(pk=study.pk), blind=True).tables["deviations"]
    assert [(row["number"], row["ratings_open"], row["by"]) for row in bundled] == [
        (1, False, "team"),
        (2, True, "team"),
    ]
    (part,) = section(bundled, plain=False)
    assert any("Two <b>more</b> people." in row for table in part.parts for row in table.rows)
