import { hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import Type, { type Static } from 'typebox';
import type { Context } from '../accounts/charging/operation.ts';
import { fail } from '../base/errors.ts';
import { exportFormats } from '../base/export-formats.ts';
import { createSlots } from '../base/requests/slots.ts';
import { type Deadline, millisecondsLeft, timedOut } from '../base/system/deadline.ts';
import type { OfferedExport, OfferedFile } from '../exports/offered.ts';
import type { HttpReply } from '../http/reply.ts';
import type { HttpRequest } from '../http/request.ts';
import {
  address,
  choice,
  component,
  count,
  flag,
  instant,
  listOf,
  orNull,
  parametersOf,
  replyOf,
  text,
} from './fields.ts';
import { bare, file as fileAnswer } from './serving/answers.ts';
import { type DataContent, dataOperation, matchesAny, namesTag } from './serving/data-operation.ts';
import { type Api, type Call, chargedOperation } from './serving/operation.ts';

const rows = count('Number of companies, or of parties.', 812_340);
const bytes = count('Size in bytes.', 61_250_118);
const countryCode = text(
  'Two-letter country code (ISO 3166-1 alpha-2). `ZZ`: parties of a register that spans countries.',
  'LV',
);
const url = (what: string, path: string) =>
  address(
    `Address of ${what}. It needs the same API key.`,
    `https://api.example.com/api/v1/exports/12/parquet/${path}`,
  );

const ExportedFile = component('ExportedFile', 'One file of an export.', {
  path: text(
    'Path within the generation, below the name of the format.',
    'parquet/entities/country=LV/part-0000.parquet',
  ),
  url: url('the file', 'entities/country=LV/part-0000.parquet'),
  country: countryCode,
  rows,
  bytes,
  sha256: text(
    'SHA-256 of the file, 64 hexadecimal digits. It is also its `ETag`.',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ),
});

const ExportedRegister = component(
  'ExportedRegister',
  'A register whose companies are in an export, and its licence.',
  {
    register: text('Identifier of the register.', 'lv'),
    publisher: text('Publisher of the register.', 'Latvijas Republikas Uzņēmumu reģistrs'),
    licence: text('Licence of the data.', 'CC0 1.0'),
    licenceKnown: flag('Whether the publisher states a licence.', true),
    attribution: orNull.text('The text that the publisher wants you to show. `null` if it asks for none.'),
    synthetic: flag('Whether all its companies are invented, as in the demo.', false),
    asOf: orNull.day('The day that the data describes, according to its publisher. `null` if unknown.', '2026-09-01'),
    rows,
  },
);

const Export = component('Export', 'All companies, or all parties, of one generation of the data in one format.', {
  generation: count('Number of the import that published this data. All files of an export are from that moment.', 12, {
    minimum: 1,
  }),
  dataVersion: orNull.text(
    'The snapshot of the data. It is also a cursor: `/changes` with it has what has changed since.',
    '0.1.0.12-mgx1k2j0',
  ),
  createdAt: instant('When the export was made.', '2026-09-01T03:20:00.000Z'),
  format: choice(
    [...exportFormats],
    'Format of its files. Those of parties, such as `parties-parquet` and `bods`, have who owns and manages companies. New formats may be added.',
    'parquet',
  ),
  rows,
  bytes: { ...bytes, description: 'Size of all its files in bytes.' },
  countries: listOf(countryCode, 'Countries that it has companies of, sorted.'),
  manifestUrl: url('the manifest, which also describes the columns', 'manifest.json'),
  licencesUrl: url('the licences of the data as a document', 'LICENCES.md'),
  registers: listOf(ExportedRegister, 'The registers in it, with their licences.'),
  leftOut: listOf(Type.String(), 'Registers that were left out because their licence is not known.', ['md']),
  files: listOf(ExportedFile, 'Its files, sorted by path.'),
});

const ExportList = replyOf('ExportList', listOf(Export, 'The newest generation first.'));

const path = text(
  'The `path` of a file, or `<format>/manifest.json` or `<format>/LICENCES.md`. It contains slashes.',
  'parquet/entities/country=LV/part-0000.parquet',
);

/** `*` is the rest of the path; the contract calls it `path`. */
const ExportFileParameters = Type.Object({
  generation: text('The `generation` of an export, or `latest`.', '12'),
  '*': path,
});

const FileHeaders = parametersOf({
  Range: text('One range of bytes, such as `bytes=0-1023`. Several ranges are answered with the whole file.'),
  'If-Range': text('The `ETag` of the file. `Range` is ignored if it is not that of the current file.'),
  'If-None-Match': text('The `ETag` of a file that you have. The response is `304` without a body.'),
});

/** The list of exports. The list is rendered again when the exports have changed. */
export const exports = dataOperation({
  url: '/api/v1/exports',
  operationId: 'listExports',
  summary: 'List exports',
  description:
    'Returns the exports that this service offers: all companies of one generation of the data as files, made after updates. ' +
    'Needs a paid plan. See [working with exports](/docs/exports).',
  success: { description: 'All exports.', schema: ExportList },
  codes: ['plan_required'],
  plan: 'paid',
  answer({ exports, publicUrl }) {
    const replies = new WeakMap<readonly OfferedExport[], DataContent>();
    return async () => replies.getOrInsertComputed(await exports.list(), (offered) => render(offered, publicUrl()));
  },
});

function render(offered: readonly OfferedExport[], publicUrl: string): DataContent {
  const body = JSON.stringify({ data: offered.map((each) => describe(each, publicUrl)) });
  return { version: `exports-${hash('sha256', body).slice(0, 16)}`, body };
}

function describe({ generation, format, manifest }: OfferedExport, publicUrl: string) {
  const base = `${publicUrl}/api/v1/exports/${generation}`;
  const { dataVersion, createdAt, rows, registers, leftOut } = manifest;
  const files = manifest.files
    .map(({ path, country, rows, bytes, sha256 }) => ({ path: `${format}/${path}`, country, rows, bytes, sha256 }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    ...{ generation, dataVersion, createdAt, format, rows },
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    countries: [...new Set(files.map(({ country }) => country))].sort(),
    manifestUrl: `${base}/${format}/manifest.json`,
    licencesUrl: `${base}/${format}/LICENCES.md`,
    // Copied field by field: a manifest may have more fields than the contract.
    registers: registers.map(({ register, publisher, licence, licenceKnown, attribution, synthetic, asOf, rows }) => {
      return { register, publisher, licence, licenceKnown, attribution, synthetic: synthetic === true, asOf, rows };
    }),
    leftOut,
    files: files.map(({ path, ...file }) => ({ path, url: `${base}/${path}`, ...file })),
  };
}

type Parameters = Static<typeof ExportFileParameters>;

interface FileReply {
  readonly isFree: boolean;
  /** Completes the reply, or sends it and returns how many units were delivered. */
  send(): HttpReply | Promise<number>;
}

const TYPES: Readonly<Record<string, string>> = {
  parquet: 'application/vnd.apache.parquet',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  zst: 'application/zstd',
  gz: 'application/gzip',
};
const fileTypes = Object.values(TYPES).map((type) => type.replace(/;.*/, ''));

/**
 * Limit per account and serving thread, enough for a program that loads ranges in parallel. One account with a thousand downloads would slow down all
 * other requests.
 */
const DOWNLOADS_PER_ACCOUNT = 8;

/** In a path, stands for the newest generation that has the file. */
const LATEST = 'latest';

/**
 * Downloads of exports. The deadline of a data request covers opening the file; sending takes as long as the client needs. A path is looked up among
 * the files of the manifests and is never used as a path on the disk.
 */
export const exportFiles = chargedOperation<Parameters, FileReply>({
  url: '/api/v1/exports/:generation/*',
  operationId: 'downloadExport',
  tag: 'Registry',
  summary: 'Download a file of an export',
  description:
    'Returns one file, or a range of its bytes. The bytes of an address never change. Every request costs one unit, also for a ' +
    'range; `304` is free. With `latest` in place of the generation, the address stays the same: it redirects, free of charge, to the ' +
    'newest generation that has the file. Needs a paid plan. The service may redirect to another host that has the files.',
  plan: 'paid',
  params: ExportFileParameters,
  requestHeaders: FileHeaders,
  replies: {
    200: fileAnswer('The file.', fileTypes, ['ETag', 'Accept-Ranges', 'Content-Disposition']),
    206: fileAnswer('The range of the file.', fileTypes, [
      ...(['ETag', 'Accept-Ranges', 'Content-Disposition', 'Content-Range'] as const),
    ]),
    302: bare('The file is at another address.', ['Location']),
    304: bare('Not modified: the client has the file.', ['ETag']),
  },
  codes: ['plan_required', 'concurrency_limit_exceeded', 'export_not_found', 'range_not_satisfiable'],
  work: serveFiles,
});

function serveFiles({ exports, limits }: Api) {
  const slots = createSlots({
    perAccount: DOWNLOADS_PER_ACCOUNT,
    inTotal: Number.POSITIVE_INFINITY,
    guaranteedMs: Number.POSITIVE_INFINITY,
  });

  function holdSlot({ raw }: HttpReply, accountId: string): void {
    const release = slots.take(accountId, () => raw.destroy());
    if (raw.destroyed) release();
    else raw.once('close', release);
  }

  async function findFile(path: string, generation: string): Promise<OfferedFile> {
    const offered = await exports.list();
    const candidates = offered.filter((each) => generation === LATEST || String(each.generation) === generation);
    const found = candidates.find(({ files }) => files.has(path))?.files.get(path);
    if (found === undefined) throw fail('export_not_found');
    return found;
  }

  /** A request is answered at its deadline, so a file that is opened after the deadline has to be closed here. */
  async function openFile(found: OfferedFile, deadline: Deadline): Promise<FileHandle> {
    const opened = await exports.openFile(found);
    if (millisecondsLeft(deadline) > 0) return opened;
    close(opened);
    throw timedOut('opening the file');
  }

  async function answer(
    { '*': path, generation }: Parameters,
    { input: { request, reply }, caller, deadline }: Context<Call>,
  ): Promise<FileReply> {
    const found = await findFile(path, generation);
    const place = `${found.generation}/${found.path}`;
    // The redirect to the newest file is free; the client pays for the file at its own address.
    if (generation === LATEST) return { isFree: true, send: () => reply.redirect(`/api/v1/exports/${place}`) };
    const known = request.headers['if-none-match'] ?? '';
    const isNamed = namesTag(known, tagOf(found));
    // `*` does not show that the client has the file.
    if (isNamed || matchesAny(known))
      return { isFree: isNamed, send: () => writeCacheHeaders(reply, found).code(304).send() };
    const range = chooseRange(request, found);
    if (exports.baseUrl !== undefined)
      return { isFree: false, send: () => reply.redirect(`${exports.baseUrl}/${place}`) };
    const isHead = request.method === 'HEAD';
    if (!isHead) holdSlot(reply, caller.accountId);
    const opened = await openFile(found, deadline);
    const writeHeaders = () => writeFileHeaders(reply, found, range);
    if (!isHead && found.bytes > 0)
      return { isFree: false, send: () => sendFile(writeHeaders(), opened, range, limits.replyMs) };
    close(opened);
    return { isFree: false, send: () => writeHeaders().send() };
  }

  return {
    price: 'unit' as const,
    answer,
    isFree: ({ isFree }: FileReply) => isFree,
    send: (file: FileReply) => file.send(),
  };
}

/** Called when the content is sent or not needed, so an error while closing changes nothing. */
function close(file: FileHandle): void {
  file.close().catch(() => undefined);
}

interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const SINGLE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * Reads a `Range` header (RFC 9110, 14.2). Undefined means the whole file: without the header, for several ranges, which we do not
 * support, and for malformed ones, which have to be ignored.
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = SINGLE.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') {
    const length = Number(to);
    if (length === 0) return 'unsatisfiable';
    return size === 0 ? undefined : { first: Math.max(0, size - length), last: size - 1 };
  }
  const [first, last] = [Number(from), to === '' ? Number.POSITIVE_INFINITY : Number(to)];
  if (last < first) return undefined;
  return first < size ? { first, last: Math.min(last, size - 1) } : 'unsatisfiable';
}

/** The bytes to send, as the headers demand (RFC 9110, 13.2.2). Throws `range_not_satisfiable`. */
function chooseRange({ method, headers }: HttpRequest, file: OfferedFile): ByteRange & { readonly isWhole: boolean } {
  // Ranges are only for GET. A date in `If-Range` cannot match, because files have no `Last-Modified`.
  const isRanged = method === 'GET' && (headers['if-range'] ?? tagOf(file)) === tagOf(file);
  const range = isRanged ? readRange(headers.range, file.bytes) : undefined;
  if (range === 'unsatisfiable')
    throw fail('range_not_satisfiable', { headers: { 'Content-Range': `bytes */${file.bytes}` } });
  return range === undefined ? { first: 0, last: file.bytes - 1, isWhole: true } : { ...range, isWhole: false };
}

/** A strong tag: the bytes of a file never change, and no content coding is applied to them. */
function tagOf({ sha256 }: OfferedFile): string {
  return `"${sha256}"`;
}

/**
 * Immutable, because the address contains the generation of the export. Private, because the client pays for the file: a shared cache would give it
 * to anyone. `no-transform` keeps proxies from compressing it, which would make the entity tag and ranges wrong.
 */
const CACHE_CONTROL = 'private, immutable, max-age=31536000, no-transform';

/** Headers that a 304 repeats. Without them, caches would take over the `no-store` of other replies. */
function writeCacheHeaders(reply: HttpReply, file: OfferedFile): HttpReply {
  return reply.headers({ 'cache-control': CACHE_CONTROL, etag: tagOf(file) });
}

function writeFileHeaders(reply: HttpReply, file: OfferedFile, range: ReturnType<typeof chooseRange>): HttpReply {
  const { generation, path, bytes } = file;
  const name = `firmament-${generation}-${path.replace('/entities/country=', '/').replaceAll('/', '-')}`;
  const { first, last, isWhole } = range;
  if (!isWhole) reply.code(206).header('content-range', `bytes ${first}-${last}/${bytes}`);
  return writeCacheHeaders(reply, file)
    .headers({
      'accept-ranges': 'bytes',
      'content-disposition': `attachment; filename="${name}"`,
      'content-length': last - first + 1,
    })
    .type(typeOf(path));
}

/** An error that is sent instead of the file must not be cached for a year. */
function removeFileHeaders(reply: HttpReply): void {
  for (const name of ['etag', 'accept-ranges', 'content-range', 'content-disposition']) reply.removeHeader(name);
  reply.header('cache-control', 'no-store');
}

function typeOf(path: string): string {
  return TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Sends bytes of an open file as fast as the client reads, and closes the file when it is sent or the client has gone. A client may be slow, but not
 * stalled: `closeStuckConnections` ends it after `stalledMs` without progress. Node's own time-out gets the same value, because it sees no progress
 * while a large buffer of the kernel empties slowly. The next request resets that time-out. If the file cannot be read to its end, the connection is
 * closed, so that the client notices; if even the start cannot be read, the client gets an error. Returns how many units were delivered: none if the
 * file cannot be read.
 */
function sendFile(reply: HttpReply, file: FileHandle, { first, last }: ByteRange, stalledMs: number): Promise<number> {
  reply.raw.socket?.setTimeout(stalledMs);
  const bytes = file.createReadStream({ start: first, end: last, highWaterMark: CHUNK_BYTES });
  const delivery = new Promise<number>((resolve) => {
    // This event is not emitted when the client disconnects.
    bytes.once('error', () => {
      if (!reply.raw.headersSent) removeFileHeaders(reply);
      resolve(0);
    });
    bytes.once('close', () => resolve(1));
  });
  reply.send(bytes).finish();
  return delivery;
}
