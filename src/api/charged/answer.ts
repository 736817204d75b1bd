import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Static, TObject } from 'typebox';
import type { Context, PricedOperation } from '../../accounts/charging/operation.ts';
import { chooseCoding, isSentRepeatedly, readAcceptEncoding } from '../../base/system/compression.ts';
import { nameSnapshot } from '../../base/version.ts';
import { codedTag } from '../../http/reply.ts';
import { chooseFormat, type ReplyFormat } from './accept.ts';
import { entityTag, findNamedTag, matchesAny } from './etag.ts';
import type { DataContent, DataOperation } from './operation.ts';

/** A request for data, as the executor gets it. */
export interface DataRequest {
  /** The URL as the client sent it. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
  /** Returns the validated parameters, or throws what is wrong with them. */
  read(): unknown;
}

/** An answer to a request for data. */
export interface DataAnswer {
  readonly tag: string;
  /** Null if the client has it already. */
  readonly body: DataContent['body'] | null;
  readonly format: ReplyFormat;
  /** The value of `X-Data-Version`, if the operation sends it. */
  readonly snapshot?: string | undefined;
  readonly link?: string | undefined;
  readonly headers?: DataContent['headers'] | undefined;
  readonly isFree: boolean;
  /** Whether the next request for this URL gets the same object, as long as its body is kept. */
  readonly isKept?: boolean;
}

/** The operation as the executor runs it. */
export function toOperation<Path extends TObject, Query extends TObject>(
  operation: DataOperation<Path, Query>,
  serviceVersion: string,
): PricedOperation<DataRequest, Static<Path> & Static<Query>, DataAnswer> {
  type Given = Static<Path> & Static<Query>;
  const { namesSnapshot = false, plan = 'any', waitMs } = operation;
  const isNegotiated = operation.success.files !== undefined;
  const formatOf = ({ accept }: IncomingHttpHeaders) => (isNegotiated ? chooseFormat(accept) : 'json');
  const tagOf = (version: string, url: string, format: ReplyFormat) => entityTag(serviceVersion, version, url, format);

  /** The latest answer with each body that is sent repeatedly. Nearly all requests for it have the same URL. */
  const answers = new WeakMap<
    Uint8Array,
    { readonly url: string; readonly content: DataContent; readonly answer: Complete }
  >();

  function describe(content: DataContent, url: string, format: ReplyFormat): Complete {
    const { version, body, link, headers, isFree = false } = content;
    const isKept = typeof body !== 'string' && isSentRepeatedly(body);
    const latest = isKept ? answers.get(body) : undefined;
    if (latest?.url === url && isSame(latest.content, content) && latest.answer.format === format) return latest.answer;
    const snapshot = namesSnapshot ? nameSnapshot(serviceVersion, version) : undefined;
    const tag = tagOf(version, url, format);
    const answer = { tag, body, format, snapshot, link, headers, isFree, isKept };
    if (isKept) answers.set(body, { url, content, answer });
    return answer;
  }

  function answer(given: Given, { input, caller, deadline }: Context<DataRequest>): DataAnswer | Promise<DataAnswer> {
    const { url, headers, response } = input;
    const format = formatOf(headers);
    const find = () => operation.answer(given, { caller, deadline, format, response });
    const known = headers['if-none-match'];
    if (known !== undefined) return answerChanged(find, input, format, known);
    const found = find();
    // A search in memory is answered at once. Without a promise, it is answered in the same turn of the event loop.
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
    const codings = readAcceptEncoding(headers['accept-encoding'] as string | undefined);
    const notModified = (tag: string) => ({ ...NOT_MODIFIED, tag, format });
    if (operation.version !== undefined) {
      const tag = findNamedTag(known, tagOf(await operation.version(), url, format), codings);
      if (tag !== undefined) return notModified(tag);
    }
    const complete = describe(await find(), url, format);
    // This does not show that the client has the answer, so it costs as much as the answer.
    if (matchesAny(known)) {
      const tag = codedTag(complete.tag, chooseCoding(codings, complete.body));
      return { ...notModified(tag), isFree: complete.isFree };
    }
    const tag = findNamedTag(known, complete.tag, codings);
    return tag === undefined ? complete : notModified(tag);
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

/** Whether two contents with the same body have the same headers. */
function isSame(a: DataContent, b: DataContent): boolean {
  return a === b || (a.version === b.version && a.link === b.link && a.headers === b.headers && a.isFree === b.isFree);
}

const NOT_MODIFIED = { body: null, isFree: true } as const;
