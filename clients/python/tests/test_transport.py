"""Retries, time limits, redirects and the key, with a server that answers as the test says."""
from __future__ import annotations

import gzip
import json
import pickle
import threading
import traceback
import typing
import unittest
from email.utils import formatdate
from inspect import getmembers, isfunction
from time import time

import firmament_client as firmament
from firmament_client import Client
from firmament_client.generated import types
from firmament_client.generated.errors import error_classes

from .scripted_server import Handler, scripted

COUNTRIES = {"data": [], "meta": {"count": 0}}
KEY = "frm_test_DoNotShowThisKey"


def connect(url: str, **options) -> Client:
    return Client(url, KEY, **{"backoff": 0.001, **options})


class Retries(unittest.TestCase):
    def test_a_safe_call_gets_through_faults(self) -> None:
        faults = [
            lambda reply: reply.error(429, "rate_limit_exceeded", retry_after="0"),
            lambda reply: reply.error(429, "concurrency_limit_exceeded"),
            lambda reply: reply.error(503, "service_unavailable", retry_after="0"),
            lambda reply: reply.reply(503, b"<html>busy</html>"),
            lambda reply: reply.reply(502),
            lambda reply: reply.reply(504),
            lambda reply: reply.error(408, "request_timeout"),
            lambda reply: reply.destroy(),
            lambda reply: reply.cut(b'{"data":[', 30),
            lambda reply: reply.reply(200, b'{"data":['),
            lambda reply: reply.reply(200, b"<html>sign in to this network</html>"),
            lambda reply: reply.reply(200, gzip.compress(b"{}")[:12], content_encoding="gzip"),
        ]

        def answer(reply: Handler, count: int) -> None:
            faults[count - 1](reply) if count <= len(faults) else reply.json(COUNTRIES)

        with scripted(answer) as server:
            client = connect(server.url, attempts=len(faults) + 1)
            self.assertEqual(client.list_countries(), COUNTRIES)
            self.assertEqual(len(server.requests), len(faults) + 1)

    def test_errors_that_are_not_retried(self) -> None:
        cases = [
            (429, "monthly_quota_exceeded", firmament.QuotaExceeded),
            (500, "internal_error", firmament.InternalError),
            (404, "not_found", firmament.NotFound),
            (401, "a_code_of_the_future", firmament.Unauthorized),
            (418, "a_code_of_the_future", firmament.ApiError),
        ]
        for status, code, expected in cases:
            with self.subTest(code=code), scripted(lambda reply, _: reply.error(status, code, retry_after="0")) as server:
                with self.assertRaises(expected) as raised:
                    connect(server.url).list_countries()
                error = pickle.loads(pickle.dumps(raised.exception))
                self.assertEqual((error.status, error.code, error.request_id), (status, code, "b6a3"))
                self.assertEqual((str(error), error.retry_after), (f"Message of {code}.", 0))
                self.assertEqual(len(server.requests), 1)

    def test_the_number_of_attempts_is_bounded(self) -> None:
        with scripted(lambda reply, _: reply.error(503, "service_unavailable")) as server:
            client = connect(server.url)
            for attempts, total in ((5, 5), (1, 6)):
                with self.assertRaises(firmament.Unavailable):
                    client.with_options(attempts=attempts).list_countries()
                self.assertEqual(len(server.requests), total)
        with self.assertRaises(firmament.ConnectionFailed):
            connect(server.url).list_countries()

    def test_what_may_have_been_done_is_sent_once(self) -> None:
        cases = [
            ("match", lambda client: client.match("x"), lambda reply: reply.error(503, "service_unavailable"), 5),
            ("match", lambda client: client.match("x"), lambda reply: reply.error(429, "rate_limit_exceeded"), 5),
            ("match", lambda client: client.match("x"), lambda reply: reply.reply(502), 1),
            ("match", lambda client: client.match("x"), lambda reply: reply.destroy(), 1),
            ("delete", lambda client: client.delete_monitor("1"), lambda reply: reply.reply(503), 1),
            ("delete", lambda client: client.delete_monitor("1"), lambda reply: reply.destroy(), 1),
            ("create", lambda client: client.create_monitor({"name": "all"}), lambda reply: reply.destroy(), 5),
        ]
        for name, call, fault, expected in cases:
            with self.subTest(name), scripted(lambda reply, _: fault(reply)) as server:
                with self.assertRaises(firmament.FirmamentError):
                    call(connect(server.url))
                self.assertEqual(len(server.requests), expected)
                keys = {headers.get("idempotency-key") for _, _, headers, _ in server.requests}
                self.assertEqual((len(keys), keys == {None}), (1, name != "create"))

    def test_a_wait_that_does_not_fit_the_deadline_is_not_begun(self) -> None:
        for wait in ("3600", formatdate(time() + 3_600, usegmt=True)):
            with scripted(lambda reply, _: reply.error(429, "rate_limit_exceeded", retry_after=wait)) as server:
                with self.assertRaises(firmament.RateLimited) as raised:
                    connect(server.url).list_countries()
                self.assertGreater(raised.exception.retry_after, 3_500)
                self.assertEqual(len(server.requests), 1)

    def test_timeout_and_deadline(self) -> None:
        ended = threading.Event()

        def stall(reply: Handler, _: int) -> None:
            reply.reply(200, b'{"data"', content_length="100")
            reply.wfile.flush()
            ended.wait(20)

        with scripted(stall) as server:
            client = connect(server.url)
            with self.assertRaisesRegex(firmament.ConnectionFailed, "within 0.05 s"):
                client.with_options(timeout=0.05, attempts=2).list_countries()
            with self.assertRaisesRegex(firmament.DeadlineExceeded, "within 0.1 s"):
                client.with_options(deadline=0.1).list_countries()
            ended.set()

    def test_a_connection_is_used_again_and_replaced_when_the_service_has_closed_it(self) -> None:
        ports = []

        def answer(reply: Handler, count: int) -> None:
            ports.append(reply.client_address[1])
            reply.json({**COUNTRIES, "n": count})
            reply.close_connection = count == 2

        with scripted(answer) as server:
            client = connect(server.url, attempts=1)
            self.assertEqual([client.list_countries()["n"] for _ in range(4)], [1, 2, 3, 4])
            self.assertEqual([ports[0] == ports[1], ports[1] == ports[2], ports[2] == ports[3]], [True, False, True])

    def test_replies_are_revalidated(self) -> None:
        current = ["1"]

        def answer(reply: Handler, _: int) -> None:
            tag = f'"{current[0]}"'
            if reply.headers.get("If-None-Match") == tag:
                reply.reply(304, etag=tag)
            else:
                reply.json({"version": current[0]}, etag=tag)

        with scripted(answer) as server:
            for cache, expected in ((100, [None, '"1"', '"1"']), (0, [None, None, None])):
                client, current[0] = connect(server.url, cache=cache), "1"
                server.requests.clear()
                versions = [client.list_countries()["version"] for _ in range(2)]
                current[0] = "2"
                self.assertEqual([*versions, client.list_countries()["version"]], ["1", "1", "2"])
                self.assertEqual([headers.get("if-none-match") for _, _, headers, _ in server.requests], expected)


class Secrets(unittest.TestCase):
    def test_the_key_is_not_shown(self) -> None:
        def answer(reply: Handler, _: int) -> None:
            reply.error(400, f"invalid_{reply.headers['Authorization']}")

        with scripted(answer) as server:
            client = connect(server.url)
            with self.assertRaises(firmament.ApiError) as raised:
                client.list_countries()
        for error in (raised.exception, *self.bad_keys()):
            shown = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
            self.assertIn("Error" if isinstance(error, ValueError) else "hidden", shown)
            self.assertNotIn(KEY, repr(error) + str(vars(error)))
        self.assertNotIn(KEY, repr(client) + str(vars(client)) + str(vars(client._transport)))

    def bad_keys(self) -> list[ValueError]:
        errors = []
        for key in (f"{KEY}\n", f"{KEY} x", f"{KEY}é", ""):
            with self.assertRaisesRegex(ValueError, "visible ASCII") as raised:
                Client("http://x.test", key)
            errors.append(raised.exception)
        with self.assertRaises(ValueError) as raised:
            Client(f"http://user:{KEY}@x.test", KEY)
        return [*errors, raised.exception]

    def test_the_key_is_sent_only_to_the_service(self) -> None:
        with scripted(lambda reply, _: reply.json(COUNTRIES)) as other:

            def answer(reply: Handler, _: int) -> None:
                places = {"/api/v1/countries": "/moved", "/moved": f"{other.url}/elsewhere"}
                reply.reply(302, location=places.get(reply.path, "/loop"))

            with scripted(answer) as server:
                client = connect(server.url)
                self.assertEqual(client.list_countries(), COUNTRIES)
                sent = [headers.get("authorization") for _, _, headers, _ in (*server.requests, *other.requests)]
                self.assertEqual(sent, [f"Bearer {KEY}", f"Bearer {KEY}", None])
                for call in (client.list_exports, lambda: client.match("x")):
                    with self.assertRaises(firmament.ApiError) as raised:
                        call()
                    self.assertEqual(raised.exception.status, 302)

    def test_values_cannot_leave_their_place_in_the_path(self) -> None:
        with scripted(lambda reply, _: reply.json({"data": {}})) as server:
            client = connect(f"{server.url}/behind/a/proxy/")
            client.record("a/../b?c#d&e")
            client.search_entities(q="a&b=c+d é", page_size=1)
            with client.download_export("12", "csv/entities/country=LV/part 0?.csv") as reply:
                reply.read()
            for wrong in ("", ".", "..", "%2e%2E"):
                self.assertRaises(ValueError, client.record, wrong)
            self.assertRaises(ValueError, client.download_export, "1", "a/../../b")
            self.assertEqual(
                [path for _, path, _, _ in server.requests],
                [
                    "/behind/a/proxy/api/v1/entities/a%2F..%2Fb%3Fc%23d%26e",
                    "/behind/a/proxy/api/v1/entities?q=a%26b%3Dc%2Bd+%C3%A9&pageSize=1",
                    "/behind/a/proxy/api/v1/exports/12/csv/entities/country%3DLV/part%200%3F.csv",
                ],
            )


class Tasks(unittest.TestCase):
    """What consists of several requests, when something comes between them."""

    def test_a_search_across_an_import(self) -> None:
        for on_change, expected in (("restart", ["a", "b", "d", "c"]), ("raise", None)):
            # The import comes after the second page. It adds a company and moves another.
            snapshots = {"1": ["a", "b", "c"], "2": ["a", "d", "b", "c"]}

            def answer(reply: Handler, count: int) -> None:
                version = "1" if count <= 2 else "2"
                ids = snapshots[version]
                page = int(reply.path.rsplit("=", 1)[1])
                meta = {"pageCount": len(ids), "total": len(ids)}
                reply.json({"data": [{"id": ids[page - 1]}], "meta": meta}, x_data_version=version)

            with self.subTest(on_change), scripted(answer) as server:
                results = connect(server.url).search(page_size=1, on_change=on_change)
                self.assertIsNone(results.cursor)
                if expected is None:
                    with self.assertRaises(firmament.SnapshotChanged):
                        list(results)
                else:
                    self.assertEqual([company["id"] for company in results], expected)
                self.assertEqual(results.cursor, "1")

    def test_following_from_now_misses_no_change_when_the_reply_with_it_is_lost(self) -> None:
        def answer(reply: Handler, count: int) -> None:
            cursor = dict(pair.split("=") for pair in reply.path.split("?")[1].split("&")).get("cursor")
            ids = ["first"] if cursor == "c1" else []
            page = {"data": [{"entityId": id} for id in ids], "meta": {"nextCursor": f"c{count}", "hasMore": False}}
            reply.destroy() if count == 2 else reply.json(page)

        with scripted(answer) as server:
            self.assertEqual(next(connect(server.url).follow_changes(cursor="now"))["entityId"], "first")
            self.assertEqual([path.split("cursor=")[1][:2] for _, path, _, _ in server.requests], ["no", "c1", "c1"])

    def test_match_all_reads_no_further_than_it_has_to_and_keeps_the_order(self) -> None:
        def answer(reply: Handler, count: int) -> None:
            queries = json.loads(reply.server.requests[count - 1][3])["queries"]
            reply.json({"data": [{"status": query["name"]} for query in queries]})

        with scripted(answer) as server:
            read = 0

            def names():
                nonlocal read
                for read in range(1, 261):
                    yield f"n{read}"

            results = connect(server.url).match_all(names())
            found = [next(results).answer["status"]]
            self.assertEqual(read, 200)
            found += [result.answer["status"] for result in results]
            self.assertEqual(found, [f"n{at}" for at in range(1, 261)])
            self.assertEqual(len(server.requests), 3)


class Generated(unittest.TestCase):
    def test_every_code_has_a_class_that_the_package_exports(self) -> None:
        self.assertGreater(len(error_classes), 24)
        for found in error_classes.values():
            self.assertIs(getattr(firmament, found.__name__), found)
            self.assertTrue(issubclass(found, firmament.ApiError))

    def test_all_annotations_can_be_resolved(self) -> None:
        for name in types.__all__:
            if isinstance(getattr(types, name), type):
                typing.get_type_hints(getattr(types, name))
        for _, method in getmembers(Client, isfunction):
            typing.get_type_hints(method)


if __name__ == "__main__":
    unittest.main()
