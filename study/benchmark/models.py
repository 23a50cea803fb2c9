"""Query instances and the files they came from."""

from __future__ import annotations

from typing import Any, NoReturn

from django.db import models
from django.utils import timezone

from study.accounts.models import User
from study.sandbox.models import Org


class InstanceSet(models.Model):
    """One imported or generated file of query instances for one Org."""

    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="instance_sets")
    source = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["org", "sha256"], name="instance_set_once")]

    def __str__(self) -> str:
        return self.source


class Instance(models.Model):
    """One concrete question of a task on one Org, with its answer. Never reachable by participants as such."""

    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="instances")
    instance_set = models.ForeignKey(InstanceSet, on_delete=models.CASCADE, related_name="instances")
    key = models.CharField(max_length=40)
    idx = models.CharField(max_length=40, blank=True)
    task = models.CharField(max_length=60)
    skill = models.CharField(max_length=20)
    role = models.CharField(max_length=40, blank=True)
    # What people read (no answer format, no persona) and what the file said.
    question = models.TextField()
    asks = models.CharField(max_length=200, blank=True)
    definitions = models.TextField(blank=True)
    query = models.TextField()
    required = models.TextField(blank=True)
    optional = models.TextField(blank=True)
    persona = models.TextField(blank=True)
    today = models.DateField(null=True, blank=True)
    # A list; [null] means that no record fits.
    answer = models.JSONField()
    # Which answer this is: 1 as it came in, one more with each change (KeyChange).
    key_version = models.PositiveIntegerField(default=1)
    metric = models.CharField(max_length=24)
    answer_type = models.CharField(max_length=16)
    answer_object = models.CharField(max_length=80, blank=True)
    minutes_by_hand = models.DecimalField(max_digits=4, decimal_places=1, default=5)
    rule = models.CharField(max_length=60, blank=True)
    params = models.JSONField(default=dict, blank=True)
    # Pairs of object and record Id that the answer rests on.
    evidence = models.JSONField(default=list, blank=True)
    # What the requester knows, and how the question opens where part of it is withheld (docs/tasks.md).
    forms = models.JSONField(default=dict, blank=True)
    # "all" or "agents": with a today before the Org's last day, people would see records from its future.
    audience = models.CharField(max_length=12, default="all")
    assignable = models.BooleanField(default=True)
    benched = models.BooleanField(default=False)
    problem = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["org", "key"], name="instance_key_once")]
        indexes = [models.Index(fields=["org", "task"])]

    def __str__(self) -> str:
        return f"{self.task} {self.key}"


class Unchangeable(TypeError):
    """A row of a log was to be changed or deleted."""


class KeyChange(models.Model):
    """One change of an instance's answer: what it was, what it is now, by whom, when and why. Rows stay as they are."""

    instance = models.ForeignKey(Instance, on_delete=models.CASCADE, related_name="key_changes")
    version = models.PositiveIntegerField()
    old = models.JSONField()
    new = models.JSONField()
    by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    by_label = models.CharField(max_length=40)
    reason = models.TextField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["instance", "version"], name="key_version_once")]
        ordering = ["instance", "version"]

    def __str__(self) -> str:
        return f"{self.instance_id} version {self.version}"

    def save(self, *args: Any, **options: Any) -> None:
        if not self._state.adding:
            raise Unchangeable("A change of a key is written once.")
        super().save(*args, **options)

    def delete(self, *args: Any, **options: Any) -> NoReturn:
        raise Unchangeable("A change of a key is never deleted.")


class KeyCheck(models.Model):
    """Whether an instance's answer fits its Org, found once for an answer and a state of the rules (key_check.py)."""

    instance = models.OneToOneField(Instance, on_delete=models.CASCADE, related_name="key_check")
    fingerprint = models.CharField(max_length=64)
    # Empty where it fits.
    problem = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"{self.instance_id} {self.problem or 'fits'}"
