"""Who may speak to the embedded set-up, and what a browser may do with a page of ours.

The embedded set-up listens on loopback and asks nobody for a password. But a browser on the same machine reaches it
and acts for every page it shows: such a page can send requests here, which its Origin betrays; or it can give a name of
its own our address, which the Host betrays.
"""

from urllib.parse import urlsplit

from flask import Flask, Response, request

from service.api.problems import problem, respond
from service.settings import LOOPBACK, Settings

CONTENT = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"


def guard_loopback(app: Flask, settings: Settings) -> None:
    """Refuse every request, to whatever path, that names another host or comes from another site's page."""
    public = urlsplit(settings.public_url)
    hosts = {f"{_in_url(host)}:{settings.port}" for host in LOOPBACK} | {public.netloc.lower(), "localhost"}
    if settings.port == 80:
        hosts |= {_in_url(host) for host in LOOPBACK}

    @app.before_request
    def check() -> Response | None:
        host = request.headers.get("Host", "").lower()
        if host not in hosts:
            return respond(problem("host_wrong", f"This is {settings.public_url}, for browsers on the same machine."))
        origin = request.headers.get("Origin")
        if origin is not None and origin.lower() not in (
            f"http://{host}",
            f"{public.scheme}://{public.netloc}".lower(),
        ):
            return respond(problem("origin_wrong", "Requests that another site's page sends are not taken."))
        return None


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def add_headers(response: Response) -> Response:
    """What holds for all pages; a page that needs another policy has set it already."""
    response.headers.setdefault("Content-Security-Policy", CONTENT)
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    # Not no-referrer: with that, browsers send `Origin: null` with a form, and our own would be refused.
    response.headers["Referrer-Policy"] = "same-origin"
    return response
