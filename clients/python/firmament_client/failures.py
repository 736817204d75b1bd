"""Which error a reply means, and whether and when to try again."""
from __future__ import annotations

import json
import random
import time
from email.utils import parsedate_to_datetime
from http.client import HTTPMessage

from .errors import ApiError, ConnectionFailed, FirmamentError, NotFound, Unauthorized
from .generated.errors import Unavailable, error_classes

# Gateways send 502 and 504 if they have no connection to the service.
TRANSIENT = (408, 502, 503, 504)
# Limits that recover within a minute. A quota does not.
SHORT_LIMITS = ("rate_limit_exceeded", "concurrency_limit_exceeded")


def to_api_error(status: int, headers: HTTPMessage, text: str) -> ApiError:
    """The error of a reply that is not a success. Gateways send bodies of their own."""
    error = read_error(text)
    code = error.get("code", "unknown")
    by_status = {401: Unauthorized, 404: NotFound, 503: Unavailable}.get(status, ApiError)
    return error_classes.get(code, by_status)(
        error.get("message", f"The reply has status {status}."),
        status=status,
        code=code,
        request_id=error.get("requestId", headers.get("X-Request-ID")),
        docs=error.get("docs"),
        retry_after=read_retry_after(headers.get("Retry-After")),
        resource_id=error.get("resourceId"),
    )


def read_error(text: str) -> dict[str, str]:
    try:
        error = json.loads(text)["error"]
        return error if isinstance(error["code"], str) else {}
    except (ValueError, LookupError, TypeError):
        return {}


def read_retry_after(text: str | None) -> float | None:
    """Seconds from `Retry-After`, which is a number or a date."""
    if text is None:
        return None
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None


def is_transient(error: FirmamentError) -> bool:
    """Whether the same request may succeed a little later."""
    if isinstance(error, ApiError):
        return error.status in TRANSIENT or error.code in SHORT_LIMITS
    return isinstance(error, ConnectionFailed)


def is_refused(error: FirmamentError) -> bool:
    """Whether the service itself has said that it did nothing."""
    return isinstance(error, ApiError) and (error.code in SHORT_LIMITS or error.code == "service_unavailable")


def choose_delay(error: FirmamentError, tries: int, backoff: float) -> float:
    """Seconds before the next attempt. Clients that all wait equally long would return at the same moment."""
    wanted = error.retry_after if isinstance(error, ApiError) else None
    jitter = 2 * backoff * random.random()
    return backoff * 2 ** (tries - 1) / 2 + jitter / 2 if wanted is None else wanted + jitter
