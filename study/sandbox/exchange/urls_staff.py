"""Staff pages of Orgs: the same acts in a study and, for operators, in the installation."""

from django.urls import path

from study.sandbox.exchange import views_orgs as views

ACTS = (
    ("", views.orgs, "orgs"),
    ("add/", views.org_add, "org_add"),
    ("imports/<int:pk>/", views.org_import, "org_import"),
    ("exports/<int:pk>/", views.org_download, "org_download"),
    ("<str:name>/export/", views.org_export, "org_export"),
    ("<str:name>/delete/", views.org_delete, "org_delete"),
)
urlpatterns = [
    *(path(f"orgs/{rest}", view, name=name) for rest, view, name in ACTS),
    *(path(f"studies/<slug:code>/orgs/{rest}", view, name=f"study_{name}") for rest, view, name in ACTS),
]
