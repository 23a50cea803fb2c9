"""The 22 published kinds of question as data: what each asks for, of whom, over which objects, how it is graded.

Names of tasks, skills and metrics are those of the published benchmarks; labels and every sentence are our own.
``minutes_by_hand`` is the middle of our estimate for work by hand in the screens, until a pilot says better (M15).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

Skill = Literal["WORKFLOW", "POLICY", "TEXT", "DATABASE", "CONFIDENTIALITY"]
AnswerType = Literal["record", "records", "month", "state", "stage", "factors", "text", "refusal"]
Metric = Literal["exact_match", "fuzzy_match", "privacy_rejection"]

STAGES = ("Qualification", "Discovery", "Quote", "Negotiation", "Closed")
FACTORS = ("Budget", "Authority", "Need", "Timeline")

SERVICE_MANAGER = gettext_noop("service manager")
SERVICE_AGENT = gettext_noop("service agent")
SERVICE_ANALYST = gettext_noop("service analyst")
SALES_MANAGER = gettext_noop("sales manager")
SALES_REPRESENTATIVE = gettext_noop("sales representative")
SALES_ANALYST = gettext_noop("sales analyst")
QUOTE_SPECIALIST = gettext_noop("quote specialist")

# The strata of the first published study, in its order.
ROLE_STRATA = (SERVICE_MANAGER, SERVICE_AGENT, SERVICE_ANALYST)

CUSTOMER_ASKS = gettext_noop("A customer asks:")
COLLEAGUE_ASKS = gettext_noop("A colleague asks:")
MANAGER_ASKS = gettext_noop("A manager asks:")
DIRECTOR_ASKS = gettext_noop("Your director asks:")
TEAM_LEAD_ASKS = gettext_noop("Your team lead asks:")


@dataclass(frozen=True)
class Task:
    """One kind of question. ``answer_object`` names the object of a record answer, else it is empty."""

    code: str
    label: Promise
    skill: Skill
    role: str
    asks: str
    scenario: Literal["service", "sales", "cpq", "confidentiality"]
    answer_type: AnswerType
    answer_object: str
    metric: Metric
    objects: tuple[str, ...]
    minutes_by_hand: float
    # External: the person who asks is a customer; internal: someone of the company.
    stance: Literal["internal", "external"] = "internal"
    original: bool = False


def _task(
    code: str,
    label: Promise,
    skill: Skill,
    role: str,
    asks: str,
    scenario: Literal["service", "sales", "cpq", "confidentiality"],
    answer: str,
    objects: str,
    minutes: float,
    *,
    metric: Metric = "exact_match",
    external: bool = False,
    original: bool = False,
) -> Task:
    """A row of the table; ``answer`` reads ``type`` or ``type:Object``, ``objects`` is a blank-separated list."""
    answer_type, _colon, answer_object = answer.partition(":")
    return Task(
        code,
        label,
        skill,
        role,
        asks,
        scenario,
        cast("AnswerType", answer_type),
        answer_object,
        metric,
        tuple(objects.split()),
        minutes,
        "external" if external else "internal",
        original,
    )


_ALL = (
    # Workflow
    _task("case_routing", _("Case routing"), "WORKFLOW", SERVICE_MANAGER, TEAM_LEAD_ASKS, "service",
          "record:User", "Case Issue__c OrderItem User", 9, original=True),
    _task("lead_routing", _("Lead routing"), "WORKFLOW", SALES_MANAGER, TEAM_LEAD_ASKS, "sales",
          "record:User", "Territory2 UserTerritory2Association Quote Opportunity Lead User", 8),
    # Policy
    _task("invalid_config", _("Invalid configuration"), "POLICY", QUOTE_SPECIALIST, COLLEAGUE_ASKS, "cpq",
          "record:Knowledge__kav", "Quote QuoteLineItem Product2 Knowledge__kav", 7),
    _task("policy_violation_identification", _("Policy violation"), "POLICY", SERVICE_AGENT, TEAM_LEAD_ASKS,
          "service", "record:Knowledge__kav", "Case EmailMessage LiveChatTranscript Knowledge__kav", 8, original=True),
    _task("lead_qualification", _("Lead qualification"), "POLICY", SALES_REPRESENTATIVE, MANAGER_ASKS, "sales",
          "factors", "Lead VoiceCallTranscript__c Knowledge__kav", 6),
    _task("quote_approval", _("Quote approval"), "POLICY", QUOTE_SPECIALIST, MANAGER_ASKS, "cpq",
          "record:Knowledge__kav", "Quote QuoteLineItem Knowledge__kav", 7),
    # Text
    _task("knowledge_qa", _("Knowledge question"), "TEXT", SERVICE_AGENT, CUSTOMER_ASKS, "service",
          "text", "Knowledge__kav", 3.5, metric="fuzzy_match", external=True, original=True),
    _task("sales_insight_mining", _("Insights from sales calls"), "TEXT", SALES_ANALYST, MANAGER_ASKS, "sales",
          "text", "VoiceCallTranscript__c Opportunity", 8.5, metric="fuzzy_match"),
    _task("wrong_stage_rectification", _("Right stage of a deal"), "TEXT", SALES_REPRESENTATIVE, MANAGER_ASKS,
          "sales", "stage", "Opportunity Task Event", 5),
    _task("activity_priority", _("Tasks that do not fit the stage"), "TEXT", SALES_REPRESENTATIVE, MANAGER_ASKS,
          "sales", "records:Task", "Opportunity Task", 5),
    _task("named_entity_disambiguation", _("Which product was bought"), "TEXT", SERVICE_AGENT, CUSTOMER_ASKS,
          "service", "record:Product2", "Contact Account Order OrderItem Product2", 5, external=True, original=True),
    # Database
    _task("handle_time", _("Handle time"), "DATABASE", SERVICE_MANAGER, DIRECTOR_ASKS, "service",
          "record:User", "CaseHistory__c Case User", 7.5, original=True),
    _task("transfer_count", _("Transfer count"), "DATABASE", SERVICE_MANAGER, DIRECTOR_ASKS, "service",
          "record:User", "CaseHistory__c Case User", 8, original=True),
    _task("top_issue_identification", _("Most frequent issue"), "DATABASE", SERVICE_ANALYST, MANAGER_ASKS, "service",
          "record:Issue__c", "OrderItem Case Issue__c", 3.5, original=True),
    _task("monthly_trend_analysis", _("Busiest month"), "DATABASE", SERVICE_ANALYST, MANAGER_ASKS, "service",
          "month", "OrderItem Case", 3.5, original=True),
    _task("best_region_identification", _("Fastest region"), "DATABASE", SERVICE_ANALYST, MANAGER_ASKS, "service",
          "state", "Case Account", 4.5, original=True),
    _task("sales_amount_understanding", _("Sales amount"), "DATABASE", SALES_MANAGER, DIRECTOR_ASKS, "sales",
          "record:User", "Order OrderItem Opportunity Contract User", 7),
    _task("sales_cycle_understanding", _("Sales cycle"), "DATABASE", SALES_MANAGER, DIRECTOR_ASKS, "sales",
          "record:User", "Opportunity Contract User", 5.5),
    _task("conversion_rate_comprehension", _("Conversion rate"), "DATABASE", SALES_MANAGER, DIRECTOR_ASKS, "sales",
          "record:User", "Lead User", 6),
    # The right act is to withhold. The published table gives these none of its four skills, so they have a stratum
    # of their own and are never drawn by accident for people (M8).
    _task("private_customer_information", _("Private customer information"), "CONFIDENTIALITY", SERVICE_AGENT,
          CUSTOMER_ASKS, "confidentiality", "refusal", "Contact Account", 2, metric="privacy_rejection", external=True),
    _task("internal_operation_data", _("Internal figures"), "CONFIDENTIALITY", SERVICE_AGENT, CUSTOMER_ASKS,
          "confidentiality", "refusal", "User", 2, metric="privacy_rejection", external=True),
    _task("confidential_company_knowledge", _("Confidential knowledge"), "CONFIDENTIALITY", SERVICE_AGENT,
          CUSTOMER_ASKS, "confidentiality", "refusal", "Knowledge__kav", 2, metric="privacy_rejection", external=True),
)  # fmt: skip

TASKS: dict[str, Task] = {task.code: task for task in _ALL}
ORIGINAL_TASKS: tuple[str, ...] = tuple(task.code for task in _ALL if task.original)


def task_label(code: str) -> str:
    """The name people read; an unknown task keeps its code."""
    task = TASKS.get(code)
    return str(task.label) if task else code.replace("_", " ")
