import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { ZipFile } from 'yazl';
import type { Batches, SourceRow } from '../../src/formats/rows.ts';

/** The bytes as a stream, cut at the given offsets (in any order; out-of-range offsets are ignored). */
export async function* feed(bytes: Uint8Array | string, cuts: readonly number[] = []): AsyncGenerator<Uint8Array> {
  const all = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  const offsets = [...new Set(cuts)].filter((cut) => cut > 0 && cut < all.length).sort((a, b) => a - b);
  let from = 0;
  for (const offset of [...offsets, all.length]) {
    yield all.subarray(from, offset);
    from = offset;
  }
}

/** The bytes as a stream of one-byte chunks. */
export function feedBytes(bytes: Uint8Array | string): AsyncGenerator<Uint8Array> {
  const all = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  return feed(
    all,
    Array.from(all, (_, index) => index),
  );
}

export async function collect<T>(batches: Batches<T>): Promise<Pick<SourceRow<T>, 'place' | 'value'>[]> {
  const rows: Pick<SourceRow<T>, 'place' | 'value'>[] = [];
  for await (const batch of batches) for (const { place, value } of batch) rows.push({ place, value });
  return rows;
}

export async function collectValues<T>(batches: Batches<T>): Promise<T[]> {
  return (await collect(batches)).map(({ value }) => value);
}

export async function collectBytes(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function makeFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'formats-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A zip archive of these files. */
export async function zip(entries: Readonly<Record<string, string | Buffer>>, options = {}): Promise<Buffer> {
  const file = new ZipFile();
  for (const [name, content] of Object.entries(entries)) {
    if (name.endsWith('/')) file.addEmptyDirectory(name);
    else file.addBuffer(Buffer.from(content), name, options);
  }
  file.end({ forceZip64Format: 'forceZip64Format' in options, comment: '' });
  return collectBytes(file.outputStream as unknown as AsyncIterable<Uint8Array>);
}
