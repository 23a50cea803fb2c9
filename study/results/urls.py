from django.urls import path

from study.results import closing_views, marking_views, pilot_views, redaction_views, replay_views, views

one = "studies/<slug:code>/"

urlpatterns = [
    path(one + "closing-out/", closing_views.closing_out, name="closing_out"),
    path(one + "closing-out/deviations/", closing_views.deviations_looked, name="deviations_looked"),
    path(one + "closing-out/close/", closing_views.study_close, name="study_close"),
    path(one + "closing-out/reopen/", closing_views.study_reopen, name="study_reopen"),
    path(one + "closing-out/archive/", closing_views.study_archive, name="study_archive"),
    path(one + "closing-out/unarchive/", closing_views.study_unarchive, name="study_unarchive"),
    path(one + "monitor/", views.monitor, name="monitor"),
    path(one + "results/", views.results, name="results"),
    path(one + "results/compute/", views.results_compute, name="results_compute"),
    path(one + "results/<str:name>.csv", views.results_table, name="results_table"),
    path(one + "results/<str:name>.svg", views.results_figure, name="results_figure"),
    path(one + "pilot/", pilot_views.pilot, name="pilot"),
    path(one + "rationales/", views.rationales, name="rationales"),
    path(one + "marking/", marking_views.marking_room, name="marking"),
    path(one + "marking/markers/", marking_views.marking_markers, name="marking_markers"),
    path(one + "marking/<slug:token>/", marking_views.marking_text, name="marking_text"),
    path(one + "marking/<slug:token>/mark/", marking_views.marking_mark, name="marking_mark"),
    path(one + "marking/<slug:token>/undo/", marking_views.marking_undo, name="marking_undo"),
    path(one + "redaction/", redaction_views.redaction, name="redaction"),
    path(one + "redaction/<slug:token>/", redaction_views.redaction_text, name="redaction_text"),
    path(one + "redaction/<slug:token>/settle/", redaction_views.redaction_settle, name="redaction_settle"),
    path(one + "release/make/", redaction_views.release_make, name="release_make"),
    path(one + "export/", views.export, name="export"),
    path(one + "export/make/", views.export_make, name="export_make"),
    path(one + "export/trace/", views.export_trace, name="export_trace"),
    path(one + "report/make/", views.report_make, name="report_make"),
    path(one + "report/<int:pk>/", views.report_read, name="report_read"),
    path(one + "export/<int:pk>/", views.export_download, name="export_download"),
    path(one + "visits/", replay_views.replays, name="replays"),
    path(one + "visits/<str:visit>/replay/", replay_views.replay, name="replay"),
    path(one + "visits/<str:visit>/replay/<int:number>/", replay_views.replay_step, name="replay_step"),
]
