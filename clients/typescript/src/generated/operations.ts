// Generated from openapi.json by `npm run generate:client`. Do not edit.
import type { CallOptions } from '../options.ts';
import type { AccountReply, ApiKeyList, ChangePage, CountryList, CreatedApiKeyReply, CreatedMonitorReply, CreatedReconcileLinkReply, CreatedWebhookEndpointReply, ElfList, EntityChangePage, EntityPage, EntityReply, ExportList, HostedPage, IsicTree, Live, MatchBatch, MatchBatchReply, MatchReply, MonitorEntitiesChangedReply, MonitorEntityChanges, MonitorEntityList, MonitorList, MonitorReply, MonitorUpdate, NewApiKey, NewCheckout, NewMonitor, NewReconcileLink, NewWebhookEndpoint, OpenApiDocument, OwnershipReply, PartyList, PlanList, Ready, ReconcileLinkList, SavedSearch, UpdatedMonitorReply, UserReply, WebhookDeliveryList, WebhookDeliveryReply, WebhookEndpointChange, WebhookEndpointList, WebhookEndpointReply } from './types.ts';

export interface SearchEntitiesParameters extends SavedSearch {
  /**
   * The [order of results](/docs/paging#order-of-results): `name`, `-registeredAt` (newest registration first, unknown
   * dates last), `-updatedAt` (last changed first) or, with `words`, `relevance` (best hits first). Equal results are
   * in the order of names. Without `sort`, a search with `words` is sorted by `relevance`, any other by `name`;
   * without `words`, `relevance` is the same as `name`.
   */
  sort?: "name" | "-registeredAt" | "-updatedAt" | "relevance" | undefined;
  /**
   * Page number, starting at 1, of any size. A page after the last one is empty. With `all`, the [whole
   * result](/docs/paging#the-whole-result) is sent as CSV or NDJSON, from one version of the data; `pageSize` is
   * checked, but has no effect. This needs a paid plan and costs one request per 100 rows, charged in advance.
   * @default 1
   */
  page?: number | "all" | undefined;
  /**
   * Number of results per page.
   * @default 25
   */
  pageSize?: number | undefined;
}

export interface GetEntityParameters {
  /** The `id` of a search result. Case is ignored. */
  id: string;
}

export interface ListPartiesParameters {
  /** The `id` of a search result. Case is ignored. */
  id: string;
  /** Only parties with this role. */
  role?: "director" | "representative" | "founder" | "shareholder" | "partner" | "beneficial_owner" | "controller" | "liquidator" | "insolvency_administrator" | "auditor" | "parent" | "ultimate_parent" | "head_office" | "fund_manager" | "umbrella_fund" | "master_fund" | "member" | "other" | undefined;
  /** The parties of that day. Without it, those that are in force according to the source. */
  at?: string | undefined;
}

export interface ListOwnersParameters {
  /** The `id` of a search result. Case is ignored. */
  id: string;
  /**
   * How many levels to follow.
   * @default 10
   */
  depth?: number | undefined;
}

export interface ListHoldingsParameters {
  /** The `id` of a search result. Case is ignored. */
  id: string;
  /**
   * How many levels to follow.
   * @default 10
   */
  depth?: number | undefined;
}

export interface ListElfParameters {
  /** Two-letter country code (ISO 3166-1 alpha-2). Case is ignored. */
  country?: string | undefined;
}

export interface MatchEntityParameters {
  /** The name as you have it: misspelt, shortened, in another script or order, with or without its legal form. */
  name: string;
  /** Two-letter country code (ISO 3166-1 alpha-2). Case is ignored. */
  country?: string | undefined;
  /** A registration number, VAT number or LEI. */
  registrationNumber?: string | undefined;
  /** City of the registered address. */
  city?: string | undefined;
  /** Postcode of the registered address. */
  postcode?: string | undefined;
  /** Legal form, in words or as an abbreviation. */
  legalForm?: string | undefined;
  /** Date of registration: a year, a month or a day. */
  registeredAt?: string | undefined;
  /** Normalized [status](/docs/status), as in the `status` field of a result. New values may be added. */
  status?: "active" | "inactive" | "in_liquidation" | "insolvent" | "dissolved" | "delisted" | "unknown" | undefined;
  /**
   * How many candidates to return at most.
   * @default 5
   */
  limit?: number | undefined;
}

export interface ListChangesParameters {
  /**
   * Where to continue: `nextCursor` of the last page, or the `cursor` of the last change that you have processed. To
   * follow data that you have read, the `X-Data-Version` of its first page, or the `dataVersion` of an export. `now`
   * is the current end of the feed. Without it, the feed starts with the oldest change that is kept.
   */
  cursor?: string | undefined;
  /** Two-letter country code (ISO 3166-1 alpha-2). Case is ignored. */
  country?: string | undefined;
  /** Identifier of the register, exactly as in the `register` field of a change. */
  register?: string | undefined;
  /** Type of change, as in the `type` field. New values may be added. */
  type?: "added" | "changed" | "delisted" | "relisted" | "loaded" | undefined;
  /**
   * Maximum number of changes per page.
   * @default 100
   */
  limit?: number | undefined;
  /**
   * If there are no changes yet, how many seconds to wait for some. The response comes as soon as there are changes,
   * and is an empty page if there are none by then.
   * @default 0
   */
  wait?: number | undefined;
}

export interface ListEntityChangesParameters {
  /** The `id` of a search result. Case is ignored. */
  id: string;
  /** `nextCursor` of the last page. Without it, the list starts with the newest change. */
  cursor?: string | undefined;
  /**
   * Maximum number of changes per page.
   * @default 100
   */
  limit?: number | undefined;
}

export interface DownloadExportParameters {
  /** The `generation` of an export, or `latest`. */
  generation: string;
  /** The `path` of a file, or `<format>/manifest.json` or `<format>/LICENCES.md`. It contains slashes. */
  path: string;
}

export interface RevokeApiKeyParameters {
  /** The `id` of the key to revoke. */
  id: string;
}

export interface RevokeReconcileLinkParameters {
  /** The `id` of the link to revoke. */
  id: string;
}

export interface GetMonitorParameters {
  /** The `id` of a monitor. */
  id: string;
}

export interface UpdateMonitorParameters {
  /** The `id` of a monitor. */
  id: string;
  body: MonitorUpdate;
}

export interface DeleteMonitorParameters {
  /** The `id` of a monitor. */
  id: string;
}

export interface ListMonitorEntitiesParameters {
  /** The `id` of a monitor. */
  id: string;
  /** `next` of the last page. Without it, the list starts at its beginning. */
  after?: string | undefined;
  /**
   * Maximum number of ids.
   * @default 1000
   */
  limit?: number | undefined;
}

export interface ChangeMonitorEntitiesParameters {
  /** The `id` of a monitor. */
  id: string;
  body: MonitorEntityChanges;
}

export interface ListMonitorChangesParameters {
  /** The `id` of a monitor. */
  id: string;
  /**
   * Where to continue: `nextCursor` of the last page, or the `cursor` of the last change that you have processed. To
   * follow data that you have read, the `X-Data-Version` of its first page, or the `dataVersion` of an export. `now`
   * is the current end of the feed. Without it, the feed starts with the oldest change that is kept.
   */
  cursor?: string | undefined;
  /**
   * Maximum number of changes per page.
   * @default 100
   */
  limit?: number | undefined;
  /**
   * If there are no changes yet, how many seconds to wait for some. The response comes as soon as there are changes,
   * and is an empty page if there are none by then.
   * @default 0
   */
  wait?: number | undefined;
}

export interface GetWebhookEndpointParameters {
  /** The `id` of the endpoint. */
  id: string;
}

export interface UpdateWebhookEndpointParameters {
  /** The `id` of the endpoint. */
  id: string;
  body: WebhookEndpointChange;
}

export interface DeleteWebhookEndpointParameters {
  /** The `id` of the endpoint. */
  id: string;
}

export interface ListWebhookDeliveriesParameters {
  /** The `id` of the endpoint. */
  id: string;
  /** Only deliveries in this state. */
  state?: "waiting" | "delivered" | "failed" | undefined;
  /** The `id` of the last delivery of the previous page. */
  before?: string | undefined;
  /**
   * Maximum number of deliveries.
   * @default 25
   */
  limit?: number | undefined;
}

export interface RotateWebhookSecretParameters {
  /** The `id` of the endpoint. */
  id: string;
}

export interface TestWebhookEndpointParameters {
  /** The `id` of the endpoint. */
  id: string;
}

export interface ReplayWebhookEventsParameters {
  /** The `id` of the endpoint. */
  id: string;
  /** Events after this cursor are sent again, a `cursor` of a change or an event. Without it, all that are kept. */
  cursor?: string | undefined;
}

/** Every operation of the API, under its name in the contract. */
export interface Api {
  /**
   * List countries.
   *
   * Returns every country that has at least one company (`enabled`), whichever register it comes from, and the
   * countries that are planned. `freshness` and `asOf` describe the national registers of the country, or else the
   * registers that also list its companies.
   */
  listCountries(options?: CallOptions): Promise<CountryList>;

  /**
   * Search companies.
   *
   * Returns the companies that match all given filters, [sorted by name](/docs/paging#order-of-results) and then by
   * id. `total` is exact on every page. A page after the last one is empty. Unknown parameters are rejected, not
   * ignored. `Accept` chooses the [format](/docs/paging#results-as-files): JSON, CSV or NDJSON.
   */
  searchEntities(parameters?: SearchEntitiesParameters, options?: CallOptions): Promise<EntityPage>;

  /**
   * Retrieve a company.
   *
   * Returns the full record: normalized fields, typed national fields, every field of the source exactly as published,
   * registrations, and the file that the record comes from.
   */
  getEntity(parameters: GetEntityParameters, options?: CallOptions): Promise<EntityReply>;

  /**
   * List the parties of a company.
   *
   * Returns who is connected with a company according to its register: owners, managers of funds, or the reason why
   * none is named, each with the row that says so. Natural persons are named as published, unless the operator leaves
   * them out. See [owners and holdings](/docs/parties).
   */
  listParties(parameters: ListPartiesParameters, options?: CallOptions): Promise<PartyList>;

  /**
   * Follow the owners of a company.
   *
   * Returns the companies above a company: its parents, their parents and so on, and why each chain ends. Cycles are
   * marked. See [owners and holdings](/docs/parties).
   */
  listOwners(parameters: ListOwnersParameters, options?: CallOptions): Promise<OwnershipReply>;

  /**
   * Follow the holdings of a company.
   *
   * Returns the companies below a company: those that name it as an owner, parent or head office, and so on. Cycles
   * are marked. See [owners and holdings](/docs/parties).
   */
  listHoldings(parameters: ListHoldingsParameters, options?: CallOptions): Promise<OwnershipReply>;

  /**
   * List ISIC codes.
   *
   * Returns all sections, divisions, groups and classes of [ISIC Rev. 4](/docs/classifications) in their order, each
   * with its English title and the number of companies that `isic` finds with it. After an import, the numbers may be
   * those from before it for a moment.
   */
  listIsic(options?: CallOptions): Promise<IsicTree>;

  /**
   * List ELF codes.
   *
   * Returns the [legal forms](/docs/legal-forms) of the list of entity legal forms (ELF, ISO 20275) that are in use,
   * of one country or of all, in the order of their codes. Each has its name and the number of companies that `elf`
   * finds with it; with `country`, of companies in that country. After an import, the numbers may be those from before
   * it for a moment.
   */
  listElf(parameters?: ListElfParameters, options?: CallOptions): Promise<ElfList>;

  /**
   * Match a company.
   *
   * Finds the company that somebody means by a name. See [matching](/docs/matching). An answer without candidates
   * costs one request, too.
   */
  matchEntity(parameters: MatchEntityParameters, options?: CallOptions): Promise<MatchReply>;

  /**
   * Match companies.
   *
   * Finds the companies that somebody means by up to 100 names. Each query is answered for itself, in order, and costs
   * one request. A query that is invalid or fails has an error in its place and costs nothing. All answers come from
   * one version of the data. If the quota cannot pay for all queries, nothing is done.
   */
  matchEntities(body: MatchBatch, options?: CallOptions): Promise<MatchBatchReply>;

  /**
   * List changes.
   *
   * Returns what imports have changed, in order. Every cursor continues without gap or repetition. A page may have
   * fewer changes than `limit` although `hasMore` is true. A page without changes costs no quota. See [staying in
   * sync](/docs/sync).
   */
  listChanges(parameters?: ListChangesParameters, options?: CallOptions): Promise<ChangePage>;

  /**
   * List changes of a company.
   *
   * Returns what imports have changed about one company, the newest first, as far back as changes are kept. A page
   * without changes costs no quota.
   */
  listEntityChanges(parameters: ListEntityChangesParameters, options?: CallOptions): Promise<EntityChangePage>;

  /**
   * List exports.
   *
   * Returns the exports that this service offers: all companies of one generation of the data as files, made after
   * updates. Needs a paid plan. See [working with exports](/docs/exports).
   */
  listExports(options?: CallOptions): Promise<ExportList>;

  /**
   * Download a file of an export.
   *
   * Returns one file, or a range of its bytes. The bytes of an address never change. Every request costs one unit,
   * also for a range; `304` is free. With `latest` in place of the generation, the address stays the same: it
   * redirects, free of charge, to the newest generation that has the file. Needs a paid plan. The service may redirect
   * to another host that has the files.
   */
  downloadExport(parameters: DownloadExportParameters, options?: CallOptions): Promise<Response>;

  /**
   * Retrieve the account.
   *
   * Returns the plan, the usage in the current billing period, the subscription and the active API keys.
   */
  getAccount(options?: CallOptions): Promise<AccountReply>;

  /**
   * Retrieve the signed-in user.
   *
   * Returns the profile of the signed-in user, as provided by the identity provider.
   */
  getMe(options?: CallOptions): Promise<UserReply>;

  /**
   * List API keys.
   *
   * Returns the active keys of the account, oldest first. Secrets are not included.
   */
  listApiKeys(options?: CallOptions): Promise<ApiKeyList>;

  /**
   * Create an API key.
   *
   * Creates a key and returns its secret. The secret is returned only once, because only its SHA-256 hash is stored.
   * With an `Idempotency-Key`, a repeated request makes no second key, and names the first one. Use one key per
   * application or environment.
   */
  createApiKey(body: NewApiKey, options?: CallOptions): Promise<CreatedApiKeyReply>;

  /**
   * List reconcile links.
   *
   * Returns the active links of the account, oldest first, without their addresses.
   */
  listReconcileLinks(options?: CallOptions): Promise<ReconcileLinkList>;

  /**
   * Create a reconcile link.
   *
   * Creates an address for programs that reconcile names with companies and cannot send an API key, such as
   * [OpenRefine](/docs/openrefine). The address is returned only once, because only the hash of its secret part is
   * stored. It can be used for reconciliation only, has a rate limit of its own, and draws on the quota of the
   * account. With an `Idempotency-Key`, a repeated request makes no second link, and names the first one.
   */
  createReconcileLink(body: NewReconcileLink, options?: CallOptions): Promise<CreatedReconcileLinkReply>;

  /**
   * Create a checkout page.
   *
   * Returns a page of the payment provider where the customer buys the plan. For an account that has a subscription,
   * this is the customer portal, where the plan is changed. The plan changes when a signed event of the payment
   * provider confirms it, not when the browser returns.
   */
  createCheckout(body: NewCheckout, options?: CallOptions): Promise<HostedPage>;

  /**
   * Liveness probe.
   *
   * Succeeds as soon as the process accepts requests. It does not check the databases.
   */
  getLiveness(options?: CallOptions): Promise<Live>;

  /**
   * Readiness probe.
   *
   * Succeeds when a data request would be answered: both databases can be read, requests can be counted, the schema is
   * the one this version expects, and search is ready. A failure or recovery is visible within a second.
   */
  getReadiness(options?: CallOptions): Promise<Ready>;

  /**
   * List plans.
   *
   * Returns the price and limits of every plan. When a quota is used up, requests are rejected. There are no overage
   * fees.
   */
  listPlans(options?: CallOptions): Promise<PlanList>;

  /**
   * Retrieve this contract.
   *
   * Returns the contract of this version as an OpenAPI 3.1 document.
   */
  getContract(options?: CallOptions): Promise<OpenApiDocument>;

  /**
   * Revoke an API key.
   *
   * Revokes the key. From then on, every server rejects requests with it with `invalid_api_key`.
   */
  revokeApiKey(parameters: RevokeApiKeyParameters, options?: CallOptions): Promise<void>;

  /**
   * Revoke a reconcile link.
   *
   * Revokes the link. From then on, every server rejects requests with it with `invalid_reconcile_link`.
   */
  revokeReconcileLink(parameters: RevokeReconcileLinkParameters, options?: CallOptions): Promise<void>;

  /**
   * List monitors.
   *
   * Returns the monitors of the account, the oldest first.
   */
  listMonitors(options?: CallOptions): Promise<MonitorList>;

  /**
   * Create a monitor.
   *
   * Creates a monitor, which reports the changes of companies from now on. Add more companies with `POST …/entities`.
   * With an `Idempotency-Key`, a repeated request makes no second monitor, and names the first one. See
   * [monitors](/docs/monitors).
   */
  createMonitor(body: NewMonitor, options?: CallOptions): Promise<CreatedMonitorReply>;

  /**
   * Retrieve a monitor.
   *
   * Returns one monitor.
   */
  getMonitor(parameters: GetMonitorParameters, options?: CallOptions): Promise<MonitorReply>;

  /**
   * Update a monitor.
   *
   * Changes the name of a monitor, what counts as a change, or its saved search. Fields that you leave out stay as
   * they are. The reply names the place in the change feed from which the change is in effect. See [changing a
   * monitor](/docs/monitors#change-a-monitor).
   */
  updateMonitor(parameters: UpdateMonitorParameters, options?: CallOptions): Promise<UpdatedMonitorReply>;

  /**
   * Delete a monitor.
   *
   * Deletes a monitor and the changes that it has reported.
   */
  deleteMonitor(parameters: DeleteMonitorParameters, options?: CallOptions): Promise<void>;

  /**
   * List the companies of a monitor.
   *
   * Returns the ids of the watched companies.
   */
  listMonitorEntities(parameters: ListMonitorEntitiesParameters, options?: CallOptions): Promise<MonitorEntityList>;

  /**
   * Add or remove companies.
   *
   * Adds companies to a monitor and removes others, all at the same place in the change feed, which the reply names. A
   * company that is in the list already stays in it.
   */
  changeMonitorEntities(parameters: ChangeMonitorEntitiesParameters, options?: CallOptions): Promise<MonitorEntitiesChangedReply>;

  /**
   * List changes of a monitor.
   *
   * Returns the changes that the monitor reports, in order, with the cursors of the [change feed](/docs/sync): every
   * cursor continues without gap or repetition. Each change costs one request of the quota, and a page has at most as
   * many as are left. A page without changes costs nothing.
   */
  listMonitorChanges(parameters: ListMonitorChangesParameters, options?: CallOptions): Promise<ChangePage>;

  /**
   * List webhook endpoints.
   *
   * Returns the endpoints of the account, oldest first.
   */
  listWebhookEndpoints(options?: CallOptions): Promise<WebhookEndpointList>;

  /**
   * Create a webhook endpoint.
   *
   * Creates an endpoint that gets the events of your [monitors](/docs/monitors) from now on, signed by [Standard
   * Webhooks](https://www.standardwebhooks.com). The secret is returned only once. See [webhooks](/docs/webhooks).
   */
  createWebhookEndpoint(body: NewWebhookEndpoint, options?: CallOptions): Promise<CreatedWebhookEndpointReply>;

  /**
   * Retrieve a webhook endpoint.
   *
   * Returns one endpoint, without its secret.
   */
  getWebhookEndpoint(parameters: GetWebhookEndpointParameters, options?: CallOptions): Promise<WebhookEndpointReply>;

  /**
   * Update a webhook endpoint.
   *
   * Changes the address, the monitors or whether events are sent. Enabling an endpoint sends everything it has missed.
   */
  updateWebhookEndpoint(parameters: UpdateWebhookEndpointParameters, options?: CallOptions): Promise<WebhookEndpointReply>;

  /**
   * Delete a webhook endpoint.
   *
   * Deletes the endpoint and its deliveries. Nothing more is sent. Events that were sent stay charged, whatever the
   * receiver answered.
   */
  deleteWebhookEndpoint(parameters: DeleteWebhookEndpointParameters, options?: CallOptions): Promise<void>;

  /**
   * List deliveries.
   *
   * Returns the deliveries of an endpoint, the newest first, with their attempts. What was delivered is kept for 30
   * days.
   */
  listWebhookDeliveries(parameters: ListWebhookDeliveriesParameters, options?: CallOptions): Promise<WebhookDeliveryList>;

  /**
   * Rotate the secret of a webhook endpoint.
   *
   * Returns a new secret. For 24 hours, everything is signed with both, so that you can replace the old one without a
   * gap.
   */
  rotateWebhookSecret(parameters: RotateWebhookSecretParameters, options?: CallOptions): Promise<CreatedWebhookEndpointReply>;

  /**
   * Send a test.
   *
   * Sends an example of the type `webhook.test` once, without retries. It costs nothing. An endpoint gets at most five
   * tests per minute, and a disabled one gets none.
   */
  testWebhookEndpoint(parameters: TestWebhookEndpointParameters, options?: CallOptions): Promise<WebhookDeliveryReply>;

  /**
   * Send events again.
   *
   * Sends all events after a cursor again, with the same `webhook-id`. Each event that was delivered costs one unit of
   * quota again when it is sent. One that was sent and not delivered is charged already.
   */
  replayWebhookEvents(parameters: ReplayWebhookEventsParameters, options?: CallOptions): Promise<WebhookEndpointReply>;

  /**
   * Open the customer portal.
   *
   * Returns a page of the payment provider where the customer manages invoices, the payment method, the plan and its
   * cancellation. No body is required.
   */
  createPortal(options?: CallOptions): Promise<HostedPage>;
}

/**
 * Marks, method and path of every operation. Marks: `k` needs an API key, `s` a session; `a` takes an argument; `f` answers with a
 * file; `b` takes its body beside its parameters; `i` understands `Idempotency-Key`.
 */
export const operations = {
  listCountries: 'k GET /countries',
  searchEntities: 'ka GET /entities',
  getEntity: 'ka GET /entities/{id}',
  listParties: 'ka GET /entities/{id}/parties',
  listOwners: 'ka GET /entities/{id}/owners',
  listHoldings: 'ka GET /entities/{id}/holdings',
  listIsic: 'k GET /classifications/isic',
  listElf: 'ka GET /classifications/elf',
  matchEntity: 'ka GET /match',
  matchEntities: 'ka POST /match',
  listChanges: 'ka GET /changes',
  listEntityChanges: 'ka GET /entities/{id}/changes',
  listExports: 'k GET /exports',
  downloadExport: 'kaf GET /exports/{generation}/{+path}',
  getAccount: 's GET /account',
  getMe: 's GET /auth/me',
  listApiKeys: 's GET /api-keys',
  createApiKey: 'sai POST /api-keys',
  listReconcileLinks: 's GET /reconcile-links',
  createReconcileLink: 'sai POST /reconcile-links',
  createCheckout: 'sa POST /billing/checkout',
  getLiveness: ' GET /health/live',
  getReadiness: ' GET /health/ready',
  listPlans: ' GET /plans',
  getContract: ' GET /openapi.json',
  revokeApiKey: 'sa DELETE /api-keys/{id}',
  revokeReconcileLink: 'sa DELETE /reconcile-links/{id}',
  listMonitors: 'ks GET /monitors',
  createMonitor: 'ksai POST /monitors',
  getMonitor: 'ksa GET /monitors/{id}',
  updateMonitor: 'ksab PATCH /monitors/{id}',
  deleteMonitor: 'ksa DELETE /monitors/{id}',
  listMonitorEntities: 'ksa GET /monitors/{id}/entities',
  changeMonitorEntities: 'ksab POST /monitors/{id}/entities',
  listMonitorChanges: 'ksa GET /monitors/{id}/changes',
  listWebhookEndpoints: 'ks GET /webhook-endpoints',
  createWebhookEndpoint: 'ksai POST /webhook-endpoints',
  getWebhookEndpoint: 'ksa GET /webhook-endpoints/{id}',
  updateWebhookEndpoint: 'ksab PATCH /webhook-endpoints/{id}',
  deleteWebhookEndpoint: 'ksa DELETE /webhook-endpoints/{id}',
  listWebhookDeliveries: 'ksa GET /webhook-endpoints/{id}/deliveries',
  rotateWebhookSecret: 'ksa POST /webhook-endpoints/{id}/rotate',
  testWebhookEndpoint: 'ksa POST /webhook-endpoints/{id}/test',
  replayWebhookEvents: 'ksa POST /webhook-endpoints/{id}/replay',
  createPortal: 's POST /billing/portal',
} as const;
