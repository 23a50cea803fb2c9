"""The pages on which a study's letters are written: which there are, their words, how they look, a test."""

from __future__ import annotations

from typing import Any

from csp.constants import NONE, SELF, UNSAFE_INLINE
from csp.decorators import csp_replace
from django.conf import settings
from django.contrib import messages
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts.access import MANAGE_COHORTS, person, study_for
from study.accounts.models import Study
from study.people.language import direction
from study.people.mail import letter_preview, letter_words
from study.people.mail.letter_kinds import Kind, Words, kind_of, worded_kinds
from study.people.mail.letter_words import Written
from study.people.models import LetterTemplate
from study.people.protocol import file_of, newest_frozen
from study.protocols.translations import languages_of

KEPT = 30 * 60
# A letter in its frame runs nothing and loads nothing.
FRAMED = {"default-src": [NONE], "style-src": [UNSAFE_INLINE], "frame-ancestors": [SELF], "script-src": [NONE]}


def languages(study: Study) -> tuple[str, ...]:
    """The languages of the newest frozen protocol; none before the freeze."""
    frozen = newest_frozen(study.pk)
    return tuple(languages_of(file_of(frozen, ""))) if frozen else ()


def letter_for(request: HttpRequest, code: str, kind: str, language: str) -> tuple[Study, Kind, Words]:
    """The study and the kind, for who manages cohorts; 404 for a kind or language that there is none of."""
    study = study_for(request, code, *MANAGE_COHORTS)
    words = worded_kinds().get(kind)
    if words is None or language not in languages(study):
        raise Http404
    return study, kind_of(kind), words


def typed(request: HttpRequest) -> Written:
    text = request.POST.get("text", "").replace("\r\n", "\n")
    return Written(request.POST.get("subject", ""), text, own=True)


def how_mail_leaves() -> str:
    """Where letters go from here, in words: nobody should believe that a demo reaches people."""
    if settings.EMAIL_URL == "smtp":
        return _("Letters leave through an SMTP server.")
    if settings.EMAIL_URL.startswith("anymail:"):
        return _("Letters leave through %(name)s.") % {"name": settings.EMAIL_URL.partition(":")[2].capitalize()}
    if settings.EMAIL_URL == "console":
        return _("Letters are printed where the server runs. Nobody receives them.")
    return _("Letters are written to files in the data folder. Nobody receives them until EMAIL_URL is set.")


@require_GET
def letters(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *MANAGE_COHORTS)
    here = languages(study)
    own = {(row.kind, row.language): row for row in LetterTemplate.objects.filter(study=study)}
    rows = [
        (name, words, [(language, own.get((name, language))) for language in here])
        for name, words in worded_kinds().items()
    ]
    context = {"study": study, "tab": "letters", "rows": rows, "languages": here, "way": how_mail_leaves()}
    return render(request, "people/staff/letters.html", context)


def page(request: HttpRequest, study: Study, kind: Kind, language: str, **more: Any) -> HttpResponse:
    built = worded_kinds()[kind.name]
    stored = letter_words.words_for(study.pk, kind.name, built, language)
    context = {
        "study": study, "tab": "letters", "kind": kind, "words": built, "language": language,
        "direction": direction(language), "stored": stored, "shown": more.pop("shown", stored),
        "longest_subject": letter_words.LONGEST_SUBJECT, "longest_text": letter_words.LONGEST_TEXT,
    }  # fmt: skip
    status = 422 if more.get("problems") else 200
    return render(request, "people/staff/letter_words.html", context | more, status=status)


@require_http_methods(["GET", "POST"])
def letter_text(request: HttpRequest, code: str, kind: str, language: str) -> HttpResponse:
    """The words of one kind in one language: to read, and to change."""
    study, one, built = letter_for(request, code, kind, language)
    if request.method != "POST":
        return page(request, study, one, language)
    words = typed(request)
    try:
        letter_words.keep_words(study, kind, built, language, words.subject, words.text, by=person(request))
    except ValidationError as error:
        return page(request, study, one, language, shown=words, problems=error.messages)
    messages.success(request, _("These words are sent from now on."))
    return redirect("letter_text", study.code, kind, language)


def preview_key(request: HttpRequest, study: Study, kind: Kind, language: str) -> str:
    return f"letter-preview:{person(request).pk}:{study.pk}:{kind.name}:{language}"


@require_POST
def letter_preview_page(request: HttpRequest, code: str, kind: str, language: str) -> HttpResponse:
    """What was typed, as an invented person would get it. Nothing is stored but for the frame beside it."""
    study, one, built = letter_for(request, code, kind, language)
    words = typed(request)
    if found := letter_words.problems(built, words.subject, words.text, study):
        return page(request, study, one, language, shown=words, problems=found)
    cache.set(preview_key(request, study, one, language), (words.subject, words.text), KEPT)
    message = letter_preview.sampled(study, one, built, words, language)
    return page(request, study, one, language, shown=words, message=message)


@require_GET
@xframe_options_sameorigin
@csp_replace(FRAMED)  # type: ignore[arg-type]  # its types know views without arguments only
def letter_drawn(request: HttpRequest, code: str, kind: str, language: str) -> HttpResponse:
    """The HTML of the letter last looked at, for the frame: here alone elements bring styles, as they do in mail."""
    study, one, built = letter_for(request, code, kind, language)
    kept = cache.get(preview_key(request, study, one, language))
    words = Written(*kept) if kept else letter_words.words_for(study.pk, kind, built, language)
    return HttpResponse(letter_preview.html_of(letter_preview.sampled(study, one, built, words, language)))


@require_POST
def letter_test(request: HttpRequest, code: str, kind: str, language: str) -> HttpResponse:
    """What was typed, sent to whoever is signed in."""
    study, one, built = letter_for(request, code, kind, language)
    words, me = typed(request), person(request)
    found = letter_words.problems(built, words.subject, words.text, study)
    if not found:
        try:
            letter_preview.send_test(study, one, built, words, language, to=me)
            messages.success(request, _("Sent to %(email)s. The words are not stored yet.") % {"email": me.email})
        except letter_preview.NotSent as error:
            found = [_("The test was not sent: %(said)s.") % {"said": error}]
    return page(request, study, one, language, shown=words, problems=found)


@require_POST
def letter_built_in(request: HttpRequest, code: str, kind: str, language: str) -> HttpResponse:
    study, _one, _built = letter_for(request, code, kind, language)
    if letter_words.drop_words(study, kind, language, by=person(request)):
        messages.success(request, _("The built-in words are sent from now on."))
    return redirect("letter_text", study.code, kind, language)
