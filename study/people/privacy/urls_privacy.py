"""Pages of privacy; ``study.people.urls`` includes them."""

from django.urls import path

from study.people.privacy import privacy_views as views

one = "studies/<slug:code>/people/<str:participant>/"

urlpatterns = [
    path("studies/<slug:code>/privacy/", views.privacy, name="privacy"),
    path("studies/<slug:code>/privacy/limit/", views.privacy_limit, name="privacy_limit"),
    path(one + "erase/", views.participant_erase, name="participant_erase"),
    path(one + "erase/now/", views.participant_erase_now, name="participant_erase_now"),
    path(one + "access/", views.participant_access, name="participant_access"),
    path(one + "access/file/", views.participant_access_file, name="participant_access_file"),
    path("hour/<str:code>/privacy/erase/", views.hour_erase, name="hour_erase"),
]
