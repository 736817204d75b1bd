"""The errors of the client. Those that the API sends have a class per code in `generated/errors.py`."""
from __future__ import annotations

__all__ = [
    "ApiError",
    "ConnectionFailed",
    "DeadlineExceeded",
    "FirmamentError",
    "InvalidWebhook",
    "NotFound",
    "SnapshotChanged",
    "Unauthorized",
]


class FirmamentError(Exception):
    """Every error of this package."""


class ApiError(FirmamentError):
    """The API answered with an error."""

    def __init__(
        self,
        message: str,
        *,
        # The defaults let an error be copied to another process.
        status: int = 0,
        code: str = "unknown",
        request_id: str | None = None,
        docs: str | None = None,
        retry_after: float | None = None,
        resource_id: str | None = None,
    ) -> None:
        super().__init__(message)
        #: HTTP status.
        self.status = status
        #: The code of the contract, such as `entity_not_found`. `unknown` if the reply does not come from the service itself.
        self.code = code
        #: Include it when you contact support.
        self.request_id = request_id
        #: Page that explains the code.
        self.docs = docs
        #: Seconds to wait before a retry, if the reply says so.
        self.retry_after = retry_after
        #: What an earlier request has made, if the `Idempotency-Key` was used before.
        self.resource_id = resource_id


class Unauthorized(ApiError):
    """The credential is missing or not valid (401)."""


class NotFound(ApiError):
    """There is no such thing, or no such path (404)."""


class ConnectionFailed(FirmamentError):
    """There is no complete reply: no connection, a connection that broke, or an attempt that took longer than `timeout`."""


class DeadlineExceeded(FirmamentError):
    """The call took longer than `deadline`."""


class SnapshotChanged(FirmamentError):
    """An import came between two pages of a search, so they do not fit together."""


class InvalidWebhook(FirmamentError):
    """A webhook that was not signed with this secret, is too old, or was changed on its way. Answer 400, and do not use it."""
