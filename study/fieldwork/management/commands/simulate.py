"""manage.py simulate STUDY --experts 20 --seed 7: simulated experts take part in an open cohort."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from study.accounts.models import Study
from study.accounts.serving import CannotServe, interrupt_on_stop
from study.fieldwork.simulation.experts import Rates
from study.fieldwork.simulation.run import FLOWS, HTTP, WAYS, CannotSimulate, cohort_of, simulate


class Command(BaseCommand):
    help = "Let simulated experts take part. They are marked as simulated everywhere."

    def add_arguments(self, parser: CommandParser) -> None:
        rates = Rates()
        parser.add_argument("study")
        parser.add_argument("--cohort", default="", help="code of an open cohort; the first one if left out")
        parser.add_argument("--experts", type=int, default=20, help="experts who qualify")
        parser.add_argument("--screened-out", type=int, default=0, help="people who do not qualify, besides")
        parser.add_argument("--seed", type=int, default=7)
        parser.add_argument("--severity-sd", type=float, default=rates.severity_sd, help="on the latent scale")
        parser.add_argument("--error-rate", type=float, default=rates.error, help="share of wrong answers")
        parser.add_argument("--cannot-judge", type=float, default=rates.cannot_judge)
        parser.add_argument("--skip", type=float, default=rates.skip)
        parser.add_argument("--dropout", type=float, default=rates.dropout, help="share who leave before the end")
        parser.add_argument("--rather-not", type=float, default=rates.rather_not, help="share of cards: rather not say")
        parser.add_argument("--left-open", type=float, default=rates.left_open, help="share of cards never rated")
        parser.add_argument(
            "--careless",
            action="append",
            default=[],
            metavar="KIND=SHARE",
            help="straightliner, speeder, random or paster with its share; may be given several times",
        )
        parser.add_argument(
            "--through", choices=WAYS, default=HTTP, help="real pages, or the flows behind them for thousands"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(code=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        interrupt_on_stop()
        try:
            rates = rates_of(options)
            rates.check()
            outcome = simulate(
                study,
                cohort_of(study, options["cohort"]),
                count=options["experts"],
                seed=options["seed"],
                rates=rates,
                screened_out=options["screened_out"],
                through=options["through"],
                tell=self.stdout.write if options["verbosity"] > 0 else lambda line: None,
            )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        except (CannotSimulate, CannotServe, ValueError) as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped. Experts under way stay as they are.", returncode=130) from None
        self.stdout.write(outcome.line())
        if options["through"] == FLOWS:
            self.stdout.write(f"{outcome.rate:.0f} experts a minute")
        if outcome.problems:
            raise CommandError("Some hours did not end as they should:\n" + "\n".join(outcome.problems))


def rates_of(options: dict[str, Any]) -> Rates:
    """Raises ValueError for a careless kind without a share."""
    careless: dict[str, float] = {}
    for one in options["careless"]:
        kind, _, share = one.partition("=")
        try:
            careless[kind] = float(share)
        except ValueError:
            raise ValueError(f"{one!r} is not a kind with its share, such as speeder=0.1") from None
    names = ("severity_sd", "cannot_judge", "skip", "dropout", "rather_not", "left_open")
    return Rates(error=options["error_rate"], careless=careless, **{name: options[name] for name in names})
