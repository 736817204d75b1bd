"""Makes requests: the credential, retries, time limits, and the connections and replies that are kept."""
from __future__ import annotations

import gzip
import json
import re
import time
import uuid
import zlib
from collections import OrderedDict, deque
from dataclasses import dataclass
from datetime import datetime, timezone
from http.client import HTTPConnection, HTTPException, HTTPMessage, HTTPResponse, HTTPSConnection, IncompleteRead
from socket import socket
from ssl import SSLContext
from threading import Lock
from typing import Any, Callable, TypeVar
from urllib.parse import quote, urlencode, urljoin, urlsplit

from .errors import ApiError, ConnectionFailed, DeadlineExceeded, FirmamentError
from .failures import choose_delay, is_refused, is_transient, to_api_error

REDIRECTS = (301, 302, 303, 307, 308)
MAX_REDIRECTS = 5
#: What a request may carry to another origin.
HARMLESS = ("accept", "accept-encoding", "connection", "range", "if-range", "if-none-match", "user-agent")
MAX_IDLE_CONNECTIONS = 8
#: Longer replies are not kept, which bounds the memory: a record can have megabytes.
MAX_KEPT_BYTES = 100_000

T = TypeVar("T")


@dataclass(frozen=True)
class Limit:
    """What is left of a limit, as the last reply said."""

    limit: int
    remaining: int
    resets_at: datetime


@dataclass(frozen=True)
class Limits:
    #: Requests of this key in the current minute.
    window: Limit
    #: Requests of the account in the current billing period.
    quota: Limit


@dataclass(frozen=True)
class Settings:
    """Time limits in seconds, and how often a call is tried."""

    timeout: float = 30.0
    deadline: float = 120.0
    attempts: int = 5
    backoff: float = 0.5


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: dict[str, str]
    body: bytes | None = None
    #: Whether it may be sent again even if it may have arrived.
    is_repeatable: bool = True
    #: Whether it may be sent again if the reply says that nothing was done.
    repeats_refused: bool = False


@dataclass(frozen=True)
class Reply:
    """A complete reply."""

    body: Any
    #: Which snapshot of the data a page of results comes from.
    version: str | None


@dataclass(frozen=True)
class Exchange:
    """A reply whose body was not read yet."""

    connection: HTTPConnection
    socket: socket
    response: HTTPResponse
    #: Whether the connection leads to the service.
    is_ours: bool


class Transport:
    def __init__(self, url: str, key: str, cache: int, ssl_context: SSLContext | None) -> None:
        self._idle: deque[HTTPConnection] = deque()
        self._base = read_base(url)
        self._origin = origin_of(self._base)
        # Python's own message about such a header would contain the key.
        if not re.fullmatch(r"[\x21-\x7e]+", key):
            raise ValueError('"key" must have only visible ASCII characters, and at least one')
        # A function, so that tools that show attributes and local variables do not show the key.
        self._authorize: Callable[[], str] = lambda: f"Bearer {key}"
        self._hide: Callable[[str], str] = lambda text: text.replace(key, "[hidden]")
        self._ssl_context = ssl_context
        self._kept: OrderedDict[str, tuple[str, bytes, str | None]] = OrderedDict()
        self._max_kept = cache
        self._lock = Lock()
        self.limits: Limits | None = None

    def __del__(self) -> None:
        for connection in self._idle:
            connection.close()

    def call(
        self,
        settings: Settings,
        method: str,
        path: str,
        parameters: dict[str, Any],
        body: Any = None,
        *,
        idempotent: bool = False,
        repeats_refused: bool = False,
        uncached: bool = False,
    ) -> Reply:
        """Sends a request until there is a definite reply, and reads it."""
        url = write_url(self._base, path, parameters)
        headers = {"accept": "application/json", "accept-encoding": "gzip"}
        if body is not None:
            headers["content-type"] = "application/json"
        if idempotent:
            headers["idempotency-key"] = f'"{uuid.uuid4()}"'
        is_cached = method == "GET" and not uncached
        known = self._find(url) if is_cached else None
        if known:
            headers["if-none-match"] = known[0]
        request = Request(
            method,
            url,
            headers,
            body=None if body is None else json.dumps(body).encode(),
            is_repeatable=method == "GET" or idempotent,
            repeats_refused=repeats_refused,
        )

        def read(exchange: Exchange, ends_at: float) -> Reply:
            response = exchange.response
            content = self._read_body(exchange, ends_at)
            version = response.headers.get("X-Data-Version")
            tag = response.headers.get("ETag")
            if response.status == 304 and known:
                _, content, version = known
            elif not 200 <= response.status < 300:
                raise to_api_error(response.status, response.headers, self._hide(content.decode("utf-8", "replace")))
            elif is_cached and tag:
                self._keep(url, (tag, content, version))
            return Reply(parse(content), version)

        return self._insist(settings, request, read)

    def open(
        self, settings: Settings, path: str, parameters: dict[str, Any], headers: dict[str, str] | None = None
    ) -> HTTPResponse:
        """The reply to a GET without reading the body of a success. Reading it fails if nothing arrives within `timeout`."""

        def read(exchange: Exchange, ends_at: float) -> HTTPResponse:
            response = exchange.response
            if 200 <= response.status < 300:
                exchange.socket.settimeout(settings.timeout)
                return response
            content = self._read_body(exchange, ends_at)
            raise to_api_error(response.status, response.headers, self._hide(content.decode("utf-8", "replace")))

        # The reply owns a connection that is not used again.
        given = {"accept": "*/*", "connection": "close", **(headers or {})}
        return self._insist(settings, Request("GET", write_url(self._base, path, parameters), given), read)

    def _insist(self, settings: Settings, request: Request, read: Callable[[Exchange, float], T]) -> T:
        tries_again = request.is_repeatable or request.repeats_refused
        max_tries = settings.attempts if tries_again else 1
        ends_at = time.monotonic() + settings.deadline
        late = f"There was no complete reply within {settings.deadline:g} s."
        tries = 0
        while True:
            tries += 1
            now = time.monotonic()
            left = ends_at - now
            if left <= settings.timeout:
                limit: FirmamentError = DeadlineExceeded(late)
            else:
                limit = ConnectionFailed(f"There was no complete reply within {settings.timeout:g} s.")
            try:
                return self._attempt(request, now + min(left, settings.timeout), limit, read)
            except (ApiError, ConnectionFailed) as error:
                if not is_transient(error) or tries >= max_tries:
                    raise
                if not request.is_repeatable and not is_refused(error):
                    raise
                delay = choose_delay(error, tries, settings.backoff)
                # A retry after the deadline is pointless, and so is waiting for it.
                if time.monotonic() + delay >= ends_at:
                    if isinstance(error, ConnectionFailed):
                        raise DeadlineExceeded(f"{late} The last attempt: {error}") from None
                    raise
            time.sleep(delay)

    def _attempt(
        self, request: Request, ends_at: float, limit: FirmamentError, read: Callable[[Exchange, float], T]
    ) -> T:
        """One attempt, which ends with `limit` if it takes too long."""
        exchange = None
        try:
            exchange = self._follow(request, ends_at)
            self.limits = read_limits(exchange.response.headers) or self.limits
            return read(exchange, ends_at)
        except TimeoutError:
            failure = limit
        except (OSError, HTTPException, EOFError, zlib.error) as error:
            # Not kept as the cause: it may contain the request.
            failure = ConnectionFailed(self._hide(f"The request failed: {describe(error)}"))
        if exchange is not None:
            exchange.response.close()
            exchange.connection.close()
        raise failure

    def _follow(self, request: Request, ends_at: float) -> Exchange:
        """Sends a request and follows redirects. The credential stays with the origin that it is for."""
        url = request.url
        headers = {"user-agent": "firmament-client-python", **request.headers}
        is_ours = True
        for redirects in range(MAX_REDIRECTS + 1):
            exchange = self._send(request, url, headers, is_ours, ends_at)
            location = exchange.response.headers.get("Location")
            may_follow = request.method == "GET" and redirects < MAX_REDIRECTS
            if location is None or exchange.response.status not in REDIRECTS or not may_follow:
                break
            exchange.connection.close()
            exchange.response.close()
            url = urljoin(url, location)
            if origin_of(url) != self._origin:
                is_ours = False
                headers = {name: value for name, value in headers.items() if name in HARMLESS}
        return exchange

    def _send(self, request: Request, url: str, headers: dict[str, str], is_ours: bool, ends_at: float) -> Exchange:
        if is_ours and request.method == "GET":
            while connection := self._take_idle():
                try:
                    return self._ask(connection, request, url, headers, is_ours, ends_at)
                except ConnectionError:
                    # The service has closed it meanwhile.
                    connection.close()
        scheme, host = origin_of(url)
        if scheme == "https":
            connection = HTTPSConnection(host, context=self._ssl_context)
        elif scheme == "http":
            connection = HTTPConnection(host)
        else:
            raise FirmamentError("The reply is a redirect to an address that is not http or https.")
        try:
            return self._ask(connection, request, url, headers, is_ours, ends_at)
        except BaseException:
            connection.close()
            raise

    def _ask(
        self, connection: HTTPConnection, request: Request, url: str, headers: dict[str, str], is_ours: bool, ends_at: float
    ) -> Exchange:
        connection.timeout = time_left(ends_at)
        if connection.sock is None:
            connection.connect()
        connected: socket = connection.sock
        connected.settimeout(time_left(ends_at))
        parts = urlsplit(url)
        target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        authorization = {"authorization": self._authorize()} if is_ours else {}
        connection.request(request.method, target, request.body, {**headers, **authorization})
        connected.settimeout(time_left(ends_at))
        return Exchange(connection, connected, connection.getresponse(), is_ours)

    def _read_body(self, exchange: Exchange, ends_at: float) -> bytes:
        """The complete body. The connection is kept for the next request."""
        response = exchange.response
        expected = response.length
        received = 0
        chunks = []
        while received != expected:
            exchange.socket.settimeout(time_left(ends_at))
            chunk = response.read1(65_536)
            if not chunk:
                break
            chunks.append(chunk)
            received += len(chunk)
        if expected is not None and received != expected:
            raise IncompleteRead(b"", expected - received)
        response.close()
        connection = exchange.connection
        if exchange.is_ours and not response.will_close and len(self._idle) < MAX_IDLE_CONNECTIONS:
            self._idle.append(connection)
        else:
            connection.close()
        content = b"".join(chunks)
        return gzip.decompress(content) if response.headers.get("Content-Encoding") == "gzip" else content

    def _take_idle(self) -> HTTPConnection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _find(self, url: str) -> tuple[str, bytes, str | None] | None:
        with self._lock:
            if url in self._kept:
                self._kept.move_to_end(url)
            return self._kept.get(url)

    def _keep(self, url: str, reply: tuple[str, bytes, str | None]) -> None:
        if len(reply[1]) > MAX_KEPT_BYTES:
            return
        with self._lock:
            self._kept[url] = reply
            self._kept.move_to_end(url)
            while len(self._kept) > self._max_kept:
                self._kept.popitem(last=False)


def read_base(url: str) -> str:
    """The address of the service. Credentials in it would appear in error messages."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError('"url" must be an http or https address without user name and password')
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def origin_of(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def write_url(base: str, template: str, parameters: dict[str, Any]) -> str:
    """Fills the path with parameters, and adds the others as a query."""
    rest = dict(parameters)

    def fill(match: re.Match[str]) -> str:
        plus, name = match.groups()
        value = str(rest.pop(name))
        segments = value.split("/") if plus else [value]
        # Servers and proxies would resolve these and address something else.
        if any(re.fullmatch(r"(\.|%2e){0,2}", segment, re.IGNORECASE) for segment in segments):
            raise ValueError(f'"{name}" is not a valid value')
        return "/".join(quote(segment, safe="") for segment in segments)

    path = re.sub(r"\{(\+?)(\w+)\}", fill, template)
    query = urlencode({name: str(value) for name, value in rest.items() if value is not None})
    return f"{base}/api/v1{path}?{query}" if query else f"{base}/api/v1{path}"


def parse(content: bytes) -> Any:
    """What is not JSON is the page of a gateway, or was cut off without an error of the connection."""
    if content == b"":
        return None
    try:
        return json.loads(content)
    except ValueError:
        raise ConnectionFailed("The reply is not complete JSON.") from None


def read_limits(headers: HTTPMessage) -> Limits | None:
    """None if the request was not counted."""
    try:
        window = datetime.fromtimestamp(int(headers["X-RateLimit-Reset"]), timezone.utc)
        quota = datetime.fromisoformat(headers["X-Monthly-Quota-Reset"].replace("Z", "+00:00"))
        return Limits(
            Limit(int(headers["X-RateLimit-Limit"]), int(headers["X-RateLimit-Remaining"]), window),
            Limit(int(headers["X-Monthly-Quota-Limit"]), int(headers["X-Monthly-Quota-Remaining"]), quota),
        )
    except (TypeError, ValueError, AttributeError):
        return None


def time_left(ends_at: float) -> float:
    left = ends_at - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def describe(error: Exception) -> str:
    return str(error) or type(error).__name__
