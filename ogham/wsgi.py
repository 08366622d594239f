"""For gunicorn: `gunicorn ogham.wsgi:app`. The app is made from the environment, when the server imports this."""

from ogham.assembly import assemble
from service.settings import Settings

app, _ = assemble(Settings.from_environment())
