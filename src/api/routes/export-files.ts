import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { Static } from 'typebox';
import type { PricedOperation } from '../../accounts/charging/operation.ts';
import { fail } from '../../base/errors.ts';
import { createSlots } from '../../base/requests/slots.ts';
import { type Deadline, millisecondsLeft, timedOut } from '../../base/system/deadline.ts';
import type { OfferedFile } from '../../exports/offered.ts';
import type { Routes } from '../../http/app.ts';
import type { TransportLimits } from '../../http/limits.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { AppServices } from '../app-services.ts';
import { ExportFileParameters, FileHeaders } from '../schemas/exports.ts';
import { bare, file as fileAnswer } from '../serving/answers.ts';
import { addChargedRoute, type Charging, charge, readParameters, startExchange } from '../serving/charge.ts';
import {
  chooseAnswer,
  type FileAnswer,
  fileTypes,
  sendFile,
  writeCacheHeaders,
  writeFileHeaders,
} from '../serving/file-reply.ts';

/** A file that was found, and what to send of it. */
interface FoundFile {
  readonly found: OfferedFile;
  readonly answer: FileAnswer | { readonly kind: 'newest' };
  /** Undefined if no byte of it is sent from here. */
  readonly opened: FileHandle | undefined;
}

type Parameters = Static<typeof ExportFileParameters>;

interface Download {
  readonly request: HttpRequest;
  readonly response: ServerResponse;
}

/**
 * Per serving thread, enough for a program that loads ranges in parallel. One account with a thousand downloads would slow down all
 * other requests.
 */
const DOWNLOADS_PER_ACCOUNT = 8;

/** In place of a generation: the newest one that has the file. */
const LATEST = 'latest';
const NEWEST = { kind: 'newest' } as const;

/**
 * Downloads of exports. The deadline of a data request ends when the file is open, and the bytes take as long as the client needs. A
 * path is looked up among the files of the manifests and is never used as a path on the disk.
 */
export function registerExportFiles(
  app: Routes,
  { exports }: AppServices,
  charging: Charging,
  { replyMs }: TransportLimits,
): void {
  const operation: PricedOperation<Download, Parameters, FoundFile> = {
    needs: { credential: 'key', plan: 'paid' },
    price: 'unit',
    read: ({ request }) => readParameters(request),
    async answer({ '*': path, generation }, { input: { request, response }, caller, deadline }) {
      const found = await findFile(path, generation);
      const answer = generation === LATEST ? NEWEST : chooseAnswer(request, found);
      const isElsewhere = answer.kind === 'newest' || answer.kind === 'not modified' || exports.baseUrl !== undefined;
      if (isElsewhere) return { found, answer, opened: undefined };
      if (request.method !== 'HEAD') holdSlot(response, caller.accountId);
      return { found, answer, opened: await openFile(found, deadline) };
    },
    // A client that is sent to the newest file pays for that.
    isFree: ({ answer }) => answer.kind === 'newest' || (answer.kind === 'not modified' && answer.isNamed),
  };

  const slots = createSlots({
    perAccount: DOWNLOADS_PER_ACCOUNT,
    inTotal: Number.POSITIVE_INFINITY,
    guaranteedMs: Number.POSITIVE_INFINITY,
  });

  /** A slot for as long as the response is open. */
  function holdSlot(response: ServerResponse, accountId: string): void {
    const release = slots.take(accountId, () => response.destroy());
    if (response.destroyed) release();
    else response.once('close', release);
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

  /** The request is answered at its deadline, so a file that is opened later has to be closed here. */
  async function openFile(found: OfferedFile, deadline: Deadline): Promise<FileHandle> {
    const opened = await exports.openFile(found);
    if (millisecondsLeft(deadline) > 0) return opened;
    close(opened);
    throw timedOut('opening the file');
  }

  /** Returns how many units were delivered if it takes time to send the file. */
  function send(reply: HttpReply, { found, answer, opened }: FoundFile): undefined | Promise<number> {
    if (answer.kind === 'newest') reply.redirect(`/api/v1/exports/${found.generation}/${found.path}`).finish();
    else if (answer.kind === 'not modified') writeCacheHeaders(reply, found).code(304).send().finish();
    else if (opened === undefined) reply.redirect(`${exports.baseUrl}/${found.generation}/${found.path}`).finish();
    else {
      writeFileHeaders(reply, found);
      if (answer.kind === 'part') {
        const { first, last } = answer.range;
        reply.code(206).headers({
          'content-range': `bytes ${first}-${last}/${found.bytes}`,
          'content-length': last - first + 1,
        });
      }
      // An empty file has no range that could be read.
      if (reply.request.method !== 'HEAD' && found.bytes > 0) return sendFile(reply, opened, answer.range, replyMs);
      close(opened);
      reply.send().finish();
    }
    return undefined;
  }

  addChargedRoute(app, {
    url: '/api/v1/exports/:generation/*',
    operation: {
      operationId: 'downloadExport',
      summary: 'Download a file of an export',
      description:
        'Returns one file, or a range of its bytes. The bytes of an address never change. Every request costs one unit, also for a ' +
        'range; `304` is free. With `latest` in place of the generation, the address stays the same: it redirects, free of charge, to the ' +
        'newest generation that has the file. Needs a paid plan. The service may redirect to another host that has the files.',
    },
    schema: { params: ExportFileParameters, headers: FileHeaders },
    response: {
      200: fileAnswer('The file.', fileTypes, ['ETag', 'Accept-Ranges', 'Content-Disposition']),
      206: fileAnswer('The range of the file.', fileTypes, [
        ...(['ETag', 'Accept-Ranges', 'Content-Disposition', 'Content-Range'] as const),
      ]),
      302: bare('The file is at another address.', ['Location']),
      304: bare('Not modified: the client has the file.', ['ETag']),
    },
    codes: ['plan_required', 'concurrency_limit_exceeded', 'export_not_found', 'range_not_satisfiable'],
    handler(request, reply) {
      const exchange = startExchange(request, reply, { request, response: reply.raw });
      charge(charging, operation, exchange, (file) => send(reply, file));
    },
  });
}

/** The content is sent already, or not needed: a problem with closing changes nothing. */
function close(file: FileHandle): void {
  file.close().catch(() => undefined);
}
