"""All pages of a search, from one snapshot of the data."""
from __future__ import annotations

import time
from typing import Any, Callable, Iterator

from .errors import FirmamentError, SnapshotChanged
from .generated.types import EntitySummary
from .transport import Reply

MAX_PAUSE = 8.0


class SearchResults(Iterator[EntitySummary]):
    """All companies that match, from all pages. Time limits apply to each page."""

    #: Where to follow changes from, to keep what the search gave up to date: everything that it does not show yet comes after this cursor.
    #: None until the first page is read.
    cursor: str | None = None

    def __init__(self, read: Callable[[int], Reply], gives_once: bool, max_restarts: int, backoff: float) -> None:
        self._read = read
        self._companies = self._walk(gives_once, max_restarts, backoff)

    def __next__(self) -> EntitySummary:
        return next(self._companies)

    def _walk(self, gives_once: bool, max_restarts: int, backoff: float) -> Iterator[EntitySummary]:
        given: set[str] = set()
        restarts = seen = page = 0
        snapshot: str | None = None
        while True:
            page += 1
            reply = self._read(page)
            if reply.version is None:
                raise FirmamentError("The reply has no X-Data-Version: update the service, or let proxies pass it.")
            if snapshot not in (None, reply.version):
                if restarts >= max_restarts:
                    raise SnapshotChanged("The data changed between two pages of the search: start again.")
                # Several servers may need a moment until all of them serve the new snapshot.
                time.sleep(min(backoff * 2**restarts, MAX_PAUSE))
                restarts += 1
                snapshot, seen, page = None, 0, 0
                continue
            snapshot = reply.version
            # After a restart, companies of the first snapshot are not given again.
            self.cursor = self.cursor or snapshot
            data, meta = reply.body["data"], reply.body["meta"]
            for company in data:
                if company["id"] in given:
                    continue
                if gives_once:
                    given.add(company["id"])
                yield company
            seen += len(data)
            if page < meta["pageCount"]:
                continue
            if seen != meta["total"]:
                raise FirmamentError(f"The pages have {seen} companies of {meta['total']}: report this.")
            return


def search_all(read: Callable[[int], Reply], on_change: str, restarts: int, backoff: float) -> SearchResults:
    if on_change not in ("restart", "raise"):
        raise ValueError('"on_change" must be "restart" or "raise"')
    restarting = on_change == "restart"
    return SearchResults(read, restarting, restarts if restarting else 0, backoff)
