"""Downloads the files of an export: continues what was cut off, and checks sizes and hashes."""
from __future__ import annotations

import hashlib
import time
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Callable

from .errors import ConnectionFailed, FirmamentError
from .generated.types import ExportedFile

CHUNK = 1 << 20


def download_file(
    open_reply: Callable[[dict[str, str]], HTTPResponse], file: ExportedFile, target: Path, attempts: int, backoff: float
) -> None:
    """Writes a file under its name when it is complete. A part of it from an interrupted download is continued."""
    part = target.with_name(f"{target.name}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    failures = 0
    while (start := part.stat().st_size if part.exists() else 0) < file["bytes"]:
        # If-Range, so that the halves of two files are never joined.
        headers = {"range": f"bytes={start}-", "if-range": f'"{file["sha256"]}"'} if start > 0 else {}
        with open_reply(headers) as reply:
            try:
                with part.open("ab" if reply.status == 206 else "wb") as output:
                    while chunk := reply.read(CHUNK):
                        output.write(chunk)
                        failures = 0
                reason = "the connection was closed"
            except (OSError, HTTPException) as error:
                reason = str(error) or type(error).__name__
        if part.stat().st_size >= file["bytes"]:
            break
        failures += 1
        if failures >= attempts:
            raise ConnectionFailed(f"The download of {file['path']} failed: {reason}.")
        time.sleep(backoff * 2 ** (failures - 1))
    digest = hashlib.sha256()
    with part.open("rb") as content:
        while chunk := content.read(CHUNK):
            digest.update(chunk)
    if digest.hexdigest() != file["sha256"]:
        part.unlink()
        raise FirmamentError(f"{file['path']} does not have the SHA-256 {file['sha256']}: download it again.")
    part.replace(target)
