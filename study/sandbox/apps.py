from django.apps import AppConfig


class SandboxConfig(AppConfig):
    name = "study.sandbox"
    label = "sandbox"

    def ready(self) -> None:
        from study.sandbox.exchange import org_jobs  # noqa: F401  what runs in the background
