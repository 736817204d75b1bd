import type { Db, Value } from '../../src/db/db.ts';

/** The SQL of `bench monitor`: an account, and an import that changes many companies, as the journal has it. */

export async function insertAccount(db: Db, id: string): Promise<void> {
  await db.run("INSERT INTO accounts (id, plan, created_at) VALUES ($1, 'business', 0)", [id]);
}

const COLUMNS = [
  ...['batch', 'position', 'type', 'entity_id', 'country_code', 'register', 'fields'],
  ...['name_before', 'status_before', 'legal_form_before', 'registered_before'],
  ...['name_after', 'status_after', 'legal_form_after', 'registered_after', 'details'],
];

/** Publishes one import that changes all of these companies. */
export async function publishChanges(db: Db, ids: readonly string[], publishedAt: number): Promise<void> {
  await db.transaction(
    async (tx) => {
      await tx.bulkLoad('changes', COLUMNS, writeRows(ids));
      await tx.run('UPDATE generation SET generation = 1, published_at = $1 WHERE id = 1', [publishedAt]);
      await tx.run(
        `INSERT INTO journal (generation, published_at, register, batch, changes, loaded, mixed)
          VALUES (1, $1, 'gb', 1, $2, 0, 0)`,
        [publishedAt, ids.length],
      );
    },
    { patient: true },
  );
}

function* writeRows(ids: readonly string[]): Generator<Value[]> {
  const fields = JSON.stringify(['status', 'city', 'registry', 'sourceData']);
  const details = JSON.stringify([
    { field: 'city', before: 'LONDON', after: 'CAMBRIDGE' },
    { field: 'registry.address.postCode', before: 'N1 9GU', after: 'CB2 1TN' },
  ]);
  for (const [position, id] of ids.entries()) {
    const name = `COMPANY ${position} HOLDINGS LIMITED`;
    const [before, after] = [
      [name, 'active', 'Private Limited Company', '2003-02-01'],
      [name, 'liquidation', 'Private Limited Company', '2003-02-01'],
    ];
    yield [1, position, 'changed', id, 'GB', 'gb', fields, ...before, ...after, details];
  }
}
