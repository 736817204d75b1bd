import { type Failure, fail } from '../../base/errors.ts';
import { parseSnapshot, VERSION_FORMAT } from '../../base/version.ts';

/**
 * A place between two changes: the reader has seen all changes before this place. A client gets the cursor as an opaque text and sends it back to
 * continue. The version identifies the import (`base/version.ts`), so a cursor of another history, such as from before a restore of a backup, is
 * detected instead of skipping changes.
 */
export interface Cursor {
  readonly version: string;
  /** How many changes of this import the reader has seen. Infinite if the reader has seen all. */
  readonly seen: number;
}

export function writeCursor({ version, seen }: Cursor): string {
  return Buffer.from(`${version}.${seen}`).toString('base64url');
}

/** Throws `invalid_request` if the text is not exactly what `writeCursor` returns. */
export function parseCursor(text: string): Cursor {
  const [, version, seen] = FORMAT.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (version === undefined || seen === undefined) throw invalidCursor();
  const cursor = { version, seen: Number(seen) };
  // Base64 has several spellings of the same bytes, and only one is valid here.
  if (writeCursor(cursor) !== text) throw invalidCursor();
  return cursor;
}

const FORMAT = new RegExp(`^(${VERSION_FORMAT})\\.(0|[1-9]\\d{0,14})$`);

/** Reads a cursor or the name of a snapshot, which stands for the place after the last change in the snapshot. */
export function parseStart(text: string): Cursor {
  const version = parseSnapshot(text);
  return version === undefined ? parseCursor(text) : { version, seen: Number.POSITIVE_INFINITY };
}

export function parseGeneration(version: string): number {
  return Number(version.slice(0, version.indexOf('-')));
}

export function invalidCursor(): Failure {
  return fail('invalid_request', {
    message: 'The query parameter "cursor" is not valid: use a cursor of an earlier response, exactly as it was.',
  });
}
