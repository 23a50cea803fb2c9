from django.urls import path

from study.fieldwork.views import closing, orientation, previews, rating, requester, saves, work

hour = "hour/<str:code>/"

urlpatterns = [
    path(hour + "orientation/", orientation.orientation, name="orientation"),
    path(hour + "orientation/practice/", orientation.practice, name="orientation_practice"),
    path(hour + "orientation/check/", orientation.check, name="orientation_check"),
    path(hour + "orientation/start/", orientation.start, name="orientation_start"),
    path(hour + "work/", work.work, name="work"),
    path(hour + "work/open/", work.work_open, name="work_open"),
    path(hour + "work/<int:number>/", work.attempt, name="attempt"),
    path(hour + "work/<int:number>/answer/", work.attempt_answer, name="attempt_answer"),
    path(hour + "work/<int:number>/after/", work.attempt_after, name="attempt_after"),
    path(hour + "work/<int:number>/resolve/", work.attempt_resolve, name="attempt_resolve"),
    path(hour + "work/<int:number>/ask/", requester.attempt_ask, name="attempt_ask"),
    path(hour + "ratings/", rating.overview, name="ratings"),
    path(hour + "ratings/<str:target>/", rating.rate, name="rate"),
    path(hour + "ratings/<str:target>/unfamiliar/", rating.unfamiliar, name="rate_unfamiliar"),
    path(hour + "ratings/<str:target>/seen/", rating.seen, name="rate_seen"),
    path(hour + "lock/", rating.lock, name="lock"),
    path(hour + "closing/", closing.closing, name="closing"),
    path(hour + "closing/<str:part>/", closing.closing_part, name="closing_part"),
    path(hour + "debrief/", closing.debrief, name="debrief"),
    path(hour + "finish/", closing.finish, name="finish"),
    path(hour + "save/", saves.save, name="save"),
    path("studies/<slug:code>/preview/", previews.preview, name="preview"),
]
