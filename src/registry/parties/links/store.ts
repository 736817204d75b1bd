import type { Engine, Reads } from '../../../base/db/db.ts';
import { writeList } from '../../../base/db/lists.ts';
import type { Visible } from '../store.ts';

/** The SQL of walks from company to company. */

export type Direction = 'owners' | 'holdings';

/** A row that links two companies, or has the reason for having no owner. Rows stay arrays as read: a group has thousands of rows. */
export type LinkRow = readonly [
  /** The place of the requested company, counted from `first`. */
  given: number,
  /** The other company. Null if the row names no other company. */
  number: string | null,
  register: string | null,
  role: string,
  from: string | null,
  until: string | null,
  /** JSON of `PartyContent`. */
  content: string,
  fileId: number,
  place: number,
  id: string,
];

/**
 * The links of ownership of these companies, upwards or downwards, in no order; `numbers` are sorted. Upward links include the reasons for
 * having no parent. Above the limit, only the links of the first companies are returned. Most of the time goes into values that SQLite
 * hands over, so the requested company is not read again.
 */
export async function findLinks(
  db: Reads,
  direction: Direction,
  register: string,
  numbers: readonly string[],
  { first, limit, visible }: { readonly first: number; readonly limit: number; readonly visible: Visible },
): Promise<LinkRow[]> {
  const find = async (isOrdered: boolean) => {
    const sql = writeFindLinks(db.engine, direction, visible, isOrdered);
    return (await db.rows(sql, [JSON.stringify(numbers), register, first, limit])) as unknown as LinkRow[];
  };
  const found = await find(false);
  // Which links are left out depends on their order.
  return found.length < limit ? found : find(true);
}

/** Sorts links by company, role and id. SQLite would write all columns to its sorter and read all columns back. */
export function sortLinks(direction: Direction, rows: LinkRow[]): void {
  const compareCompany =
    direction === 'owners'
      ? (a: LinkRow, b: LinkRow) => a[0] - b[0]
      : (a: LinkRow, b: LinkRow) => compareText(a[1], b[1]);
  rows.sort((a, b) => compareCompany(a, b) || compareText(a[3], b[3]) || compareText(a[9], b[9]));
}

function compareText(a: string | null, b: string | null): number {
  if (a === b) return 0;
  return (a ?? '') < (b ?? '') ? -1 : 1;
}

/** Roles that own or control a company. Founders count only if the source states what they hold: other founders founded the company long ago. */
const OWNERSHIP = `CASE p.role WHEN 'parent' THEN TRUE WHEN 'ultimate_parent' THEN TRUE WHEN 'head_office' THEN TRUE WHEN 'controller' THEN TRUE
        WHEN 'beneficial_owner' THEN TRUE WHEN 'shareholder' THEN TRUE WHEN 'partner' THEN TRUE
        WHEN 'founder' THEN p.content LIKE '%,"interests":[{%' ELSE FALSE END`;

/** The columns with the given company, and the columns with the other company. */
const COMPANY = ['p.company', 'p.register'] as const;
const PARTY = ['p.party_number', 'p.party_register'] as const;
const SIDES = { owners: [COMPANY, PARTY], holdings: [PARTY, COMPANY] } as const;

function writeFindLinks(engine: Engine, direction: Direction, visible: Visible, isOrdered: boolean): string {
  const [[number, register], others] = SIDES[direction];
  const columns = [number, 'p.company', 'p.role', 'p.id'].map((column) => `${column} COLLATE "binary"`);
  const order = isOrdered ? `ORDER BY ${columns.join(', ')}` : '';
  return `SELECT v.key + CAST($3 AS INTEGER), ${others.join(', ')}, p.role, p.valid_from, p.valid_until, p.content, p.file_id, p.place, p.id
      FROM ${writeList(engine)} v CROSS JOIN parties p WHERE ${number} = v.value AND ${register} = $2
      AND p.is_current = 1 AND ${OWNERSHIP} AND ${visible} ${order} LIMIT $4`;
}
