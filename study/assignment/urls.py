from django.urls import path

from study.assignment import views

urlpatterns = [
    path("hour/<str:code>/consent/", views.consent, name="consent"),
    path("studies/<slug:code>/", views.study, name="study"),
    path("studies/<slug:code>/cohorts/<slug:cohort>/open/", views.cohort_open, name="cohort_open"),
]
