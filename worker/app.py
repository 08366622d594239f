"""The Celery app. The database holds the work; the broker only rings, so losing what is in it loses nothing."""

from typing import Any

from celery import Celery, Task
from flask import Flask

from service.settings import Settings
from worker import tasks  # noqa: F401  (registers the tasks)

IN_MEMORY = "memory://localhost/"


def make_celery(settings: Settings, flask: Flask) -> Celery[Any]:
    class InContext(Task[Any, Any]):
        """Every task runs inside the service's app."""

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            with flask.app_context():
                return self.run(*args, **kwargs)

    celery: Celery[Any] = Celery(
        "ogham", broker=settings.redis_url or IN_MEMORY, task_cls=InContext, set_as_current=False
    )
    celery.conf.update(
        # A worker that is killed gives its bell back; the work in the database would be found anyway, a little later.
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        # A bell held by a busy worker would reach nobody else.
        worker_prefetch_multiplier=1,
        # Nobody reads results; storing them would double the traffic.
        task_ignore_result=True,
        # Redis: bells of killed workers come back after this many seconds, and a hung server is noticed.
        broker_transport_options=_transport(settings),
        broker_connection_timeout=2,
        broker_connection_retry_on_startup=True,
        # For ever: Redis may be away for longer than any number of tries.
        broker_connection_max_retries=None,
        # The embedded process logs and prints for itself.
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
    )
    celery.finalize()
    return celery


def _transport(settings: Settings) -> dict[str, Any]:
    if settings.redis_url is None:
        return {"polling_interval": 0.02}  # the default of a second is felt
    return {
        "visibility_timeout": 120,
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,
        "socket_timeout": 5,
        "socket_connect_timeout": 2,
        "socket_keepalive": True,
        "health_check_interval": 10,
        "retry_on_timeout": False,
    }
