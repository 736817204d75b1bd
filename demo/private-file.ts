import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** JSON files that contain secrets, so only their owner can read them. */
export function readPrivateFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Missing and damaged files are treated alike: the caller creates new content.
    return undefined;
  }
}

/** Replaces the file atomically: readers never see a partial file, and a crash leaves the old one. */
export function writePrivateFile(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  // The mode above applies to new files only, and the umask can reduce it.
  chmodSync(temporary, 0o600);
  renameSync(temporary, path);
}
