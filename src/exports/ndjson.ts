import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { type EntityParts, joinParts } from '../records/entity.ts';
import type { PartFile, PartWriter } from './part-file.ts';

const CHUNK = 1 << 20;
/** Large enough for a compressed chunk, which then takes one turn of the event loop. With the default size it would take five. */
const OUTPUT = CHUNK / 4;

/** UTF-8 takes at most this many bytes per UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

/** Level 3 would make files 6 % smaller and take a tenth more of the CPU time of an export. */
const LEVEL = 1;

/** One record per line, exactly as `data` of `GET /entities/{id}`. */
export function createNdjsonWriter(file: PartFile): PartWriter<EntityParts> {
  return writeLines(file, (record) => [joinParts(record)]);
}

/** Writes the lines of each record, compressed as one zstd frame: some readers stop after the first. */
export function writeLines<Row>(file: PartFile, listLines: (record: Row) => Iterable<string>): PartWriter<Row> {
  const compress = createZstdCompress({
    chunkSize: OUTPUT,
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL },
  });
  const written = pipeline(compress, createSink(file));
  let failure: unknown;
  written.catch((error: unknown) => {
    failure = error;
  });
  // Two that take turns: one is filled while another thread compresses the other.
  let chunk = Buffer.allocUnsafe(CHUNK);
  let other = Promise.resolve(Buffer.allocUnsafe(CHUNK));
  let used = 0;
  const flush = async (size: number) => {
    const full = chunk;
    const next = await other;
    if (failure !== undefined) throw failure;
    const { promise, resolve } = Promise.withResolvers<Buffer<ArrayBuffer>>();
    compress.write(full.subarray(0, used), () => resolve(full));
    other = promise;
    chunk = next.length < size ? Buffer.allocUnsafe(size) : next;
    used = 0;
  };
  return {
    async add(records) {
      for (const record of records) {
        // Encoded one by one: a character beyond Latin-1 makes a whole text take two bytes per character.
        for (const text of listLines(record)) {
          const line = `${text}\n`;
          const size = line.length * MAX_BYTES_PER_UNIT;
          if (used + size > chunk.length) await flush(size);
          used += chunk.write(line, used);
        }
      }
    },
    async end() {
      // If the end came while a chunk is compressed, the bytes would be others.
      await other;
      compress.end(chunk.subarray(0, used));
      await written;
    },
  };
}

function createSink(file: PartFile): Writable {
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      try {
        file.write(chunk);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
