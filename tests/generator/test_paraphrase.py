"""The paraphraser against a small server of our own: what it keeps, refuses, counts, remembers, and survives."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from study.generator.groundwork.facts import Fact
from study.generator.paraphrase import Endpoint, Paraphraser, paraphrased
from study.sandbox.models import Org

TEXT = "Hi Ana, quote Q-1001 over $2,400 is valid until March 14. It covers two Frostline 200. Best, Leo"
KEEP = ("Q-1001", "$2,400")
GOOD = "Hello Ana, the quote Q-1001 of $2,400 holds until March 14. Two Frostline 200 are part of it. Best, Leo"


class Model:
    """What the server answers, and what it was asked."""

    def __init__(self) -> None:
        self.answer: Callable[[str], str] = lambda text: text
        self.status, self.wait, self.raw = 200, 0.0, ""
        self.asked: list[dict] = []
        self.keys: list[str | None] = []
        self.base = ""


@pytest.fixture
def model() -> Iterator[Model]:
    served = Model()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.asked.append(asked)
            served.keys.append(self.headers.get("Authorization"))
            time.sleep(served.wait)
            content = served.answer(asked["messages"][1]["content"])
            body = served.raw or json.dumps({"choices": [{"message": {"content": content}}]})
            try:
                self.send_response(served.status)
                self.end_headers()
                self.wfile.write(body.encode())
            except OSError:
                pass  # the other side did not wait

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.base = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield served
    server.shutdown()
    server.server_close()
    thread.join()


def writer(model: Model, folder: Path, **more: object) -> Paraphraser:
    return Paraphraser(Endpoint(model.base, "small", "secret", timeout=1.0), folder, ("Frostline 400",), **more)  # type: ignore[arg-type]


def test_another_wording_with_all_facts_is_taken_once_and_remembered(model: Model, tmp_path: Path) -> None:
    model.answer = lambda text: GOOD
    first = writer(model, tmp_path)
    assert first.rewrite(TEXT, KEEP) == GOOD
    assert first.rewrite(TEXT, KEEP) == GOOD
    assert first.counts == {"accepted": 2, "cached": 1}
    assert len(model.asked) == 1
    assert model.asked[0]["model"] == "small"
    assert "Q-1001" in model.asked[0]["messages"][0]["content"]
    assert model.keys == ["Bearer secret"]
    # Another run, with nobody there to ask, comes to the same.
    later = Paraphraser(Endpoint("http://127.0.0.1:9", "small", timeout=0.2), tmp_path, ("Frostline 400",))
    assert later.rewrite(TEXT, KEEP) == GOOD


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (GOOD.replace("Q-1001", "the offer"), "lost"),
        (GOOD.replace("$2,400", "$2,500"), "lost"),
        (GOOD + " Call me on extension 17.", "added"),
        (GOOD.replace("March", "April"), "added"),
        (GOOD + " See you on Friday.", "added"),
        (GOOD.replace("Two Frostline 200", "Two Frostline 200 and Frostline 400"), "added"),
        (GOOD + " Regards from Deborah Quinn.", "added"),
        (GOOD + " Write to leo@company.example any time.", "added"),
        ("Q-1001 $2,400", "length"),
        (GOOD + " and so on" * 30, "length"),
    ],
)
def test_an_answer_that_changes_facts_is_refused(model: Model, tmp_path: Path, answer: str, why: str) -> None:
    model.answer = lambda text: answer
    asked = writer(model, tmp_path)
    assert asked.rewrite(TEXT, KEEP) == TEXT
    assert asked.counts == {why: 1}


@pytest.mark.parametrize("raw", ["no json", "{}", '{"choices": []}', '{"choices": [{"message": {"content": ""}}]}'])
def test_what_is_no_answer_leaves_the_text(model: Model, tmp_path: Path, raw: str) -> None:
    model.raw = raw
    asked = writer(model, tmp_path)
    assert asked.rewrite(TEXT, KEEP) == TEXT
    assert asked.counts == {"failed": 1}


def test_errors_and_silence_leave_the_text_and_are_not_remembered(model: Model, tmp_path: Path) -> None:
    model.status = 500
    asked = writer(model, tmp_path)
    assert asked.rewrite(TEXT, KEEP) == TEXT
    model.status, model.wait = 200, 1.5
    assert asked.rewrite(TEXT, KEEP) == TEXT
    assert asked.counts == {"failed": 2}
    model.wait, model.answer = 0.0, lambda text: GOOD
    assert asked.rewrite(TEXT, KEEP) == GOOD


def test_nobody_is_asked_for_ever(model: Model, tmp_path: Path) -> None:
    model.status = 503
    asked = writer(model, tmp_path, patience=2)
    for n in range(5):
        assert asked.rewrite(f"{TEXT} {'x' * n}", KEEP).startswith(TEXT)
    assert asked.counts == {"failed": 2, "unasked": 3}
    assert len(model.asked) == 2


def test_the_key_is_never_shown(tmp_path: Path) -> None:
    endpoint = Endpoint.of(
        {"PARAPHRASE_BASE_URL": "http://x/v1/", "PARAPHRASE_MODEL": "m", "PARAPHRASE_API_KEY": "secret"}
    )
    assert endpoint is not None
    assert endpoint.base == "http://x/v1"
    assert "secret" not in repr(Paraphraser(endpoint, tmp_path))
    assert Endpoint.of({"PARAPHRASE_MODEL": "m"}) is None


def test_tables_are_reworded_where_facts_are_told_and_quotes_stay(model: Model, tmp_path: Path) -> None:
    quote = "\n\nOn Tue, Mar 4, 2025 at 10:12, Ana Roth wrote:\n> how much is it?"
    tables = {
        "EmailMessage": [{"Id": "a", "TextBody": TEXT + quote}, {"Id": "b", "TextBody": TEXT}],
        "Task": [{"Id": "c", "Description": "Call."}],
    }
    facts = [
        Fact("said", "a", {"object": "EmailMessage", "field": "TextBody", "slot": "quote", "text": "Q-1001"}),
        Fact("latent", "b", {"name": "Skill"}),
    ]
    model.answer = lambda text: GOOD
    changed = paraphrased(tables, facts, writer(model, tmp_path))
    assert changed["EmailMessage"] == [{"Id": "a", "TextBody": GOOD + quote}, {"Id": "b", "TextBody": TEXT}]
    assert changed["Task"] == tables["Task"]
    assert tables["EmailMessage"][0]["TextBody"] == TEXT + quote


def test_a_call_keeps_its_turns_and_the_competitor_that_was_named(model: Model, tmp_path: Path) -> None:
    body = "Ana Roth: We also talked to Borealis.\nLeo Park: I see, what did they say?\nAna Roth: Not much."
    facts = [Fact("insight", "d", {"call": "v", "subtopic": "price", "sentiment": "neutral", "competitor": "Borealis"})]
    tables = {"VoiceCallTranscript__c": [{"Id": "v", "Body__c": body}]}
    asked = writer(model, tmp_path)
    model.answer = lambda text: "Ana Roth: We talked to Borealis. Leo Park: I see, what did they say? Ana Roth: Little."
    assert paraphrased(tables, facts, asked) == tables
    model.answer = lambda text: body.replace("Borealis", "someone else")
    asked.cache = tmp_path / "other"
    assert paraphrased(tables, facts, asked) == tables
    assert asked.counts == {"lost": 2}
    model.answer = lambda text: body.replace("Not much.", "Little enough.")
    asked.cache = tmp_path / "third"
    assert paraphrased(tables, facts, asked)["VoiceCallTranscript__c"][0]["Body__c"].endswith("Little enough.")


@pytest.mark.django_db
def test_an_org_is_generated_in_other_words(
    model: Model, tmp_path: Path, settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REALIA_VAR = tmp_path  # type: ignore[attr-defined]
    asked = ("org_generate", "service", "--seed", "3", "--scale", "0.02", "--no-instances", "--paraphrase")
    with pytest.raises(CommandError, match="PARAPHRASE_BASE_URL"):
        call_command(*asked, "--name", "other-words")
    model.answer = lambda text: text + " Thanks again."
    monkeypatch.setenv("PARAPHRASE_BASE_URL", model.base)
    monkeypatch.setenv("PARAPHRASE_MODEL", "small")
    call_command(*asked, "--name", "other-words")
    call_command("org_generate", "service", "--seed", "3", "--scale", "0.02", "--no-instances", "--name", "own-words")
    told, own = Org.objects.get(name="other-words"), Org.objects.get(name="own-words")
    assert told.hash != own.hash
    assert told.counts == own.counts
    assert told.manifest["paraphrased"]["model"] == "small"
    assert told.manifest["paraphrased"]["counts"]["accepted"] > 10
    assert "paraphrased" not in own.manifest
    with pytest.raises(CommandError, match="scale 1 or less"):
        call_command("org_generate", "service", "--seed", "3", "--scale", "2", "--name", "large", "--paraphrase")
