"""A server that answers as the test says, for replies that the service sends only in trouble."""
from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Callable, Iterator

Answer = Callable[["Handler", int], None]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_any(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        self.server.requests.append((self.command, self.path, dict(self.headers), self.rfile.read(length)))
        self.server.answer(self, len(self.server.requests))

    do_GET = do_POST = do_DELETE = handle_any

    def log_message(self, *_: Any) -> None:
        pass

    def reply(self, status: int, content: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content_length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def json(self, body: Any, **headers: str) -> None:
        self.reply(200, json.dumps(body).encode(), **headers)

    def error(self, status: int, code: str, **headers: str) -> None:
        error = {"code": code, "message": f"Message of {code}.", "requestId": "b6a3", "docs": f"http://x/docs/errors/{code}"}
        self.reply(status, json.dumps({"error": error}).encode(), **headers)

    def cut(self, content: bytes, length: int) -> None:
        """Sends less than it promises, and closes the connection."""
        self.reply(200, content, content_length=str(length))
        self.close_connection = True

    def destroy(self) -> None:
        self.close_connection = True


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_: Any) -> None:
        """The client of a test may have gone."""


@contextmanager
def scripted(answer: Answer) -> Iterator[Server]:
    server = Server(answer)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
