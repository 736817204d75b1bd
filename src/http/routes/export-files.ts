import type { FileHandle } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { fail } from '../../core/errors.ts';
import { isGone } from '../../core/gone.ts';
import { createSlots } from '../../core/slots.ts';
import type { OfferedFile } from '../../exports/offered.ts';
import { charge, type Served } from '../../metering/charge.ts';
import { answers, bare, file as fileAnswer, meteredAnswers } from '../answers.ts';
import { callerOf } from '../api-key.ts';
import type { App } from '../app-type.ts';
import type { DataGate } from '../data-route.ts';
import { ExportFileParameters, FileHeaders } from '../export-schemas.ts';
import {
  chooseAnswer,
  type FileAnswer,
  fileTypes,
  sendFile,
  writeCacheHeaders,
  writeFileHeaders,
} from '../file-reply.ts';
import { denialFailure, writeLimitHeaders } from '../limit-headers.ts';
import type { Limits } from '../limits.ts';
import { requirePaidPlan } from '../paid-plan.ts';
import { checkQueryEncoding } from '../validation.ts';
import type { ExportServices } from './exports.ts';

interface FoundFile {
  readonly found: OfferedFile;
  readonly answer: FileAnswer | { readonly kind: 'newest' };
  /** Undefined if no byte of it is sent from here. */
  readonly opened: FileHandle | undefined;
}

type Parameters = Static<typeof ExportFileParameters>;

/** In place of a generation: the newest one that has the file. */
const LATEST = 'latest';
const NEWEST = { kind: 'newest' } as const;

const CODES = [
  'api_key_required',
  'invalid_api_key',
  'plan_required',
  'export_not_found',
  'rate_limit_exceeded',
  'monthly_quota_exceeded',
  'concurrency_limit_exceeded',
  'service_unavailable',
] as const;

/**
 * Per serving thread, enough for a program that loads ranges in parallel. One account with a thousand downloads would slow down all
 * other requests.
 */
const DOWNLOADS_PER_ACCOUNT = 8;

/**
 * Downloads of exports. They are charged like other data requests, but not answered by the data lane: the deadline of a data request
 * ends when the file is open, and the bytes take as long as the client needs. A path is looked up among the files of the manifests
 * and is never used as a path on the disk.
 */
export function registerExportFiles(
  app: App,
  { exports }: Pick<ExportServices, 'exports'>,
  gate: DataGate,
  { replyMs }: Pick<Limits, 'replyMs'>,
): void {
  const slots = createSlots({
    perAccount: DOWNLOADS_PER_ACCOUNT,
    inTotal: Number.POSITIVE_INFINITY,
    guaranteedMs: Number.POSITIVE_INFINITY,
  });

  /** A slot for as long as the response is open. */
  function holdSlot({ raw }: FastifyReply, accountId: string): void {
    const release = slots.take(accountId, () => raw.destroy());
    if (raw.destroyed) release();
    else raw.once('close', release);
  }

  async function chargeRequest(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (parameters: Parameters) => Promise<FoundFile>,
  ): Promise<Served<FoundFile>> {
    const caller = callerOf(request);
    const result = await charge(gate.meter, caller, {
      deadline: request.deadline,
      read() {
        checkQueryEncoding(request.url);
        if (request.validationError !== undefined) throw request.validationError;
        requirePaidPlan(caller);
        return request.params as Parameters;
      },
      work,
      // A client that is sent to the newest file pays for that.
      isFree: ({ answer }) => answer.kind === 'newest' || (answer.kind === 'not modified' && answer.isNamed),
      isGone: () => isGone(reply.raw),
      report: (limits) => void reply.headers(writeLimitHeaders(limits, gate.now())),
    });
    if (result.outcome === 'denied') throw denialFailure(result, gate.now());
    return result;
  }

  async function findFile(path: string, generation: string): Promise<OfferedFile> {
    const offered = await exports.list();
    const candidates = offered.filter((each) => generation === LATEST || String(each.generation) === generation);
    for (const { files } of candidates) {
      const found = files.get(path);
      if (found !== undefined) return found;
    }
    throw fail('export_not_found');
  }

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    let opening: Promise<FileHandle> | undefined;
    const work = async ({ '*': path, generation }: Parameters): Promise<FoundFile> => {
      const found = await findFile(path, generation);
      const answer = generation === LATEST ? NEWEST : chooseAnswer(request, found);
      if (answer.kind === 'newest' || answer.kind === 'not modified' || exports.baseUrl !== undefined)
        return { found, answer, opened: undefined };
      if (request.method !== 'HEAD') holdSlot(reply, callerOf(request).accountId);
      opening = exports.openFile(found);
      return { found, answer, opened: await opening };
    };
    try {
      return send(request, reply, await chargeRequest(request, reply, work));
    } catch (error) {
      // It may be opened after the deadline has passed.
      opening?.then(close, () => undefined);
      throw error;
    }
  }

  function send({ method }: FastifyRequest, reply: FastifyReply, served: Served<FoundFile>): FastifyReply {
    const { found, answer, opened } = served.answer;
    if (answer.kind === 'newest') return reply.redirect(`/api/v1/exports/${found.generation}/${found.path}`);
    if (answer.kind === 'not modified') return writeCacheHeaders(reply, found).code(304).send();
    if (opened === undefined) return reply.redirect(`${exports.baseUrl}/${found.generation}/${found.path}`);
    writeFileHeaders(reply, found);
    if (answer.kind === 'part') {
      const { first, last } = answer.range;
      reply.code(206).headers({
        'content-range': `bytes ${first}-${last}/${found.bytes}`,
        'content-length': last - first + 1,
      });
    }
    // An empty file has no range that could be read.
    if (method !== 'HEAD' && found.bytes > 0) {
      const onUnreadable = () => void (served.receipt && gate.meter.refund(served.receipt));
      return sendFile(reply, opened, answer.range, { stalledMs: replyMs, onUnreadable });
    }
    close(opened);
    return reply.send();
  }

  const route = {
    url: '/api/v1/exports/:generation/*',
    config: {
      operation: {
        operationId: 'downloadExport',
        tag: 'Registry',
        summary: 'Download a file of an export',
        description:
          'Returns one file, or a range of its bytes. The bytes of an address never change. Every request costs one unit, also for a ' +
          'range; `304` is free. With `latest` in place of the generation, the address stays the same: it redirects, free of charge, to the ' +
          'newest generation that has the file. Needs a paid plan. The service may redirect to another host that has the files.',
        authentication: 'apiKey',
      } as const,
    },
    schema: {
      params: ExportFileParameters,
      headers: FileHeaders,
      response: meteredAnswers(
        answers(
          {
            200: fileAnswer('The file.', fileTypes, ['ETag', 'Accept-Ranges', 'Content-Disposition']),
            206: fileAnswer('The range of the file.', fileTypes, [
              ...(['ETag', 'Accept-Ranges', 'Content-Disposition', 'Content-Range'] as const),
            ]),
            302: bare('The file is at another address.', ['Location']),
            304: bare('Not modified: the client has the file.', ['ETag']),
          },
          ...CODES,
          'range_not_satisfiable',
        ),
      ),
    },
    onRequest: gate.requireApiKey,
    // The rate window comes before validation, as in all data operations.
    attachValidation: true,
    serializerCompiler: () => JSON.stringify,
    exposeHeadRoute: false,
    handler,
  };
  app.route({ ...route, method: 'GET' });
  app.route({ ...route, method: 'HEAD' });
}

/** The content is sent already, or not needed: a problem with closing changes nothing. */
function close(file: FileHandle): void {
  file.close().catch(() => undefined);
}
