import type { Db } from '../../db/db.ts';
import type { Change } from './change.ts';
import { writeCursor } from './cursor.ts';
import { expired, type Read } from './page.ts';
import { type JournalEntry, readBodies, readHeads } from './store.ts';

/**
 * Changes for a reader that passes some of millions on. Of most changes it needs only the company, so it reads their heads. What it
 * passes on is JSON that the database writes: reading the values and writing them here takes twice as long.
 */
export interface ChangeHead {
  readonly source: Source;
  readonly position: number;
  readonly type: string;
  readonly entityId: string | null;
}

/** The import of a change. */
interface Source extends JournalEntry {
  readonly occurredAt: string;
}

export const readPageOfHeads: Read<ChangeHead> = async (db, entry, ...given) => {
  const found = await readHeads(db, entry, ...given);
  const source = { ...entry, occurredAt: new Date(entry.publishedAt).toISOString() };
  const data = found?.map(([position, type, entityId]) => ({ source, position, type, entityId }) as ChangeHead);
  return data && { data, last: data.at(-1)?.position };
};

/** The texts of these changes, in the same order. Throws `cursor_expired` if they have been pruned. */
export async function readTexts(db: Db, heads: readonly ChangeHead[]): Promise<ChangeText[]> {
  const texts: ChangeText[] = [];
  for (const [source, own] of Map.groupBy(heads, (head) => head.source)) {
    const positions = own.map(({ position }) => position);
    const bodies = new Map(await readBodies(db, source.batch, positions));
    for (const head of own) {
      const body = bodies.get(head.position);
      if (body === undefined) throw expired();
      texts.push(new ChangeText(head, body));
    }
  }
  return texts;
}

/** A class, because an import can have millions of changes, and closures for each of them would cost more than comparing it. */
export class ChangeText {
  readonly #head: ChangeHead;
  /** The end of its JSON. */
  readonly #body: string;
  #parsed: Pick<Change, 'countryCode' | 'register' | 'fields' | 'details'> | undefined;

  constructor(head: ChangeHead, body: string) {
    this.#head = head;
    this.#body = body;
  }

  get entityId(): string | null {
    return this.#head.entityId;
  }

  get type(): string {
    return this.#head.type;
  }

  get generation(): number {
    return this.#head.source.generation;
  }

  /** How many changes of the import there are up to this one. */
  get place(): number {
    return this.#head.position + 1;
  }

  /** What is not needed for most changes. */
  parse(): Pick<Change, 'countryCode' | 'register' | 'fields' | 'details'> {
    this.#parsed ??= JSON.parse(`{${this.#body}`) as Change;
    return this.#parsed;
  }

  /** The JSON of the change, as one of this type. */
  write(type: string): string {
    const { source, entityId } = this.#head;
    const cursor = findCursor(this.#head);
    const id = JSON.stringify(entityId);
    return `{"cursor":"${cursor}","type":"${type}","occurredAt":"${source.occurredAt}","entityId":${id},${this.#body}`;
  }
}

/** The place after a change. */
export function findCursor({ source, position }: ChangeHead): string {
  return writeCursor({ version: source.version, seen: position + 1 });
}
