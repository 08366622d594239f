"""Pages for people: the front page and, in the embedded set-up, the mailbox."""

from flask import Flask


def add_pages(app: Flask) -> None:
    pass
