"""Sign-in through an OpenID provider, against one that this test serves on this machine."""

from __future__ import annotations

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from allauth.socialaccount.models import SocialAccount
from cryptography.hazmat.primitives.asymmetric import rsa
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from study.accounts.adapter import user_with_address
from study.accounts.models import StaffSession, User
from study.openid_settings import openid_providers

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"


class Provider(BaseHTTPRequestHandler):
    """Tells about the person whose code it is given: the code is their claims."""

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def do_GET(self):
        base = f"http://127.0.0.1:{self.server.server_port}"
        if self.path.startswith("/.well-known/"):
            names = ("authorization", "token", "userinfo")
            return self.say(
                {f"{n}_endpoint": f"{base}/{n}" for n in names} | {"issuer": base, "jwks_uri": f"{base}/jwks"}
            )
        if self.path == "/userinfo":
            return self.say(json.loads(base64.b64decode(self.headers["Authorization"].removeprefix("Bearer "))))
        return self.say(
            {"keys": [json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key())) | {"kid": "k"}]}
        )

    def do_POST(self):
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        assert form["code_verifier"], "PKCE"
        claims = json.loads(form["code"][0])
        base = f"http://127.0.0.1:{self.server.server_port}"
        token = claims | {"iss": base, "aud": "realia", "iat": time.time(), "exp": time.time() + 60}
        signed = jwt.encode(token, self.key, algorithm="RS256", headers={"kid": "k"})
        access = base64.b64encode(json.dumps(claims).encode()).decode()
        self.say({"access_token": access, "token_type": "Bearer", "id_token": signed})

    def say(self, what):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(what).encode())

    def log_message(self, *args):
        pass


@pytest.fixture
def provider(settings, monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setenv("REALIA_OIDC", f"Lab_keys|http://127.0.0.1:{server.server_port}|realia:secret")
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": openid_providers(), "OAUTH_PKCE_ENABLED": True}}
    yield server
    server.shutdown()
    server.server_close()


def come(client, process="login", **claims):
    """From the button to the answer after the provider has sent the person back."""
    start = client.get(f"/account/elsewhere/oidc/lab-keys/login/?process={process}")
    there = parse_qs(urlsplit(start.headers["Location"]).query)
    assert there["client_id"] == ["realia"]
    assert set(there["scope"][0].split()) == {"openid", "profile", "email"}
    back = urlsplit(there["redirect_uri"][0]).path
    return client.get(back, {"code": json.dumps(claims), "state": there["state"][0]})


def who(client):
    return client.session.get("_auth_user_id")


def test_a_verified_address_opens_the_account_that_is_here(provider, study, ada):
    assert "Lab keys" in Client().get("/account/login/").content.decode()
    client = Client()
    answer = come(client, sub="7", email="Ada@Example.test", email_verified=True, picture="https://x.example.test/me")
    assert (answer.status_code, who(client)) == (302, str(ada.pk))
    bound = SocialAccount.objects.get()
    assert (bound.user, bound.uid, bound.extra_data) == (ada, "7", {})
    # Bound: the number counts from then on, and nobody else's with the same address.
    again, thief = Client(), Client()
    come(again, sub="7", email="moved@example.test", email_verified=False)
    come(thief, sub="8", email="ada@example.test", email_verified=True)
    assert (who(again), who(thief)) == (str(ada.pk), None)
    assert SocialAccount.objects.get().extra_data == {}


def test_an_unverified_or_unknown_address_opens_nothing(provider, study, ada, ben):
    """Sign-up stays closed; a participant's account is not opened this way either."""
    before = User.objects.count()
    for claims in (
        {"email": "ada@example.test", "email_verified": False},
        {"email": "ada@example.test"},
        {"email": "nobody@example.test", "email_verified": True},
        {"email": "ben@example.test", "email_verified": True},
        {},
    ):
        client = Client()
        answer = come(client, sub="9", **claims)
        followed = client.get(answer.headers["Location"]) if answer.status_code == 302 else answer
        assert who(client) is None, claims
        assert b"come with an invitation" in followed.content, claims
    assert (User.objects.count(), SocialAccount.objects.count(), StaffSession.objects.count()) == (before, 0, 0)


def test_a_provider_without_addresses_is_bound_from_the_own_account(provider, study, ada, settings):
    """ORCID tells no address: somebody signed in binds it, after a fresh proof, and comes back with it."""
    settings.REALIA_PROOF_MINUTES = 10
    client = Client()
    client.force_login(ada, backend=BACKEND)
    assert come(client, process="connect", sub="0000-0001").status_code == 401, "no way to prove oneself, no binding"
    user_with_address(ada.email, verified=True)
    asked = come(client, process="connect", sub="0000-0001")
    assert asked.headers["Location"] == "/account/reauthenticate/code/"
    assert not SocialAccount.objects.exists()
    settings.REALIA_PROOF_MINUTES = 0
    come(client, process="connect", sub="0000-0001")
    assert SocialAccount.objects.get().user == ada
    fresh = Client()
    come(fresh, sub="0000-0001")
    assert who(fresh) == str(ada.pk)


def test_nothing_is_shown_and_nothing_breaks_without_a_provider(study, ada, monkeypatch):
    page = Client().get("/account/login/").content.decode()
    assert "elsewhere" not in page
    assert Client().get("/account/elsewhere/oidc/google/login/").status_code == 404
    client = Client()
    client.force_login(ada, backend=BACKEND)
    assert client.get("/account/elsewhere/").status_code == 200
    assert openid_providers() == []


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("REALIA_OIDC_GOOGLE", "only-an-id", "client_id:secret"),
        ("REALIA_OIDC", "Lab|http://lab.example.test|a:b", "https address"),
        ("REALIA_OIDC", "Lab", r"name\|server"),
        ("REALIA_OIDC", "A|https://a.example.test|a:b A|https://b.example.test|a:b", "used twice"),
    ],
)
def test_settings_that_cannot_be_read_say_what_to_do(monkeypatch, name, value, remedy):
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=remedy):
        openid_providers()


def test_the_three_known_providers_need_only_their_keys(monkeypatch):
    for name in ("GOOGLE", "ORCID", "SALESFORCE"):
        monkeypatch.setenv(f"REALIA_OIDC_{name}", "id:a:secret:with:colons")
    apps = openid_providers()
    assert [(app["provider_id"], app["secret"]) for app in apps] == [
        (code, "a:secret:with:colons") for code in ("google", "orcid", "salesforce")
    ]
