import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** JSON files that only their owner may read, for they hold secrets. */
export function readPrivateFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Gone or damaged is the same: what it held is made anew.
    return undefined;
  }
}

/** Replaced as a whole, so that nobody reads half of it and a crash leaves the old one. */
export function writePrivateFile(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  // The mode above counts for a new file only, less the umask.
  chmodSync(draft, 0o600);
  renameSync(draft, path);
}
