import { type Changes, createChanges } from './changes.ts';
import { type Api, type ListPartiesParameters, operations } from './generated/operations.ts';
import type {
  EntityDetail,
  EntityReply,
  MatchAnswer,
  MatchQuery,
  OwnershipReply,
  PartyList,
} from './generated/types.ts';
import type { Limits } from './limits.ts';
import { type MatchAllOptions, type MatchResult, matchAll, matchBatch, matchOne } from './match.ts';
import { createMonitors, type Monitors } from './monitors.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { type OperationId, readOperation } from './request.ts';
import { type SearchOptions, type SearchQuery, type SearchResults, searchAll } from './search.ts';
import { createTransport, type Transport } from './transport.ts';
import { createWebhookEndpoints, type WebhookEndpoints } from './webhook-endpoints.ts';

/** The API: every operation of the contract under its name, and the longer tasks that consist of several requests. */
export interface Client extends Api {
  readonly entities: {
    /** All companies that match, from all pages of one snapshot of the data. A text stands for its words, the best hits first. */
    search(query?: SearchQuery | string, options?: SearchOptions): SearchResults;
    /** The full record of a company. */
    get(id: string, options?: CallOptions): Promise<EntityDetail>;
    /** Who is connected with a company, or why nobody is named. */
    parties(id: string, query?: Omit<ListPartiesParameters, 'id'>, options?: CallOptions): Promise<PartyList>;
    /** The companies above a company. */
    owners(id: string, depth?: number, options?: CallOptions): Promise<OwnershipReply>;
    /** The companies below a company. */
    holdings(id: string, depth?: number, options?: CallOptions): Promise<OwnershipReply>;
  };
  /**
   * The company that somebody means by a name, or what became of each of up to 100 queries. A request whose reply was lost is not
   * repeated, because it may have been charged: you get `ConnectionFailed` or `DeadlineExceeded`.
   */
  match(query: MatchQuery | string, options?: CallOptions): Promise<MatchAnswer>;
  match<Q extends MatchQuery | string>(queries: readonly Q[], options?: CallOptions): Promise<MatchResult<Q>[]>;
  /** The same for any number of queries, in their order. They are sent in lists of 100, at the pace at which results are taken. */
  matchAll<Q extends MatchQuery | string>(
    queries: Iterable<Q> | AsyncIterable<Q>,
    options?: MatchAllOptions,
  ): AsyncGenerator<MatchResult<Q>, void, undefined>;
  readonly changes: Changes;
  readonly monitors: Monitors;
  readonly webhookEndpoints: WebhookEndpoints;
  /** What is left of the limits of the key, as the last reply said. Undefined before the first data request. */
  readonly limits: Limits | undefined;
  /**
   * The reply of an operation without reading its body, for formats besides JSON: `client.open('searchEntities', { q, page: 'all' },
   * { headers: { accept: 'text/csv' } })`. Time limits apply until the headers are there, `signal` also to the body.
   */
  open(operation: OperationId, parameters?: object, options?: CallOptions): Promise<Response>;
}

export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options);
  const ids = Object.keys(operations) as OperationId[];
  const api = Object.fromEntries(ids.map((id) => [id, createMethod(transport, id)])) as unknown as Api;
  const { timeout = 30_000, deadline = 120_000, backoff = 500 } = options;
  const times = { timeout, deadline, pause: 4 * backoff };
  return {
    ...api,
    entities: {
      search: (query = {}, options = {}) =>
        searchAll(transport, typeof query === 'string' ? { words: query } : query, options, backoff),
      async get(id, options) {
        const { body } = await transport.call('getEntity', { id }, options);
        return (body as EntityReply).data;
      },
      parties: (id, query, options) => api.listParties({ ...query, id }, options),
      owners: (id, depth, options) => api.listOwners({ id, depth }, options),
      holdings: (id, depth, options) => api.listHoldings({ id, depth }, options),
    },
    match: ((given: MatchQuery | string | readonly (MatchQuery | string)[], options?: CallOptions) =>
      isList(given) ? matchBatch(transport, given, options) : matchOne(transport, given, options)) as Client['match'],
    matchAll: (queries, options) => matchAll(transport, queries, options),
    changes: createChanges(transport, times),
    monitors: createMonitors(transport, times),
    webhookEndpoints: createWebhookEndpoints(transport),
    get limits() {
      return transport.limits();
    },
    open: (operation, parameters, options) => transport.open(operation, parameters, options),
  };
}

function isList<Q>(given: Q | readonly Q[]): given is readonly Q[] {
  return Array.isArray(given);
}

function createMethod(transport: Transport, id: OperationId) {
  const { isFile, takesArgument } = readOperation(id);
  return async (...given: unknown[]): Promise<unknown> => {
    const argument = takesArgument ? given.shift() : undefined;
    const options = (given[0] ?? {}) as CallOptions;
    if (isFile) return transport.open(id, argument, options);
    return (await transport.call(id, argument, options)).body;
  };
}
