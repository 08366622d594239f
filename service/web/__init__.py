"""Pages for people: the front page and, in the embedded set-up, the mailbox."""

from flask import Flask

from service.parts import Parts
from service.web import front, leaving, mailbox
from service.web.guard import guard_loopback


def add_pages(app: Flask) -> None:
    parts: Parts = app.extensions["ogham"]
    app.register_blueprint(front.blueprint)
    app.register_blueprint(leaving.blueprint)
    if parts.settings.embedded:
        guard_loopback(app, parts.settings)
        app.register_blueprint(mailbox.blueprint)
