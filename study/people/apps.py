from django.apps import AppConfig


class PeopleConfig(AppConfig):
    name = "study.people"
    label = "people"

    def ready(self) -> None:
        # Importing registers: kinds of letters and jobs, what waits, who tells of a person, erasers, rules.
        from study.people import (  # noqa: F401
            cohort_needs,
            computer,
            erasing,
            erasing_lists,
            importing,
            letter_builtin,
            letters,
            mail_reports,
            pay_needs,
            quiet,
            reconciling,
            reminding,
            retention,
            slot_letters,
            slot_needs,
            slots,
            staff_conflicts,
            subject_access,
            timeline,
        )
        from study.people.pay_owing import owe_end
        from study.people.withdrawal import when_ended

        when_ended(owe_end)
        when_ended(slots.let_go)

        from study.people.adopting import count_taking_part
        from study.protocols.deviations import who_takes_part

        who_takes_part(count_taking_part)
