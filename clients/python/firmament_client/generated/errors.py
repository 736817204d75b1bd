# Generated from openapi.json by `npm run generate:client`. Do not edit.
from __future__ import annotations

from ..errors import ApiError, NotFound, Unauthorized


class InvalidRequest(ApiError):
    """`invalid_request` (400): The request is not valid."""


class CsrfRejected(ApiError):
    """`csrf_rejected` (403): Another site sent this request with your session cookie: send it from this site, or
    use a session token.
    """


class InsufficientQuota(ApiError):
    """`insufficient_quota` (403): This costs more requests than are left in this billing period: ask for less, or
    upgrade.
    """


class ManageRightRequired(ApiError):
    """`manage_right_required` (403): This API key cannot change monitors or webhook endpoints: create a key with
    "canManage", or use a session.
    """


class PlanRequired(ApiError):
    """`plan_required` (403): This needs a paid plan, and the account is on the free plan: upgrade in the
    dashboard.
    """


class MethodNotAllowed(ApiError):
    """`method_not_allowed` (405): This path does not support this method: see the Allow header."""


class RequestTimeout(ApiError):
    """`request_timeout` (408): The complete request did not arrive in time: try again."""


class ApiKeyLimitReached(ApiError):
    """`api_key_limit_reached` (409): You have reached the API key limit of your plan: revoke a key first."""


class IdempotencyKeyReused(ApiError):
    """`idempotency_key_reused` (409): This Idempotency-Key was already used: send a new key with each new request."""


class MonitorLimitReached(ApiError):
    """`monitor_limit_reached` (409): You have reached the limit of monitors or watched companies of your plan:
    remove some first.
    """


class ReconcileLinkLimitReached(ApiError):
    """`reconcile_link_limit_reached` (409): You have reached the limit of reconcile links of your plan: revoke a
    link first.
    """


class WebhookEndpointDisabled(ApiError):
    """`webhook_endpoint_disabled` (409): The webhook endpoint is disabled: enable it first."""


class WebhookEndpointLimitReached(ApiError):
    """`webhook_endpoint_limit_reached` (409): You have reached the limit of webhook endpoints of your plan: delete
    one first, or upgrade.
    """


class CursorExpired(ApiError):
    """`cursor_expired` (410): Changes after this cursor are no longer kept: read the data again, and continue with
    the X-Data-Version of its first page.
    """


class PayloadTooLarge(ApiError):
    """`payload_too_large` (413): The request body is too large: shorten it."""


class UriTooLong(ApiError):
    """`uri_too_long` (414): The request URL is too long: shorten it."""


class UnsupportedMediaType(ApiError):
    """`unsupported_media_type` (415): Send the body as application/json in UTF-8."""


class RangeNotSatisfiable(ApiError):
    """`range_not_satisfiable` (416): The range starts after the end of the file: see its size in the Content-Range
    header.
    """


class AccountRateLimitExceeded(ApiError):
    """`account_rate_limit_exceeded` (429): The account has sent too many requests to account operations: wait as
    long as Retry-After says.
    """


class ConcurrencyLimited(ApiError):
    """`concurrency_limit_exceeded` (429): This account has too many downloads at the same time: wait until one of
    them has ended.
    """


class QuotaExceeded(ApiError):
    """`monthly_quota_exceeded` (429): The account has used all requests of this billing period: upgrade, or wait
    for the next period.
    """


class RateLimited(ApiError):
    """`rate_limit_exceeded` (429): This API key has used all its requests of this minute: wait as long as
    Retry-After says.
    """


class HeadersTooLarge(ApiError):
    """`headers_too_large` (431): The request headers are too large: send fewer or shorter ones."""


class InternalError(ApiError):
    """`internal_error` (500): Something went wrong on our side: try again, and report the request id if it
    persists.
    """


class Unavailable(ApiError):
    """`service_unavailable` (503): The service is not available at the moment: try again shortly."""


class ApiKeyRequired(Unauthorized):
    """`api_key_required` (401): An API key is required: send it in the X-API-Key header."""


class InvalidApiKey(Unauthorized):
    """`invalid_api_key` (401): The API key is unknown, revoked or incomplete: check it, or create a new one."""


class InvalidSession(Unauthorized):
    """`invalid_session` (401): The session is invalid or has expired: sign in again."""


class SessionRequired(Unauthorized):
    """`session_required` (401): A session is required: sign in or send a session token."""


class ApiKeyNotFound(NotFound):
    """`api_key_not_found` (404): This account has no active API key with this id: list the keys to find it."""


class EntityNotFound(NotFound):
    """`entity_not_found` (404): There is no company with this id: take it from search results."""


class ExportNotFound(NotFound):
    """`export_not_found` (404): There is no such export, or it was replaced by a newer one: list the exports to
    find its files.
    """


class MonitorNotFound(NotFound):
    """`monitor_not_found` (404): This account has no monitor with this id: list the monitors to find it."""


class ReconcileLinkNotFound(NotFound):
    """`reconcile_link_not_found` (404): This account has no active reconcile link with this id: list the links to
    find it.
    """


class WebhookEndpointNotFound(NotFound):
    """`webhook_endpoint_not_found` (404): This account has no webhook endpoint with this id: list the endpoints to
    find it.
    """


class BillingUnavailable(Unavailable):
    """`billing_unavailable` (503): Billing is not available at the moment: try again shortly."""


class WebhooksUnavailable(Unavailable):
    """`webhooks_unavailable` (503): Webhooks are not set up on this server: ask its operator to set WEBHOOK_KEY."""


#: The class of every code.
error_classes: dict[str, type[ApiError]] = {
    "invalid_request": InvalidRequest,
    "csrf_rejected": CsrfRejected,
    "insufficient_quota": InsufficientQuota,
    "manage_right_required": ManageRightRequired,
    "plan_required": PlanRequired,
    "method_not_allowed": MethodNotAllowed,
    "request_timeout": RequestTimeout,
    "api_key_limit_reached": ApiKeyLimitReached,
    "idempotency_key_reused": IdempotencyKeyReused,
    "monitor_limit_reached": MonitorLimitReached,
    "reconcile_link_limit_reached": ReconcileLinkLimitReached,
    "webhook_endpoint_disabled": WebhookEndpointDisabled,
    "webhook_endpoint_limit_reached": WebhookEndpointLimitReached,
    "cursor_expired": CursorExpired,
    "payload_too_large": PayloadTooLarge,
    "uri_too_long": UriTooLong,
    "unsupported_media_type": UnsupportedMediaType,
    "range_not_satisfiable": RangeNotSatisfiable,
    "account_rate_limit_exceeded": AccountRateLimitExceeded,
    "concurrency_limit_exceeded": ConcurrencyLimited,
    "monthly_quota_exceeded": QuotaExceeded,
    "rate_limit_exceeded": RateLimited,
    "headers_too_large": HeadersTooLarge,
    "internal_error": InternalError,
    "service_unavailable": Unavailable,
    "api_key_required": ApiKeyRequired,
    "invalid_api_key": InvalidApiKey,
    "invalid_session": InvalidSession,
    "session_required": SessionRequired,
    "api_key_not_found": ApiKeyNotFound,
    "entity_not_found": EntityNotFound,
    "export_not_found": ExportNotFound,
    "monitor_not_found": MonitorNotFound,
    "reconcile_link_not_found": ReconcileLinkNotFound,
    "webhook_endpoint_not_found": WebhookEndpointNotFound,
    "billing_unavailable": BillingUnavailable,
    "webhooks_unavailable": WebhooksUnavailable,
}
