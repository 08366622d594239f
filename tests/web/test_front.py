"""The front page."""

from service import matches
from service.store.db import db
from service.store.tables import Player
from tests.games import hands
from tests.web.conftest import BuildSite, Site


def test_it_says_what_is_played_and_how_to_begin(closed_site: Site):
    page = closed_site.get("/").get_data(as_text=True)
    assert hands.info.title in page
    assert f"ogham open {hands.info.id} --seats 2" in page
    assert 'href="/mailbox"' in page
    assert 'href="/v1/openapi.json"' in page


def test_running_matches_are_listed_with_their_boards(site: Site):
    for name in ("Ann", "Bob"):
        assert site.answer(site.register(name, f"{name.lower()}@example.org"), "yes").status_code == 303
    site.work()
    with site.app.app_context():
        ann = db.session.query(Player).filter_by(name="Ann").one()
        match = matches.open_match(ann, hands.info.id, 2, {}, ["ann@example.org", "bob@example.org"])
    assert match.id not in site.get("/").get_data(as_text=True)
    site.work()
    for name in ("ann", "bob"):
        site.answer(site.letters(f"{name}@example.org")[-1].id, "join")
    site.work()
    page = site.get("/").get_data(as_text=True)
    assert f'href="/v1/matches/{match.id}/board.svg"' in page
    assert "Ann, Bob" in page
    assert "is to move" in page
    assert site.get(f"/v1/matches/{match.id}/board.svg").mimetype == "image/svg+xml"


def test_a_name_is_text_and_never_markup(site: Site):
    site.answer(site.register("Ann"), "yes")
    site.work()
    with site.app.app_context():
        ann = db.session.query(Player).one()
        ann.name = '<script>alert("Ann")</script>'  # which no registration lets through
        db.session.commit()
        match = matches.open_match(ann, hands.info.id, 2, {}, ["ann@example.org", "bob@example.org"])
    site.work()
    for address in ("ann@example.org", "bob@example.org"):
        site.answer(site.letters(address)[-1].id, "join")
    site.work()
    page = site.get("/").get_data(as_text=True)
    assert match.id in page
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_pages_carry_headers_that_keep_a_browser_careful(closed_site: Site):
    for path in ("/", "/mailbox", "/static/ogham.css", "/mailbox/nosuch"):
        headers = closed_site.get(path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"


def test_outside_the_embedded_set_up_there_is_no_mailbox(build_site: BuildSite):
    site = build_site(smtp_url="smtp://127.0.0.1:1")
    page = site.get("/")
    assert page.status_code == 200
    assert "mailbox" not in page.get_data(as_text=True).lower()
    for path in ("/mailbox", "/mailbox/", "/mailbox/x", "/mailbox/x/html", "/mailbox/x/raw"):
        assert site.get(path).status_code == 404
    assert site.answer("x", "yes").status_code == 404
