"""Under ``studies/<code>/papers/``; ``study.urls`` includes it there."""

from django.urls import path

from study.protocols import paper_views

urlpatterns = [
    path("", paper_views.papers, name="papers"),
    path("deviations/", paper_views.deviations, name="deviations"),
    path("<int:number>/<slug:name>.<slug:form>", paper_views.paper, name="paper"),
]
