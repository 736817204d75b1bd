import type { Db } from '../../src/db/db.ts';

/** Adds a person to the parties of a company, as an import in the mode `names` would. */
export async function plantPerson(db: Db, company: string): Promise<void> {
  const content = {
    ...{ roleText: 'owner', kind: 'person', name: 'Anna Example', number: null, countryCode: null },
    ...{ interests: [], absence: null },
  };
  await db.run(
    `INSERT INTO parties (id, register, set_name, company, role, is_current, is_person, content, file_id, place, content_hash, source_data)
      SELECT 'planted', register, set_name, company, 'beneficial_owner', 1, 1, $2, file_id, place, 'planted', '{}'
      FROM parties WHERE company = $1 LIMIT 1`,
    [company, JSON.stringify(content)],
  );
}
