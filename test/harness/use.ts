import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';

/**
 * Something that the tests of the surrounding `describe` share. It is opened before the first of them and closed after the last, so its
 * members can be read in tests and hooks only. Outside of a `describe`, hooks would not wait for each other.
 */
export function use<T extends object>(open: () => Promise<T>, close: (opened: T) => unknown): T {
  let opened: T | undefined;
  before(async () => {
    opened = await open();
  });
  after(() => opened && close(opened));
  return new Proxy({} as T, { get: (_, name) => Reflect.get(Object(opened), name) });
}

/** A folder of these tests, which is removed after them. */
export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
