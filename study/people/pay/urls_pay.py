"""Pages of pay; ``study.people.urls`` includes them."""

from django.urls import path

from study.people.pay import pay_entry_views as entry
from study.people.pay import pay_views as views

pay = "studies/<slug:code>/payments/"

urlpatterns = [
    path(pay, views.payments, name="payments"),
    path(pay + "approve/", views.payments_approve, name="payments_approve"),
    path(pay + "batch/", views.payments_batch, name="payments_batch"),
    path(pay + "import/", views.payments_import, name="payments_import"),
    path(pay + "eyes/", views.payments_eyes, name="payments_eyes"),
    path(pay + "batches/<int:number>/", views.pay_batch, name="pay_batch"),
    path(pay + "batches/<int:number>/paid/", views.pay_batch_paid, name="pay_batch_paid"),
    path(pay + "batches/<int:number>/<slug:kind>/", views.pay_batch_file, name="pay_batch_file"),
    path(pay + "<int:pk>/", views.payment, name="payment"),
    path(pay + "<int:pk>/cancel/", views.payment_cancel, name="payment_cancel"),
    path(pay + "<int:pk>/back/", views.payment_back, name="payment_back"),
    path(pay + "<int:pk>/looked/", views.payment_looked, name="payment_looked"),
    path("studies/<slug:code>/cohorts/<slug:cohort>/pay/", entry.cohort_pay, name="cohort_pay"),
    path("studies/<slug:code>/people/<str:participant>/pay/", entry.participant_pay, name="participant_pay"),
]
