from django.apps import AppConfig


class PeopleConfig(AppConfig):
    name = "study.people"
    label = "people"

    def ready(self) -> None:
        # Importing registers: kinds of letters and jobs, what waits, who tells of a person, erasers, rules.
        from study.people.coordinating import quiet, timeline  # noqa: F401
        from study.people.mail import letter_builtin, letters, mail_reports, reminding  # noqa: F401
        from study.people.moderated import slot_letters, slot_needs, slots  # noqa: F401
        from study.people.pay import pay_needs  # noqa: F401
        from study.people.pay.pay_owing import owe_end
        from study.people.privacy import erasing, erasing_lists, retention, subject_access  # noqa: F401
        from study.people.sample import cohort_needs  # noqa: F401
        from study.people.ways import computer, importing, reconciling, staff_conflicts  # noqa: F401
        from study.people.withdrawal import when_ended

        when_ended(owe_end)
        when_ended(slots.let_go)

        from study.people.consenting.adopting import count_taking_part
        from study.protocols.deviations import who_takes_part

        who_takes_part(count_taking_part)
