"""``/status``: what a server says of itself, as counts alone, for who watches it."""

from __future__ import annotations

import threading

from tornado.web import RequestHandler

from swviz.app.runtime.jobs import RESULTS, count_jobs
from swviz.app.runtime.session import count_sessions
from swviz.app.runtime.settings import SETTINGS


class Status(RequestHandler):
    """Answers with counts of this process."""

    def get(self) -> None:
        """Write them as JSON."""
        self.set_header("Cache-Control", "no-store")
        self.write(counts())


def counts() -> dict[str, int]:
    """Return how many sessions, jobs, threads and bytes of results there are."""
    return {
        "sessions": count_sessions(),
        "most_sessions": SETTINGS.sessions,
        "jobs": count_jobs(),
        "threads": threading.active_count(),
        "results": len(RESULTS),
        "result_bytes": RESULTS.n_bytes,
    }
