import type { Value } from '../../base/db/db.ts';

export interface NewParty {
  readonly id: string;
  readonly place: number;
  /** The values of `PartyRow`, as `packRow` writes them: few texts, because every text in a message between threads costs time. */
  readonly content: string;
  readonly contentHash: string;
}

export interface PartyRow {
  readonly company: string;
  readonly role: string;
  readonly partyRegister: string | null;
  readonly partyNumber: string | null;
  readonly isCurrent: boolean;
  /** Whether the row names a natural person, or may name one. */
  readonly isPerson: boolean;
  readonly from: string | null;
  readonly until: string | null;
  /** JSON of `PartyContent`. */
  readonly content: string;
  readonly layout: number | null;
  readonly sourceData: string;
}

/** No value contains U+0000: PostgreSQL cannot store it, and JSON escapes it. A value that may be null is never empty. */
const SEPARATOR = '\0';

/** Packs the values in the order on which the hashes in stores depend. */
export function packRow(row: PartyRow): string {
  const { company, role, partyRegister, partyNumber, isCurrent, isPerson, from, until, content, layout } = row;
  const values = [company, role, partyRegister, partyNumber, isCurrent, isPerson, from, until, content, layout];
  return [...values, row.sourceData].join(SEPARATOR);
}

export function unpackRow(packed: string): Value[] {
  const [company = '', role = '', register, number, isCurrent, isPerson, from, until, ...rest] =
    packed.split(SEPARATOR);
  const [content = '', layout, sourceData = ''] = rest;
  const flags = [isCurrent, isPerson].map((flag) => (flag === 'true' ? 1 : 0));
  const values = [company, role, register || null, number || null, ...flags, from || null, until || null, content];
  return [...values, layout ? Number(layout) : null, sourceData];
}

export function companyOf({ content }: Pick<NewParty, 'content'>): string {
  return content.slice(0, content.indexOf(SEPARATOR));
}
