"""A cohort takes on a further version of its protocol; what that means for the log of deviations (M14, P-26)."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from study.accounts.models import AuditRow
from study.protocols.deviations import add
from study.protocols.flows import freeze_protocol, import_protocol
from study.protocols.library import builtin_text
from study.protocols.models import Deviation, Protocol
from study.protocols.reading import sha256_of
from tests.people.walk import agree, to_consent

HOUR = builtin_text("realia-hour")


def test_a_further_version_after_people_took_part_is_noted_by_itself(study, ada, client, cohort, invite) -> None:
    """P-26: what changed once data exist is on record, and a cohort gets it only by an act of its own."""
    from study.people.consenting.adopting import adopt, look, newer_than

    further = HOUR.replace("n_max: 40", "n_max: 41").replace("An hour in a CRM", "An hour in the CRM")
    freeze_protocol(import_protocol(study, further, ada), ada)
    assert not Deviation.objects.exists()
    (path,) = invite("a@example.test")
    person = Client()
    agree(person, to_consent(person, path))
    third = further.replace("n_max: 41", "n_max: 42")
    import_protocol(study, third, ada)
    client.force_login(ada)
    assert "log of deviations" in client.get("/studies/spring/protocol/freeze/").content.decode()
    sent = {"sha256": sha256_of(third), "why": "More people <came>."}
    assert client.post("/studies/spring/protocol/freeze/now/", sent).status_code == 302
    row = Deviation.objects.get()
    assert "Protocol 3 was frozen after people had agreed to take part (1 so far)" in row.what
    assert "Changed: analysis." in row.what
    assert (row.why, row.by) == ("More people <came>.", ada)
    # The cohort stands where it was until somebody takes the version on, once.
    cohort.refresh_from_db()
    assert (cohort.protocol_number, [one.number for one in newer_than(cohort)]) == (1, [3, 2])
    found = look(cohort, Protocol.objects.get(number=3))
    assert (found.changed, found.material, found.on_the_way) == (("meta", "analysis"), False, 1)
    page = f"/studies/spring/cohorts/{cohort.code}/protocol/"
    assert "goes on without being asked" in client.get(page).content.decode()
    for number, status in (("9", 422), ("x", 422), ("3", 302), ("3", 302)):
        assert client.post(page, {"number": number}).status_code == status, number
    assert not adopt(cohort, 3, by=ada)
    cohort.refresh_from_db()
    assert cohort.protocol_number == 3
    assert AuditRow.objects.filter(act="protocol.adopted", actor=ada).count() == 1
    with pytest.raises(Exception, match="no frozen version 2"):
        adopt(cohort, 2, by=ada)
    assert add(study, happened_on=timezone.now().date(), what="a", why="b", by=None).number == 2
