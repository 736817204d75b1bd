"""Verifies webhooks by Standard Webhooks 1.0.0."""
from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Mapping

from .errors import InvalidWebhook

TOLERANCE_SECONDS = 300


def verify_webhook(headers: Mapping[str, str], body: bytes | str, secret: str) -> dict[str, Any]:
    """Returns the event: `type`, `timestamp` and `data`.

    `body` is the body exactly as it arrived, not parsed and written again. Raises `InvalidWebhook`. Events may arrive more than once: drop
    those whose `webhook-id` you have seen.
    """
    key = decode(secret.removeprefix("whsec_"))
    if key == b"":
        raise ValueError("the secret of a webhook endpoint starts with whsec_, followed by base64")
    given = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not given.get(name):
            raise InvalidWebhook(f"the header {name} is missing")
    timestamp = given["webhook-timestamp"]
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise InvalidWebhook("the webhook is too old, or the clock of this machine is wrong")
    content = body.encode() if isinstance(body, str) else body
    signed = f"{given['webhook-id']}.{timestamp}.".encode() + content
    expected = hmac.new(key, signed, hashlib.sha256).digest()
    for signature in given["webhook-signature"].split(" "):
        version, _, value = signature.partition(",")
        if version == "v1" and hmac.compare_digest(decode(value), expected):
            event: dict[str, Any] = json.loads(content)
            return event
    raise InvalidWebhook("no signature fits: check the secret, and pass the body exactly as it arrived")


def decode(text: str) -> bytes:
    """Empty if it is not base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
