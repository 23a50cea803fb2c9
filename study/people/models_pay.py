"""Pay: what each outcome is paid, what is owed to whom, who approved it, and what left for panel or finance.

Amounts are whole numbers of the currency's smallest unit (cents), so that totals are exact everywhere.
"""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from study.accounts.models import Study, User
from study.people.models import Cohort, Participant


class PayRule(models.Model):
    """What a cohort pays for one outcome; shown to people before they start. Without a rule nothing is owed.

    ``reason``: complete, screened_out, full, no_consent, time_up, withdrawn, lapsed, technical_fault, excluded, visit
    (each visit of several).
    """

    cohort = models.ForeignKey(Cohort, on_delete=models.CASCADE, related_name="pay_rules")
    reason = models.CharField(max_length=20)
    amount = models.PositiveIntegerField()
    currency = models.CharField(max_length=3)  # ISO 4217

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cohort", "reason"], name="pay_rule_once")]

    def __str__(self) -> str:
        return f"{self.reason} {self.amount} {self.currency}"


class PayChange(models.Model):
    """Append-only: what a cohort promised for one outcome from a moment on.

    What somebody is owed follows from these and from the moments at which they joined and agreed: the amounts that
    they were shown bind, whatever the rule says later. ``amount`` 0: nothing.
    """

    cohort = models.ForeignKey(Cohort, on_delete=models.CASCADE, related_name="pay_changes")
    reason = models.CharField(max_length=20)
    amount = models.PositiveIntegerField()
    currency = models.CharField(max_length=3)
    by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["cohort", "reason"])]
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.reason} {self.amount} {self.currency}"


class PaymentState(models.TextChoices):
    DUE = "due", _("due")
    APPROVED = "approved", _("approved")
    SENT = "sent", _("handed over")
    PAID = "paid", _("paid")
    FAILED = "failed", _("not paid")
    CANCELLED = "cancelled", _("cancelled")


class PayBatch(models.Model):
    """One export for panel or finance: which payments left together, and the sum that the file says."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="pay_batches")
    number = models.PositiveIntegerField()
    cohort = models.ForeignKey(Cohort, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    form = models.CharField(max_length=20)  # finance, panel
    payments = models.PositiveIntegerField()
    totals = models.JSONField(default=dict)  # currency -> amount
    by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="pay_batch_number_once")]

    def __str__(self) -> str:
        return f"batch {self.number}"


class Payment(models.Model):
    """What is owed to one person for one reason, once (P-38). Never made from ratings, answers or flags.

    ``reason`` as in the rule, with the visit's number where each visit is paid ("visit-2"), or "extra-…" for what a
    coordinator adds with a note.
    """

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="payments")
    reason = models.CharField(max_length=24)
    amount = models.PositiveIntegerField()
    currency = models.CharField(max_length=3)
    state = models.CharField(max_length=10, choices=PaymentState.choices, default=PaymentState.DUE)
    note = models.CharField(max_length=200, blank=True)
    approved_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    approved_at = models.DateTimeField(null=True, blank=True)
    # The other pair of eyes, where the study asks for two.
    second_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    second_at = models.DateTimeField(null=True, blank=True)
    batch = models.ForeignKey(PayBatch, null=True, blank=True, on_delete=models.PROTECT, related_name="rows")
    paid_at = models.DateTimeField(null=True, blank=True)
    # What panel or finance call it; never an account number.
    reference = models.CharField(max_length=80, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["participant", "reason"], name="payment_once_per_reason")]
        indexes = [models.Index(fields=["state"])]

    def __str__(self) -> str:
        return f"{self.reason} {self.state}"


class PaymentEvent(models.Model):
    """Append-only: every move of a payment, and every notice that changed nothing because it came twice."""

    payment = models.ForeignKey(Payment, on_delete=models.CASCADE, related_name="events")
    # owed, approved, second, sent, paid, failed, cancelled, back, looked, repeated
    what = models.CharField(max_length=20)
    note = models.CharField(max_length=200, blank=True)
    by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.what} {self.payment_id}"
