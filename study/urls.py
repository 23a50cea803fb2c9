from django.urls import include, path

urlpatterns = [path("", include("study.accounts.urls"))]
