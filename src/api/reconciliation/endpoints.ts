import type {
  BatchOperation,
  Context,
  Exchange,
  Price,
  PricedOperation,
  Reply,
  SecretCredential,
} from '../../accounts/charging/operation.ts';
import { fail } from '../../base/errors.ts';
import { linkAddress, RECONCILE_PATH } from '../../base/requests/reconcile-path.ts';
import { nameSnapshot } from '../../base/version.ts';
import { FORM_BODIES, JSON_BODIES } from '../../http/bodies.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import { checkEncoding } from '../../http/request.ts';
import { guardBody, reportLimits, startExchange, takeAnswer } from '../serving/charge.ts';
import type { Api, Row } from '../serving/operation.ts';
import { BATCH_SIZE, readCountryCode } from './asked.ts';
import {
  describeEntity,
  type NamedBatch,
  type Place,
  parseMessage,
  readExtendQuery,
  readNamedQueries,
  writeExtended,
  writeManifest,
  writeNamedResults,
} from './messages.ts';
import { COMPANY, properties, suggestProperties } from './properties.ts';
import { createReconciliation, type ExtendQuery } from './reconciliation.ts';

/** How much longer than other requests a batch may take, per query. */
const WAIT_MS = 20;
const SUGGESTIONS = { default: 10, most: BATCH_SIZE } as const;

type Handler = (request: HttpRequest, reply: HttpReply) => Promise<HttpReply>;
type Charged = PricedOperation<HttpRequest, unknown, Sent> | BatchOperation<HttpRequest, unknown, Sent>;

/** 50 queries of 5,000 bytes each. A form takes up to 12 bytes per letter. */
const MAX_BODY_BYTES = 256 * 1024;

/**
 * The Reconciliation Service API, for all countries or one, with an API key or a reconcile link. Every company that is shown costs a
 * unit: a query, a row that is extended, a list of suggestions, a preview. What describes the service is free and open to all.
 */
export const reconciliation: readonly Row[] = (['key', 'link'] as const).flatMap((kind) => {
  const endpointsOf = new WeakMap<Api, Endpoints>();
  const root = kind === 'link' ? `${RECONCILE_PATH}/l/:link` : RECONCILE_PATH;

  function row(method: 'GET' | 'POST', url: string, name: keyof Endpoints, price: Price): Row {
    return {
      ...({ operationId: 'reconcile', tag: 'Registry', summary: 'Reconciliation', credential: 'key' } as const),
      ...({ isOpenToPages: true, isOutsideContract: true, ignoresQuery: true } as const),
      ...{ method, url, price, plan: 'any', withoutHead: true, schema: {} },
      bodies: { ...JSON_BODIES, ...FORM_BODIES },
      bodyLimit: MAX_BODY_BYTES,
      serve(api) {
        const handler = endpointsOf.getOrInsertComputed(api, () => createEndpoints(kind, api))[name];
        return {
          ...(method === 'POST' && guardBody(api)),
          handler(request, reply) {
            countryOf(request);
            return handler(request, reply);
          },
        };
      },
    };
  }

  return [root, `${root}/:country`].flatMap((base) => [
    row('GET', base, 'get', 'batch'),
    row('POST', base, 'post', 'batch'),
    row('GET', `${base}/propose`, 'propose', 'free'),
    row('GET', `${base}/preview`, 'preview', 'unit'),
    row('GET', `${base}/suggest/entity`, 'suggestEntity', 'unit'),
    row('GET', `${base}/suggest/property`, 'suggestProperty', 'free'),
    row('GET', `${base}/suggest/type`, 'suggestType', 'free'),
  ]);
});

type Endpoints = ReturnType<typeof createEndpoints>;

/** What a reconciliation service answers, with one kind of credential. */
function createEndpoints(kind: SecretCredential['kind'], api: Api) {
  const { publicUrl, showPreview, executor, now, version: serviceVersion } = api;
  const service = createReconciliation(api);
  const needs = { credential: kind, plan: 'any' } as const;

  function answerWith(find: (request: HttpRequest) => Sent): Handler {
    return async (request, reply) => send(request, reply, serviceVersion, find(request));
  }

  function charge(operation: Charged): Handler {
    return async (request, reply) => {
      const exchange = (request.exchange as Exchange<unknown> | null) ?? startExchange(request, reply, undefined);
      request.exchange = exchange;
      const sent = takeSent(reply, await executor.perform(operation, { ...exchange, input: request }), now());
      return send(request, reply, serviceVersion, sent);
    };
  }

  const matchQueries: BatchOperation<HttpRequest, NamedBatch, Sent> = {
    needs,
    price: 'batch',
    read: (request) => readNamedQueries(fieldOf(request, 'queries') ?? '', countryOf(request)),
    countUnits: ({ asked }) => asked.filter(({ listed }) => 'query' in listed).length,
    waitMs: ({ asked }) => asked.length * WAIT_MS,
    async answer(batch, context) {
      const requester = { ...requesterOf(context), isGone: context.isGone };
      const { version, content, units } = await service.match(batch.asked, requester);
      return { answer: { version, body: writeNamedResults(batch, content) }, units };
    },
  };
  const extendRows: BatchOperation<HttpRequest, ExtendQuery, Sent> = {
    needs,
    price: 'batch',
    read: (request) => readExtendQuery(parseMessage(fieldOf(request, 'extend') ?? '', 'extend')),
    countUnits: ({ ids }) => ids.length,
    waitMs: ({ ids }) => ids.length * WAIT_MS,
    async answer(query) {
      const { version, content, units } = await service.extend(query);
      return { answer: { version, body: writeExtended(query, content) }, units };
    },
  };
  const match = charge(matchQueries as Charged);
  const extend = charge(extendRows as Charged);

  const unit = (answer: (request: HttpRequest, context: Context<HttpRequest>) => Promise<Sent>): Handler =>
    charge({ needs, price: 'unit', read: (request) => request, answer } as Charged);

  const place = (request: HttpRequest): Place => {
    const country = countryOf(request);
    const { link } = request.params as { readonly link?: string };
    const base = link === undefined ? publicUrl() + RECONCILE_PATH : linkAddress(publicUrl(), link);
    const suffix = country === undefined ? '' : `/${country.toLowerCase()}`;
    return { site: publicUrl(), base: base + suffix, country, serviceVersion };
  };
  const findManifest = (request: HttpRequest): Sent => ({ body: writeManifest(place(request)) });
  // A link that was revoked or copied incompletely is reported when it is added, not when it is used.
  const manifest =
    kind === 'key'
      ? answerWith(findManifest)
      : charge({ needs, price: 'free', read: findManifest, answer: (sent) => sent } as Charged);

  return {
    get: (request, reply) => {
      if (readParameter(request, 'extend') !== undefined) return extend(request, reply);
      return (readParameter(request, 'queries') === undefined ? manifest : match)(request, reply);
    },
    post: (request, reply) => ((request.body as Body)?.extend === undefined ? match : extend)(request, reply),
    suggestEntity: unit(async (request, context) => {
      const limit = readCount(request, 'limit', 1, SUGGESTIONS.most, SUGGESTIONS.default);
      const offset = readCount(
        request,
        readParameter(request, 'cursor') === undefined ? 'offset' : 'cursor',
        0,
        1e6,
        0,
      );
      const wanted = { prefix: readParameter(request, 'prefix') ?? '', country: countryOf(request), limit, offset };
      const { version, content } = await service.suggest(wanted, requesterOf(context));
      return {
        version,
        body: JSON.stringify({ result: content.map((each) => ({ ...describeEntity(each), notable: [COMPANY] })) }),
      };
    }),
    preview: unit(async (request) => {
      const { version, content } = await service.preview(readParameter(request, 'id') ?? '');
      return { version, ...showPreview(content) };
    }),
    suggestProperty: answerWith((request) => {
      const prefix = readParameter(request, 'prefix') ?? '';
      return { body: JSON.stringify({ result: suggestProperties(prefix) }) };
    }),
    suggestType: answerWith((request) => {
      const prefix = (readParameter(request, 'prefix') ?? '').trim().toLowerCase();
      const result = `${COMPANY.id} ${COMPANY.name}`.toLowerCase().includes(prefix) ? [COMPANY] : [];
      return { body: JSON.stringify({ result }) };
    }),
    propose: answerWith((request) => {
      const limit = readCount(request, 'limit', 1, properties.length, properties.length);
      const proposed = properties.slice(0, limit).map(({ id, name }) => ({ id, name }));
      return { body: JSON.stringify({ properties: proposed, type: COMPANY.id, limit }) };
    }),
  } as const satisfies Record<string, Handler>;
}

function requesterOf({ caller, deadline }: Context<HttpRequest>) {
  return { account: caller.accountId, deadline };
}

/** A form or, from clients that do not follow the protocol, JSON. */
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

/** How replies of the reconciliation service are sent. */
interface Sent {
  readonly body: string;
  /** The version of the data. Undefined for what does not depend on it. */
  readonly version?: string;
  /** The content security policy of a page. Without it, the body is JSON. */
  readonly policy?: string;
}

/**
 * Returns the answer, or throws what came instead. A batch that the quota cannot pay is always a 429, and without `Retry-After`:
 * OpenRefine would wait until the next billing period, with its dialog open.
 */
function takeSent(reply: HttpReply, result: Reply<Sent>, now: number): Sent {
  if (result.outcome !== 'denied' || result.code === 'rate_limit_exceeded') return takeAnswer(reply, result, now);
  const { limits, units } = result;
  reportLimits(reply, limits, now);
  const message = `This costs ${units} of the account's requests, and ${limits.quota.remaining} are left in this billing period: upgrade, or wait for the next period.`;
  throw fail('monthly_quota_exceeded', { message });
}

function send(
  request: HttpRequest,
  reply: HttpReply,
  serviceVersion: string,
  { body, version, policy }: Sent,
): HttpReply {
  if (version !== undefined) reply.header('x-data-version', nameSnapshot(serviceVersion, version));
  if (policy !== undefined) {
    // Programs show the preview in a frame, on whatever host they run.
    reply.removeHeader('x-frame-options');
    return reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(body);
  }
  const callback = request.method === 'GET' ? readCallback(request) : undefined;
  if (callback === undefined) return reply.type('application/json; charset=utf-8').send(body);
  // A script of another origin is loaded without CORS. The comment keeps the name from being read as the start of another format.
  reply.header('cross-origin-resource-policy', 'cross-origin').type('text/javascript; charset=utf-8');
  return reply.send(`/**/${callback}(${escapeScript(body)});`);
}

/** JSONP, for pages that use old programs: the name of a function, possibly of an object, and nothing else. */
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

/** A parameter of the query. Unknown ones are ignored, because scripts add their own to avoid caches. */
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
