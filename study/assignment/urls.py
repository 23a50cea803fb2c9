from django.urls import path

from study.assignment import coverage_views, setup_views, views

urlpatterns = [
    path("hour/<str:code>/consent/", views.consent, name="consent"),
    path("hour/<str:code>/next/", views.next_visit, name="next_visit"),
    path("hour/<str:code>/next/begin/", views.next_visit_begin, name="next_visit_begin"),
    path("hour/<str:code>/next/visit.ics", views.next_visit_calendar, name="next_visit_calendar"),
    path("studies/<slug:code>/", views.study, name="study"),
    path("studies/<slug:code>/setup/", setup_views.wizard, name="wizard"),
    path("studies/<slug:code>/setup/protocol/", setup_views.wizard_protocol, name="wizard_protocol"),
    path("studies/<slug:code>/duplicate/", setup_views.study_duplicate, name="study_duplicate"),
    path("studies/<slug:code>/coverage/", coverage_views.coverage, name="coverage"),
    path("studies/<slug:code>/coverage/<int:instance>/bench/", coverage_views.bench, name="instance_bench"),
    path("studies/<slug:code>/coverage/<int:instance>/unbench/", coverage_views.unbench, name="instance_unbench"),
    path("studies/<slug:code>/cohorts/<slug:cohort>/open/", views.cohort_open, name="cohort_open"),
]
