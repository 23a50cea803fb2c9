from django.urls import path

from study.assignment import views

urlpatterns = [
    path("hour/<str:code>/consent/", views.consent, name="consent"),
    path("hour/<str:code>/next/", views.next_visit, name="next_visit"),
    path("hour/<str:code>/next/begin/", views.next_visit_begin, name="next_visit_begin"),
    path("hour/<str:code>/next/visit.ics", views.next_visit_calendar, name="next_visit_calendar"),
    path("studies/<slug:code>/", views.study, name="study"),
    path("studies/<slug:code>/cohorts/<slug:cohort>/open/", views.cohort_open, name="cohort_open"),
]
