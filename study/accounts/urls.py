from django.urls import include, path

from study.accounts import views

urlpatterns = [
    path("", views.front, name="front"),
    path("home/", views.home, name="home"),
    path("link/<str:token>/", views.signin_link, name="signin_link"),
    path("", include("study.accounts.urls_staff")),
    path("studies/", views.studies, name="studies"),
    path("studies/new/", views.study_create, name="study_create"),
    path("studies/<slug:code>/unblind/", views.study_unblind_form, name="unblind"),
    path("studies/<slug:code>/unblind/now/", views.study_unblind, name="unblind_now"),
    path("jobs/<int:pk>/", views.job, name="job"),
]
