"""The coordinator's day: people, one person, what waits, slots."""

from django.urls import path

from study.people.coordinating import needs_views, person_views, roster_views
from study.people.moderated import slot_staff_views, slot_views

study = "studies/<slug:code>/"
one = study + "people/<str:participant>/"
slots = study + "cohorts/<slug:cohort>/slots/"

urlpatterns = [
    path(study + "needs-you/", needs_views.needs_me, name="needs_me"),
    path(study + "people/", roster_views.people, name="people"),
    path(study + "people/search/", roster_views.people_search, name="people_search"),
    path(study + "people/together/", roster_views.people_bulk, name="people_bulk"),
    path(study + "people/together/do/", roster_views.people_bulk_do, name="people_bulk_do"),
    path(one, person_views.participant, name="participant"),
    path(one + "notes/", person_views.participant_note, name="participant_note"),
    path(one + "letter/", person_views.letter_again, name="letter_again"),
    path(one + "take-out/", person_views.participant_take_out, name="participant_take_out"),
    path(one + "revoke/", person_views.participant_revoke, name="participant_revoke"),
    path(slots, slot_staff_views.cohort_slots, name="cohort_slots"),
    path(slots + "<int:pk>/cancel/", slot_staff_views.slot_cancel, name="slot_cancel"),
    path(slots + "booking/<int:pk>/", slot_staff_views.slot_mark, name="slot_mark"),
    path("hour/<str:code>/slot/", slot_views.slot, name="slot"),
    path("hour/<str:code>/slot/begin/", slot_views.slot_begin, name="slot_begin"),
    path("hour/<str:code>/slot/give-up/", slot_views.slot_give_up, name="slot_give_up"),
    path("hour/<str:code>/slot/zone/", slot_views.slot_zone, name="slot_zone"),
    path("hour/<str:code>/slot/visit.ics", slot_views.slot_calendar, name="slot_calendar"),
]
