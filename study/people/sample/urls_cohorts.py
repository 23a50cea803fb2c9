from django.urls import path

from study.people.sample import flow_views, placing_views, quota_views

cohort = "studies/<slug:code>/cohorts/<slug:cohort>/"
one = "studies/<slug:code>/people/<str:participant>/"

urlpatterns = [
    path(cohort + "quota/", quota_views.cohort_quota, name="cohort_quota"),
    path(one + "move/", placing_views.participant_move, name="participant_move"),
    path(one + "leave-out/", placing_views.participant_exclude, name="participant_exclude"),
    path(one + "take-in/", placing_views.participant_include, name="participant_include"),
    path(one + "invite-again/", placing_views.participant_invite_again, name="participant_invite_again"),
    path("studies/<slug:code>/flow/", flow_views.flow, name="flow"),
    path("studies/<slug:code>/flow/flow.<str:form>", flow_views.flow_file, name="flow_file"),
]
