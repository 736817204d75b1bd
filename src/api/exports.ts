import { hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import Type, { type Static } from 'typebox';
import type { Context } from '../accounts/charging/operation.ts';
import { fail } from '../base/errors.ts';
import { exportFormats } from '../base/export-formats.ts';
import { createSlots } from '../base/requests/slots.ts';
import { type Deadline, millisecondsLeft, timedOut } from '../base/system/deadline.ts';
import type { OfferedExport, OfferedFile } from '../exports/offered.ts';
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
import { type DataContent, dataOperation } from './serving/data-operation.ts';
import {
  chooseAnswer,
  type FileAnswer,
  fileTypes,
  sendFile,
  writeCacheHeaders,
  writeFileHeaders,
} from './serving/file-reply.ts';
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

interface FoundFile {
  readonly found: OfferedFile;
  readonly location?: string;
  readonly answer?: FileAnswer;
  /** Undefined if the reply contains no byte of the file: a redirect or a 304. */
  readonly opened?: FileHandle;
  readonly isFree?: boolean;
}

type Parameters = Static<typeof ExportFileParameters>;

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
export const exportFiles = chargedOperation<Parameters, FoundFile>({
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

  /** A request is answered at its deadline, so a file that is opened after the deadline has to be closed here. */
  async function openFile(found: OfferedFile, deadline: Deadline): Promise<FileHandle> {
    const opened = await exports.openFile(found);
    if (millisecondsLeft(deadline) > 0) return opened;
    close(opened);
    throw timedOut('opening the file');
  }

  /** Returns how many units were delivered if sending the file takes time. */
  function send({ found, location, answer, opened }: FoundFile, { request, reply }: Call): undefined | Promise<number> {
    if (location !== undefined) reply.redirect(location);
    else if (opened === undefined || answer === undefined) writeCacheHeaders(reply, found).code(304).send();
    else {
      writeFileHeaders(reply, found, answer);
      // An empty file has no byte to read.
      if (request.method !== 'HEAD' && found.bytes > 0) return sendFile(reply, opened, answer.range, limits.replyMs);
      close(opened);
      reply.send();
    }
    reply.finish();
    return undefined;
  }

  return {
    price: 'unit' as const,
    async answer(
      { '*': path, generation }: Parameters,
      { input: { request, reply }, caller, deadline }: Context<Call>,
    ): Promise<FoundFile> {
      const found = await findFile(path, generation);
      const place = `${found.generation}/${found.path}`;
      // The redirect to the newest file is free; the client pays for the file at its own address.
      if (generation === LATEST) return { found, location: `/api/v1/exports/${place}`, isFree: true };
      const answer = chooseAnswer(request, found);
      if (answer.status === 304) return { found, isFree: answer.isNamed };
      if (exports.baseUrl !== undefined) return { found, location: `${exports.baseUrl}/${place}` };
      if (request.method !== 'HEAD') holdSlot(reply.raw, caller.accountId);
      return { found, answer, opened: await openFile(found, deadline) };
    },
    isFree: ({ isFree = false }: FoundFile) => isFree,
    send,
  };
}

/** Called when the content is sent or not needed, so an error while closing changes nothing. */
function close(file: FileHandle): void {
  file.close().catch(() => undefined);
}
