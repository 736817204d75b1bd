import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { fail } from '../../core/errors.ts';
import { nameSnapshot } from '../../core/version.ts';
import type { Exchange, PricedOperation, QuotedOperation } from '../../operations/operation.ts';
import { contentTypes, type FileFormat } from '../../result-files/formats.ts';
import type { ResultFile } from '../../result-files/result-files.ts';
import type { AppServices } from '../app-services.ts';
import { chooseFormat, FILE_TYPES } from '../charged/accept.ts';
import { entityTag, matchesAny, namesTag } from '../charged/etag.ts';
import { CACHE_CONTROL } from '../charged/reply.ts';
import {
  type Choose,
  type DataGate,
  readParameters,
  type Send,
  sendSlowly,
  startExchange,
  takeAnswer,
} from '../charged/route.ts';
import { type EntitySearchParameters, readQuery } from '../charged/search-files.ts';

type Given = Static<typeof EntitySearchParameters> & { readonly format: FileFormat };
interface WholeRequest {
  readonly request: FastifyRequest;
  readonly response: ServerResponse;
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
export function createWholeResults({ search, resultFiles }: AppServices, gate: DataGate): Choose {
  const { version: serviceVersion, executor, now } = gate;
  const tagOf = ({ version, format }: Pick<FileHead, 'version' | 'format'>, url: string) =>
    entityTag(serviceVersion, version, url, format);

  const whole: QuotedOperation<WholeRequest, Given, ResultFile> = {
    ...shared,
    price: 'quoted',
    quote({ format, ...given }, { input, caller, deadline }, sell) {
      const { request, response } = input;
      const known = request.headers['if-none-match'];
      const isKnown = (version: string) => namesTag(known, tagOf({ version, format }, request.url));
      return resultFiles.quote({ caller, query: readQuery(given), format, deadline, response, isKnown }, sell);
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

  function describeFile(request: FastifyRequest, reply: FastifyReply, file: FileHead): FastifyReply {
    return reply.type(contentTypes[file.format]).headers({
      etag: tagOf(file, request.url),
      'x-data-version': nameSnapshot(serviceVersion, file.version),
      'cache-control': CACHE_CONTROL,
      'X-Total-Count': String(file.total),
    });
  }

  const sendWhole: Send = (request, reply) =>
    sendSlowly(gate, whole, startWhole(request, reply), reply, (file, sent) => {
      if (file.isKnown) {
        const headers = { etag: tagOf(file, request.url), 'cache-control': CACHE_CONTROL };
        sent(reply.headers(headers).code(304).send());
        return undefined;
      }
      describeFile(request, reply, file).hijack();
      // What Fastify would do: send the headers that are set so far.
      reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
      return resultFiles.deliver(file, reply.raw).finally(() => sent(reply));
    });

  const sendHead: Send = async (request, reply) => {
    const { answer } = takeAnswer(reply, await executor.perform(head, startWhole(request, reply)), now());
    describeFile(request, reply, answer);
    if (hasAny(request)) reply.code(304);
    // Without a length, because the length of the file is not known before it is sent.
    return reply.send(null);
  };

  return (request) => {
    if ((request.query as { readonly page?: unknown }).page !== 'all') return undefined;
    // `If-None-Match: *` does not show that the client has the result, so it costs as much as HEAD.
    return request.method === 'HEAD' || hasAny(request) ? sendHead : sendWhole;
  };
}

function startWhole(request: FastifyRequest, reply: FastifyReply): Exchange<WholeRequest> {
  return startExchange(request, reply, { request, response: reply.raw });
}

function hasAny({ headers }: FastifyRequest): boolean {
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
