from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "study.accounts"
    label = "accounts"

    def ready(self) -> None:
        from study import checks  # noqa: F401  registers the system checks
        from study.accounts import (  # noqa: F401  jobs, erasers, rules
            audit_seals,
            erasing_acts,
            erasing_traces,
            retention,
        )
