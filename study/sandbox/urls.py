from django.urls import path

from study.sandbox.gui import (
    views_console,
    views_facts,
    views_kept,
    views_lists,
    views_read,
    views_reports,
    views_search,
    views_staff,
)

urlpatterns = [
    path("open/<str:name>/", views_staff.open_org, name="crm_open"),
    path("<str:code>/", views_lists.home, name="crm_home"),
    path("<str:code>/o/<str:name>/", views_lists.list_view, name="crm_list"),
    path("<str:code>/r/<str:record_id>/", views_read.record, name="crm_record"),
    path("<str:code>/r/<str:record_id>/related/<str:key>/", views_read.related, name="crm_related"),
    path("<str:code>/r/<str:record_id>/thread/", views_read.thread, name="crm_thread"),
    path("<str:code>/r/<str:record_id>/favourite/", views_kept.favourite, name="crm_favourite"),
    path("<str:code>/apps/", views_lists.apps, name="crm_apps"),
    path("<str:code>/fields/<str:name>/", views_lists.fields, name="crm_fields"),
    path("<str:code>/facts/", views_facts.facts, name="crm_facts"),
    path("<str:code>/long/", views_kept.long_address, name="crm_long"),
    path("<str:code>/favourites/", views_kept.favourites, name="crm_favourites"),
    path("<str:code>/views/save/", views_kept.view_save, name="crm_view_save"),
    path("<str:code>/views/<int:pk>/rename/", views_kept.view_rename, name="crm_view_rename"),
    path("<str:code>/views/<int:pk>/delete/", views_kept.view_delete, name="crm_view_delete"),
    path("<str:code>/search/", views_search.search, name="crm_search"),
    path("<str:code>/search/suggest/", views_search.suggest, name="crm_suggest"),
    path("<str:code>/values/<str:name>/", views_search.values, name="crm_values"),
    path("<str:code>/report/", views_reports.reports, name="crm_reports"),
    path("<str:code>/report/<str:name>/", views_reports.report, name="crm_report"),
    path("<str:code>/console/", views_console.console, name="crm_console"),
    path("<str:code>/schema/", views_console.schema, name="crm_schema"),
    path("<str:code>/schema/<str:name>/", views_console.schema_object, name="crm_schema_object"),
]
