"""The client with a service that has the companies HOLDING A, B, C, D and ELM ALBION LTD, and one export as Parquet.

`test/client/python.test.ts` starts it. FIRMAMENT_URL and FIRMAMENT_KEY say where and with which key, WEBHOOK is a signed webhook.
"""
from __future__ import annotations

import contextlib
import io
import json
import os
import re
import tempfile
import unittest
from pathlib import Path

import firmament_client as firmament
from firmament_client import Client, verify_webhook

ROOT = Path(__file__).parents[3]
NAMES = [f"HOLDING {name} LTD" for name in ("A", "B", "C", "D", "ELM ALBION")]

#: What the examples of a document print, in their order.
PRINTED = {
    "clients/python/README.md": [
        r"([0-9a-f-]{36} HOLDING (?:[A-D]|ELM ALBION) LTD active\n){5}",
        r"3 of 5 companies\n",
        r"HOLDING A LTD Private Limited Company 2\n",
        r"(match|ambiguous) \['HOLDING ELM ALBION LTD'\]\n",
        r"elm holdings albion (match|ambiguous)\nno such company none\n",
        r"5 companies\n",
        r"companies/parquet/entities/country=GB/part-0000.parquet\n(companies/parquet/.+\n){2}",
        r"404 entity_not_found\n",
        r"\d+ requests left in this minute\n",
    ],
    "docs/guides/client.md": [r"HOLDING A LTD companies.csv 2\nelm .+\n.+ none\n"],
    "docs/guides/quick-start.md": [r"(GB HOLDING (?:[A-D]|ELM ALBION) LTD active\n){5}"],
}


class Service(unittest.TestCase):
    client: Client

    @classmethod
    def setUpClass(cls) -> None:
        cls.client = Client(os.environ["FIRMAMENT_URL"], os.environ["FIRMAMENT_KEY"], backoff=0.01)
        # An example downloads into the current folder.
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.addClassCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def test_a_search_gives_every_company_once_whatever_the_page_size(self) -> None:
        for page_size in (1, 2, 4, 5, 100):
            companies = self.client.search(q="holding", country="gb", page_size=page_size)
            self.assertEqual([company["canonicalName"] for company in companies], NAMES)
            self.assertRegex(companies.cursor or "", r"^\d+\.\d+\.\d+\.\d+-\w+$")
        self.assertEqual(list(self.client.search(q="nothing like it")), [])
        self.assertEqual([company["canonicalName"] for company in self.client.search(words="ltd elm holding")], NAMES[4:])
        with self.assertRaisesRegex(firmament.InvalidRequest, "country"):
            next(self.client.search(country="Atlantis"))

    def test_records_errors_and_limits(self) -> None:
        [company] = self.client.search(q="elm albion")
        record = self.client.record(company["id"])
        self.assertEqual(record["canonicalName"], "HOLDING ELM ALBION LTD")
        with self.assertRaises(firmament.EntityNotFound) as raised:
            self.client.record("00000000-0000-4000-8000-000000000000")
        error = raised.exception
        self.assertEqual((error.status, error.code, isinstance(error, firmament.NotFound)), (404, "entity_not_found", True))
        self.assertRegex(error.request_id or "", r"^[0-9a-f-]{36}$")
        self.assertRegex(error.docs or "", r"/docs/errors/entity_not_found$")
        assert self.client.limits
        self.assertEqual(self.client.limits.window.limit, 3_000)
        self.assertLess(self.client.limits.quota.remaining, 1_000_000)
        with self.assertRaises(firmament.InvalidApiKey):
            Client(os.environ["FIRMAMENT_URL"], "frm_test_wrong").list_countries()

    def test_matching(self) -> None:
        [found, failed] = self.client.match_all(["holding elm albion ltd", {"name": "x", "limit": 0}])
        assert found.answer and failed.error
        self.assertEqual(found.answer["candidates"][0]["entity"]["canonicalName"], "HOLDING ELM ALBION LTD")
        self.assertIsInstance(failed.error, firmament.InvalidRequest)
        with self.assertRaisesRegex(firmament.InvalidRequest, '"name" must not be empty'):
            self.client.match("")

    def test_changes(self) -> None:
        names = [change["after"]["canonicalName"] for change in self.client.changes(limit=2) if change["after"]]
        self.assertEqual(sorted(names), NAMES)
        following = self.client.follow_changes(country="gb", limit=1, wait=0)
        first = next(following)
        self.assertEqual(next(following), next(self.client.changes(cursor=first["cursor"])))
        self.assertEqual(list(self.client.changes(cursor=self.client.now())), [])

    def test_monitors(self) -> None:
        monitor = self.client.create_monitor({"name": "all", "search": {"country": "gb"}})["data"]
        changed = self.client.update_monitor(monitor["id"], {"fields": ["canonicalName"]})["data"]
        self.assertEqual(changed["fields"], ["canonicalName"])
        self.assertIsNone(self.client.delete_monitor(monitor["id"]))
        self.assertRaises(firmament.MonitorNotFound, self.client.get_monitor, monitor["id"])

    def test_a_download_is_continued_and_checked(self) -> None:
        [export] = self.client.list_exports()["data"]
        [file] = export["files"]
        with tempfile.TemporaryDirectory() as folder:
            part = Path(folder, f"{file['path']}.part")
            part.parent.mkdir(parents=True)
            for start in (b"PAR1 a Brit", b"PAR1 a British file PAR1"):
                part.write_bytes(start)
                [path, *documents] = self.client.download(export, folder)
                self.assertEqual(path.read_bytes(), b"PAR1 a British file PAR1")
                self.assertEqual([document.name for document in documents], ["manifest.json", "LICENCES.md"])
                path.unlink()
            part.write_bytes(b"PAR1 another")
            with self.assertRaisesRegex(firmament.FirmamentError, "SHA-256"):
                self.client.download(export, folder)
            self.assertEqual(len(self.client.download(export, folder)), 3)

    def test_webhooks(self) -> None:
        headers, body, secret = json.loads(os.environ["WEBHOOK"])
        self.assertEqual(verify_webhook(headers, body, secret), json.loads(body))
        self.assertEqual(verify_webhook(headers, body.encode(), secret), json.loads(body))
        wrong = [
            ({}, body, secret),
            ({**headers, "webhook-id": "other"}, body, secret),
            ({**headers, "webhook-timestamp": "now"}, body, secret),
            ({**headers, "webhook-timestamp": "1"}, body, secret),
            ({**headers, "webhook-signature": "v1,not base64!"}, body, secret),
            (headers, f"{body} ", secret),
            (headers, body, "whsec_" + "A" * 32),
        ]
        for given in wrong:
            self.assertRaises(firmament.InvalidWebhook, verify_webhook, *given)
        self.assertRaises(ValueError, verify_webhook, headers, body, "")

    def test_the_examples_print_what_they_should(self) -> None:
        for document, expected in PRINTED.items():
            examples = re.findall(r"^```python\n(.*?)^```", (ROOT / document).read_text(), re.DOTALL | re.MULTILINE)
            self.assertEqual(len(examples), len(expected), document)
            names: dict[str, object] = {}
            for example, pattern in zip(examples, expected):
                with contextlib.redirect_stdout(io.StringIO()) as printed:
                    exec(example, names)
                self.assertRegex(printed.getvalue(), f"^{pattern}$")
