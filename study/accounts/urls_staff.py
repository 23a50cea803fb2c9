"""Staff of a study, a person's own account, and the audit log."""

from django.urls import include, path

from study.accounts import audit_views, own_views, staff_views

urlpatterns = [
    path("account/own/", own_views.own_account, name="own_account"),
    path("account/name/", own_views.own_name, name="own_name"),
    path("account/sessions/<int:pk>/end/", own_views.session_end, name="session_end"),
    path("account/prove/", own_views.prove, name="prove"),
    path("account/proved/", own_views.proved, name="proved"),
    path("account/second-factor/", own_views.second_factor_page, name="second_factor"),
    # These stand before allauth's own, so that each is written to the audit log.
    path("account/2fa/totp/activate/", own_views.totp_on, name="mfa_activate_totp"),
    path("account/2fa/totp/deactivate/", own_views.totp_off, name="mfa_deactivate_totp"),
    path("account/2fa/webauthn/add/", own_views.key_add, name="mfa_add_webauthn"),
    path("account/2fa/webauthn/keys/<int:pk>/remove/", own_views.key_remove, name="mfa_remove_webauthn"),
    path("account/", include("allauth.account.urls")),
    path("account/2fa/", include("allauth.mfa.urls")),
    path("account/elsewhere/", include("allauth.socialaccount.urls")),
    path("account/elsewhere/", include("allauth.socialaccount.providers.openid_connect.urls")),
    path("staff/<str:token>/", staff_views.staff_invitation, name="staff_invitation"),
    path("studies/<slug:code>/staff/", staff_views.staff, name="staff"),
    path("studies/<slug:code>/staff/invite/", staff_views.staff_invite, name="staff_invite"),
    path("studies/<slug:code>/staff/invitations/<int:pk>/withdraw/", staff_views.staff_revoke, name="staff_revoke"),
    path("studies/<slug:code>/staff/<int:pk>/role/", staff_views.staff_role, name="staff_role"),
    path("studies/<slug:code>/staff/<int:pk>/remove/", staff_views.staff_remove, name="staff_remove"),
    path("studies/<slug:code>/audit/", audit_views.audit_log, name="audit_log"),
    path("studies/<slug:code>/audit/audit.csv", audit_views.audit_export, name="audit_export"),
]
