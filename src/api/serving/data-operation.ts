import { hash } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { Context, PricedOperation } from '../../accounts/charging/operation.ts';
import {
  type AcceptedCodings,
  chooseCoding,
  isSentRepeatedly,
  keepCompressed,
  parseAcceptEncoding,
} from '../../base/system/compression.ts';
import { compileReader } from '../../base/validation.ts';
import { nameSnapshot } from '../../base/version.ts';
import { contentTypes, type FileFormat } from '../../exports/results/result-files.ts';
import { codedTag, JSON_TYPE, renderHeaders } from '../../http/reply.ts';
import { parametersOf, text } from '../fields.ts';
import { type Answer, bare, json, type SharedHeader } from './answers.ts';
import { type Api, type Call, charge, type Declared, makeRow, type NoParameters, type Row } from './operation.ts';

/**
 * An operation that serves records: GET and HEAD with an API key, for one unit. Its answers have an `ETag` and a body that is already
 * serialized; clients that have the current one get `304`, free of charge.
 */
interface DataOperation<Path extends TObject, Query extends TObject>
  extends Pick<Declared, 'url' | 'operationId' | 'summary' | 'description' | 'codes'> {
  readonly params?: Path;
  readonly querystring?: Query;
  /** The fields that a form of the portal can send, if these are not all of `querystring`. */
  readonly formQuery?: TObject;
  readonly success: {
    readonly description: string;
    readonly schema: TSchema;
    /** The formats that `Accept` can choose instead of JSON, by media type. Without other formats, `Accept` is ignored. */
    readonly files?: NonNullable<Answer['content']>;
    readonly headers?: readonly SharedHeader[];
  };
  /** Sends `X-Data-Version`, so that clients can check whether two pages come from one snapshot. */
  readonly namesSnapshot?: true;
  /** The default is any plan. */
  readonly plan?: 'paid';
  /** Version of the data that an answer would come from. Leave this out if reading the version is not cheaper than the answer. */
  version?(api: Api): string | Promise<string>;
  /** How long the client wants to wait for the answer, in milliseconds. The deadline is extended by this time. */
  waitMs?(given: Static<Path> & Static<Query>): number;
  /** Returns the function that finds an answer. State that this function keeps between requests belongs to one app. */
  answer(api: Api): (given: Static<Path> & Static<Query>, context: FindContext) => DataContent | Promise<DataContent>;
}

interface FindContext extends Pick<Context<unknown>, 'caller' | 'deadline'> {
  /** JSON, unless the operation offers other formats and the client prefers one of them. */
  readonly format: ReplyFormat;
  /** The event `close` of the response shows that the client has gone. */
  readonly response: ServerResponse;
}

export interface DataContent {
  readonly version: string;
  /** Text or UTF-8 bytes, in the requested format. */
  readonly body: string | Uint8Array;
  readonly link?: string | undefined;
  /** Headers that only formats other than JSON have. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly isFree?: boolean;
}

const ConditionalHeaders = parametersOf({
  'If-None-Match': text(
    'The `ETag` of an earlier response. If it is still current, the response is `304` without a body.',
  ),
});

/** The part of a request that an answer depends on. A form of the portal has no headers. */
interface DataCall {
  /** `url` is the URL exactly as the client sent it, for the entity tag. */
  readonly request: { readonly url: string; readonly headers: IncomingHttpHeaders };
  readonly reply: { readonly raw: ServerResponse };
}

interface DataAnswer {
  readonly tag: string;
  /** Null if the client already has the current version. */
  readonly body: DataContent['body'] | null;
  readonly type: string;
  /** The rendered headers of this answer, except the entity tag, which depends on the content coding. */
  readonly lines: string;
  readonly isFree: boolean;
}

export function dataOperation<Path extends TObject = NoParameters, Query extends TObject = NoParameters>(
  row: DataOperation<Path, Query>,
): Row {
  type Given = Static<Path> & Static<Query>;
  const { url, operationId, summary, description, codes, params, querystring, success, namesSnapshot } = row;
  const { formQuery = querystring } = row;
  const answer = json(success.description, success.schema, [
    'ETag',
    ...(namesSnapshot ? (['X-Data-Version'] as const) : []),
    ...(success.headers ?? []),
  ]);
  const declared: Declared = {
    ...{ url, operationId, summary, description, codes, params, querystring, tag: 'Registry', credential: 'key' },
    ...(success.files && { headers: { vary: 'Accept' } }),
    requestHeaders: ConditionalHeaders,
    replies: {
      200: { ...answer, content: { ...answer.content, ...success.files } },
      304: bare('Not modified: the client has the current response.', ['ETag']),
    },
  };
  return makeRow<Given>(declared, (api, read) => {
    const operation = { ...toOperation(row, api), read: ({ request }: Call) => read(request) };
    let readForm: ((values: unknown) => unknown) | undefined;
    return {
      handler: (request, reply) => charge(api, operation, { request, reply }, sendAnswer),
      forUser(values, exchange) {
        // Most operations are never used in a form, so the validator is compiled at first use.
        readForm ??= compileReader(Type.Object({ ...params?.properties, ...formQuery?.properties }), 'query');
        const given = readForm;
        const input = { request: { url, headers: {} }, reply: { raw: exchange.response } };
        return api.executor.perform<DataCall, Given, DataAnswer>(
          { ...operation, read: () => given(values) as Given },
          { ...exchange, input },
        );
      },
    };
  });
}

function sendAnswer({ tag, lines, type, body }: DataAnswer, { reply }: Call): undefined {
  reply.mustRevalidate().tag = tag;
  reply.lines += lines;
  reply.body = body;
  if (body === null) reply.code(304);
  else reply.type(type);
  reply.finish();
}

/** A list that is sent repeatedly. Two lists from one version of the data can differ, so the tag depends on the text. */
export function renderList(version: string, data: readonly object[]): DataContent {
  const text = JSON.stringify({ data, meta: { count: data.length } });
  return { version: `${version}.${hash('sha256', text).slice(0, 16)}`, body: keepCompressed(Buffer.from(text)) };
}

function toOperation<Path extends TObject, Query extends TObject>(row: DataOperation<Path, Query>, api: Api) {
  type Given = Static<Path> & Static<Query>;
  const { namesSnapshot, plan, waitMs, success } = row;
  const findContent = row.answer(api);

  /** The latest answer with each body that is sent repeatedly. Nearly all requests for a body have the same URL. */
  const latest = new WeakMap<
    Uint8Array,
    { readonly url: string; readonly version: string; readonly answer: Complete }
  >();

  function describe(content: DataContent, url: string, format: ReplyFormat): Complete {
    const { version, body, link, headers, isFree = false } = content;
    const known = typeof body === 'string' ? undefined : latest.get(body);
    if (known?.url === url && known.version === version) return known.answer;
    const snapshot = namesSnapshot && nameSnapshot(api.version, version);
    const lines = renderHeaders({ 'x-data-version': snapshot, link, ...headers });
    const type = format === 'json' ? JSON_TYPE : contentTypes[format];
    const answer = { tag: entityTag(api.version, version, url, format), body, type, lines, isFree };
    if (typeof body !== 'string' && isSentRepeatedly(body)) latest.set(body, { url, version, answer });
    return answer;
  }

  function answer(given: Given, { input, caller, deadline }: Context<DataCall>): DataAnswer | Promise<DataAnswer> {
    const { request, reply } = input;
    const { url, headers } = request;
    const format = success.files === undefined ? 'json' : chooseFormat(headers.accept);
    const find = () => findContent(given, { caller, deadline, format, response: reply.raw });
    const known = headers['if-none-match'];
    if (known !== undefined) return answerChanged(find, input, format, known);
    const found = find();
    // A search in memory finds its content at once. Answering without a promise saves a turn of the event loop.
    return found instanceof Promise
      ? found.then((content) => describe(content, url, format))
      : describe(found, url, format);
  }

  async function answerChanged(
    find: () => DataContent | Promise<DataContent>,
    { request: { url, headers } }: DataCall,
    format: ReplyFormat,
    known: string,
  ): Promise<DataAnswer> {
    const codings = parseAcceptEncoding(headers['accept-encoding'] as string | undefined);
    if (row.version !== undefined) {
      const tag = findNamedTag(known, entityTag(api.version, await row.version(api), url, format), codings);
      if (tag !== undefined) return { ...NOT_MODIFIED, tag };
    }
    const complete = describe(await find(), url, format);
    // `If-None-Match: *` does not show that the client has the answer, so the request costs as much as the answer.
    if (matchesAny(known)) {
      const tag = codedTag(complete.tag, chooseCoding(codings, complete.body));
      return { ...NOT_MODIFIED, tag, isFree: complete.isFree };
    }
    const tag = findNamedTag(known, complete.tag, codings);
    return tag === undefined ? complete : { ...NOT_MODIFIED, tag };
  }

  return {
    plan,
    price: 'unit',
    ...(waitMs && { waitMs }),
    answer,
    isFree: ({ isFree }) => isFree,
  } satisfies Omit<PricedOperation<DataCall, Given, DataAnswer>, 'read'>;
}

type Complete = DataAnswer & Pick<DataContent, 'body'>;

const NOT_MODIFIED = { body: null, type: JSON_TYPE, lines: '', isFree: true } as const;

/** Which form of a reply the headers of a request select: a format (`Accept`), or no body because the client has the reply (`If-None-Match`). */

export type ReplyFormat = 'json' | FileFormat;

/** What the media types in `Accept` select. Results are sent as `application/x-ndjson` under either of its two names. */
const MEDIA_TYPES: Readonly<Record<string, ReplyFormat | 'others'>> = {
  'application/json': 'json',
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/*': 'others',
  '*/*': 'others',
};

export const FILE_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

/** Whether `Accept` names a file format at all, found without parsing the header: nearly all requests do not. */
const NAMES_FILE = /csv|ndjson/i;

/**
 * The format that `Accept` prefers (RFC 9110, 12.5.1). A file format has to be named. In all other cases the format is JSON: without the header, for
 * wildcards, for types that we do not have, and if `application/json` is named with the weight of the file format.
 */
export function chooseFormat(accept: string | undefined): ReplyFormat {
  if (accept === undefined || !NAMES_FILE.test(accept)) return 'json';
  const weights = { json: -1, csv: 0, ndjson: 0, others: 0 };
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const format = MEDIA_TYPES[type];
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    if (format !== undefined) weights[format] = Math.max(weights[format], WEIGHT.test(weight) ? Number(weight) : 0);
  }
  const { json, csv, ndjson, others } = weights;
  const best = Math.max(csv, ndjson);
  if (best === 0 || json >= best || (json === -1 && others > best)) return 'json';
  return csv === best ? 'csv' : 'ndjson';
}

const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Entity tags of data responses. The bytes of a response depend only on the URL, the version of the program, the version of the data, the
 * format and the content coding, so these five make a strong tag. The version of a list that changes with time also names its state. Two
 * spellings of a URL have different tags, because the tag is made from the URL as it was sent.
 */
export function entityTag(serviceVersion: string, dataVersion: string, url: string, format: ReplyFormat): string {
  const suffix = format === 'json' ? '' : `.${format}`;
  return `"${nameSnapshot(serviceVersion, dataVersion)}.${hashUrl(url)}${suffix}"`;
}

/**
 * 64 bits, so that two URLs do not get the same tag by chance: two FNV-1a hashes with different parameters. A cryptographic hash
 * would take several times as long, and a client that finds two URLs with the same tag gains nothing by it.
 */
function hashUrl(url: string): string {
  let first = 0x811c9dc5;
  let second = 0x9747b28c;
  for (let index = 0; index < url.length; index++) {
    const unit = url.charCodeAt(index);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ unit, 0x5bd1e995);
  }
  return `${first >>> 0}-${second >>> 0}`;
}

/** Whether `If-None-Match` matches any response. */
export function matchesAny(ifNoneMatch: string): boolean {
  return ifNoneMatch.trim() === '*';
}

/**
 * The tag of the current response that `If-None-Match` names, in any coding that the client accepts. The coding need not be the preferred one,
 * because the client already has the response. The header is a list, compared weakly (RFC 9110, 13.1.2). Malformed tags match nothing, so that the
 * client gets the full response.
 */
export function findNamedTag(ifNoneMatch: string, tag: string, codings: AcceptedCodings): string | undefined {
  const named: readonly string[] = ifNoneMatch.match(TAGS) ?? [];
  if (codings.acceptsPlain && named.includes(tag)) return tag;
  return codings.accepted.map((coding) => codedTag(tag, coding)).find((coded) => named.includes(coded));
}

/** Whether `If-None-Match` names the tag of a response that is never compressed. */
export function namesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  return ifNoneMatch?.match(TAGS)?.includes(tag) === true;
}

/** Matches tags without the prefix `W/`, which a weak comparison ignores. */
const TAGS = /"[^"]*"/g;
