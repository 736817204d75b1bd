import { type Failure, fail } from '../../base/errors.ts';
import { parseSnapshot, VERSION_FORMAT } from '../../base/version.ts';

/**
 * A place between two changes: everything up to here was seen. A client gets it as an opaque text and sends it back to continue. The
 * version identifies the import (`base/version.ts`), so a cursor of another history, such as that of a store before it was restored
 * from a backup, is recognized instead of skipping changes.
 */
export interface Cursor {
  readonly version: string;
  /** How many changes of this import were seen. Infinite if all of them. */
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
  // Base64 has several spellings of the same bytes.
  if (writeCursor(cursor) !== text) throw invalidCursor();
  return cursor;
}

const FORMAT = new RegExp(`^(${VERSION_FORMAT})\\.(0|[1-9]\\d{0,14})$`);

/** Reads a cursor or the name of a snapshot, which is the place after the last change that it contains. */
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
