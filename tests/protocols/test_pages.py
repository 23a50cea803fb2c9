"""The protocol pages: reading every text, editing without loss, freezing once, and who may do what."""

from __future__ import annotations

import hashlib
import html

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from study.accounts.flows import add_member
from study.accounts.models import AuditRow, Role, Study, User
from study.protocols.flows import import_protocol, save_draft
from study.protocols.library import builtin_names, builtin_text
from study.protocols.markup import blocks
from study.protocols.models import Protocol, ProtocolState
from study.protocols.reading import parse, sha256_of
from study.protocols.texts import participant_texts

TEXT = builtin_text("realia-hour")


@pytest.fixture
def page(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


def member(study: Study, user: User, role: str) -> Client:
    add_member(study, user, role, by=None)
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("name", builtin_names())
def test_the_page_shows_every_text_a_participant_can_read(page: Client, study: Study, ada: User, name: str) -> None:
    import_protocol(study, builtin_text(name), ada)
    shown = html.unescape(page.get("/studies/spring/protocol/").content.decode())
    for text in participant_texts(parse(builtin_text(name))):
        for block in blocks(text.text):
            for line in block.lines:
                assert line in shown, text.path


def test_without_a_protocol_the_page_offers_the_built_in_ones(page: Client) -> None:
    shown = page.get("/studies/spring/protocol/").content.decode()
    for name in builtin_names():
        assert f"?from={name}" in shown


def test_a_built_in_protocol_opens_in_the_editor_and_is_saved_only_by_saving(page: Client, study: Study) -> None:
    answer = page.get("/studies/spring/protocol/edit/?from=crmarena-pro")
    assert "Nothing is saved yet" in answer.content.decode()
    assert not Protocol.objects.exists()
    page.post("/studies/spring/protocol/edit/", {"text": answer.context["text"], "base": answer.context["base"]})
    assert Protocol.objects.get(study=study).text == builtin_text("crmarena-pro")


def test_a_draft_with_errors_is_kept_and_its_lines_are_named(page: Client, study: Study) -> None:
    bad = TEXT.replace("rotating: 2", "rotating: 1")
    line = TEXT[: TEXT.index("  count: 5")].count("\n") + 1
    answer = page.post("/studies/spring/protocol/edit/", {"text": bad.replace("\n", "\r\n"), "base": ""})
    assert answer.status_code == 422
    assert [problem.line for problem in answer.context["problems"] if problem.level == "error"] == [line]
    assert answer.context["text"] == bad
    assert Protocol.objects.get(study=study).text == bad


def test_text_that_is_no_yaml_at_all_comes_back_as_typed(page: Client) -> None:
    answer = page.post("/studies/spring/protocol/edit/", {"text": "a: [1,\n<b>hello", "base": ""})
    assert answer.status_code == 422
    assert "&lt;b&gt;hello" in answer.content.decode()
    assert page.get("/studies/spring/protocol/").status_code == 200


def test_a_second_author_does_not_overwrite_the_first(page: Client, study: Study, ada: User) -> None:
    """Two people edit one text; the later save is told, and both texts survive."""
    save_draft(study, TEXT, ada)
    answer = page.post("/studies/spring/protocol/edit/", {"text": TEXT + "# mine\n", "base": sha256_of("another text")})
    assert answer.status_code == 409
    assert "# mine" in answer.content.decode()
    assert Protocol.objects.get(study=study).text == TEXT


def test_an_upload_goes_to_the_editor_and_leaves_the_draft_alone(page: Client, study: Study, ada: User) -> None:
    save_draft(study, TEXT, ada)
    file = SimpleUploadedFile("mine.yaml", b"\xef\xbb\xbfrealia: 1\r\nmeta: 3\r\n")
    answer = page.post("/studies/spring/protocol/edit/upload/", {"file": file})
    assert answer.context["text"] == "realia: 1\nmeta: 3\n"
    assert any(problem.path == "meta" and problem.line == 2 for problem in answer.context["problems"])
    assert Protocol.objects.get(study=study).text == TEXT


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe\x00binary", b"\x00" * 50, b"a" * 300_000], ids=["empty", "utf16", "nul", "large"]
)
def test_any_upload_gets_an_answer(page: Client, data: bytes) -> None:
    answer = page.post("/studies/spring/protocol/edit/upload/", {"file": SimpleUploadedFile("x.yaml", data)})
    assert answer.status_code in {200, 302, 422}
    assert not Protocol.objects.exists()


def test_the_download_has_the_hash_that_the_page_shows(page: Client, study: Study, ada: User) -> None:
    draft = import_protocol(study, TEXT.replace("\n", "\r\n"), ada)
    answer = page.get(f"/studies/spring/protocol/{draft.number}/download/")
    assert answer.content == TEXT.encode()
    assert answer["Content-Disposition"] == 'attachment; filename="spring-protocol-1.yaml"'
    digest = hashlib.sha256(answer.content).hexdigest()
    assert digest in page.get("/studies/spring/protocol/").content.decode()


def test_freezing_takes_a_post_and_happens_once(page: Client, study: Study, ada: User) -> None:
    import_protocol(study, TEXT, ada)
    look = page.get("/studies/spring/protocol/freeze/")
    assert Protocol.objects.get().state == ProtocolState.DRAFT
    assert page.get("/studies/spring/protocol/freeze/now/").status_code == 405
    form = {"sha256": look.context["sha256"]}
    assert page.post("/studies/spring/protocol/freeze/now/", form).status_code == 302
    frozen = Protocol.objects.get()
    assert (frozen.state, frozen.sha256, frozen.frozen_by) == (ProtocolState.FROZEN, sha256_of(TEXT), ada)
    assert AuditRow.objects.filter(act="protocol.frozen", study=study, actor=ada).count() == 1
    assert page.post("/studies/spring/protocol/freeze/now/", form).status_code == 302
    assert page.post("/studies/spring/protocol/freeze/now/", {"sha256": "0" * 64}).status_code == 404


def test_a_draft_that_changed_since_the_page_was_opened_is_not_frozen(page: Client, study: Study, ada: User) -> None:
    import_protocol(study, TEXT, ada)
    seen = page.get("/studies/spring/protocol/freeze/").context["sha256"]
    save_draft(study, TEXT + "# later\n", ada)
    answer = page.post("/studies/spring/protocol/freeze/now/", {"sha256": seen})
    assert answer.status_code == 409
    assert Protocol.objects.get().state == ProtocolState.DRAFT


def test_a_draft_with_errors_cannot_be_frozen(page: Client, study: Study, ada: User) -> None:
    save_draft(study, TEXT.replace("n_max: 40", "n_max: 4"), ada)
    sha = page.get("/studies/spring/protocol/freeze/").context["sha256"]
    assert page.post("/studies/spring/protocol/freeze/now/", {"sha256": sha}).status_code == 422
    assert Protocol.objects.get().state == ProtocolState.DRAFT


def test_after_a_freeze_editing_begins_a_new_version(page: Client, study: Study, ada: User) -> None:
    import_protocol(study, TEXT, ada)
    page.post("/studies/spring/protocol/freeze/now/", {"sha256": sha256_of(TEXT)})
    answer = page.get("/studies/spring/protocol/edit/")
    assert (answer.context["text"], answer.context["base"]) == (TEXT, "")
    page.post("/studies/spring/protocol/edit/", {"text": TEXT + "# 2\n", "base": ""})
    assert list(Protocol.objects.order_by("number").values_list("number", "state")) == [(1, "frozen"), (2, "draft")]
    assert Protocol.objects.get(number=1).text == TEXT


@pytest.mark.parametrize("role", [Role.COORDINATOR, Role.VIEWER])
def test_coordinators_and_viewers_read_and_change_nothing(study: Study, ada: User, ben: User, role: str) -> None:
    import_protocol(study, TEXT, ada)
    client = member(study, ben, role)
    shown = client.get("/studies/spring/protocol/")
    assert shown.status_code == 200
    assert "/protocol/edit/" not in shown.content.decode()
    assert client.get("/studies/spring/protocol/edit/").status_code == 403
    assert client.get("/studies/spring/protocol/freeze/").status_code == 403
    for act in ("edit/", "edit/upload/", "freeze/now/"):
        assert client.post(f"/studies/spring/protocol/{act}", {"text": "x"}).status_code == 403
    assert Protocol.objects.get().text == TEXT


def test_a_stranger_sees_nothing(study: Study, ada: User, cleo: User, client: Client) -> None:
    """P-39: exactly as for a code that does not exist."""
    draft = import_protocol(study, TEXT, ada)
    client.force_login(cleo)
    for url in ("", "edit/", "freeze/", f"{draft.number}/", f"{draft.number}/download/"):
        assert client.get(f"/studies/spring/protocol/{url}").status_code == 404
    assert client.get("/studies/spring/protocol/99999999999999999999/").status_code == 404


def test_a_version_number_beyond_every_database_is_not_found(page: Client) -> None:
    assert page.get("/studies/spring/protocol/99999999999999999999/").status_code == 404


def test_a_double_click_on_freeze_ends_on_the_protocol(client, study, ada):
    """P-08: the second press of the button lands where the first one did."""
    from study.protocols.flows import import_protocol
    from study.protocols.library import builtin_text
    from study.protocols.models import Protocol
    from study.protocols.reading import sha256_of

    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    text = builtin_text("realia-hour")
    import_protocol(study, text, ada)
    sent = {"sha256": sha256_of(text)}
    answers = [client.post(f"/studies/{study.code}/protocol/freeze/now/", sent) for _ in range(2)]
    assert [a.status_code for a in answers] == [302, 302]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert Protocol.objects.filter(study=study).count() == 1
