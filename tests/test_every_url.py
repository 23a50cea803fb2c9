"""Who may open what: every URL, asked as every kind of person. A new URL fails until it is listed here."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member, make_signin_link
from study.accounts.models import AuditRow, Job, Role
from tests.people.walk import agree, to_consent

PEOPLE = ("visitor", "cleo", "ben", "viewer", "researcher", "coordinator", "owner", "operator")
STAFF = {"viewer", "researcher", "coordinator", "owner"}
EVERYBODY = set(PEOPLE)
SIGNED_IN = EVERYBODY - {"visitor"}
DATA = {"researcher", "owner"}
RESULTS = {"viewer", "researcher", "owner"}
COHORTS = {"coordinator", "owner"}
BEN = {"ben"}


@dataclass(frozen=True)
class Rule:
    """Who reaches a URL, by which method. Staff of the study whose role is not enough get 403, all others 404."""

    who: set[str]
    method: str = "get"
    study: bool = False


def staff(who: set[str], method: str = "get") -> Rule:
    return Rule(who, method, study=True)


OWN, OWN_POST = Rule(BEN), Rule(BEN, "post")
OPEN = Rule(EVERYBODY)
# Pages of allauth: public forms, or things of one's own account. None takes an identifier of somebody else.
ALLAUTH = {
    "account_" + name
    for name in (
        "login", "logout", "inactive", "signup", "reauthenticate", "request_reauthentication_code",
        "confirm_reauthentication_code", "email_verification_sent", "change_password", "set_password",
        "reset_password", "confirm_login_code", "confirm_email", "reset_password_from_key_done",
        "reset_password_from_key", "reset_password_done", "request_login_code", "email",
    )
} | {
    "mfa_" + name
    for name in (
        "index", "authenticate", "reauthenticate", "activate_totp", "deactivate_totp", "view_recovery_codes",
        "generate_recovery_codes", "download_recovery_codes", "list_webauthn", "add_webauthn", "remove_webauthn",
        "edit_webauthn", "reauthenticate_webauthn", "login_webauthn",
    )
} | {
    "socialaccount_connections", "socialaccount_login_cancelled", "socialaccount_login_error", "socialaccount_signup",
    "openid_connect_login", "openid_connect_callback",
}  # fmt: skip

RULES: dict[str, Rule] = {
    "front": OPEN,
    "signin_link": OPEN,
    "hour": OPEN,
    "hour_resume": OPEN,
    "invitation": OPEN,
    "invitation_decline": Rule(EVERYBODY, "post"),
    **dict.fromkeys(
        ("invitation_computer", "invitation_undo", "invitation_tomorrow"), Rule(EVERYBODY, "post")
    ),
    "invitation_calendar": OPEN,
    "panel_entry": OPEN,
    **dict.fromkeys(("cohort_import", "cohort_import_bad", "cohort_panel"), staff(COHORTS)),
    **dict.fromkeys(("panel_reconcile", "panel_differences"), staff(COHORTS)),
    **dict.fromkeys(
        (
            "cohort_import_send", "cohort_import_drop", "cohort_panel_remove", "cohort_link_renew", "panel_settle",
            "participant_resend",
        ),
        staff(COHORTS, "post"),
    ),
    "open_link": OPEN,
    "home": Rule(SIGNED_IN),
    "staff_invitation": OPEN,
    **dict.fromkeys(("prove", "proved"), Rule(SIGNED_IN)),
    **dict.fromkeys(("own_account", "second_factor"), Rule(STAFF | {"operator"})),
    **dict.fromkeys(("own_name", "session_end"), Rule(STAFF | {"operator"}, "post")),
    **dict.fromkeys(("staff", "audit_log"), staff({"owner"})),
    **dict.fromkeys(
        ("staff_invite", "staff_revoke", "staff_role", "staff_remove", "audit_export"), staff({"owner"}, "post")
    ),
    "studies": Rule(STAFF | {"operator"}),
    "study_create": Rule({"operator"}),
    "job": staff(STAFF),
    "unblind": staff({"owner"}),
    "unblind_now": staff({"owner"}, "post"),
    "study": staff(STAFF),
    "protocol": staff(STAFF),
    "protocol_version": staff(STAFF),
    "protocol_download": staff(STAFF),
    "protocol_edit": staff(DATA),
    "protocol_upload": staff(DATA, "post"),
    "protocol_freeze": staff(DATA),
    **dict.fromkeys(("papers", "paper", "deviations"), staff(DATA)),
    "cohort_protocol": staff(COHORTS),
    "protocol_freeze_now": staff(DATA, "post"),
    **dict.fromkeys(
        ("cohorts", "cohort_new", "cohort", "cohort_change", "cohort_invite", "participant"), staff(COHORTS)
    ),
    **dict.fromkeys(
        ("cohort_quota", "participant_move", "participant_exclude", "participant_invite_again"), staff(COHORTS)
    ),
    "participant_include": staff(COHORTS, "post"),
    **dict.fromkeys(("flow", "flow_file"), staff(STAFF)),
    **dict.fromkeys(
        (
            "cohort_pause", "cohort_close", "cohort_open", "letter_again", "participant_revoke",
            "participant_take_out",
        ),
        staff(COHORTS, "post"),
    ),
    "unsubscribe": OPEN,
    "unsubscribe_undo": Rule(EVERYBODY, "post"),
    **dict.fromkeys(("letters", "letter_log", "letter_text", "letter_drawn", "cohort_reminders"), staff(COHORTS)),
    **dict.fromkeys(
        (
            "letter_preview", "letter_test", "letter_built_in", "cohort_reminder_add", "cohort_reminder_change",
            "participant_bounced", "participant_address_works",
        ),
        staff(COHORTS, "post"),
    ),
    **dict.fromkeys(
        ("payments", "payment", "payments_import", "pay_batch", "pay_batch_file", "cohort_pay", "participant_pay"),
        staff(COHORTS),
    ),
    **dict.fromkeys(
        (
            "payments_approve", "payments_batch", "pay_batch_paid", "payment_cancel", "payment_back", "payment_looked",
        ),
        staff(COHORTS, "post"),
    ),
    "payments_eyes": staff({"owner"}, "post"),
    "wizard": staff(STAFF),
    "wizard_protocol": staff(DATA, "post"),
    "study_duplicate": staff({"owner"}),
    "closing_out": staff(DATA | COHORTS),
    "deviations_looked": staff(DATA, "post"),
    **dict.fromkeys(("study_close", "study_reopen", "study_archive", "study_unarchive"), staff({"owner"}, "post")),
    "monitor": staff(RESULTS),
    "results": staff(RESULTS),
    "results_compute": staff(RESULTS, "post"),
    "rationales": staff(DATA),
    **dict.fromkeys(("coverage", "pilot"), staff(DATA)),
    **dict.fromkeys(("instance_bench", "instance_unbench"), staff(DATA, "post")),
    **dict.fromkeys(("marking", "marking_text"), staff(DATA)),
    "redaction": staff(DATA),
    # Blind study: 404 even for those who may see the data; test_redaction.py opens them.
    "redaction_text": Rule(set()),
    **dict.fromkeys(("redaction_settle", "release_make"), Rule(set(), "post")),
    **dict.fromkeys(("marking_markers", "marking_mark", "marking_undo"), staff(DATA, "post")),
    "export": staff(DATA),
    "export_make": staff(DATA, "post"),
    "export_trace": staff(DATA, "post"),
    "report_make": staff(DATA, "post"),
    **dict.fromkeys(("replays", "replay", "replay_step"), staff(DATA)),
    "preview": staff(DATA | {"coordinator"}, "post"),
    "help_requests": staff(COHORTS),
    **dict.fromkeys(("needs_me", "people", "people_search", "people_bulk"), staff(COHORTS)),
    **dict.fromkeys(("cohort_slots", "incidents"), staff(COHORTS)),
    **dict.fromkeys(
        ("people_bulk_do", "participant_note", "slot_cancel", "slot_mark", "incident_begin", "incident_over"),
        staff(COHORTS, "post"),
    ),
    **dict.fromkeys(("slot", "slot_calendar"), OWN),
    **dict.fromkeys(("slot_begin", "slot_give_up", "slot_zone"), OWN_POST),
    "help_reply": staff(COHORTS, "post"),
    **dict.fromkeys(("privacy", "participant_erase", "participant_access"), staff(COHORTS)),
    **dict.fromkeys(("privacy_limit", "participant_erase_now", "participant_access_file"), staff(COHORTS, "post")),
    **dict.fromkeys(("own_data_zip", "hour_erase"), OWN),
    **dict.fromkeys(("pause", "help", "own_data", "own_data_file", "to_computer"), OWN),
    "go_on": OWN_POST,
    # Blind study: 404 even for those who may see results; test_results_pages.py opens them.
    "results_table": Rule(set()),
    "results_figure": Rule(set()),
    "export_download": Rule(set()),
    "report_read": Rule(set()),
    "crm_open": Rule(STAFF | {"operator"}, "post"),
    **dict.fromkeys(("orgs", "org_add", "org_import", "org_download", "org_delete"), Rule({"operator"})),
    "org_export": Rule({"operator"}, "post"),
    "study_orgs": staff(STAFF),
    **dict.fromkeys(("study_org_add", "study_org_import", "study_org_delete"), staff(DATA)),
    "study_org_download": staff(DATA),
    "study_org_export": staff(DATA, "post"),
    **dict.fromkeys(
        (
            "crm_home", "crm_list", "crm_search", "crm_suggest", "crm_reports", "crm_report", "crm_record",
            "crm_related", "crm_thread", "crm_values",
        ),
        OWN,
    ),
    **dict.fromkeys(("crm_favourites", "crm_apps", "crm_fields"), OWN),
    **dict.fromkeys(("crm_console", "crm_schema", "crm_schema_object"), OWN),
    **dict.fromkeys(("crm_favourite", "crm_view_save", "crm_view_rename", "crm_view_delete", "crm_long"), OWN_POST),
    "crm_facts": OWN_POST,
    **dict.fromkeys(
        (
            "hour_of", "hour_key", "screener", "consent", "consent_copy", "hour_privacy", "leave", "ended",
            "consent_copy_pdf", "consent_again",
            "orientation", "orientation_moves", "work", "attempt", "attempt_after", "attempt_resolve", "attempt_kept",
            "ratings", "rate", "rate_seen",
            "lock", "closing", "closing_part", "closing_card", "debrief", "finish",
        ),
        OWN,
    ),
    **dict.fromkeys(("rate_all", "rate_evidence"), OWN),
    **dict.fromkeys(("rate_attach", "rate_detach", "rate_narrow"), OWN_POST),
    **dict.fromkeys(("next_visit", "next_visit_calendar"), OWN),
    "next_visit_begin": OWN_POST,
    **dict.fromkeys(
        (
            "consent_decline", "orientation_practice", "orientation_check", "orientation_start", "work_open",
            "attempt_ask", "consent_choice",
            "attempt_answer", "rate_unfamiliar", "save", "move_start", "move_leave", "move_help",
            "pin", "unpin", "note", "note_delete",
        ),
        OWN_POST,
    ),
}  # fmt: skip


def names(patterns: list[URLPattern | URLResolver] | None = None) -> Iterator[str]:
    for entry in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(entry, URLResolver):
            yield from names(entry.url_patterns)
        else:
            yield str(entry.name)


def test_every_url_is_listed() -> None:
    found = set(names())
    assert found - set(RULES) - ALLAUTH == set(), "new URLs: say who may open them"
    assert set(RULES) - found == set(), "gone URLs: take them out"


@dataclass
class World:
    clients: dict[str, Client]
    arguments: dict[str, list[object]]


@pytest.fixture
def world(study, ada, cleo) -> World:  # type: ignore[no-untyped-def]
    """A blind study with Ben at orientation, and everybody else beside him."""
    from study.people.ways.invitations import invite
    from study.people.ways.tokens import make_token
    from tests.fieldwork.hour import make_cohort, make_small_org

    cohort = make_cohort(study, make_small_org())
    invited, other = invite(cohort, "ben@example.test\nother@example.test", by=None)
    clients = {name: Client() for name in PEOPLE}
    code = to_consent(clients["ben"], f"/i/{make_token(invited, invited.invitation.created_at)}/")
    agree(clients["ben"], code)
    for role in (Role.VIEWER, Role.RESEARCHER, Role.COORDINATOR):
        user = user_with_address(f"{role}@example.test")
        add_member(study, user, role, by=None)
        clients[role].force_login(user, backend=BACKEND)
    clients["owner"].force_login(ada, backend=BACKEND)
    clients["cleo"].force_login(cleo, backend=BACKEND)
    operator = user_with_address("operator@example.test")
    operator.is_operator = True
    operator.save()
    clients["operator"].force_login(operator, backend=BACKEND)
    clients["ben"].get(f"/hour/{code}/orientation/")
    tell_all(study, code, other)
    return World(clients, _arguments(study, cohort, code, other, invited))


BACKEND = "django.contrib.auth.backends.ModelBackend"


def _arguments(study, cohort, code, other, invited) -> dict[str, list[object]]:  # type: ignore[no-untyped-def]
    from study.people.mail.unsubscribing import token_of
    from study.sandbox.desks import open_desk
    from study.sandbox.models import Org
    from study.sandbox.opened import snapshot_of

    org = Org.objects.get(name="demo-service")
    desk = open_desk(org=org, user=invited.__class__.objects.get(code=code).user, purpose="orientation")
    record = next(iter(snapshot_of(org).records("Case")))["Id"]
    job = Job.objects.create(kind="export bundle", study=study)
    one, person, crm = [study.code], [study.code, "north"], [desk.code]
    hour: list[object] = [code]
    return {
        **{name: one for name in RULES if RULES[name].study},
        **{name: hour for name in RULES if RULES[name] in (OWN, OWN_POST)},
        **{name: person for name in RULES if name.startswith("cohort") and name not in ("cohorts", "cohort_new")},
        **{
            name: [study.code, other.code]
            for name in (
                "participant_move",
                "participant_exclude",
                "participant_include",
                "participant_invite_again",
                "participant",
                "participant_take_out",
                "letter_again",
                "participant_revoke",
                "participant_bounced",
                "participant_address_works",
            )
        },
        **{name: [] for name in ("front", "home", "hour", "hour_resume", "studies", "study_create")},
        **{name: [study.code, "made-up"] for name in ("marking_text", "marking_mark", "marking_undo")},
        **{name: [study.code, "made-up"] for name in ("redaction_text", "redaction_settle")},
        "release_make": one,
        **{name: [study.code, org.instances.first().pk] for name in ("instance_bench", "instance_unbench")},
        **{
            name: [study.code, other.code]
            for name in ("participant_erase", "participant_erase_now", "participant_access", "participant_access_file")
        },
        "job": [job.pk],
        "flow_file": [study.code, "csv"],
        "replay": [study.code, f"{code}-1"],
        "replay_step": [study.code, f"{code}-1", 1],
        "help_reply": [study.code, 99_999_999],
        "participant_note": [study.code, other.code],
        **{name: [*person, 99_999_999] for name in ("slot_cancel", "slot_mark")},
        "incident_over": [study.code, "I-9"],
        "signin_link": [make_signin_link("ada@example.test").split("/")[2]],
        "invitation": ["made-up"],
        "staff_invitation": ["made-up"],
        **{name: [] for name in ("prove", "proved", "own_account", "own_name", "second_factor")},
        "session_end": [99_999_999],
        **{name: [study.code, 99_999_999] for name in ("staff_revoke", "staff_role", "staff_remove")},
        **{key: [token_of(other)] for key in ("unsubscribe", "unsubscribe_undo")},
        **{
            key: [study.code, "invitation", "en"]
            for key in ("letter_text", "letter_drawn", "letter_preview", "letter_test", "letter_built_in")
        },
        "cohort_reminder_change": [*person, 1],
        "invitation_decline": ["made-up"],
        **{name: ["made-up"] for name in RULES if name.startswith("invitation_")},
        "panel_entry": ["made-up"],
        "consent_copy_pdf": [code, invited.consents.get().pk],
        **dict.fromkeys(("panel_reconcile", "panel_settle", "panel_differences"), person),
        **{name: [*person, 99_999_999] for name in RULES if name.startswith("cohort_import")},
        "participant_resend": [study.code, other.code],
        "open_link": ["made-up"],
        "protocol_version": [study.code, 1],
        "protocol_download": [study.code, 1],
        "paper": [study.code, 1, "ethics", "md"],
        "results_table": [study.code, "estimates"],
        "results_figure": [study.code, "approval-main-light-1132"],
        "export_download": [study.code, 1],
        "report_read": [study.code, 1],
        "crm_open": ["demo-service"],
        **_org_arguments(study, org),
        **_pay_arguments(study, code),
        **dict.fromkeys(("crm_home", "crm_search", "crm_suggest", "crm_reports"), crm),
        **dict.fromkeys(("crm_favourites", "crm_apps", "crm_view_save", "crm_long", "crm_facts"), crm),
        "crm_fields": [desk.code, "Case"],
        "crm_values": [desk.code, "Case"],
        **dict.fromkeys(("crm_console", "crm_schema"), crm),
        "crm_schema_object": [desk.code, "Case"],
        "crm_favourite": [desk.code, record],
        **{name: [desk.code, 1] for name in ("crm_view_rename", "crm_view_delete")},
        "crm_list": [desk.code, "Case"],
        "crm_report": [desk.code, "Case"],
        "crm_record": [desk.code, record],
        "crm_thread": [desk.code, record],
        "crm_related": [desk.code, record, "EmailMessage.ParentId"],
        **{name: [code, 1] for name in ("attempt", "attempt_answer", "attempt_after", "attempt_resolve")},
        "attempt_ask": [code, 1],
        **{name: [code, 1] for name in ("attempt_kept", "pin", "note")},
        **{name: [code, 1, 1] for name in ("unpin", "note_delete")},
        **{name: [code, "find"] for name in ("move_start", "move_leave", "move_help")},
        **{name: [code, "Account"] for name in ("rate", "rate_seen", "rate_unfamiliar")},
        **{name: [code, "Account"] for name in ("rate_evidence", "rate_attach", "rate_detach", "rate_narrow")},
        "closing_part": [code, "debrief"],
        "closing_card": [code, "debrief", 1],
    }


def _pay_arguments(study, code) -> dict[str, list[object]]:  # type: ignore[no-untyped-def]
    from study.people.models import Participant, PayBatch
    from study.people.pay.pay_money import Money
    from study.people.pay.pay_owing import owe

    row = owe(Participant.objects.get(code=code), "complete", Money(7500, "EUR"))
    PayBatch.objects.create(study=study, number=1, form="finance", payments=0)
    return {
        **{name: [study.code, row.pk] for name in ("payment", "payment_cancel", "payment_back", "payment_looked")},
        **{name: [study.code, 1] for name in ("pay_batch", "pay_batch_paid")},
        "pay_batch_file": [study.code, 1, "csv"],
        "participant_pay": [study.code, code],
    }


def _org_arguments(study, org) -> dict[str, list[object]]:  # type: ignore[no-untyped-def]
    from study.accounts.models import User

    operator = User.objects.get(email="operator@example.test")
    file = django_settings.REALIA_VAR / "packed.zip"
    file.write_bytes(b"packed")
    taken = {"org": org.hash, "file": file.name}
    found: dict[str, list[object]] = {
        "orgs": [],
        "org_add": [],
        "study_orgs": [study.code],
        "study_org_add": [study.code],
    }
    for kind, name, result in (("org import", "org_import", {}), ("org export", "org_download", taken)):
        job = Job.objects.create(kind=kind, state="done", created_by=operator, params={"name": "x"}, result=result)
        found[name] = [job.pk]
        job = Job.objects.create(kind=kind, state="done", study=study, params={"name": "x"}, result=result)
        found[f"study_{name}"] = [study.code, job.pk]
    for name in ("org_export", "org_delete"):
        found |= {name: [org.hash], f"study_{name}": [study.code, org.hash]}
    return found


def outcome(client: Client, rule: Rule, url: str) -> tuple[str, bytes]:
    """reached, sign-in, 403 or 404; and what came."""
    answer = getattr(client, rule.method)(url)
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    if answer.status_code == 401 or answer.headers.get("Location", "").startswith(("/account/login/", "/hour/?next=")):
        return "sign-in", body
    return (str(answer.status_code) if answer.status_code in (403, 404) else "reached"), body


# What only some may meet: whoever is named here finds none of it, on no page and in no file.
WHO_SOMEBODY_IS = (
    b"ben@example.test", b"other@example.test", b"Oda Marker", b"0151 marker", b"note-marker", b"panel-marker",
)  # fmt: skip
WHAT_SOMEBODY_SAID = (b"rationale-marker",)
NEVER = {
    "researcher": WHO_SOMEBODY_IS,
    "coordinator": WHAT_SOMEBODY_SAID,
    "viewer": (*WHO_SOMEBODY_IS, *WHAT_SOMEBODY_SAID),
}


def tell_all(study, code, other) -> None:  # type: ignore[no-untyped-def]
    """A contact with everything in it, and a rating with its words."""
    from study.assignment.models import Visit
    from study.fieldwork.models import Rating, Rationale

    other.contact.name, other.contact.phone, other.contact.notes = "Oda Marker", "0151 marker", "note-marker"
    other.contact.panel_id = "panel-marker"
    other.contact.save()
    visit = Visit.objects.get(participant__code=code)
    rating = Rating.objects.create(visit=visit, kind="object", target="Case", first="2", final="2", position=9)
    Rationale.objects.create(rating=rating, side="off", text="rationale-marker")


# Nothing is there to find: a made-up token, no draft to freeze.
NOTHING_THERE = {
    "staff_invitation", "session_end", "staff_revoke", "staff_role", "staff_remove",
    "invitation", "invitation_decline", "open_link", "protocol_freeze", "protocol_freeze_now",
    "crm_view_save", "crm_view_rename", "crm_view_delete", "crm_long", "marking_text", "marking_mark", "marking_undo",
    "export_trace",
    "help_reply", "people_bulk_do", "slot_cancel", "slot_mark", "incident_over",
    "invitation_computer", "invitation_undo", "invitation_tomorrow", "invitation_calendar", "panel_entry",
    "cohort_import", "cohort_import_send", "cohort_import_drop", "cohort_import_bad",
}  # fmt: skip
BLIND = {
    "results_table", "results_figure", "export_download", "report_read", "redaction_text", "redaction_settle",
    "release_make",
}  # fmt: skip


@pytest.mark.django_db
def test_every_url_for_every_kind_of_person(world: World) -> None:
    """P-39: strangers get what a made-up identifier gets; a role that is not enough is told so."""
    wrong: dict[str, str] = {}
    met: dict[str, set[bytes]] = {person: set() for person in PEOPLE}
    for name, rule in RULES.items():
        url = reverse(name, args=world.arguments[name])
        for person in PEOPLE:
            if person in rule.who:
                expected = {"404", "reached"} if name in NOTHING_THERE else {"reached"}
            elif person == "visitor":
                expected = {"sign-in"}
            elif name in BLIND and person in STAFF:
                expected = {"403", "404"}
            elif rule.study and person in STAFF:
                expected = {"403"}
            elif (
                name == "study_create"
                or name.startswith("org")
                or (not rule.study and rule.who and name in ("crm_open",))
            ):
                expected = {"403", "404"}
            else:
                expected = {"404"}
            found, body = outcome(world.clients[person], rule, url)
            met[person] |= {mark for mark in WHO_SOMEBODY_IS if mark in body}
            if leak := [mark.decode() for mark in NEVER.get(person, ()) if mark in body]:
                wrong[f"{name} tells the {person}"] = ", ".join(leak)
            if found not in expected:
                wrong[f"{rule.method} {name} as {person}"] = f"{found}, not {'/'.join(sorted(expected))}"
    assert wrong == {}, "\n".join(f"{k}: {v}" for k, v in wrong.items())
    assert b"other@example.test" in met["coordinator"], "who may meet contacts does"
    assert met["cleo"] == set()
    log = str(list(AuditRow.objects.values_list("target", "detail"))).encode()
    assert [mark for mark in WHO_SOMEBODY_IS if mark in log] == [], "the audit log tells of acts, not who somebody is"


@pytest.mark.django_db
def test_open_ratings_tell_a_researcher_what_was_said_and_not_who_said_it(world, study, settings) -> None:  # type: ignore[no-untyped-def]
    """The roles of a study that is not blind: pages and files of data, the whole package among them."""
    from study.accounts.flows import unblind

    unblind(study, by=study.memberships.get(role="owner").user, reason="the rule is met")
    met: dict[str, bytes] = {}
    for name, rule in RULES.items():
        if rule.study and rule.who <= RESULTS and name not in BLIND:
            url = reverse(name, args=world.arguments[name])
            for person in ("researcher", "viewer", "coordinator"):
                met[person] = met.get(person, b"") + outcome(world.clients[person], rule, url)[1]
    files = [path for path in settings.REALIA_VAR.rglob("*") if path.suffix in (".csv", ".json", ".jsonl", ".zip")]
    for path in files:
        raw = path.read_bytes()
        packed = zipfile.ZipFile(path) if zipfile.is_zipfile(path) else None
        met["researcher"] += b"".join(packed.read(name) for name in packed.namelist()) if packed else raw
    for person, never in NEVER.items():
        assert [mark for mark in never if mark in met[person]] == [], person
    assert b"rationale-marker" in met["researcher"]


@pytest.mark.django_db
def test_a_made_up_identifier_looks_the_same(world: World) -> None:
    """P-39: Cleo cannot tell Ben's pages from pages that do not exist."""
    client = world.clients["cleo"]
    for name in ("orientation", "ratings", "crm_home", "study", "participant"):
        real = client.get(reverse(name, args=world.arguments[name]))
        made_up = client.get(reverse(name, args=["P-ZZZZ", *world.arguments[name][1:]]))
        assert (real.status_code, made_up.status_code) == (404, 404), name
        assert real.content == made_up.content, name


def test_no_administration_site() -> None:
    """A second door to every object would stand open beside ours."""
    assert "django.contrib.admin" not in django_settings.INSTALLED_APPS
