"""The bell: rings the workers over the broker, from a thread of its own, so that nobody waits for Redis."""

import logging
import queue
import threading
from typing import Any

from celery import Celery

MOST_WAITING = 10_000

journal = logging.getLogger(__name__)


class CeleryBell:
    """Rings after a commit. A ring that can't be sent is dropped and counted: the sweep finds the work."""

    def __init__(self) -> None:
        self.lost = 0
        self._celery: Celery[Any] | None = None
        self._rings: queue.Queue[tuple[str, str]] = queue.Queue(MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def hang_up(self, celery: Celery[Any]) -> None:
        """Where it rings. Separate from making it, because the Celery app needs the Flask app, which needs the bell."""
        self._celery = celery

    def ring(self, work: str, id: str) -> None:
        if self._thread is None or not self._thread.is_alive():  # also after a fork, which copies no threads
            self._start()
        try:
            self._rings.put_nowait((work, id))
        except queue.Full:
            self.lost += 1

    def _start(self) -> None:
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._publish, name="bell", daemon=True)
                self._thread.start()

    def _publish(self) -> None:
        while True:
            work, id = self._rings.get()
            try:
                if self._celery is not None:
                    self._celery.send_task(work, (id,), retry=False, ignore_result=True)
            except Exception as error:  # noqa: BLE001  (whatever the broker does, the work is safe in the database)
                self.lost += 1
                journal.warning("the bell for %s was not heard: %s", work, type(error).__name__)
