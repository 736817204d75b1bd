import assert from 'node:assert/strict';
import type { Db, Snapshot } from '../../src/base/db/db.ts';

interface CheckedEntry {
  readonly generation: number;
  readonly loaded: number;
  readonly changes: number;
  readonly mode: string | null;
  readonly added: number;
  readonly changed: number;
  readonly delisted: number;
}

/**
 * Checks that the journal is complete: every generation has an entry, each entry has the changes that its import counted,
 * no change is without an entry, and the last change of an entity shows it as it is now. Only for stores without links,
 * which add changes that imports do not count.
 */
export async function checkJournal(db: Db): Promise<void> {
  // A snapshot, because reading every change can take longer than the time-out of a lookup.
  await db.snapshot(async (view) => {
    const current = await view.one<{ generation: number }>('SELECT generation FROM generation');
    const entries = await view.all<CheckedEntry>(
      `SELECT j.generation, j.loaded, j.changes, i.mode, i.added, i.changed, i.delisted
        FROM journal j LEFT JOIN imports i ON i.generation = j.generation ORDER BY j.generation`,
    );
    const last = current?.generation ?? assert.fail();
    const expected = entries.map((_, index) => last - entries.length + 1 + index);
    assert.deepEqual(
      entries.map(({ generation }) => generation),
      expected,
      'every generation has an entry',
    );
    for (const entry of entries) await checkEntry(view, entry);
    await checkChanges(view);
  });
}

async function checkEntry(view: Snapshot, entry: CheckedEntry): Promise<void> {
  const counts: Record<string, number> = { added: 0, changed: 0, delisted: 0, relisted: 0, loaded: 0 };
  const rows = await view.all<{ type: string; n: number; last: number }>(
    `SELECT c.type, count(*) AS n, max(c.position) AS last FROM journal j JOIN changes c ON c.batch = j.batch
      WHERE j.generation = $1 GROUP BY c.type`,
    [entry.generation],
  );
  for (const { type, n } of rows) counts[type] = n;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const found = [total, Math.max(-1, ...rows.map(({ last }) => last)) + 1];
  assert.deepEqual(
    found,
    [entry.changes, entry.changes],
    `generation ${entry.generation}: changes are numbered from 0`,
  );
  const { added = 0, changed = 0, relisted = 0, delisted = 0 } = counts;
  // The first entry of a store has no import.
  const expected = entry.loaded === 1 || entry.mode === null ? [0, 0, 0] : [entry.added, entry.changed, entry.delisted];
  assert.deepEqual([added, changed + relisted, delisted], expected, `generation ${entry.generation}`);
}

async function checkChanges(view: Snapshot): Promise<void> {
  const unlisted = await view.one<{ n: number }>(
    'SELECT count(*) AS n FROM changes WHERE NOT EXISTS (SELECT 1 FROM journal WHERE journal.batch = changes.batch)',
  );
  assert.equal(unlisted?.n, 0, 'every change has an entry');
  const wrong = await view.one<{ n: number }>(
    `SELECT count(*) AS n FROM changes c JOIN journal j ON j.batch = c.batch LEFT JOIN entities e ON e.id = c.entity_id
      WHERE c.entity_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM changes d JOIN journal k ON k.batch = d.batch
          WHERE d.entity_id = c.entity_id AND k.generation > j.generation)
        AND NOT (coalesce(e.canonical_name, '') = c.name_after AND e.status = c.status_after
          AND coalesce(e.legal_form, '') = coalesce(c.legal_form_after, '')
          AND coalesce(e.registered_at, '') = coalesce(c.registered_after, ''))`,
  );
  assert.equal(wrong?.n, 0, 'the last change of an entity shows it as it is now');
}
