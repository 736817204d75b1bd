import { hash } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { Context, Needs, PricedOperation, UserOperation } from '../../accounts/charging/operation.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { chooseCoding, isSentRepeatedly, keepCompressed, parseAcceptEncoding } from '../../base/system/compression.ts';
import type { Deadline } from '../../base/system/deadline.ts';
import type { Caller } from '../../base/usage.ts';
import { compileReader } from '../../base/validation.ts';
import { nameSnapshot } from '../../base/version.ts';
import { contentTypes } from '../../exports/results/formats.ts';
import { codedTag, type HttpReply, JSON_TYPE, renderHeaders } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { Answer, Operation } from '../../http/route.ts';
import { bare, json, type SharedHeader } from './answers.ts';
import { charge, readParameters, takeExchange } from './charge.ts';
import { chooseFormat, entityTag, findNamedTag, matchesAny, type ReplyFormat } from './negotiation.ts';
import { type Api, type Declared, makeRow, type NoParameters, type Row } from './operation.ts';

/**
 * An operation that serves records: GET and HEAD with an API key, for one unit. Its answers have an `ETag` and a body that is already
 * serialized; clients that have the current one get `304`, free of charge.
 */
interface DataOperation<Path extends TObject, Query extends TObject>
  extends Pick<Operation, 'operationId' | 'summary' | 'description'> {
  readonly url: string;
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
  /** Error codes of this operation, in addition to those of all data operations. */
  readonly codes?: readonly ErrorCode[];
  /** The default is any plan. */
  readonly plan?: Needs['plan'];
  /** Version of the data that an answer would come from. Leave this out if reading the version is not cheaper than the answer. */
  version?(api: Api): string | Promise<string>;
  /** How long the client wants to wait for the answer, in milliseconds. The deadline is extended by this time. */
  waitMs?(given: Static<Path> & Static<Query>): number;
  /** Returns the function that finds an answer. State that this function keeps between requests belongs to one app. */
  answer(api: Api): Find<Static<Path> & Static<Query>>;
  /** Another way to answer some requests. Returns whether it handles this request. */
  instead?(api: Api): (call: { readonly request: HttpRequest; readonly reply: HttpReply }) => boolean;
}

type Find<Given> = (given: Given, context: FindContext) => DataContent | Promise<DataContent>;

interface FindContext {
  readonly caller: Caller;
  readonly deadline: Deadline;
  /** JSON, unless the operation offers other formats and the client prefers one of them. */
  readonly format: ReplyFormat;
  /** The event `close` of the response shows that the client has gone. */
  readonly response: ServerResponse;
}

/** The content that an operation has found. */
export interface DataContent {
  readonly version: string;
  /** Text or UTF-8 bytes, in the requested format. */
  readonly body: string | Uint8Array;
  /** The value of the `Link` header. */
  readonly link?: string | undefined;
  /** Headers that only formats other than JSON have. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether this answer costs no quota. */
  readonly isFree?: boolean;
}

const ConditionalHeaders = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({
      description: 'The `ETag` of an earlier response. If it is still current, the response is `304` without a body.',
    }),
  ),
});

export function dataOperation<Path extends TObject = NoParameters, Query extends TObject = NoParameters>(
  row: DataOperation<Path, Query>,
): Row {
  const { url, operationId, summary, description, params, querystring, success, codes, namesSnapshot, plan } = row;
  const answer = json(success.description, success.schema, [
    'ETag',
    ...(namesSnapshot ? (['X-Data-Version'] as const) : []),
    ...(success.headers ?? []),
  ]);
  const declared: Declared = {
    ...{ url, operationId, summary, description, params, querystring },
    ...{ tag: 'Registry', credential: 'key', price: 'unit' },
    ...(plan && { plan }),
    ...(codes && { codes }),
    ...(success.files && { headers: { vary: 'Accept' } }),
    requestHeaders: ConditionalHeaders,
    replies: {
      200: { ...answer, content: { ...answer.content, ...success.files } },
      304: bare('Not modified: the client has the current response.', ['ETag']),
    },
  };
  return makeRow(declared, (api) => {
    const operation = toOperation(row, api);
    const takes = row.instead?.(api);
    return {
      // The executor validates, because the rate window comes before validation.
      validatesLater: true,
      handler(request, reply) {
        if (takes?.({ request, reply }) === true) return;
        const { url, headers } = request;
        const input = { url, headers, response: reply.raw, read: () => readParameters(request) };
        charge(api, operation, takeExchange(request, reply, input), (answer) => sendAnswer(reply, answer));
      },
      forUser: createUserOperation(row, operation as PricedOperation<DataRequest, unknown, DataAnswer>, api),
    };
  });
}

/** Parameters come from a form. Their validators are compiled at first use. */
function createUserOperation(
  { url, params, querystring, formQuery = querystring }: DataOperation<TObject, TObject>,
  { needs, ...operation }: PricedOperation<DataRequest, unknown, DataAnswer>,
  { executor }: Api,
): UserOperation {
  let readers: readonly ((values: object) => object)[] | undefined;

  function compile(part: 'path' | 'query', schema: TObject): (values: object) => object {
    const [read, names] = [compileReader(schema, part), Object.keys(schema.properties)];
    return (values) => read(Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name))));
  }

  function read(values: object): object {
    readers ??= [...(params ? [compile('path', params)] : []), ...(formQuery ? [compile('query', formQuery)] : [])];
    return Object.assign({}, ...readers.map((each) => each(values)));
  }

  return (values, exchange) => {
    const input = { url, headers: {}, response: exchange.response, read: () => read(values) };
    return executor.perform({ ...operation, needs: { ...needs, credential: 'session' } }, { ...exchange, input });
  };
}

function sendAnswer(reply: HttpReply, { tag, lines, type, body }: DataAnswer): undefined {
  reply.mustRevalidate().tag = tag;
  reply.lines += lines;
  reply.body = body;
  if (body === null) reply.code(304);
  else reply.type(type);
  reply.finish();
}

/** A request for data, as input of the executor. */
interface DataRequest {
  /** The URL exactly as the client sent it, for the entity tag. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
  /** Returns the validated parameters. Throws if a parameter is invalid. */
  read(): unknown;
}

/** An answer to a request for data. */
interface DataAnswer {
  readonly tag: string;
  /** Null if the client already has the current version. */
  readonly body: DataContent['body'] | null;
  readonly type: string;
  /** The rendered headers of this answer, except the entity tag, which depends on the content coding. */
  readonly lines: string;
  readonly isFree: boolean;
}

/** A list that is sent repeatedly. Two lists from one version of the data can differ, so the tag depends on the text. */
export function renderList(version: string, data: readonly object[]): DataContent {
  const text = JSON.stringify({ data, meta: { count: data.length } });
  return { version: `${version}.${hash('sha256', text).slice(0, 16)}`, body: keepCompressed(Buffer.from(text)) };
}

/** Makes the operation that the executor runs. */
function toOperation<Path extends TObject, Query extends TObject>(
  row: DataOperation<Path, Query>,
  api: Api,
): PricedOperation<DataRequest, Static<Path> & Static<Query>, DataAnswer> {
  type Given = Static<Path> & Static<Query>;
  const { namesSnapshot = false, plan = 'any', waitMs } = row;
  const serviceVersion = api.version;
  const findContent = row.answer(api);
  const isNegotiated = row.success.files !== undefined;
  const formatOf = ({ accept }: IncomingHttpHeaders) => (isNegotiated ? chooseFormat(accept) : 'json');
  const tagOf = (version: string, url: string, format: ReplyFormat) => entityTag(serviceVersion, version, url, format);

  /** The latest answer with each body that is sent repeatedly. Nearly all requests for a body have the same URL. */
  const latest = new WeakMap<
    Uint8Array,
    { readonly url: string; readonly version: string; readonly answer: Complete }
  >();

  function describe(content: DataContent, url: string, format: ReplyFormat): Complete {
    const { version, body, link, headers, isFree = false } = content;
    const known = typeof body === 'string' ? undefined : latest.get(body);
    if (known?.url === url && known.version === version) return known.answer;
    const snapshot = namesSnapshot ? nameSnapshot(serviceVersion, version) : undefined;
    const lines = renderHeaders({ 'x-data-version': snapshot, link, ...headers });
    const type = format === 'json' ? JSON_TYPE : contentTypes[format];
    const answer = { tag: tagOf(version, url, format), body, type, lines, isFree };
    if (typeof body !== 'string' && isSentRepeatedly(body)) latest.set(body, { url, version, answer });
    return answer;
  }

  function answer(given: Given, { input, caller, deadline }: Context<DataRequest>): DataAnswer | Promise<DataAnswer> {
    const { url, headers, response } = input;
    const format = formatOf(headers);
    const find = () => findContent(given, { caller, deadline, format, response });
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
    { url, headers }: DataRequest,
    format: ReplyFormat,
    known: string,
  ): Promise<DataAnswer> {
    const codings = parseAcceptEncoding(headers['accept-encoding'] as string | undefined);
    if (row.version !== undefined) {
      const tag = findNamedTag(known, tagOf(await row.version(api), url, format), codings);
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
    needs: { credential: 'key', plan },
    price: 'unit',
    read: (request) => request.read() as Given,
    ...(waitMs && { waitMs }),
    answer,
    isFree: ({ isFree }) => isFree,
  };
}

type Complete = DataAnswer & Pick<DataContent, 'body'>;

const NOT_MODIFIED = { body: null, type: JSON_TYPE, lines: '', isFree: true } as const;
