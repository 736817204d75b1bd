import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { formatCount } from '../../base/format-count.ts';
import { SourceProblem } from './problem.ts';
import {
  type Connection,
  discardBody,
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
  let version = download.started;
  return tryRepeatedly(connection, async (madeProgress) => {
    const validator = findRangeValidator(version);
    const resumed = validator === null ? undefined : await hashBeginning(part, connection.signal);
    const headers: Record<string, string> =
      resumed === undefined || validator === null
        ? question
        : { range: `bytes=${resumed.size}-`, 'if-range': validator };
    return sendRequest(url, { ...headers, 'accept-encoding': 'identity' }, connection, async (response) => {
      if (response.status === NOT_MODIFIED && resumed === undefined && Object.keys(question).length > 0) {
        response.body.resume();
        return null;
      }
      const continues = resumed !== undefined && isContinued(response, resumed, version);
      if (!continues) {
        if (response.status !== OK) throw await refusePart(response, part, url, connection);
        version = findValidators(response.headers);
        await download.start(version);
      }
      const beginning = continues ? resumed : { size: 0, hash: createHash('sha256') };
      const written = await writeBody(download, part, response, beginning, madeProgress);
      await rename(part, path);
      return { ...version, ...written };
    });
  });
}

/** Returns why there is nothing to write. If `part` is no beginning of the file, the next attempt starts from the first byte. */
async function refusePart(response: Response, part: string, url: URL, { clock }: Connection): Promise<SourceProblem> {
  if (response.status !== PARTIAL && response.status !== RANGE_NOT_SATISFIABLE) {
    return refuseResponse(response, url, clock);
  }
  discardBody(response);
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
  const isSame = (one: string | null, other: string | null) => one === null || other === null || one === other;
  return (
    status === PARTIAL &&
    isSame(now.etag, started.etag) &&
    isSame(now.lastModified, started.lastModified) &&
    headers['content-range']?.startsWith(`bytes ${size}-`) === true
  );
}

/** The size of the whole file, if the publisher sends it. */
function findTotal({ headers }: Response, received: number): number | null {
  const total = received > 0 ? /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] : headers['content-length'];
  return total === undefined ? null : Number(total);
}

async function writeBody(
  { url, maxBytes, onProgress }: Download,
  part: string,
  response: Response,
  beginning: Beginning,
  madeProgress: () => void,
) {
  const { hash } = beginning;
  const total = findTotal(response, beginning.size);
  if (total !== null && total > maxBytes) throw await refuseSize(part, url, maxBytes);
  const file = await open(part, beginning.size > 0 ? 'a' : 'w');
  let size = beginning.size;
  try {
    for await (const chunk of response.body) {
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
