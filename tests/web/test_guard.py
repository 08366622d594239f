"""The embedded set-up answers to its own names and to its own pages only."""

import pytest

from tests.web.conftest import BuildSite, Site

PATHS = ["/", "/mailbox", "/static/ogham.css", "/v1/games", "/v1/health/live", "/nowhere"]


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "LOCALHOST:8000", "localhost"])
def test_its_own_names_are_answered(closed_site: Site, host: str):
    assert closed_site.get("/v1/health/live", Host=host).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "127.0.0.1:8001",
        "127.0.0.1",
        "127.0.0.1:8000.evil.example",
        "localhost.",
        "",
    ],
)
def test_another_name_is_refused_on_every_path(closed_site: Site, host: str):
    for path in PATHS:
        answer = closed_site.get(path, Host=host)
        assert answer.status_code == 421
        assert answer.mimetype == "application/problem+json"
        assert answer.get_json()["code"] == "host_wrong"


def test_names_that_a_proxy_would_add_count_for_nothing(closed_site: Site):
    answer = closed_site.get("/mailbox", Host="evil.example", X_Forwarded_Host="127.0.0.1:8000")
    assert answer.status_code == 421


def test_the_configured_public_name_is_answered(build_site: BuildSite):
    site = build_site(public_url="https://games.example")
    assert site.get("/mailbox", Host="games.example").status_code == 200
    assert site.get("/mailbox", Host="games.example", Origin="https://games.example").status_code == 200
    assert site.get("/mailbox", Host="other.example").status_code == 421


def test_on_port_80_names_need_no_port(build_site: BuildSite):
    site = build_site(port=80, public_url="http://127.0.0.1")
    for host in ("127.0.0.1", "localhost", "[::1]", "127.0.0.1:80"):
        assert site.get("/", Host=host).status_code == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "", "https://127.0.0.1:8000", "http://127.0.0.1:8001", "http://localhost:8000"],
)
def test_pages_of_others_can_ask_for_nothing(closed_site: Site, origin: str):
    for path in PATHS:
        answer = closed_site.get(path, Host="127.0.0.1:8000", Origin=origin)
        assert answer.status_code == 403
        assert answer.get_json()["code"] == "origin_wrong"


def test_its_own_pages_can(closed_site: Site):
    for host in ("127.0.0.1:8000", "localhost:8000", "[::1]:8000"):
        assert closed_site.get("/mailbox", Host=host, Origin=f"http://{host}").status_code == 200


def test_an_answer_from_another_page_is_not_sent(site: Site):
    letter = site.register()
    assert site.answer(letter, "yes", Origin="http://evil.example").status_code == 403
    assert site.answer(letter, "yes", Host="evil.example").status_code == 421
    assert site.mails() == []


def test_outside_the_embedded_set_up_any_name_is_answered(build_site: BuildSite):
    site = build_site(smtp_url="smtp://127.0.0.1:1")
    assert site.get("/", Host="games.example", Origin="http://evil.example").status_code == 200
