import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../harness/until.ts';
import { answerAfresh, checkAnswers, countLines, createFollowing, makeCompanies } from '../search/following.ts';

/** A search that follows imports: built, updated, compacted, folded, saved and loaded, each time with the answers of a new index. */
export async function followStore(): Promise<void> {
  await using store = await createFollowing('sqlite');
  const file = join(store.database.dataDir, 'search.index');
  const first = store.open({ maxOverlay: () => 500 });
  const states: string[] = [];
  first.onIndex?.(({ version }) => states.push(version));
  assert.throws(() => first.version());
  await checkAnswers(first, store.db);
  await store.importRows(makeCompanies(1, 300, 0));
  await checkAnswers(first, store.db);
  first.start();
  await until('the index is saved', () => existsSync(file));
  first.onIndex?.(({ version }) => states.push(version));
  // The second time, the same documents of the index are hidden as before.
  for (let edition = 1; edition < 3; edition++) {
    await store.importRows(makeCompanies(200, 200, edition));
    await checkAnswers(first, store.db);
  }
  await store.importRows(makeCompanies(1_000, 400, 1));
  await until('the changes are folded into the index', () => countLines(first, 'search index folded') > 0);
  await checkAnswers(first, store.db);
  await store.importRows(makeCompanies(1, 50, 4));
  await checkAnswers(first, store.db);
  assert.ok((first.readFigures?.()?.segments ?? 0) > 0);
  const { version } = await answerAfresh(store.db);
  assert.equal(states.at(-1), version);
  await first.close();

  const second = store.open();
  await checkAnswers(second, store.db);
  assert.equal(countLines(second, 'search index loaded'), 1);
  // The journal does not lead to the present.
  await store.db.run('UPDATE journal SET generation = generation + 100');
  await store.importRows(makeCompanies(1, 5, 1));
  await checkAnswers(second, store.db);
}
