import type { FastifyReply, FastifyRequest } from 'fastify';
import { readAcceptEncoding } from '../../core/compression.ts';
import { type Failure, fail } from '../../core/errors.ts';
import { isGone } from '../../core/gone.ts';
import { nameSnapshot } from '../../core/version.ts';
import { charge, type Limits } from '../../metering/charge.ts';
import { contentTypes, type FileFormat } from '../../result-files/formats.ts';
import type { FileHead, FileOutcome, ResultFiles } from '../../result-files/result-files.ts';
import type { Search, SearchQuery } from '../../search/search.ts';
import { chooseFormat } from '../accept.ts';
import { callerOf } from '../api-key.ts';
import { CACHE_CONTROL } from '../data-reply.ts';
import type { DataGate } from '../data-route.ts';
import { entityTag, findNamedTag, matchesAny } from '../etag.ts';
import { denialFailure, writeLimitHeaders } from '../limit-headers.ts';

export interface WholeResultServices {
  readonly search: Pick<Search, 'readAll'>;
  readonly resultFiles: Pick<ResultFiles, 'send'>;
}

export type SendWhole = (request: FastifyRequest, reply: FastifyReply, query: SearchQuery) => Promise<FastifyReply>;

/** Answers `page=all`: streams the whole result. HEAD returns its headers and costs one request, because it sends no rows. */
export function createWholeResults({ search, resultFiles }: WholeResultServices, gate: DataGate): SendWhole {
  const { version: serviceVersion, meter, now } = gate;

  async function send(request: FastifyRequest, reply: FastifyReply, query: SearchQuery): Promise<FastifyReply> {
    const format = formatOf(request);
    const tagOf = (version: string) => entityTag(serviceVersion, version, request.url, format);
    const outcome = await resultFiles.send({
      caller: callerOf(request),
      query,
      format,
      deadline: request.deadline,
      response: reply.raw,
      isKnown: (version) => isNamed(request.headers['if-none-match'], tagOf(version)),
      report: (limits) => void reply.headers(writeLimitHeaders(limits, now())),
      begin(head) {
        describeFile(reply, head, {
          tag: tagOf(head.version),
          snapshot: nameSnapshot(serviceVersion, head.version),
          format,
        });
        reply.hijack();
        // What this method would do: send the headers that are set so far.
        reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
      },
    });
    if (outcome.outcome === 'denied') throw describeDenial(outcome, now());
    if (outcome.outcome === 'sent') return reply;
    return reply
      .headers({ etag: tagOf(outcome.version), 'cache-control': CACHE_CONTROL })
      .code(304)
      .send();
  }

  async function sendHead(request: FastifyRequest, reply: FastifyReply, query: SearchQuery): Promise<FastifyReply> {
    const caller = callerOf(request);
    const { deadline } = request;
    const report = (limits: Limits) => void reply.headers(writeLimitHeaders(limits, now()));
    const work = () =>
      search.readAll(query, async ({ version, total }) => ({ version, total }), caller.accountId, deadline);
    const charged = await charge(meter, caller, {
      deadline,
      report,
      read: () => undefined,
      work,
      isGone: () => isGone(reply.raw),
    });
    if (charged.outcome === 'denied') throw denialFailure(charged, now());
    const format = formatOf(request);
    const { version } = charged.answer;
    describeFile(reply, charged.answer, {
      tag: entityTag(serviceVersion, version, request.url, format),
      snapshot: nameSnapshot(serviceVersion, version),
      format,
    });
    if (hasAny(request)) reply.code(304);
    // Without a length, because the length of the file is not known before it is sent.
    return reply.send(null);
  }

  return (request, reply, query) => (isWithoutRows(request) ? sendHead : send)(request, reply, query);
}

function describeFile(
  reply: FastifyReply,
  { total }: FileHead,
  { tag, snapshot, format }: { readonly tag: string; readonly snapshot: string; readonly format: FileFormat },
): void {
  reply.type(contentTypes[format]).headers({
    etag: tag,
    'x-data-version': snapshot,
    'cache-control': CACHE_CONTROL,
    'X-Total-Count': String(total),
  });
}

/** JSON was rejected before. */
function formatOf({ headers }: FastifyRequest): FileFormat {
  return chooseFormat(headers.accept) as FileFormat;
}

/** `If-None-Match: *` does not show that the client has the result, so it costs as much as HEAD. */
function isWithoutRows(request: FastifyRequest): boolean {
  return request.method === 'HEAD' || hasAny(request);
}

function hasAny({ headers }: FastifyRequest): boolean {
  return matchesAny(headers['if-none-match'] ?? '');
}

/** Whole results are not compressed, so they have one tag. */
function isNamed(ifNoneMatch: string | undefined, tag: string): boolean {
  return ifNoneMatch !== undefined && findNamedTag(ifNoneMatch, tag, readAcceptEncoding(undefined)) !== undefined;
}

function describeDenial(denial: Extract<FileOutcome, { outcome: 'denied' }>, now: number): Failure {
  if (denial.code !== 'insufficient_quota') return denialFailure(denial, now);
  const { remaining } = denial.limits.quota;
  return fail(denial.code, {
    message:
      `This result costs ${denial.units} requests, one per 100 rows, and ${remaining} are left in this billing period: ` +
      'add filters, or upgrade.',
  });
}
