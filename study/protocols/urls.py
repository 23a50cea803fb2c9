"""Under ``studies/<code>/protocol/``; ``study.urls`` includes it there."""

from django.urls import path

from study.protocols import views

urlpatterns = [
    path("", views.show, name="protocol"),
    path("<int:number>/", views.show, name="protocol_version"),
    path("<int:number>/download/", views.download, name="protocol_download"),
    path("edit/", views.edit, name="protocol_edit"),
    path("edit/upload/", views.upload, name="protocol_upload"),
    path("freeze/", views.freeze_form, name="protocol_freeze"),
    path("freeze/now/", views.freeze, name="protocol_freeze_now"),
]
