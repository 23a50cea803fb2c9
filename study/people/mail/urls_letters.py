"""Letters: their words, their log, the reminders of a cohort, and the way to get no more of them."""

from django.conf import settings
from django.urls import path

from study.people.mail import letter_log_views, letter_views, mail_reports, reminder_views, unsubscribe_views

study = "studies/<slug:code>/letters/"
words = study + "<slug:kind>/<slug:language>/"
reminders = "studies/<slug:code>/cohorts/<slug:cohort>/reminders/"
one = "studies/<slug:code>/people/<str:participant>/"

urlpatterns = [
    path("u/<str:token>/", unsubscribe_views.unsubscribe, name="unsubscribe"),
    path("u/<str:token>/undo/", unsubscribe_views.unsubscribe_undo, name="unsubscribe_undo"),
    path(study, letter_views.letters, name="letters"),
    path(study + "log/", letter_log_views.log, name="letter_log"),
    path(words, letter_views.letter_text, name="letter_text"),
    path(words + "preview/", letter_views.letter_preview_page, name="letter_preview"),
    path(words + "drawn/", letter_views.letter_drawn, name="letter_drawn"),
    path(words + "test/", letter_views.letter_test, name="letter_test"),
    path(words + "built-in/", letter_views.letter_built_in, name="letter_built_in"),
    path(reminders, reminder_views.cohort_reminders, name="cohort_reminders"),
    path(reminders + "add/", reminder_views.cohort_reminder_add, name="cohort_reminder_add"),
    path(reminders + "<int:number>/", reminder_views.cohort_reminder_change, name="cohort_reminder_change"),
    path(one + "bounced/", letter_log_views.participant_bounced, name="participant_bounced"),
    path(one + "address-works/", letter_log_views.participant_address_works, name="participant_address_works"),
]
# Without a provider and a secret there is no door at all.
if settings.MAIL_REPORTS:
    urlpatterns.append(path("mail-reports/", mail_reports.mail_reports, name="mail_reports"))
