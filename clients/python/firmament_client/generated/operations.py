# Generated from openapi.json by `npm run generate:client`. Do not edit.
from __future__ import annotations

from typing import Any, BinaryIO, Iterator, Literal

from ..search import SearchResults
from .types import *


class Operations:
    """Every operation of the API that takes an API key, under its name in the contract."""

    def _call(self, method: str, path: str, parameters: dict[str, Any], body: Any = None, idempotent: bool = False) -> Any:
        raise NotImplementedError

    def _open(self, path: str, parameters: dict[str, Any]) -> BinaryIO:
        raise NotImplementedError

    def _search(self, query: dict[str, Any], on_change: str, restarts: int) -> SearchResults:
        raise NotImplementedError

    def _changes(self, query: dict[str, Any], follows: bool) -> Iterator[Change]:
        raise NotImplementedError

    def list_countries(self) -> CountryList:
        """List countries.

        Returns every country that has at least one company (`enabled`), whichever register it comes from, and
        the countries that are planned. `freshness` and `asOf` describe the national registers of the country,
        or else the registers that also list its companies.
        """
        return self._call("GET", "/countries", {})

    def search_entities(
        self,
        *,
        q: str | None = None,
        words: str | None = None,
        country: str | None = None,
        register: str | None = None,
        jurisdiction: str | None = None,
        status: Literal["active", "inactive", "in_liquidation", "insolvent", "dissolved", "delisted", "unknown"] | None = None,
        legal_form: str | None = None,
        legal_form_code: str | None = None,
        elf: str | None = None,
        legal_form_class: str | None = None,
        activity: str | None = None,
        activity_type: Literal["unlicensed", "licensed"] | None = None,
        isic: str | None = None,
        registered_from: str | None = None,
        registered_to: str | None = None,
        sort: Literal["name", "-registeredAt", "-updatedAt", "relevance"] | None = None,
        page: int | Literal["all"] | None = None,
        page_size: int | None = None,
    ) -> EntityPage:
        """Search companies.

        Returns the companies that match all given filters, [sorted by name](/docs/paging#order-of-results) and
        then by id. `total` is exact on every page. A page after the last one is empty. Unknown parameters are
        rejected, not ignored. `Accept` chooses the [format](/docs/paging#results-as-files): JSON, CSV or
        NDJSON.

        - `q`: Part of a company name or of a registration number, or all of it. Case, accents, invisible
          characters and blanks at the start and the end are ignored, several blanks count as one, and all kinds
          of apostrophes, quotation marks and dashes are equal. If the value has only letters, digits and
          separators (space, `.`, `-`, `/`) and at least one digit, it is also compared with numbers after
          removing the separators from both; a value that has separators itself needs at least five letters and
          digits for this. In countries where the VAT number contains the national number, a complete VAT number
          with its country prefix finds the company, too. An empty value matches every company.
        - `words`: Up to 20 words in any order. A company matches if each of them is a word, the beginning of
          one or a part of one in its current name, in a former or other name, in one of these in Latin letters,
          or in a registration number. Case, accents, signs and repeated words are ignored, and a value without a
          letter or digit matches every company. With `words`, results are sorted by `relevance` unless `sort`
          says otherwise. See [search by words](/docs/paging#what-words-finds).
        - `country`: Two-letter country code (ISO 3166-1 alpha-2). Case is ignored.
        - `register`: Identifier of the register, exactly as in the `register` field of a result.
        - `jurisdiction`: Under whose law the company was formed, as in the `jurisdiction` field of a result: a
          state or province (ISO 3166-2), or a country without such (ISO 3166-1 alpha-2). Case is ignored.
          Companies whose register does not say it are left out.
        - `status`: Normalized [status](/docs/status), as in the `status` field of a result. New values may be
          added.
        - `legal_form`: National legal form, exactly as in the `legalForm` field of a result.
        - `legal_form_code`: Code of the national legal form, exactly as in `registry.legalForm.code` of a
          record. Registers use the same codes for different legal forms, so combine it with `country` or
          `register`.
        - `elf`: Code of the [legal form](/docs/legal-forms) in the list of entity legal forms (ELF, ISO 20275),
          as in the `elf` field of a result, or several, separated by commas.
        - `legal_form_class`: [Class of the legal form](/docs/legal-forms#classes), the same in all countries:
          `limited_company`, `public_company`, `partnership`, `sole_trader`, `branch`, `association`,
          `foundation`, `cooperative`, `public_body`, `other`, or several, separated by commas. New values may be
          added.
        - `activity`: National activity: its code, its label in any language of the register, or the complete
          value as the source writes it, each exactly as published.
        - `activity_type`: The kind of activities that `activity` is compared with.
        - `isic`: Code of [ISIC Rev. 4](/docs/classifications): a section (`J`), division (`62`), group (`620`)
          or class (`6201`), or several, separated by commas. Finds companies with any activity in one of them.
        - `registered_from`: Only companies registered on this day or later. Companies without a `registeredAt`
          are left out.
        - `registered_to`: Only companies registered on this day or earlier. Companies without a `registeredAt`
          are left out.
        - `sort`: The [order of results](/docs/paging#order-of-results): `name`, `-registeredAt` (newest
          registration first, unknown dates last), `-updatedAt` (last changed first) or, with `words`, `relevance`
          (best hits first). Equal results are in the order of names. Without `sort`, a search with `words` is
          sorted by `relevance`, any other by `name`; without `words`, `relevance` is the same as `name`.
        - `page`: Page number, starting at 1, of any size. A page after the last one is empty. With `all`, the
          [whole result](/docs/paging#the-whole-result) is sent as CSV or NDJSON, from one version of the data;
          `pageSize` is checked, but has no effect. This needs a paid plan and costs one request per 100 rows,
          charged in advance.
        - `page_size`: Number of results per page.
        """
        return self._call("GET", "/entities", {
            "q": q,
            "words": words,
            "country": country,
            "register": register,
            "jurisdiction": jurisdiction,
            "status": status,
            "legalForm": legal_form,
            "legalFormCode": legal_form_code,
            "elf": elf,
            "legalFormClass": legal_form_class,
            "activity": activity,
            "activityType": activity_type,
            "isic": isic,
            "registeredFrom": registered_from,
            "registeredTo": registered_to,
            "sort": sort,
            "page": page,
            "pageSize": page_size,
        })

    def search(
        self,
        *,
        q: str | None = None,
        words: str | None = None,
        country: str | None = None,
        register: str | None = None,
        jurisdiction: str | None = None,
        status: Literal["active", "inactive", "in_liquidation", "insolvent", "dissolved", "delisted", "unknown"] | None = None,
        legal_form: str | None = None,
        legal_form_code: str | None = None,
        elf: str | None = None,
        legal_form_class: str | None = None,
        activity: str | None = None,
        activity_type: Literal["unlicensed", "licensed"] | None = None,
        isic: str | None = None,
        registered_from: str | None = None,
        registered_to: str | None = None,
        sort: Literal["name", "-registeredAt", "-updatedAt", "relevance"] | None = None,
        page_size: int = 100,
        on_change: Literal["restart", "raise"] = "restart",
        restarts: int = 10,
    ) -> SearchResults:
        """All companies that match, from all pages of one snapshot of the data.

        A page is read when you need it, and costs one request. If an import comes between two pages, `restart`
        reads all pages again and gives only companies that were not given yet, at most `restarts` times;
        `raise` ends with `SnapshotChanged`.

        The parameters are those of `search_entities`.
        """
        return self._search({
            "q": q,
            "words": words,
            "country": country,
            "register": register,
            "jurisdiction": jurisdiction,
            "status": status,
            "legalForm": legal_form,
            "legalFormCode": legal_form_code,
            "elf": elf,
            "legalFormClass": legal_form_class,
            "activity": activity,
            "activityType": activity_type,
            "isic": isic,
            "registeredFrom": registered_from,
            "registeredTo": registered_to,
            "sort": sort,
            "pageSize": page_size,
        }, on_change, restarts)

    def get_entity(self, id: str) -> EntityReply:
        """Retrieve a company.

        Returns the full record: normalized fields, typed national fields, every field of the source exactly as
        published, registrations, and the file that the record comes from.

        - `id`: The `id` of a search result. Case is ignored.
        """
        return self._call("GET", "/entities/{id}", {"id": id})

    def list_parties(
        self,
        id: str,
        *,
        role: Literal["director", "representative", "founder", "shareholder", "partner", "beneficial_owner", "controller", "liquidator", "insolvency_administrator", "auditor", "parent", "ultimate_parent", "head_office", "fund_manager", "umbrella_fund", "master_fund", "member", "other"] | None = None,
        at: str | None = None,
    ) -> PartyList:
        """List the parties of a company.

        Returns who is connected with a company according to its register: owners, managers of funds, or the
        reason why none is named, each with the row that says so. Natural persons are named as published, unless
        the operator leaves them out. See [owners and holdings](/docs/parties).

        - `id`: The `id` of a search result. Case is ignored.
        - `role`: Only parties with this role.
        - `at`: The parties of that day. Without it, those that are in force according to the source.
        """
        return self._call("GET", "/entities/{id}/parties", {"id": id, "role": role, "at": at})

    def list_owners(self, id: str, *, depth: int | None = None) -> OwnershipReply:
        """Follow the owners of a company.

        Returns the companies above a company: its parents, their parents and so on, and why each chain ends.
        Cycles are marked. See [owners and holdings](/docs/parties).

        - `id`: The `id` of a search result. Case is ignored.
        - `depth`: How many levels to follow.
        """
        return self._call("GET", "/entities/{id}/owners", {"id": id, "depth": depth})

    def list_holdings(self, id: str, *, depth: int | None = None) -> OwnershipReply:
        """Follow the holdings of a company.

        Returns the companies below a company: those that name it as an owner, parent or head office, and so on.
        Cycles are marked. See [owners and holdings](/docs/parties).

        - `id`: The `id` of a search result. Case is ignored.
        - `depth`: How many levels to follow.
        """
        return self._call("GET", "/entities/{id}/holdings", {"id": id, "depth": depth})

    def list_isic(self) -> IsicTree:
        """List ISIC codes.

        Returns all sections, divisions, groups and classes of [ISIC Rev. 4](/docs/classifications) in their
        order, each with its English title and the number of companies that `isic` finds with it. After an
        import, the numbers may be those from before it for a moment.
        """
        return self._call("GET", "/classifications/isic", {})

    def list_elf(self, *, country: str | None = None) -> ElfList:
        """List ELF codes.

        Returns the [legal forms](/docs/legal-forms) of the list of entity legal forms (ELF, ISO 20275) that are
        in use, of one country or of all, in the order of their codes. Each has its name and the number of
        companies that `elf` finds with it; with `country`, of companies in that country. After an import, the
        numbers may be those from before it for a moment.

        - `country`: Two-letter country code (ISO 3166-1 alpha-2). Case is ignored.
        """
        return self._call("GET", "/classifications/elf", {"country": country})

    def match_entity(
        self,
        name: str,
        *,
        country: str | None = None,
        registration_number: str | None = None,
        city: str | None = None,
        postcode: str | None = None,
        legal_form: str | None = None,
        registered_at: str | None = None,
        status: Literal["active", "inactive", "in_liquidation", "insolvent", "dissolved", "delisted", "unknown"] | None = None,
        limit: int | None = None,
    ) -> MatchReply:
        """Match a company.

        Finds the company that somebody means by a name. See [matching](/docs/matching). An answer without
        candidates costs one request, too.

        - `name`: The name as you have it: misspelt, shortened, in another script or order, with or without its
          legal form.
        - `country`: Two-letter country code (ISO 3166-1 alpha-2). Case is ignored.
        - `registration_number`: A registration number, VAT number or LEI.
        - `city`: City of the registered address.
        - `postcode`: Postcode of the registered address.
        - `legal_form`: Legal form, in words or as an abbreviation.
        - `registered_at`: Date of registration: a year, a month or a day.
        - `status`: Normalized [status](/docs/status), as in the `status` field of a result. New values may be
          added.
        - `limit`: How many candidates to return at most.
        """
        return self._call("GET", "/match", {
            "name": name,
            "country": country,
            "registrationNumber": registration_number,
            "city": city,
            "postcode": postcode,
            "legalForm": legal_form,
            "registeredAt": registered_at,
            "status": status,
            "limit": limit,
        })

    def match_entities(self, body: MatchBatch) -> MatchBatchReply:
        """Match companies.

        Finds the companies that somebody means by up to 100 names. Each query is answered for itself, in order,
        and costs one request. A query that is invalid or fails has an error in its place and costs nothing. All
        answers come from one version of the data. If the quota cannot pay for all queries, nothing is done.
        """
        return self._call("POST", "/match", {}, body)

    def list_changes(
        self,
        *,
        cursor: str | None = None,
        country: str | None = None,
        register: str | None = None,
        type: Literal["added", "changed", "delisted", "relisted", "loaded"] | None = None,
        limit: int | None = None,
        wait: int | None = None,
    ) -> ChangePage:
        """List changes.

        Returns what imports have changed, in order. Every cursor continues without gap or repetition. A page
        may have fewer changes than `limit` although `hasMore` is true. A page without changes costs no quota.
        See [staying in sync](/docs/sync).

        - `cursor`: Where to continue: `nextCursor` of the last page, or the `cursor` of the last change that
          you have processed. To follow data that you have read, the `X-Data-Version` of its first page, or the
          `dataVersion` of an export. `now` is the current end of the feed. Without it, the feed starts with the
          oldest change that is kept.
        - `country`: Two-letter country code (ISO 3166-1 alpha-2). Case is ignored.
        - `register`: Identifier of the register, exactly as in the `register` field of a change.
        - `type`: Type of change, as in the `type` field. New values may be added.
        - `limit`: Maximum number of changes per page.
        - `wait`: If there are no changes yet, how many seconds to wait for some. The response comes as soon as
          there are changes, and is an empty page if there are none by then.
        """
        return self._call("GET", "/changes", {
            "cursor": cursor,
            "country": country,
            "register": register,
            "type": type,
            "limit": limit,
            "wait": wait,
        })

    def changes(
        self,
        *,
        cursor: str | None = None,
        country: str | None = None,
        register: str | None = None,
        type: Literal["added", "changed", "delisted", "relisted", "loaded"] | None = None,
        limit: int = 1000,
    ) -> Iterator[Change]:
        """All changes after the cursor up to the present, the oldest first.

        Each change has a cursor. Store it when you have handled the change, and start with it the next time.

        The parameters are those of `list_changes`.
        """
        return self._changes({
            "cursor": cursor,
            "country": country,
            "register": register,
            "type": type,
            "limit": limit,
        }, False)

    def follow_changes(
        self,
        *,
        cursor: str | None = None,
        country: str | None = None,
        register: str | None = None,
        type: Literal["added", "changed", "delisted", "relisted", "loaded"] | None = None,
        limit: int = 1000,
        wait: int = 30,
    ) -> Iterator[Change]:
        """Changes after the cursor as they happen, without end: leave the loop to stop.

        Each change has a cursor. Store it when you have handled the change, and start with it the next time.

        The parameters are those of `list_changes`.
        """
        return self._changes({
            "cursor": cursor,
            "country": country,
            "register": register,
            "type": type,
            "limit": limit,
            "wait": wait,
        }, True)

    def list_entity_changes(
        self,
        id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> EntityChangePage:
        """List changes of a company.

        Returns what imports have changed about one company, the newest first, as far back as changes are kept.
        A page without changes costs no quota.

        - `id`: The `id` of a search result. Case is ignored.
        - `cursor`: `nextCursor` of the last page. Without it, the list starts with the newest change.
        - `limit`: Maximum number of changes per page.
        """
        return self._call("GET", "/entities/{id}/changes", {"id": id, "cursor": cursor, "limit": limit})

    def list_exports(self) -> ExportList:
        """List exports.

        Returns the exports that this service offers: all companies of one generation of the data as files, made
        after updates. Needs a paid plan. See [working with exports](/docs/exports).
        """
        return self._call("GET", "/exports", {})

    def download_export(self, generation: str, path: str) -> BinaryIO:
        """Download a file of an export.

        Returns one file, or a range of its bytes. The bytes of an address never change. Every request costs one
        unit, also for a range; `304` is free. With `latest` in place of the generation, the address stays the
        same: it redirects, free of charge, to the newest generation that has the file. Needs a paid plan. The
        service may redirect to another host that has the files.

        - `generation`: The `generation` of an export, or `latest`.
        - `path`: The `path` of a file, or `<format>/manifest.json` or `<format>/LICENCES.md`. It contains
          slashes.
        """
        return self._open("/exports/{generation}/{+path}", {"generation": generation, "path": path})

    def list_monitors(self) -> MonitorList:
        """List monitors.

        Returns the monitors of the account, the oldest first.
        """
        return self._call("GET", "/monitors", {})

    def create_monitor(self, body: NewMonitor) -> CreatedMonitorReply:
        """Create a monitor.

        Creates a monitor, which reports the changes of companies from now on. Add more companies with `POST
        …/entities`. With an `Idempotency-Key`, a repeated request makes no second monitor, and names the first
        one. See [monitors](/docs/monitors).
        """
        return self._call("POST", "/monitors", {}, body, idempotent=True)

    def get_monitor(self, id: str) -> MonitorReply:
        """Retrieve a monitor.

        Returns one monitor.

        - `id`: The `id` of a monitor.
        """
        return self._call("GET", "/monitors/{id}", {"id": id})

    def update_monitor(self, id: str, body: MonitorUpdate) -> UpdatedMonitorReply:
        """Update a monitor.

        Changes the name of a monitor, what counts as a change, or its saved search. Fields that you leave out
        stay as they are. The reply names the place in the change feed from which the change is in effect. See
        [changing a monitor](/docs/monitors#change-a-monitor).

        - `id`: The `id` of a monitor.
        """
        return self._call("PATCH", "/monitors/{id}", {"id": id}, body)

    def delete_monitor(self, id: str) -> None:
        """Delete a monitor.

        Deletes a monitor and the changes that it has reported.

        - `id`: The `id` of a monitor.
        """
        return self._call("DELETE", "/monitors/{id}", {"id": id})

    def list_monitor_entities(
        self,
        id: str,
        *,
        after: str | None = None,
        limit: int | None = None,
    ) -> MonitorEntityList:
        """List the companies of a monitor.

        Returns the ids of the watched companies.

        - `id`: The `id` of a monitor.
        - `after`: `next` of the last page. Without it, the list starts at its beginning.
        - `limit`: Maximum number of ids.
        """
        return self._call("GET", "/monitors/{id}/entities", {"id": id, "after": after, "limit": limit})

    def change_monitor_entities(self, id: str, body: MonitorEntityChanges) -> MonitorEntitiesChangedReply:
        """Add or remove companies.

        Adds companies to a monitor and removes others, all at the same place in the change feed, which the
        reply names. A company that is in the list already stays in it.

        - `id`: The `id` of a monitor.
        """
        return self._call("POST", "/monitors/{id}/entities", {"id": id}, body)

    def list_monitor_changes(
        self,
        id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        wait: int | None = None,
    ) -> ChangePage:
        """List changes of a monitor.

        Returns the changes that the monitor reports, in order, with the cursors of the [change
        feed](/docs/sync): every cursor continues without gap or repetition. Each change costs one request of
        the quota, and a page has at most as many as are left. A page without changes costs nothing.

        - `id`: The `id` of a monitor.
        - `cursor`: Where to continue: `nextCursor` of the last page, or the `cursor` of the last change that
          you have processed. To follow data that you have read, the `X-Data-Version` of its first page, or the
          `dataVersion` of an export. `now` is the current end of the feed. Without it, the feed starts with the
          oldest change that is kept.
        - `limit`: Maximum number of changes per page.
        - `wait`: If there are no changes yet, how many seconds to wait for some. The response comes as soon as
          there are changes, and is an empty page if there are none by then.
        """
        return self._call("GET", "/monitors/{id}/changes", {
            "id": id,
            "cursor": cursor,
            "limit": limit,
            "wait": wait,
        })

    def list_webhook_endpoints(self) -> WebhookEndpointList:
        """List webhook endpoints.

        Returns the endpoints of the account, oldest first.
        """
        return self._call("GET", "/webhook-endpoints", {})

    def create_webhook_endpoint(self, body: NewWebhookEndpoint) -> CreatedWebhookEndpointReply:
        """Create a webhook endpoint.

        Creates an endpoint that gets the events of your [monitors](/docs/monitors) from now on, signed by
        [Standard Webhooks](https://www.standardwebhooks.com). The secret is returned only once. See
        [webhooks](/docs/webhooks).
        """
        return self._call("POST", "/webhook-endpoints", {}, body, idempotent=True)

    def get_webhook_endpoint(self, id: str) -> WebhookEndpointReply:
        """Retrieve a webhook endpoint.

        Returns one endpoint, without its secret.

        - `id`: The `id` of the endpoint.
        """
        return self._call("GET", "/webhook-endpoints/{id}", {"id": id})

    def update_webhook_endpoint(self, id: str, body: WebhookEndpointChange) -> WebhookEndpointReply:
        """Update a webhook endpoint.

        Changes the address, the monitors or whether events are sent. Enabling an endpoint sends everything it
        has missed.

        - `id`: The `id` of the endpoint.
        """
        return self._call("PATCH", "/webhook-endpoints/{id}", {"id": id}, body)

    def delete_webhook_endpoint(self, id: str) -> None:
        """Delete a webhook endpoint.

        Deletes the endpoint and its deliveries. Nothing more is sent. Events that were sent stay charged,
        whatever the receiver answered.

        - `id`: The `id` of the endpoint.
        """
        return self._call("DELETE", "/webhook-endpoints/{id}", {"id": id})

    def list_webhook_deliveries(
        self,
        id: str,
        *,
        state: Literal["waiting", "delivered", "failed"] | None = None,
        before: str | None = None,
        limit: int | None = None,
    ) -> WebhookDeliveryList:
        """List deliveries.

        Returns the deliveries of an endpoint, the newest first, with their attempts. What was delivered is kept
        for 30 days.

        - `id`: The `id` of the endpoint.
        - `state`: Only deliveries in this state.
        - `before`: The `id` of the last delivery of the previous page.
        - `limit`: Maximum number of deliveries.
        """
        return self._call("GET", "/webhook-endpoints/{id}/deliveries", {
            "id": id,
            "state": state,
            "before": before,
            "limit": limit,
        })

    def rotate_webhook_secret(self, id: str) -> CreatedWebhookEndpointReply:
        """Rotate the secret of a webhook endpoint.

        Returns a new secret. For 24 hours, everything is signed with both, so that you can replace the old one
        without a gap.

        - `id`: The `id` of the endpoint.
        """
        return self._call("POST", "/webhook-endpoints/{id}/rotate", {"id": id})

    def test_webhook_endpoint(self, id: str) -> WebhookDeliveryReply:
        """Send a test.

        Sends an example of the type `webhook.test` once, without retries. It costs nothing. An endpoint gets at
        most five tests per minute, and a disabled one gets none.

        - `id`: The `id` of the endpoint.
        """
        return self._call("POST", "/webhook-endpoints/{id}/test", {"id": id})

    def replay_webhook_events(self, id: str, *, cursor: str | None = None) -> WebhookEndpointReply:
        """Send events again.

        Sends all events after a cursor again, with the same `webhook-id`. Each event that was delivered costs
        one unit of quota again when it is sent. One that was sent and not delivered is charged already.

        - `id`: The `id` of the endpoint.
        - `cursor`: Events after this cursor are sent again, a `cursor` of a change or an event. Without it, all
          that are kept.
        """
        return self._call("POST", "/webhook-endpoints/{id}/replay", {"id": id, "cursor": cursor})
