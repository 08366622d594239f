"""Acts: Celery tasks of a few lines, each one call into the service."""
