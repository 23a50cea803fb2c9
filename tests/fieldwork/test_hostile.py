"""What no page of ours sends: every address of the hour answers it in words, none breaks, and none tells more."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from django.apps import apps

from study.fieldwork.models import Attempt, Save
from tests.fieldwork.hour import Hour

pytestmark = pytest.mark.django_db
# Texts and values that break programs, databases and spreadsheets.
ODD_TEXTS = [
    "\x00",
    "a\x00b",
    "\ud800",
    "\u202e",
    "\ufffe",
    "x" * 100_000,
    "'",
    "=cmd()",
    "../..",
    "%00",
    "٣",
    "1e9",
    "-1",
    "9" * 30,
]


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


def odd_values(draw: random.Random) -> Any:
    simple = [None, True, 0, -1, 10**30, 1.5, float("nan"), "", [], {}, [None], [[1]], {"a": {}}, deep(40), *ODD_TEXTS]
    one = draw.choice(simple)
    shapes = [
        one, [one], {"text": one, "tags": draw.choice(simple)}, {"choice": one, "reason": draw.choice(simple)},
        {"answer": [one], "none": draw.choice(simple), "confidence": draw.choice(simple)}, {"answer": one},
        {"text": "fine", "tags": [one]}, {"text": "fine", "tags": [], "facts": draw.choice(simple)},
        {"choice": "4", "reason": one}, {str(one)[:50]: one}, {"rushed": one}, {"rushed": [one, draw.choice(simple)]},
    ]  # fmt: skip
    return draw.choice(shapes)


def stored_as_any_database_takes_it() -> None:
    """What SQLite lets pass and PostgreSQL does not: NUL in a text or in JSON, and texts longer than their column."""
    for model in apps.get_models():
        for row in model.objects.all():
            for field in model._meta.concrete_fields:
                value = getattr(row, field.attname)
                text = json.dumps(value) if isinstance(value, (dict, list)) else value
                if isinstance(text, str):
                    assert "\x00" not in text, (model, field.name)
                    assert "\\u0000" not in text, (model, field.name)
                    assert not field.max_length or len(text) <= field.max_length, (model, field.name, text[:80])


def send(hour: Hour, path: str, body: Any) -> int:
    text = body if isinstance(body, str) else json.dumps(body)
    hour.client.raise_request_exception = True
    answer = hour.client.post(
        hour.url(path), text, content_type="application/json", headers={"Accept": "application/json"}
    )
    return answer.status_code


def fuzz_saves(hour: Hour, fields: list[str], rounds: int, seed: int) -> None:
    draw = random.Random(seed)
    names = [
        *fields,
        "attempt/1/2",
        "attempt/" + "0" * 300 + "1",
        "attempt/01",
        "rating/\x00",
        "closing/",
        "card/x",
        7,
        None,
        ["a"],
        {},
        "\ud800",
    ]
    for n in range(rounds):
        body = {
            "field": draw.choice(names[: len(fields)] if n % 3 else names), "value": odd_values(draw),
            "base": draw.choice([0, 0, 0, 1, -1, True, "0", None, 10**12, 1.0, [0]]),
            "save_id": draw.choice([f"fuzz{seed}{n:06}", f"fuzz{seed}{n:06}", "x", None, 5, [], "\x00" * 10, "a" * 41]),
            "participant": draw.choice([hour.visit.owner] * 8 + [None, 5, [], "\x00", hour.code + "-9"]),
        }  # fmt: skip
        status = send(hour, "save/", body)
        assert status in (200, 403, 404, 409, 422), (status, body)
    for text in ("", "{", "[]", "null", '"x"', "[" * 100_000, '{"a":' * 50_000, "9" * 5000):
        assert send(hour, "save/", text) == 422
    for levels in range(840, 1000, 16):
        body = '{"field": "%s", "base": 0, "save_id": "deep%06d", "participant": "%s", '
        body += '"value": {"choice": %s, "text": %s, "confidence": %s}}'
        nested = "[" * levels + "]" * levels
        assert send(hour, "save/", body % (fields[0], levels, hour.visit.owner, nested, nested, nested)) in (
            409,
            422,
            200,
        )


def test_saves_of_any_shape_are_answered(hour: Hour) -> None:
    hour.orient()
    hour.open_question()
    fuzz_saves(hour, ["attempt/1", "scratch/1", "attempt/2"], 30, 1)
    assert set(Save.objects.values_list("field", flat=True)) <= {"attempt/1", "scratch/1", "attempt/2"}
    Attempt.objects.update(version=0, draft={})
    Save.objects.all().delete()
    hour.work()
    hour.get("ratings/", follow=True)
    fuzz_saves(
        hour, ["rating/Org", "rationale/Org/right", "rationale/Org/off", "rating/Case", "rationale/Case/off"], 60, 2
    )
    hour.post("lock/", {"leave_open": "yes"})
    fuzz_saves(hour, ["closing/rushed", "closing/umux_easy", "closing/own_Account", "rating/Org"], 25, 3)
    stored_as_any_database_takes_it()


FORMS = """
work/1/answer/ work/1/pin/ work/1/note/ work/1/ask/ work/1/after/
work/1/pin/9999999999999999999/remove/ work/99999999999999999999/answer/
work/1/note/9999999999999999999/delete/ help/ pause/ go-on/ orientation/practice/ orientation/check/
orientation/moves/x%00/start/ ratings/Org/ ratings/x%00/ ratings/Case/evidence/attach/
ratings/Case/evidence/remove/ ratings/Case/evidence/narrow/ ratings/all/ closing/hour/
closing/x%00/99999999999999999999/ lock/ debrief/ orientation/start/
""".split()  # noqa: SIM905 a list of addresses reads best so
NAMES = """
answer mark confidence version save_id scratch scratch_version note note_record pin pin_field
question question_id kind words at back practice records choice right off tags facts_right attach
detach narrow act reason visit use remove rushed version_rushed save_id_rushed Org.right data_choice
""".split()  # noqa: SIM905 a list of addresses reads best so


def fuzz_forms(hour: Hour, rounds: int, seed: int) -> None:
    draw = random.Random(seed)
    texts = [one for one in ODD_TEXTS if one != "\ud800"] + [
        "1",
        "0",
        "next",
        "keep",
        "Org",
        "stuck",
        hour.code,
        "/crm/x",
        "right:x:y",
    ]
    for _n in range(rounds):
        form = {name: draw.choice(texts) for name in draw.sample(NAMES, draw.randint(0, 14))}
        path = draw.choice(FORMS)
        if path in ("lock/", "debrief/", "pause/", "help/") and draw.random() < 0.8:
            continue
        accept = {"Accept": "application/json"} if draw.random() < 0.3 else {}
        status = hour.client.post(hour.url(path), form, headers=accept).status_code
        assert status in (200, 302, 400, 404, 405, 409, 422), (path, form, status)
        hour.post("go-on/")


def test_forms_of_any_shape_are_answered(hour: Hour) -> None:
    fuzz_forms(hour, 12, 11)
    hour.orient()
    hour.open_question()
    fuzz_forms(hour, 25, 12)
    if hour.participant.stage == "working":
        hour.work()
    if hour.participant.stage == "rating":
        hour.get("ratings/", follow=True)
        fuzz_forms(hour, 25, 13)
        hour.post("lock/", {"leave_open": "yes"})
    fuzz_forms(hour, 12, 14)
    stored_as_any_database_takes_it()


PATHS = """
work/1/?x=%00 work/1/resolve/?id=%00%20abc save/?field=%00 save/?field=attempt/1%00 save/?field=a/b/c pause/?at=%00
help/?at=/crm/%00 ratings/%00/ closing/%00/ work/99999999999999999999/ data/?x=%00
""".split()  # noqa: SIM905 a list of addresses reads best so
FACTS: list[dict[str, str]] = [
    {},
    {"sequence": "x"},
    {"sequence": "9" * 12, "visible": "1", "focused": "1", "idle": "1"},
    {"sequence": "1", "visible": "9" * 12, "focused": "1", "idle": "1", "copied": "\x00 x", "width": "9" * 12},
]


def test_addresses_of_any_shape_are_answered(hour: Hour) -> None:
    hour.orient()
    desk = hour.open_question()
    for path in PATHS:
        assert hour.client.get(hour.url(path)).status_code in (200, 302, 404), path
    for code in ("%00", hour.code + "%00", "P-" + "9" * 300):
        assert hour.client.get(f"/hour/{code}/work/").status_code == 404
        assert hour.client.post(f"/hour/{code}/save/", "{}", content_type="application/json").status_code == 404
        assert hour.client.get(f"/crm/{code}/").status_code == 404
    for body in FACTS:
        assert hour.client.post(f"{desk}facts/", body).status_code in (204, 400)
    assert hour.client.post(f"{desk}facts/", "{", content_type="application/json").status_code == 400
