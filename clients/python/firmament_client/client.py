"""The client: every operation of the API that takes a key, and the longer tasks that consist of several requests."""
from __future__ import annotations

import copy
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from http.client import HTTPResponse
from itertools import islice
from pathlib import Path
from ssl import SSLContext
from typing import Any, Iterable, Iterator

from .downloads import download_file
from .errors import ApiError
from .generated.errors import error_classes
from .generated.operations import Operations
from .generated.types import Change, EntityDetail, Export, MatchAnswer, MatchQuery
from .search import SearchResults, search_all
from .transport import Limits, Settings, Transport

#: How many queries a request may have.
MAX_QUERIES = 100


@dataclass(frozen=True)
class MatchResult:
    """What became of a query: an answer, or its own error, which costs nothing."""

    query: MatchQuery | str
    answer: MatchAnswer | None = None
    error: ApiError | None = None


class Client(Operations):
    """A connection with a Firmament service. Several threads can use the same client.

    - `url`: Address of the service, such as `https://api.example.com`.
    - `key`: API key. It never appears in errors.
    - `timeout`: Seconds that one attempt may take.
    - `deadline`: Seconds that a call may take with all its retries.
    - `attempts`: How often a call is tried. 1 means no retries.
    - `backoff`: Seconds before the first retry if the reply does not say how long to wait. They double with every retry.
    - `cache`: Number of replies that are kept to be revalidated, which costs no quota if they are current. 0 turns it off.
    - `ssl_context`: Instead of the certificates that the machine trusts.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 30.0,
        deadline: float = 120.0,
        attempts: int = 5,
        backoff: float = 0.5,
        cache: int = 100,
        ssl_context: SSLContext | None = None,
    ) -> None:
        self._transport = Transport(url, key, cache, ssl_context)
        self._settings = Settings(timeout, deadline, attempts, backoff)

    def with_options(self, **options: float) -> Client:
        """The same client with another `timeout`, `deadline`, `attempts` or `backoff`."""
        other = copy.copy(self)
        other._settings = replace(self._settings, **options)  # type: ignore[arg-type]
        return other

    @property
    def limits(self) -> Limits | None:
        """What is left of the limits of the key, as the last reply said. None before the first data request."""
        return self._transport.limits

    def record(self, id: str) -> EntityDetail:
        """The full record of a company."""
        return self.get_entity(id)["data"]

    def now(self) -> str:
        """The cursor of the present. To follow the results of a search, use its `cursor` instead: search shows an import a moment later."""
        return self._read_changes({"cursor": "now"}, self._settings)["meta"]["nextCursor"]

    def match(self, query: MatchQuery | str) -> MatchAnswer:
        """The company that somebody means by a name. A query is a name, or a dictionary with whatever else you know.

        A request whose reply was lost is not repeated, because it may have been charged: you get `ConnectionFailed` or `DeadlineExceeded`.
        """
        [result] = self._match([query])
        if result.answer is None:
            raise result.error or AssertionError
        return result.answer

    def match_all(self, queries: Iterable[MatchQuery | str], *, concurrency: int = 2) -> Iterator[MatchResult]:
        """The same for any number of queries, in their order. They are sent in lists of 100, `concurrency` at the same time.

        It reads no further ahead in `queries` than that.
        """
        source = iter(queries)
        running: deque[Future[list[MatchResult]]] = deque()
        executor = ThreadPoolExecutor(max(1, concurrency))
        try:
            while True:
                while len(running) < max(1, concurrency) and (some := list(islice(source, MAX_QUERIES))):
                    running.append(executor.submit(self._match, some))
                if not running:
                    return
                yield from running.popleft().result()
        finally:
            executor.shutdown(wait=False, cancel_futures=True)

    def download(self, export: Export, folder: str | Path) -> list[Path]:
        """Downloads all files of an export, and returns their paths. Those that are there are not downloaded again.

        Downloads that were cut off are continued, and hashes are checked. Every file costs one request.
        """
        generation, name = str(export["generation"]), export["format"]
        paths: list[Path] = []
        for file in export["files"]:
            target = Path(folder, *file["path"].split("/"))
            paths.append(target)
            if target.exists():
                continue
            place = {"generation": generation, "path": file["path"]}

            def open_reply(headers: dict[str, str]) -> HTTPResponse:
                return self._transport.open(self._settings, "/exports/{generation}/{+path}", place, headers)

            download_file(open_reply, file, target, self._settings.attempts, self._settings.backoff)
        for document in ("manifest.json", "LICENCES.md"):
            with self.download_export(generation, f"{name}/{document}") as reply:
                target = Path(folder, name, document)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(reply.read())
                paths.append(target)
        return paths

    def _call(self, method: str, path: str, parameters: dict[str, Any], body: Any = None, idempotent: bool = False) -> Any:
        return self._transport.call(self._settings, method, path, parameters, body, idempotent=idempotent).body

    def _open(self, path: str, parameters: dict[str, Any]) -> HTTPResponse:
        return self._transport.open(self._settings, path, parameters)

    def _search(self, query: dict[str, Any], on_change: str, restarts: int) -> SearchResults:
        transport, settings = self._transport, self._settings
        return search_all(
            lambda page: transport.call(settings, "GET", "/entities", {**query, "page": page}),
            on_change,
            restarts,
            settings.backoff,
        )

    def _changes(self, query: dict[str, Any], follows: bool) -> Iterator[Change]:
        """Every page is requested with the cursor of the one before, so a failed request repeats nothing."""
        settings, wait = self._settings, query.get("wait", 0)
        patient = replace(settings, timeout=settings.timeout + wait, deadline=settings.deadline + wait)
        # Otherwise, a change in a reply that is lost would be before the `now` of the next attempt.
        cursor = self.now() if query["cursor"] == "now" else query["cursor"]
        while True:
            started_at = time.monotonic()
            page = self._read_changes({**query, "cursor": cursor}, patient)
            cursor = page["meta"]["nextCursor"]
            yield from page["data"]
            has_more = page["meta"]["hasMore"]
            if not follows and not has_more:
                return
            rest = started_at + 4 * settings.backoff - time.monotonic()
            # The service does not let more than a few requests of an account wait, and none while it stops.
            if not page["data"] and not has_more and rest > 0:
                time.sleep(rest)

    def _read_changes(self, query: dict[str, Any], settings: Settings) -> Any:
        return self._transport.call(settings, "GET", "/changes", query, uncached=True).body

    def _match(self, queries: list[MatchQuery | str]) -> list[MatchResult]:
        """One request. It is repeated after replies that say that nothing was done, but not if the reply was lost."""
        body = {"queries": [{"name": query} if isinstance(query, str) else query for query in queries]}
        reply = self._transport.call(self._settings, "POST", "/match", {}, body, repeats_refused=True)
        return [to_result(query, result) for query, result in zip(queries, reply.body["data"])]


def to_result(query: MatchQuery | str, result: Any) -> MatchResult:
    if "error" not in result:
        return MatchResult(query, answer=result)
    error = result["error"]
    # The status is that of the reply, which has other answers.
    found = error_classes.get(error["code"], ApiError)(
        error["message"], status=200, code=error["code"], request_id=error["requestId"], docs=error["docs"]
    )
    return MatchResult(query, error=found)
