import { hash } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import type { Context, PricedOperation } from '../../accounts/charging/operation.ts';
import { chooseCoding, isSentRepeatedly, keepCompressed, parseAcceptEncoding } from '../../base/system/compression.ts';
import { compileReader } from '../../base/validation.ts';
import { nameSnapshot } from '../../base/version.ts';
import { contentTypes } from '../../exports/results/formats.ts';
import { codedTag, JSON_TYPE, renderHeaders } from '../../http/reply.ts';
import { parametersOf, text } from '../fields.ts';
import { type Answer, bare, json, type SharedHeader } from './answers.ts';
import { type Call, charge } from './charge.ts';
import { chooseFormat, entityTag, findNamedTag, matchesAny, type ReplyFormat } from './negotiation.ts';
import { type Api, type Declared, makeRow, type NoParameters, type Row } from './operation.ts';

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
  answer(api: Api): Find<Static<Path> & Static<Query>>;
  /** Another way to answer some requests. Returns whether it handles this request. */
  instead?(api: Api, read: (request: Call['request']) => Static<Path> & Static<Query>): (call: Call) => boolean;
}

type Find<Given> = (given: Given, context: FindContext) => DataContent | Promise<DataContent>;

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
    const takes = row.instead?.(api, read);
    let readForm: ((values: unknown) => unknown) | undefined;
    return {
      handler(request, reply) {
        const call = { request, reply };
        if (takes?.(call) !== true) charge(api, operation, call, sendAnswer);
      },
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
