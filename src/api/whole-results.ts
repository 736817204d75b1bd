import type { Static } from 'typebox';
import type { PricedOperation, QuotedOperation } from '../accounts/charging/operation.ts';
import { fail } from '../base/errors.ts';
import { nameSnapshot } from '../base/version.ts';
import { contentTypes, type FileFormat } from '../exports/results/formats.ts';
import type { ResultFile } from '../exports/results/result-files.ts';
import type { HttpReply } from '../http/reply.ts';
import type { HttpRequest } from '../http/request.ts';
import { chooseFormat, FILE_TYPES } from './serving/accept.ts';
import { charge, readParameters, startExchange } from './serving/charge.ts';
import type { Send } from './serving/data-operation.ts';
import { entityTag, matchesAny, namesTag } from './serving/etag.ts';
import type { Api } from './serving/operation.ts';
import { type EntitySearchParameters, readQuery } from './serving/search-files.ts';

type Given = Static<typeof EntitySearchParameters> & { readonly format: FileFormat };
interface WholeRequest {
  readonly request: HttpRequest;
  readonly reply: HttpReply;
}
type FileHead = Pick<ResultFile, 'version' | 'total' | 'format'>;

const shared = {
  needs: {
    credential: 'key',
    plan: 'paid',
    planMessage: 'The whole result needs a paid plan, and the account is on the free plan: upgrade, or request pages.',
  },
  read: readWhole,
} as const;

/** Chooses how `page=all` is answered: with the whole result. HEAD returns its headers and costs one request, because it sends no rows. */
export function createWholeResults(api: Api): (request: HttpRequest) => Send | undefined {
  const { search, resultFiles, version: serviceVersion } = api;
  const tagOf = ({ version, format }: Pick<FileHead, 'version' | 'format'>, url: string) =>
    entityTag(serviceVersion, version, url, format);

  const whole: QuotedOperation<WholeRequest, Given, ResultFile> = {
    ...shared,
    price: 'quoted',
    quote({ format, ...given }, { input, caller, deadline }, sell) {
      const { request, reply } = input;
      const known = request.headers['if-none-match'];
      const isKnown = (version: string) => namesTag(known, tagOf({ version, format }, request.url));
      return resultFiles.quote(
        { caller, query: readQuery(given), format, deadline, response: reply.raw, isKnown },
        sell,
      );
    },
  };

  const head: PricedOperation<WholeRequest, Given, FileHead> = {
    ...shared,
    price: 'unit',
    answer: ({ format, ...given }, { caller, deadline }) => {
      const describe = async ({ version, total }: FileHead) => ({ version, total, format });
      return search.readAll(readQuery(given), (result) => describe({ ...result, format }), caller.accountId, deadline);
    },
  };

  function describeFile({ request, reply }: WholeRequest, file: FileHead): HttpReply {
    return reply
      .mustRevalidate()
      .type(contentTypes[file.format])
      .headers({
        etag: tagOf(file, request.url),
        'x-data-version': nameSnapshot(serviceVersion, file.version),
        'x-total-count': String(file.total),
      });
  }

  const sendWhole: Send = (request, reply) =>
    charge(api, whole, startExchange(request, reply, { request, reply }), (file) => {
      if (file.isKnown) {
        reply.mustRevalidate().code(304).header('etag', tagOf(file, request.url)).send().finish();
        return undefined;
      }
      let delivery: Promise<number> | undefined;
      describeFile({ request, reply }, file)
        .send((response) => {
          delivery = resultFiles.deliver(file, response);
        })
        .finish();
      return delivery;
    });

  const sendHead: Send = (request, reply) =>
    charge(api, head, startExchange(request, reply, { request, reply }), (file) => {
      describeFile({ request, reply }, file);
      if (hasAny(request)) reply.code(304);
      // Without a length, because the length of the file is not known before it is sent.
      reply.send(null).finish();
      return undefined;
    });

  return (request) => {
    if (!asksForAll(request)) return undefined;
    // `If-None-Match: *` does not show that the client has the result, so it costs as much as HEAD.
    return request.method === 'HEAD' || hasAny(request) ? sendHead : sendWhole;
  };
}

/** Parameters that are not valid are reported by the operation. */
function asksForAll(request: HttpRequest): boolean {
  try {
    return readParameters<Static<typeof EntitySearchParameters>>(request).page === 'all';
  } catch {
    return false;
  }
}

function hasAny({ headers }: HttpRequest): boolean {
  return matchesAny(headers['if-none-match'] ?? '');
}

/** Never JSON: clients parse JSON as one value, so they would have to hold all of it. */
function readWhole({ request }: WholeRequest): Given {
  const given = readParameters<Static<typeof EntitySearchParameters>>(request);
  const format = chooseFormat(request.headers.accept);
  if (format !== 'json') return { ...given, format };
  const { csv, ndjson } = FILE_TYPES;
  throw fail('invalid_request', {
    message: `The whole result is not available as JSON: send "Accept: ${csv}" or "Accept: ${ndjson}", or request pages.`,
  });
}
