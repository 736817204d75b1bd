import type { Context, Denied, Operation } from '../../accounts/charging/operation.ts';
import type { EntitySummary } from '../../base/entity-summary.ts';
import { Failure, fail } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import { linkAddress, RECONCILE_PATH } from '../../base/site.ts';
import { nameSnapshot } from '../../base/version.ts';
import { FORM_BODIES, JSON_BODIES } from '../../http/bodies.ts';
import type { HttpReply } from '../../http/reply.ts';
import { checkEncoding, type HttpRequest } from '../../http/request.ts';
import { readCountryCode } from '../../registry/country-names.ts';
import { type MatchOutcome, matchEach } from '../../search/match/batch.ts';
import type { MatchCandidate } from '../../search/match/matching.ts';
import { toSearchQuery } from '../../search/parameters.ts';
import { type Api, type Call, charge, denialFailure, type Row } from '../serving/operation.ts';
import {
  type Asked,
  BATCH_SIZE,
  describeEntity,
  type ExtendQuery,
  type Matched,
  parseMessage,
  readEntityId,
  readExtendQuery,
  readNamedQueries,
  writeExtended,
  writeManifest,
  writeNamedResults,
} from './messages.ts';
import { COMPANY, properties, suggestProperties } from './properties.ts';

/** How much longer than other requests a batch may take, in milliseconds per query. */
const WAIT_MS = 20;
const SUGGESTIONS = { default: 10, most: BATCH_SIZE } as const;

/** 50 queries of 5,000 bytes each. A form takes up to 12 bytes per letter. */
const MAX_BODY_BYTES = 256 * 1024;

const ENDPOINTS = [
  ['GET', '', 'get'],
  ['POST', '', 'post'],
  ['GET', '/propose', 'propose'],
  ['GET', '/preview', 'preview'],
  ['GET', '/suggest/entity', 'suggestEntity'],
  ['GET', '/suggest/property', 'suggestProperty'],
  ['GET', '/suggest/type', 'suggestType'],
] as const;

/**
 * The Reconciliation Service API (W3C community group): programs such as OpenRefine match names with companies, and add columns to them. This folder
 * owns the messages of version 0.2, which OpenRefine speaks (`messages.ts`), the manifest, and which properties companies have.
 *
 * There is one service for all countries and one for each, with an API key or a reconcile link. Every company that is shown costs a unit: a query, a
 * row that is extended, a list of suggestions, a preview. Descriptions of the service are free and open to all.
 */
export const reconciliation: readonly Row[] = [RECONCILE_PATH, `${RECONCILE_PATH}/l/:link`].flatMap((root) =>
  [root, `${root}/:country`].flatMap((base) =>
    ENDPOINTS.map(
      ([method, path, name]): Row => ({
        ...({ operationId: 'reconcile', tag: 'Registry', summary: 'Reconciliation', credential: 'key' } as const),
        ...({ isOpenToPages: true, isOutsideContract: true, withoutHead: true, schema: {} } as const),
        ...{ method, url: base + path, bodies: { ...JSON_BODIES, ...FORM_BODIES }, bodyLimit: MAX_BODY_BYTES },
        serve(api) {
          const answer: (call: Call) => unknown = createEndpoints(api)[name];
          return {
            handler(request, reply) {
              countryOf(request);
              return answer({ request, reply });
            },
          };
        },
      }),
    ),
  ),
);

function createEndpoints(api: Api) {
  const { publicUrl, showPreview, matcher, registry, search, version: serviceVersion } = api;
  const sendTo = (sent: Sent, call: Call) => send(call, serviceVersion, sent);
  const answerWith = (find: (call: Call) => Sent) => (call: Call) => sendTo(find(call), call);
  const chargeFor =
    <Given>(operation: Operation<Call, Given, Sent>) =>
    (call: Call) =>
      charge(api, operation, call, sendTo, describeDenial);
  const unit = (answer: (request: HttpRequest, context: Context<Call>) => Promise<Sent>) =>
    chargeFor<HttpRequest>({ price: 'unit', read: ({ request }) => request, answer });

  const findRecord = async (id: string | undefined) =>
    id !== undefined && isUuid(id) ? registry.findExcerpt(id.toLowerCase()) : undefined;

  const match = chargeFor<readonly Asked[]>({
    price: 'batch',
    read: ({ request }) => readNamedQueries(fieldOf(request, 'queries') ?? '', countryOf(request)),
    countUnits: (asked) => asked.filter(({ listed }) => 'query' in listed).length,
    waitMs: ({ length }) => length * WAIT_MS,
    async answer(asked, { caller, deadline, isGone }) {
      const listed = asked.map((each) => (each.id === undefined ? each.listed : BY_ID));
      const [{ version, outcomes }, records] = await Promise.all([
        matchEach(matcher, listed, { account: caller.accountId, deadline, isGone }),
        Promise.all(asked.map(({ id }) => findRecord(id))),
      ]);
      const matched = outcomes.filter((each) => 'answer' in each).length;
      if (isGone()) return { answer: { body: '' }, units: matched };
      const results = asked.map((each, at): Matched => {
        if ('error' in each.listed) return { candidates: [], error: describeProblem(each.listed.error) };
        if (each.id === undefined) return readOutcome(outcomes[at] as MatchOutcome, each);
        const entity = records[at]?.content.value as unknown as EntitySummary | undefined;
        return { candidates: entity === undefined ? [] : [givenById(entity)] };
      });
      const units = results.filter(({ error }) => error === undefined).length;
      const body = writeNamedResults(asked, results);
      return { answer: { version: version ?? (await search.version()), body }, units };
    },
  });

  const extend = chargeFor<ExtendQuery>({
    price: 'batch',
    read: ({ request }) => readExtendQuery(parseMessage(fieldOf(request, 'extend') ?? '', 'extend')),
    countUnits: ({ ids }) => ids.length,
    waitMs: ({ ids }) => ids.length * WAIT_MS,
    async answer(query) {
      const records = await Promise.all(query.ids.map(findRecord));
      const found = records.filter((record) => record !== undefined);
      const version = found[0]?.version ?? (await registry.version());
      const values = records.map((record) => record?.content.value);
      return { answer: { version, body: writeExtended(query, values) }, units: found.length };
    },
  });

  const findManifest = ({ request }: Call): Sent => {
    const country = countryOf(request);
    const { link } = request.params as { readonly link?: string };
    const base = link === undefined ? publicUrl() + RECONCILE_PATH : linkAddress(publicUrl(), link);
    const suffix = country === undefined ? '' : `/${country.toLowerCase()}`;
    return { body: writeManifest({ site: publicUrl(), base: base + suffix, country, serviceVersion }) };
  };
  const sendManifest = answerWith(findManifest);
  // The executor checks a link even for the free manifest, so an invalid link is reported when the user adds the service.
  const sendManifestOfLink = chargeFor<Sent>({ price: 'free', read: findManifest, answer: (sent) => sent });

  return {
    get(call: Call) {
      if (readParameter(call.request, 'extend') !== undefined) return extend(call);
      if (readParameter(call.request, 'queries') !== undefined) return match(call);
      return (Object.hasOwn(call.request.params as object, 'link') ? sendManifestOfLink : sendManifest)(call);
    },
    post(call: Call) {
      const { bodyError } = call.request;
      const isExtension = bodyError === undefined && (call.request.body as Body)?.extend !== undefined;
      return (isExtension ? extend : match)(call);
    },
    suggestEntity: unit(async (request, { caller, deadline }) => {
      const prefix = readParameter(request, 'prefix') ?? '';
      const limit = readCount(request, 'limit', 1, SUGGESTIONS.most, SUGGESTIONS.default);
      const offsetName = readParameter(request, 'cursor') === undefined ? 'offset' : 'cursor';
      const offset = readCount(request, offsetName, 0, 1e6, 0);
      const record = await findRecord(readEntityId(prefix));
      if (record !== undefined)
        return writeSuggestions(record.version, [record.content.value as unknown as EntitySummary]);
      // The offset is rounded down to a multiple of the limit.
      const page = Math.floor(offset / limit) + 1;
      const query = { ...toSearchQuery({ q: prefix, page, pageSize: limit }), country: countryOf(request) };
      const { version, body } = await search.find(query, caller.accountId, deadline);
      const { data } = JSON.parse(Buffer.from(body).toString()) as { readonly data: readonly EntitySummary[] };
      return writeSuggestions(version, data);
    }),
    preview: unit(async (request) => {
      const record = await findRecord(readParameter(request, 'id') ?? '');
      if (record === undefined) throw fail('entity_not_found');
      return { version: record.version, ...showPreview(record.content.value) };
    }),
    suggestProperty: answerWith(({ request }) => {
      const prefix = readParameter(request, 'prefix') ?? '';
      return { body: JSON.stringify({ result: suggestProperties(prefix) }) };
    }),
    suggestType: answerWith(({ request }) => {
      const prefix = (readParameter(request, 'prefix') ?? '').trim().toLowerCase();
      const result = `${COMPANY.id} ${COMPANY.name}`.toLowerCase().includes(prefix) ? [COMPANY] : [];
      return { body: JSON.stringify({ result }) };
    }),
    propose: answerWith(({ request }) => {
      const limit = readCount(request, 'limit', 1, properties.length, properties.length);
      const proposed = properties.slice(0, limit).map(({ id, name }) => ({ id, name }));
      return { body: JSON.stringify({ properties: proposed, type: COMPANY.id, limit }) };
    }),
  };
}

function writeSuggestions(version: string, entities: readonly EntitySummary[]): Sent {
  const result = entities.map((each) => ({ ...describeEntity(each), notable: [COMPANY] }));
  return { version, body: JSON.stringify({ result }) };
}

/** Stands in for a query that is answered by its id, without the matcher. */
const BY_ID = { error: fail('invalid_request') } as const;

/** Throws if the matcher failed: an empty result would look like "no such company". */
function readOutcome(outcome: MatchOutcome, { isDoubtful }: Asked): Matched {
  if ('error' in outcome) throw describeUnavailable(outcome.error);
  const { candidates } = outcome.answer;
  return { candidates: isDoubtful ? candidates.map((each) => ({ ...each, match: false })) : candidates };
}

function givenById(entity: EntitySummary): MatchCandidate {
  const reasons = [{ feature: 'id', value: entity.id, weight: 10, text: 'The query is the id of this company.' }];
  return { entity, score: 1, match: true, reasons };
}

/** Clients repeat a request after this error. After any other error, OpenRefine would leave the cells of the whole batch empty. */
function describeUnavailable(error: unknown): Failure {
  if (error instanceof Failure && error.code === 'service_unavailable') return error;
  return fail('service_unavailable', { cause: error, retryAfter: 1 });
}

function describeProblem(error: unknown): string {
  if (error instanceof Failure && error.code === 'invalid_request') return error.message;
  throw error;
}

/** The body is a form or, from clients that do not follow the protocol, JSON. */
type Body = Readonly<Record<string, unknown>> | undefined;

/** A field of the form, or a parameter of the query. */
function fieldOf(request: HttpRequest, name: 'queries' | 'extend'): string | undefined {
  if (request.method === 'GET') return readParameter(request, name);
  const value = (request.body as Body)?.[name];
  if (value === undefined || typeof value === 'string') return value;
  throw fail('invalid_request', {
    message: `The field "${name}" must be a text: send a form whose field has the JSON.`,
  });
}

/** The code of the endpoint's country. Throws `not_found` if there is no such country. */
function countryOf({ params }: HttpRequest): string | undefined {
  const { country } = params as { readonly country?: string };
  if (country === undefined) return undefined;
  const code = country.length === 2 ? readCountryCode(country) : undefined;
  if (code === undefined) throw fail('not_found', { message: NO_COUNTRY });
  return code;
}

const NO_COUNTRY =
  'There is no country with this code: use a two-letter country code (ISO 3166-1 alpha-2), such as /reconcile/gb.';

interface Sent {
  readonly body: string;
  /** The version of the data. Undefined for a reply that does not depend on the data. */
  readonly version?: string;
  readonly policy?: string;
}

/**
 * A batch that exceeds the quota is always answered with 429, without `Retry-After`: with that header, OpenRefine would wait until the next billing
 * period, with its dialog open.
 */
function describeDenial(denied: Denied, now: number): Failure {
  if (denied.code === 'rate_limit_exceeded') return denialFailure(denied, now);
  const { remaining } = denied.limits.quota;
  const message = `This costs ${denied.units} of the account's requests, and ${remaining} are left in this billing period: upgrade, or wait for the next period.`;
  return fail('monthly_quota_exceeded', { message });
}

function send({ request, reply }: Call, serviceVersion: string, { body, version, policy }: Sent): HttpReply {
  if (version !== undefined) reply.header('x-data-version', nameSnapshot(serviceVersion, version));
  if (policy !== undefined) {
    // Programs show the preview in a frame, and their host can be any host.
    reply.removeHeader('x-frame-options');
    return reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(body);
  }
  const callback = request.method === 'GET' ? readCallback(request) : undefined;
  if (callback === undefined) return reply.type('application/json; charset=utf-8').send(body);
  // A script of another origin is loaded without CORS. The comment `/**/` keeps the callback's name from being taken for the start of another format.
  reply.header('cross-origin-resource-policy', 'cross-origin').type('text/javascript; charset=utf-8');
  return reply.send(`/**/${callback}(${escapeScript(body)});`);
}

/** Reads the JSONP callback, for pages that use old programs: the name of a function or of an object's method, and nothing else. */
function readCallback(request: HttpRequest): string | undefined {
  const callback = readParameter(request, 'callback');
  if (callback === undefined || CALLBACK.test(callback)) return callback;
  const message =
    'The parameter "callback" must be the name of a function: letters, digits, "_", "$" and ".", at most 100.';
  throw fail('invalid_request', { message });
}

const CALLBACK = /^(?=.{1,100}$)[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;

/** Line separators are allowed in JSON, but older browsers do not allow them in scripts. */
function escapeScript(json: string): string {
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029').replaceAll('</', '<\\/');
}

/** Returns a parameter of the query. Unknown parameters are ignored, because scripts add their own to avoid caches. */
function readParameter(request: HttpRequest, name: string): string | undefined {
  checkEncoding(request.search);
  const value = (request.query as Readonly<Record<string, string | string[] | undefined>>)[name];
  return Array.isArray(value) ? value.at(-1) : value;
}

/** A whole number from `least` to `most`; `otherwise` if it is missing or not such a number. */
function readCount(request: HttpRequest, name: string, least: number, most: number, otherwise: number): number {
  const text = readParameter(request, name) ?? '';
  return /^\d{1,9}$/.test(text) && Number(text) >= least ? Math.min(Number(text), most) : otherwise;
}
