import type { Db, Engine, Reads } from '../../db/db.ts';
import type { StoredParty, Visible } from '../store.ts';

/** The SQL of walks from company to company. */

export type Direction = 'owners' | 'holdings';

/** A row that links two companies, or says why there is no owner. */
export interface LinkRow extends Omit<StoredParty, 'isCurrent'> {
  readonly id: string;
}

interface LinkOptions {
  readonly limit: number;
  readonly visible: Visible;
}

/**
 * The links of ownership of these companies, upwards or downwards, by company, role and id. Those upwards include the reasons for having no
 * parent. A group has thousands of links, and most of the time goes into values that SQLite hands over: so the company that was asked for is
 * not read again, and rows are sorted here, because SQLite would write all columns to its sorter and read them from there.
 */
export async function findLinks(
  db: Reads & Pick<Db, 'engine'>,
  direction: Direction,
  register: string,
  numbers: readonly string[],
  { limit, visible }: LinkOptions,
): Promise<LinkRow[]> {
  const read = (order: string) =>
    db.rows(writeFindLinks(db.engine, direction, visible, order), [JSON.stringify(numbers), register, limit]);
  const found = await read('');
  // Which links are left out depends on their order.
  const rows = found.length < limit ? found : await read(ORDER);
  const links = rows.map((row) => {
    const [given, number, otherRegister] = [numbers[row[0] as number] as string, row[1], row[2]] as [
      string,
      string,
      string,
    ];
    const isUp = direction === 'owners';
    return {
      register: isUp ? register : otherRegister,
      company: isUp ? given : number,
      partyRegister: isUp ? otherRegister : register,
      partyNumber: isUp ? number : given,
      role: row[3] as string,
      from: row[4] as string | null,
      until: row[5] as string | null,
      content: row[6] as string,
      fileId: row[7] as number,
      place: row[8] as number,
      id: row[9] as string,
    };
  });
  return links.sort(compareLinks);
}

function compareLinks(a: LinkRow, b: LinkRow): number {
  if (a.company !== b.company) return a.company < b.company ? -1 : 1;
  if (a.role !== b.role) return a.role < b.role ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

const ORDER = 'ORDER BY p.company COLLATE "binary", p.role COLLATE "binary", p.id';

/** Those who own or control a company. Founders do if the source says what they hold: others founded it long ago. */
const OWNERSHIP = `CASE p.role WHEN 'parent' THEN TRUE WHEN 'ultimate_parent' THEN TRUE WHEN 'head_office' THEN TRUE WHEN 'controller' THEN TRUE
        WHEN 'beneficial_owner' THEN TRUE WHEN 'shareholder' THEN TRUE WHEN 'partner' THEN TRUE
        WHEN 'founder' THEN p.content LIKE '%,"interests":[{%' ELSE FALSE END`;

/** The columns with the company that is given, and with the other one. */
const COMPANY = ['p.company', 'p.register'] as const;
const PARTY = ['p.party_number', 'p.party_register'] as const;
const SIDES = { owners: [COMPANY, PARTY], holdings: [PARTY, COMPANY] } as const;

/** The texts of a JSON list, with their places. One parameter of any length costs less than many. */
const LISTS: Readonly<Record<Engine, string>> = {
  sqlite: 'json_each($1)',
  postgres: `(SELECT value, ordinality - 1 AS key FROM json_array_elements_text(CAST($1 AS json)) WITH ORDINALITY AS t (value, ordinality))`,
};

const statements = new Map<string, string>();

function writeFindLinks(engine: Engine, direction: Direction, visible: Visible, order: string): string {
  return statements.getOrInsertComputed(`${engine} ${direction} ${order} ${visible}`, () => {
    const [[number, register], others] = SIDES[direction];
    return `SELECT v.key, ${others.join(', ')}, p.role, p.valid_from, p.valid_until, p.content, p.file_id, p.place, p.id
      FROM ${LISTS[engine]} v CROSS JOIN parties p WHERE ${number} = v.value AND ${register} = $2
      AND p.is_current = 1 AND ${OWNERSHIP} AND ${visible} ${order} LIMIT $3`;
  });
}
