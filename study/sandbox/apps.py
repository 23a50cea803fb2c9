from django.apps import AppConfig


class SandboxConfig(AppConfig):
    name = "study.sandbox"
    label = "sandbox"

    def ready(self) -> None:
        pass
