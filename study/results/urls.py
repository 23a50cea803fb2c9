from django.urls import path

from study.results import views

one = "studies/<slug:code>/"

urlpatterns = [
    path(one + "monitor/", views.monitor, name="monitor"),
    path(one + "results/", views.results, name="results"),
    path(one + "results/compute/", views.results_compute, name="results_compute"),
    path(one + "results/<str:name>.csv", views.results_table, name="results_table"),
    path(one + "results/<str:name>.svg", views.results_figure, name="results_figure"),
    path(one + "rationales/", views.rationales, name="rationales"),
    path(one + "export/", views.export, name="export"),
    path(one + "export/make/", views.export_make, name="export_make"),
    path(one + "export/<int:pk>/", views.export_download, name="export_download"),
]
