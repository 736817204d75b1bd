import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file of an export while it is written. The file gets its name only when it is complete. */
export interface PartFile {
  write(bytes: Uint8Array): void;
  finish(): WrittenPart;
}

export interface WrittenPart {
  readonly bytes: number;
  readonly sha256: string;
}

export interface PartWriter<Row> {
  add(records: readonly Row[]): Promise<void> | void;
  end(): Promise<void> | void;
}

/** Writes synchronously, because the thread does nothing else. */
export function createPartFile(path: string): PartFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.tmp`;
  const file = openSync(temporary, 'w', 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    write(chunk) {
      for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
      hash.update(chunk);
      bytes += chunk.length;
    },
    finish() {
      fsyncSync(file);
      closeSync(file);
      renameSync(temporary, path);
      return { bytes, sha256: hash.digest('hex') };
    },
  };
}
