from django.urls import include, path

urlpatterns = [
    path("", include("study.accounts.urls")),
    path("studies/<slug:code>/protocol/", include("study.protocols.urls")),
    path("studies/<slug:code>/papers/", include("study.protocols.urls_papers")),
    path("crm/", include("study.sandbox.urls")),
    path("", include("study.sandbox.exchange.urls_staff")),
    path("", include("study.people.urls")),
    path("", include("study.assignment.urls")),
    path("", include("study.results.urls")),
    path("", include("study.fieldwork.urls")),
]
