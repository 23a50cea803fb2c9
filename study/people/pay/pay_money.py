"""Amounts: whole numbers of a currency's smallest unit, read strictly and written the same way everywhere."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

# ISO 4217, the currencies that are in use.
CURRENCIES = frozenset(
    """AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLF
    CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF
    IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK
    MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR
    SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED
    VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG""".split()  # noqa: SIM905  a list of 160 strings cannot be read
)
_DIGITS = {
    **dict.fromkeys(("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW"), 0),
    **dict.fromkeys(("PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
    "CLF": 4,
}
# One payment of more than this is a slip of the pen; it also fits the database's column with room for sums.
MOST = 1_000_000_000


@dataclass(frozen=True)
class Money:
    amount: int
    currency: str

    def __str__(self) -> str:
        return f"{self.plain} {self.currency}"

    @property
    def plain(self) -> str:
        """The amount alone, as files carry it: 12.50, and 1250 for yen."""
        return plain_amount(self.amount, self.currency)


def minor_digits(currency: str) -> int:
    """How many decimals a currency is written with.

    >>> [minor_digits(one) for one in ("EUR", "JPY", "KWD")]
    [2, 0, 3]
    """
    return _DIGITS.get(currency, 2)


def plain_amount(amount: int, currency: str) -> str:
    """
    >>> [plain_amount(1250, one) for one in ("EUR", "JPY", "KWD")]
    ['12.50', '1250', '1.250']
    """
    if not (digits := minor_digits(currency)):
        return str(amount)
    whole, rest = divmod(amount, 10**digits)
    return f"{whole}.{rest:0{digits}d}"


def checked_currency(text: str) -> str:
    """The code in capitals. Raises ValidationError for one that ISO 4217 does not have."""
    code = text.strip().upper()
    if code not in CURRENCIES:
        raise ValidationError(
            _("“%(code)s” is no currency. Write its three letters, such as EUR, USD or JPY.") % {"code": text.strip()}
        )
    return code


def read_amount(text: str, currency: str) -> int:
    """A typed amount in the smallest unit. Raises ValidationError with a remedy for anything in doubt.

    A comma is in doubt (1,250 is two amounts in two countries), and so are decimals that the currency does not have.

    >>> [read_amount(*one) for one in (("12.50", "EUR"), ("12", "EUR"), ("1250", "JPY"), ("1.250", "KWD"))]
    [1250, 1200, 1250, 1250]
    """
    text, digits = text.strip(), minor_digits(currency)
    example = plain_amount(1250, currency)
    found = re.fullmatch(r"([0-9]{1,12})(?:\.([0-9]+))?", text, re.ASCII)
    if found is None:
        raise ValidationError(
            _("“%(text)s” is not an amount. Write digits and at most one point, such as %(example)s.")
            % {"text": text[:40], "example": example}
        )
    whole, rest = found[1], found[2] or ""
    if rest and len(rest) != digits:
        raise ValidationError(
            _("“%(text)s” has %(found)d decimals; %(currency)s has %(digits)d. Write it as %(example)s.")
            % {"text": text[:40], "found": len(rest), "currency": currency, "digits": digits, "example": example}
        )
    amount = int(whole + rest.ljust(digits, "0"))
    if amount > MOST:
        raise ValidationError(_("“%(text)s” is more than one payment can be here.") % {"text": text[:40]})
    return amount
