from django.urls import path

from study.sandbox import views, views_read, views_staff

urlpatterns = [
    path("open/<str:name>/", views_staff.open_org, name="crm_open"),
    path("<str:code>/", views.home, name="crm_home"),
    path("<str:code>/o/<str:name>/", views.list_view, name="crm_list"),
    path("<str:code>/r/<str:record_id>/", views_read.record, name="crm_record"),
    path("<str:code>/r/<str:record_id>/thread/", views_read.thread, name="crm_thread"),
    path("<str:code>/search/", views.search, name="crm_search"),
    path("<str:code>/search/suggest/", views.suggest, name="crm_suggest"),
    path("<str:code>/report/", views.reports, name="crm_reports"),
    path("<str:code>/report/<str:name>/", views.report, name="crm_report"),
]
