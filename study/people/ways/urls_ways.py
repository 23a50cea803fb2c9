"""Ways in: doors that participants open, and the pages on which coordinators set them up."""

from django.urls import path

from study.people.ways import arrival_views, import_views, invitation_views, panel_views

cohort = "studies/<slug:code>/cohorts/<slug:cohort>/"
one = "studies/<slug:code>/people/<str:participant>/"
listed = cohort + "invite/<int:pk>/"

urlpatterns = [
    path("i/<str:token>/", invitation_views.invitation, name="invitation"),
    path("i/<str:token>/decline/", invitation_views.invitation_decline, name="invitation_decline"),
    path("i/<str:token>/undo/", invitation_views.invitation_undo, name="invitation_undo"),
    path("i/<str:token>/tomorrow/", invitation_views.invitation_tomorrow, name="invitation_tomorrow"),
    path("i/<str:token>/calendar/", invitation_views.invitation_calendar, name="invitation_calendar"),
    path("j/<str:link>/", arrival_views.open_link, name="open_link"),
    path("p/<str:link>/", arrival_views.panel_entry, name="panel_entry"),
    path(cohort + "invite/", import_views.cohort_invite, name="cohort_invite"),
    path(listed, import_views.cohort_import, name="cohort_import"),
    path(listed + "send/", import_views.cohort_import_send, name="cohort_import_send"),
    path(listed + "drop/", import_views.cohort_import_drop, name="cohort_import_drop"),
    path(listed + "to-correct/", import_views.cohort_import_bad, name="cohort_import_bad"),
    path(cohort + "panel/", panel_views.cohort_panel, name="cohort_panel"),
    path(cohort + "panel/remove/", panel_views.cohort_panel_remove, name="cohort_panel_remove"),
    path(cohort + "link/renew/", panel_views.cohort_link_renew, name="cohort_link_renew"),
    path(cohort + "panel/compare/", panel_views.panel_reconcile, name="panel_reconcile"),
    path(cohort + "panel/settle/", panel_views.panel_settle, name="panel_settle"),
    path(cohort + "panel/differences/", panel_views.panel_differences, name="panel_differences"),
    path(one + "resend/", import_views.participant_resend, name="participant_resend"),
]
