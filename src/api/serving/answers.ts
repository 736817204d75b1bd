import Type, { type TSchema } from 'typebox';
import { defaultMessage, type ErrorCode, statusOf } from '../../base/errors.ts';
import { address, component, text, uuid } from '../fields.ts';

export const ErrorResponse = component('ErrorResponse', 'The body of every error response.', {
  error: Type.Object({
    code: text('Machine-readable error code. Use it to decide how to handle the error.', 'invalid_request'),
    message: text('Human-readable explanation, for logs. Its wording may change.'),
    requestId: uuid('Id of the request. Include it when you contact support.'),
    docs: address('Page that explains this error code.'),
    resourceId: Type.Optional(uuid('Of `idempotency_key_reused` only: the `id` of what the first request has made.')),
  }),
});

const textLike = (example: string) => ({ type: 'string', examples: [example] });
const number = (example: number, minimum = 0) => ({ type: 'integer', minimum, examples: [example] });
const sent = (description: string, schema: object) => ({ description, required: true, schema });
const sometimesSent = (description: string, schema: object) => ({ description, required: false, schema });

/** Sent with every response to a data request that was counted. */
const metering = {
  'X-RateLimit-Limit': sent('Requests that this key may make per minute.', number(600)),
  'X-RateLimit-Remaining': sent('Requests left in the current minute.', number(599)),
  'X-RateLimit-Reset': sent('When the current minute ends, as a Unix timestamp in seconds.', number(1794721260)),
  'X-Monthly-Quota-Limit': sent(
    'Requests that the account may make per billing period, with all its keys.',
    number(100000),
  ),
  'X-Monthly-Quota-Remaining': sent('Requests left in the current billing period.', number(99999)),
  'X-Monthly-Quota-Reset': sent('When the next billing period starts.', {
    type: 'string',
    format: 'date-time',
    examples: ['2026-12-01T00:00:00.000Z'],
  }),
  'RateLimit-Policy': sent(
    'The limits of `X-RateLimit-Limit` (`"window"`) and `X-Monthly-Quota-Limit` (`"quota"`) as a structured field: `q` requests ' +
      'in `w` seconds. Follows the IETF draft draft-ietf-httpapi-ratelimit-headers, and may change with it.',
    textLike('"window";q=600;w=60, "quota";q=100000;w=2592000'),
  ),
  RateLimit: sent(
    'What is left of both limits as a structured field: `r` requests, and `t` seconds until the limit resets. Follows the same ' +
      'draft as `RateLimit-Policy`.',
    textLike('"window";r=599;t=42, "quota";r=99999;t=1209600'),
  ),
};

/** Sent with search results in formats that have no `meta`. */
const ofPage = {
  'X-Total-Count': sometimesSent(
    'Exact number of matching companies. Sent with CSV and NDJSON; JSON has it as `meta.total`.',
    number(87),
  ),
  'X-Page': sometimesSent('The requested page. Sent with a page in CSV or NDJSON.', number(1, 1)),
  'X-Page-Size': sometimesSent('The requested page size. Sent with a page in CSV or NDJSON.', {
    type: 'integer',
    minimum: 1,
    maximum: 100,
    examples: [25],
  }),
  'X-Page-Count': sometimesSent('Number of pages. Sent with a page in CSV or NDJSON.', number(4)),
};

/** Response headers. The contract declares each header once, and responses refer to the declaration. */
const sharedHeaders = {
  'X-Request-ID': sent('Unique id of this request. Include it when you contact support.', {
    type: 'string',
    format: 'uuid',
  }),
  'Retry-After': sent('Seconds to wait before you retry.', { type: 'integer', minimum: 0 }),
  Allow: sent('The methods that this path supports.', textLike('GET, HEAD')),
  'WWW-Authenticate': sent('The credentials that this path requires.', textLike('Bearer realm="api key"')),
  ETag: sent(
    'Version of this response: of its URL, data and content coding. It changes with every import. The version of an export file is ' +
      'its SHA-256. Send it in `If-None-Match` to revalidate.',
    textLike('"0.1.0.12-mgx1k2j0.f3a9c1d25e8b7a04"'),
  ),
  'X-Data-Version': sent(
    'The snapshot of the data that these results come from. Pages with the same value fit together: no company is missing or ' +
      'repeated. It changes with every import, and may change with a release of the service. It is also a cursor: `/changes` with it ' +
      'has what has changed since. Otherwise opaque.',
    textLike('0.1.0.12-mgx1k2j0'),
  ),
  'Accept-Ranges': sent('Ranges of bytes can be requested.', textLike('bytes')),
  'Content-Range': sent('Which bytes these are, and the size of the file.', textLike('bytes 0-1023/61250118')),
  'Content-Disposition': sent(
    'Suggests a name for the file.',
    textLike('attachment; filename="firmament-12-parquet-GB-part-0000.parquet"'),
  ),
  Location: sent('The address to use instead. It may be relative.', { type: 'string', format: 'uri-reference' }),
  ...metering,
  Link: sometimesSent(
    'The pages `next`, `prev`, `first` and `last` of this search (RFC 8288), as references relative to the URL of the request. ' +
      'There is no `next` on the last page and no `prev` on the first. Missing with `page=all`, and if the query has more than 400 ' +
      'characters.',
    textLike('<?q=acme&page=2>; rel="next", <?q=acme&page=1>; rel="first", <?q=acme&page=4>; rel="last"'),
  ),
  ...ofPage,
};

export const meteringHeaders = Object.keys(metering) as (keyof typeof metering)[];
export const pageHeaders = Object.keys(ofPage) as (keyof typeof ofPage)[];

/** Prefix of the components that describe headers for responses that may lack them. */
const OPTIONAL = 'Optional-';

export const headerComponents: Readonly<Record<string, object>> = {
  ...sharedHeaders,
  ...makeOptional('Retry-After', 'Missing if a retry does not help.'),
  ...Object.assign({}, ...meteringHeaders.map((name) => makeOptional(name, 'Missing if the request was not counted.'))),
};

function makeOptional(name: SharedHeader, when: string): Record<string, object> {
  const { description, schema } = sharedHeaders[name];
  return { [OPTIONAL + name]: sometimesSent(`${description} ${when}`, schema) };
}

export type SharedHeader = keyof typeof sharedHeaders;

const always: readonly ErrorCode[] = [
  'invalid_request',
  'method_not_allowed',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
];

export interface Answer {
  readonly description: string;
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema: TSchema; readonly example?: string }>>;
  /** The error codes that this route sends with this status. The tests check every response against these codes. */
  readonly 'x-error-codes'?: readonly ErrorCode[];
}

export function json(description: string, schema: TSchema, headers: readonly SharedHeader[] = []): Answer {
  return { ...bare(description, headers), content: { 'application/json': { schema } } };
}

const AnyObject = Type.Object({}, { additionalProperties: true });

/** A response with the bytes of a file of one of the media types `types`. */
export function file(description: string, types: readonly string[], headers: readonly SharedHeader[]): Answer {
  const schemaOf = (type: string) => (type === 'application/json' ? AnyObject : Type.Unknown());
  const content = Object.fromEntries(types.map((type) => [type, { schema: schemaOf(type) }]));
  return { ...bare(description, headers), content };
}

export function bare(description: string, headers: readonly SharedHeader[] = []): Answer {
  return { description, headers: references(['X-Request-ID', ...headers]) };
}

/** Every status a route can send: its own statuses, the statuses of the error codes it throws, and those of errors that any request can get. */
export function answers(own: Readonly<Record<number, Answer>>, ...codes: ErrorCode[]): Record<number, Answer> {
  const byStatus = Map.groupBy([...new Set([...codes, ...always])], statusOf);
  const errors = [...byStatus].map(([status, group]) => [status, errorAnswer(group)] as const);
  return { ...Object.fromEntries(errors), ...own };
}

/**
 * Adds the metering headers to the responses of a data route. Most responses are sent only after the request was counted. Some can also be sent
 * before that: for a request that cannot be read, or an error of the server. Routes that also take sessions do not count every request.
 */
export function meteredAnswers(all: Readonly<Record<number, Answer>>, isAlwaysCounted = true): Record<number, Answer> {
  const entries = Object.entries(all).map(([status, answer]) => {
    const isCounted = COUNTED.includes(Number(status));
    if (!isCounted && !SOMETIMES_COUNTED.includes(Number(status))) return [status, answer];
    const added = references(meteringHeaders, isCounted && isAlwaysCounted ? '' : OPTIONAL);
    return [status, { ...answer, headers: { ...answer.headers, ...added } }];
  });
  return Object.fromEntries(entries);
}

const COUNTED = [200, 206, 302, 304, 403, 404, 410, 416, 429];
const SOMETIMES_COUNTED = [201, 202, 204, 400, 409, 413, 415, 422, 500, 503];

function errorAnswer(codes: readonly ErrorCode[]): Answer {
  const headers: SharedHeader[] = [];
  if (codes.includes('method_not_allowed')) headers.push('Allow');
  if (codes.includes('range_not_satisfiable')) headers.push('Content-Range');
  if (codes.some((code) => statusOf(code) === 401)) headers.push('WWW-Authenticate');
  const answer = json(codes.map((code) => `\`${code}\`: ${defaultMessage(code)}`).join(' '), ErrorResponse, headers);
  // The cause of these errors can also be lasting, such as billing that is not configured, so that a retry does not help.
  const mayLast = codes.some((code) => code === 'billing_unavailable' || code === 'webhooks_unavailable');
  const comesWithRetryAfter = codes.some((code) => statusOf(code) === 429 || statusOf(code) === 503);
  const retry = comesWithRetryAfter && references(['Retry-After'], mayLast ? OPTIONAL : '');
  return { ...answer, headers: { ...answer.headers, ...retry }, 'x-error-codes': codes };
}

function references(headers: readonly SharedHeader[], prefix = ''): Answer['headers'] {
  return Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${prefix}${name}` }]));
}
