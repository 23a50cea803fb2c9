"""A passkey as a browser gives it, and axe on the pages of staff. The browser keeps the key as a device would."""

from __future__ import annotations

from typing import Any

import pytest

from study.accounts import audit_seals, staffing
from study.accounts.adapter import user_with_address
from study.accounts.audit import viewed
from study.accounts.flows import create_study, make_signin_link
from tests.browser.test_crm_axe import checked

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
DEVICE = {
    "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
    "isUserVerified": True, "automaticPresenceSimulation": True,
}  # fmt: skip


@pytest.mark.parametrize("size", [(1280, 900)], indirect=True, ids=["1280"])
def test_an_owner_adds_a_passkey_and_comes_back_with_it(page: Any, live_server: Any, settings: Any, db: Any) -> None:
    settings.REALIA_REQUIRE_MFA = True
    ada = user_with_address("ada.with.a.rather.long.address@example.test", name="Ada Lindqvist")
    study = create_study(code="spring", name="Spring realism study", owner=ada)
    staffing.invite(study, "mira@example.test", "viewer", by=ada)
    viewed("people", by=ada, study=study, n=12)
    audit_seals.seal_all()
    # Keys belong to a name; a bare network address has none.
    base = live_server.url.replace("127.0.0.1", "localhost")
    device = page.context.new_cdp_session(page)
    device.send("WebAuthn.enable")
    device.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    # Colours that are on their way from light to dark are not what is looked at.
    page.emulate_media(reduced_motion="reduce")
    found = {}
    page.goto(base + make_signin_link(ada.email))
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"{base}/studies/spring/staff/")
    assert page.url.endswith("/account/second-factor/?next=/studies/spring/staff/")
    found["second"] = checked(page, narrow=True)
    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_label("Name").fill("Laptop")
    page.get_by_label("Passwordless").check()
    found["key"] = checked(page, narrow=True)
    page.get_by_role("button", name="Add the passkey").click()
    page.get_by_role("heading", name="Recovery codes").wait_for()
    found["codes"] = checked(page, narrow=True)
    for path in ("studies/spring/staff/", "studies/spring/audit/", "account/own/", "account/2fa/"):
        page.goto(f"{base}/{path}")
        assert page.url == f"{base}/{path}"
        found[path] = checked(page, narrow=True)
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{base}/account/login/?next=/studies/spring/audit/")
    found["login"] = checked(page, narrow=True)
    page.get_by_role("button", name="A passkey").click()
    page.wait_for_url(f"{base}/studies/spring/audit/")
    assert {name: said for name, said in found.items() if said} == {}
