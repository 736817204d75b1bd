import { type Failure, fail } from '../../base/errors.ts';
import { describeVersion, parseSnapshot, parseVersion, VERSION_FORMAT } from '../../base/version.ts';

/**
 * A place between two changes of the journal: the reader has seen all changes before this place. A client gets it as a cursor, which is an opaque
 * text, and sends the cursor back to continue. If the time differs from that of the import, the store was restored from a backup, and the generation
 * now numbers another import: such a cursor is detected instead of skipping changes.
 */
export interface Place {
  readonly generation: number;
  readonly publishedAt: number;
  /** How many changes of this import the reader has seen. Infinite if the reader has seen all. */
  readonly seen: number;
}

/** Returns a function that writes the cursors of an import. The version is written once, because an import may have many changes. */
export function cursorsOf({ generation, publishedAt }: Omit<Place, 'seen'>): (seen: number) => string {
  const version = describeVersion(generation, publishedAt);
  return (seen) => encode(`${version}.${seen}`);
}

export function writeCursor(place: Place): string {
  return cursorsOf(place)(place.seen);
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** Throws `invalid_request` if the text is not exactly what `writeCursor` returns. */
export function parseCursor(text: string): Place {
  const decoded = Buffer.from(text, 'base64url').toString('latin1');
  const [, version, seen] = FORMAT.exec(decoded) ?? [];
  // Base64 has several spellings of the same bytes, and only one is valid here.
  if (version === undefined || seen === undefined || encode(decoded) !== text) throw invalidCursor();
  const { generation, publishedAt } = parseVersion(version);
  return { generation, publishedAt, seen: Number(seen) };
}

const FORMAT = new RegExp(`^(${VERSION_FORMAT})\\.(0|[1-9]\\d{0,14})$`);

/** Parses a cursor or the name of a snapshot, which stands for the place after the last change in the snapshot. */
export function parseStart(text: string): Place {
  const version = parseSnapshot(text);
  return version === undefined ? parseCursor(text) : { ...parseVersion(version), seen: Number.POSITIVE_INFINITY };
}

export function isLater(a: Place, b: Place): boolean {
  return a.generation === b.generation ? a.seen > b.seen : a.generation > b.generation;
}

/** Returns the later of two cursors or names of snapshots, the first one if they are equal. */
export function chooseLater(a: string, b: string): string {
  return isLater(parseStart(b), parseStart(a)) ? b : a;
}

export function invalidCursor(): Failure {
  return fail('invalid_request', {
    message: 'The query parameter "cursor" is not valid: use a cursor of an earlier response, exactly as it was.',
  });
}
