from django.apps import AppConfig


class ResultsConfig(AppConfig):
    name = "study.results"
    label = "results"

    def ready(self) -> None:
        # Erasers, rules of keeping, kinds of jobs and what waits are known once they are read.
        from study.results import (  # noqa: F401
            erasing,
            exporting,
            look_needs,
            looks,
            releasing,
            reporting,
            retention,
            stored,
        )
        from study.results.traces import exporting as traces  # noqa: F401
