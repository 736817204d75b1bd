import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { formatCount } from '../../base/format-count.ts';
import { SourceProblem } from './problem.ts';
import {
  type Connection,
  NOT_MODIFIED,
  OK,
  PARTIAL,
  probe,
  RANGE_NOT_SATISFIABLE,
  type Response,
  refuseResponse,
  sendRequest,
  tryRepeatedly,
  type Validators,
} from './requests.ts';
import { PART } from './state.ts';

interface Download {
  readonly url: URL;
  /** Where the complete file goes. The bytes are written to `<path>.part` first. */
  readonly path: string;
  /** The version that is already kept, if its file still exists. */
  readonly kept: Validators;
  /** The version of which `<path>.part` has the beginning. */
  readonly started: Validators;
  readonly maxBytes: number;
  /** Called before the first byte of a version is written. A download can be resumed once the validators are stored. */
  start(validators: Validators): Promise<void>;
  onProgress(bytes: number, totalBytes: number | null): void;
}

/** An attempt that got this much has made progress. */
const PROGRESS_BYTES = 1_048_576;

/** Downloads a file, or returns null if the kept version is current. An unchanged file costs one request. */
export function downloadFile(download: Download, connection: Connection) {
  const { url, path } = download;
  const part = `${path}${PART}`;
  const question = askIfChanged(download.kept);
  /** The version of which `part` has the beginning. */
  let { etag, lastModified }: Validators = download.started;
  return tryRepeatedly(connection, async (madeProgress) => {
    const started = { etag, lastModified };
    const validator = findRangeValidator(started);
    const resume = validator === null ? undefined : await hashBeginning(part, connection.signal);
    const headers: Record<string, string> =
      resume === undefined || validator === null ? question : { range: `bytes=${resume.size}-`, 'if-range': validator };
    return sendRequest(url, { ...headers, 'accept-encoding': 'identity' }, connection, async (response, addBytes) => {
      const isConditional = resume === undefined && Object.keys(question).length > 0;
      if (isConditional && response.status === NOT_MODIFIED) {
        response.body.resume();
        return null;
      }
      const continues = resume !== undefined && isContinued(response, resume, started);
      if (!continues && response.status !== OK) throw await refusePart(response, part, url, connection);
      if (!continues) {
        ({ etag, lastModified } = findValidators(response.headers));
        await download.start({ etag, lastModified });
      }
      const beginning = continues ? resume : { size: 0, hash: createHash('sha256') };
      const written = await writeBody(download, part, { response, beginning, addBytes, madeProgress });
      await rename(part, path);
      return { etag, lastModified, ...written };
    });
  });
}

/** Returns why there is nothing to write. If `part` is no beginning of the file, the next attempt starts from the first byte. */
async function refusePart(response: Response, part: string, url: URL, { clock }: Connection): Promise<SourceProblem> {
  if (response.status !== PARTIAL && response.status !== RANGE_NOT_SATISFIABLE) {
    return refuseResponse(response, url, clock);
  }
  response.body.on('error', () => {}).destroy();
  await rm(part, { force: true });
  const message = `${url.host} sent a part that does not continue the file`;
  return new SourceProblem(message, 'later', { retry: true, waitMs: 0 });
}

interface Beginning {
  readonly size: number;
  /** The hash of the bytes that are on disk. */
  readonly hash: Hash;
}

/** Undefined when nothing has been written yet. */
async function hashBeginning(part: string, signal: AbortSignal): Promise<Beginning | undefined> {
  const stats = await stat(part).catch(() => undefined);
  if (stats === undefined || stats.size === 0) return undefined;
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(part, { signal })) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, hash };
}

/** Some servers ignore `If-Range` and send the end of another version. */
function isContinued({ status, headers }: Response, { size }: Beginning, started: Validators): boolean {
  const now = findValidators(headers);
  const isSame =
    (now.etag === null || started.etag === null || now.etag === started.etag) &&
    (now.lastModified === null || started.lastModified === null || now.lastModified === started.lastModified);
  return status === PARTIAL && isSame && parseRange(headers['content-range'])?.start === size;
}

function parseRange(header: string | undefined): { start: number; total: number | null } | undefined {
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(header ?? '') ?? [];
  if (start === undefined) return undefined;
  return { start: Number(start), total: total === '*' ? null : Number(total) };
}

interface Transfer {
  readonly response: Response;
  readonly beginning: Beginning;
  addBytes(count: number): void;
  madeProgress(): void;
}

async function writeBody(
  { url, maxBytes, onProgress }: Download,
  part: string,
  { response: { headers, body }, beginning, addBytes, madeProgress }: Transfer,
) {
  const { hash } = beginning;
  const range = beginning.size > 0 ? parseRange(headers['content-range']) : undefined;
  const length = headers['content-length'];
  const total = range?.total ?? (length === undefined ? null : beginning.size + Number(length));
  if (total !== null && total > maxBytes) throw await refuseSize(part, url, maxBytes);
  const file = await open(part, beginning.size > 0 ? 'a' : 'w');
  let size = beginning.size;
  try {
    for await (const chunk of body) {
      addBytes(chunk.length);
      hash.update(chunk);
      await file.writeFile(chunk);
      size += chunk.length;
      if (size > maxBytes) throw await refuseSize(part, url, maxBytes);
      onProgress(size, total);
    }
    if (total !== null && size !== total) {
      throw new SourceProblem(`${url.host} sent ${size} of ${total} bytes`, 'later', { retry: true });
    }
    await file.sync();
  } finally {
    if (size - beginning.size >= PROGRESS_BYTES) madeProgress();
    await file.close();
  }
  return { hash: `sha256:${hash.digest('hex')}`, size };
}

async function refuseSize(part: string, url: URL, maxBytes: number): Promise<SourceProblem> {
  await rm(part, { force: true });
  const limit = formatCount(maxBytes);
  return new SourceProblem(`the file of ${url.host} has more than ${limit} bytes, far more than the register`, 'look');
}

/** Whether the publisher has another version, without downloading it. Null if only a download can show this. */
export async function isChanged(url: URL, kept: Validators, connection: Connection): Promise<boolean | null> {
  const question = askIfChanged(kept);
  const isConditional = Object.keys(question).length > 0;
  const status = await probe(url, question, isConditional ? [OK, NOT_MODIFIED] : [OK], connection);
  return isConditional ? status === OK : null;
}

export function findValidators({ etag, 'last-modified': lastModified }: IncomingHttpHeaders): Validators {
  return { etag: etag ?? null, lastModified: lastModified ?? null };
}

/** Headers that ask for the file only if it is not this version. */
export function askIfChanged({ etag, lastModified }: Validators): Record<string, string> {
  if (etag !== null) return { 'if-none-match': etag };
  return lastModified === null ? {} : { 'if-modified-since': lastModified };
}

/** The validator for `If-Range`. A weak ETag does not promise equal bytes, so that a download with it starts again. */
export function findRangeValidator({ etag, lastModified }: Validators): string | null {
  if (etag !== null) return etag.startsWith('W/') ? null : etag;
  return lastModified;
}
