"""An optional paraphraser: another wording of a text by a language model, kept only if every fact is still in it.

It speaks to any endpoint that offers ``POST {base}/chat/completions`` in the OpenAI format. What comes back is refused,
and the text stays as it was, unless every particular that must be kept stands in it word for word, it names no amount,
date, number, Id, address, product or name that was not there before, and it is between half and twice as long. Answers,
refused ones too, are kept by the hash of model, prompt and text, so that a build with a full cache asks nobody and
comes out the same.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from study.generator.groundwork.facts import Fact

PROMPT = (
    "Reword the text of a business record. Keep its meaning, its tone, its language, who speaks, the order of what is "
    "said and every line break. Keep names, numbers, amounts, dates and products exactly as they are and add none. "
    "Keep these passages word for word: {keep}. Answer with the new text and nothing else."
)
_LONGEST = 2.0
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_PARTICULARS = (
    re.compile(r"\d[\d,.:/-]*\d|\d"),
    re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+"),
    re.compile(rf"\b(?:{_MONTHS})\b"),
    re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"),
    re.compile(r"\b(?:hundred|thousand|million)\b", re.IGNORECASE),
)
# Who speaks, at the beginning of a line of a chat or call, with the time where there is one.
_SPEAKER = re.compile(r"^((?:\[[^\]\n]*\] )?[A-Z][^:\n]{1,50}): ", re.MULTILINE)
# A capitalised word that does not begin a sentence is taken for a name.
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w'’-]+")


@dataclass(frozen=True)
class Endpoint:
    """Where to ask. ``base`` ends before ``/chat/completions``; ``key`` is sent as a bearer token and never shown."""

    base: str
    model: str
    key: str = field(default="", repr=False)
    timeout: float = 30.0
    temperature: float = 0.7

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> Endpoint | None:
        """From PARAPHRASE_BASE_URL, PARAPHRASE_MODEL and PARAPHRASE_API_KEY; None where the first two are missing."""
        base, model = settings.get("PARAPHRASE_BASE_URL", ""), settings.get("PARAPHRASE_MODEL", "")
        if not base or not model:
            return None
        return cls(base.rstrip("/"), model, settings.get("PARAPHRASE_API_KEY", ""))


@dataclass
class Paraphraser:
    """``names`` are further words (products, competitors, people) that may not appear where they did not stand.

    ``counts`` tells how many texts were reworded ("accepted"), how many stayed and why ("lost", "added", "length",
    "failed"), and how many answers came from the cache ("cached"). After ``patience`` failures in a row nobody is asked
    any more ("unasked").
    """

    endpoint: Endpoint
    cache: Path
    names: Sequence[str] = ()
    patience: int = 5
    counts: Counter[str] = field(default_factory=Counter)
    _failures: int = 0

    def rewrite(self, text: str, must_keep: Sequence[str]) -> str:
        """Another wording of a text, or the text itself. Never raises for what the endpoint does."""
        if not text.strip():
            return text
        prompt = PROMPT.format(keep="; ".join(f'"{one}"' for one in must_keep) or "none")
        answer = self._answer(prompt, text)
        if answer is None:
            return text
        fault = self.fault(text, answer, must_keep)
        self.counts[fault or "accepted"] += 1
        return text if fault else answer

    def fault(self, text: str, answer: str, must_keep: Sequence[str]) -> str:
        """Why an answer is refused: "length", "lost" or "added"; empty if it is not."""
        if not len(text) / _LONGEST <= len(answer) <= len(text) * _LONGEST:
            return "length"
        if any(one not in answer for one in must_keep):
            return "lost"
        if _SPEAKER.findall(text) != _SPEAKER.findall(answer):
            return "lost"
        before, after = _particulars(text), _particulars(answer)
        if after - before or _names(answer) - _names(text) - set(re.findall(r"[\w'’-]+", text)):
            return "added"
        small_before, small_after = text.casefold(), answer.casefold()
        if any(name.casefold() in small_after and name.casefold() not in small_before for name in self.names):
            return "added"
        return ""

    def _answer(self, prompt: str, text: str) -> str | None:
        key = hashlib.sha256(f"{self.endpoint.model}\n{prompt}\n{text}".encode()).hexdigest()
        path = self.cache / key[:2] / f"{key}.txt"
        if path.is_file():
            self.counts["cached"] += 1
            return path.read_text(encoding="utf-8")
        if self._failures >= self.patience:
            self.counts["unasked"] += 1
            return None
        answer = self._ask(prompt, text)
        if answer is None:
            self._failures += 1
            self.counts["failed"] += 1
            return None
        self._failures = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        unfinished.write_text(answer, encoding="utf-8")
        unfinished.replace(path)
        return answer

    def _ask(self, prompt: str, text: str) -> str | None:
        """One request; None for anything but a well-formed answer in time."""
        where, ours = urlsplit(self.endpoint.base), self.endpoint
        kind = http.client.HTTPSConnection if where.scheme == "https" else http.client.HTTPConnection
        messages = [{"role": "system", "content": prompt}, {"role": "user", "content": text}]
        body = json.dumps({"model": ours.model, "temperature": ours.temperature, "messages": messages})
        headers = {"Content-Type": "application/json"}
        if ours.key:
            headers["Authorization"] = f"Bearer {ours.key}"
        try:
            connection = kind(where.hostname or "", where.port, timeout=ours.timeout)
            try:
                connection.request("POST", f"{where.path}/chat/completions", body.encode(), headers)
                response = connection.getresponse()
                raw = response.read()
            finally:
                connection.close()
            if response.status != 200:
                return None
            content = json.loads(raw)["choices"][0]["message"]["content"]
        except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
            return None
        return content.strip() if isinstance(content, str) and content.strip() else None


def _particulars(text: str) -> set[str]:
    return {hit.casefold() for pattern in _PARTICULARS for hit in pattern.findall(text)}


def _names(text: str) -> set[str]:
    return set(_NAME.findall(text))


def paraphrased(
    tables: Mapping[str, Sequence[Mapping[str, Any]]], facts: Iterable[Fact], paraphraser: Paraphraser
) -> dict[str, list[dict[str, Any]]]:
    """The tables with the texts reworded of which particulars are told ("said" facts), and "said" particulars kept.

    Quoted parts of letters stay as they are. Other tables and fields are the same; nothing is changed in place.
    """
    keep: dict[tuple[str, str, str], list[str]] = {}
    for fact in facts:
        if fact.kind == "said":
            key = (str(fact.values["object"]), str(fact.values["field"]), fact.of)
            keep.setdefault(key, []).append(str(fact.values["text"]))
        elif fact.kind == "insight" and fact.values.get("competitor"):
            call = ("VoiceCallTranscript__c", "Body__c", str(fact.values["call"]))
            keep.setdefault(call, []).append(str(fact.values["competitor"]))
    by_object: dict[str, dict[str, set[str]]] = {}
    for name, field_name, record_id in keep:
        by_object.setdefault(name, {}).setdefault(record_id, set()).add(field_name)
    result: dict[str, list[dict[str, Any]]] = {}
    for name, rows in tables.items():
        wanted, changed = by_object.get(name, {}), list[dict[str, Any]]()
        for row in rows:
            entry = dict(row)
            for field_name in sorted(wanted.get(str(row.get("Id")), ())):
                text = entry.get(field_name)
                if isinstance(text, str):
                    entry[field_name] = _reworded(text, keep[name, field_name, str(row["Id"])], paraphraser)
            changed.append(entry)
        result[name] = changed
    return result


_QUOTED = re.compile(r"\n+On .{4,120} wrote:\n")


def _reworded(text: str, must_keep: Sequence[str], paraphraser: Paraphraser) -> str:
    """A text reworded down to where it begins to quote."""
    quoted = _QUOTED.search(text)
    own = text[: quoted.start()] if quoted else text
    kept = [one for one in dict.fromkeys(must_keep) if one in own]
    return paraphraser.rewrite(own, kept) + text[len(own) :]
