"""The protocol commands: line and remedy on paper, exit 1 on errors, nothing changed then."""

from __future__ import annotations

import hashlib
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from study.accounts.models import AuditRow, Study
from study.protocols.library import builtin_names, builtin_text
from study.protocols.models import Protocol

HOUR = builtin_text("realia-hour")


def run(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(HOUR.replace("  n_max: 40", "  n_max: 4"), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", builtin_names())
def test_check_reads_built_in_protocols(name: str) -> None:
    assert f"{name}: 0 errors" in run("protocol_check", name)


def test_check_prints_line_and_remedy_and_fails(faulty: Path) -> None:
    out = StringIO()
    with pytest.raises(CommandError, match="1 errors") as raised:
        call_command("protocol_check", str(faulty), stdout=out)
    assert raised.value.returncode == 1
    line = HOUR[: HOUR.index("  n_max: 40")].count("\n") + 1
    said = f"{faulty}:{line}:3: error: analysis.n_max: At most 4 people, but 20 are aimed at. n_max is at least"
    assert said in out.getvalue()


def test_check_of_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "picture.yaml"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    with pytest.raises(CommandError, match="errors"):
        run("protocol_check", str(path))


@pytest.mark.django_db
def test_a_name_that_is_nothing_is_said_to_be_nothing() -> None:
    with pytest.raises(CommandError, match="no study “nowhere”"):
        run("protocol_check", "nowhere")


def test_check_of_a_study(study: Study) -> None:
    with pytest.raises(CommandError, match="has no protocol"):
        run("protocol_check", "spring")
    run("protocol_import", "spring", "realia-hour")
    assert "spring: 0 errors" in run("protocol_check", "spring")
    Study.objects.filter(pk=study.pk).update(name="Getting your bearings")
    with pytest.raises(CommandError):
        run("protocol_check", "spring")


def test_import_freeze_export_start_to_end(study: Study, tmp_path: Path) -> None:
    assert "draft 1" in run("protocol_import", "spring", "realia-hour")
    said = run("protocol_freeze", "spring")
    frozen = Protocol.objects.get(study=study)
    assert frozen.sha256 in said
    path = tmp_path / "out.yaml"
    run("protocol_export", "spring", "--out", str(path))
    assert hashlib.sha256(path.read_bytes()).hexdigest() == frozen.sha256
    assert run("protocol_export", "spring", "--number", "1") == HOUR
    acts = list(AuditRow.objects.filter(study=study, act__startswith="protocol").values_list("act", flat=True))
    assert sorted(acts) == ["protocol.frozen", "protocol.saved"]


def test_import_of_a_faulty_file_changes_nothing(study: Study, faulty: Path) -> None:
    run("protocol_import", "spring", "realia-hour")
    with pytest.raises(CommandError, match="Nothing was imported"):
        run("protocol_import", "spring", str(faulty))
    assert Protocol.objects.get(study=study).text == HOUR


def test_importing_twice_keeps_one_draft_and_after_a_freeze_makes_the_next(study: Study) -> None:
    run("protocol_import", "spring", "realia-hour")
    run("protocol_import", "spring", "crmarena")
    assert Protocol.objects.filter(study=study).count() == 1
    with pytest.raises(CommandError, match="places of the papers are empty"):
        run("protocol_freeze", "spring")
    run("protocol_freeze", "spring", "--with-gaps")
    run("protocol_import", "spring", "realia-hour")
    assert list(Protocol.objects.order_by("number").values_list("number", "state")) == [(1, "frozen"), (2, "draft")]
    assert Protocol.objects.get(number=1).value.meta.name == "crmarena"


def test_freeze_needs_a_draft_without_errors(study: Study) -> None:
    with pytest.raises(CommandError, match="no draft"):
        run("protocol_freeze", "spring")
    Protocol.objects.create(study=study, number=1, text="realia: 1\n")
    with pytest.raises(CommandError, match="Nothing was frozen"):
        run("protocol_freeze", "spring")
    assert Protocol.objects.get().state == "draft"


def test_export_of_what_is_not_there(study: Study, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no such protocol"):
        run("protocol_export", "spring")
    run("protocol_import", "spring", "realia-hour")
    with pytest.raises(CommandError, match="Can't write"):
        run("protocol_export", "spring", "--out", str(tmp_path / "no" / "folder.yaml"))
