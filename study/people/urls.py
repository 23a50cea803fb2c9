from django.urls import include, path

from study.people import views
from study.people.consenting import adopting_views, consent_views
from study.people.sample import cohort_views
from study.people.ways import computer_views

cohort = "studies/<slug:code>/cohorts/<slug:cohort>/"
hour = "hour/<str:code>/"

urlpatterns = [
    path("i/<str:token>/computer/", computer_views.invitation_computer, name="invitation_computer"),
    path("", include("study.people.ways.urls_ways")),
    path("hour/", views.hour, name="hour"),
    path("hour/resume/", views.hour_resume, name="hour_resume"),
    path(hour, views.hour_of, name="hour_of"),
    path(hour + "key/", views.hour_key, name="hour_key"),
    path(hour + "screener/", views.screener, name="screener"),
    path(hour + "consent/decline/", views.consent_decline, name="consent_decline"),
    path(hour + "consent/again/", consent_views.consent_again, name="consent_again"),
    path(hour + "consent/choice/", consent_views.consent_choice, name="consent_choice"),
    path(hour + "consent/copy/", consent_views.consent_copy, name="consent_copy"),
    path(hour + "consent/copy/<int:pk>/pdf/", consent_views.consent_copy_pdf, name="consent_copy_pdf"),
    path(hour + "privacy/", consent_views.hour_privacy, name="hour_privacy"),
    path(hour + "leave/", views.leave, name="leave"),
    path(hour + "ended/", views.ended, name="ended"),
    path(hour + "computer/", computer_views.hour_computer, name="to_computer"),
    path("", include("study.people.pay.urls_pay")),
    path("", include("study.people.privacy.urls_privacy")),
    path("studies/<slug:code>/cohorts/", cohort_views.cohorts, name="cohorts"),
    path("studies/<slug:code>/cohorts/new/", cohort_views.cohort_new, name="cohort_new"),
    path(cohort, cohort_views.cohort, name="cohort"),
    path("", include("study.people.sample.urls_cohorts")),
    path(cohort + "change/", cohort_views.cohort_change, name="cohort_change"),
    path(cohort + "protocol/", adopting_views.cohort_protocol, name="cohort_protocol"),
    path(cohort + "pause/", cohort_views.cohort_pause, name="cohort_pause"),
    path(cohort + "close/", cohort_views.cohort_close, name="cohort_close"),
    path("", include("study.people.coordinating.urls_board")),
    path("", include("study.people.mail.urls_letters")),
]
