import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { until } from '../harness/until.ts';
import { answer, answerAfresh, checkAnswers, countLines, createFollowing, makeCompanies } from './following.ts';

const EDITIONS = runs(4, 6);

describeOn(usualEngines, 'an index in memory that follows the journal', (engine) => {
  test('later imports update it, and it answers like a new index', async () => {
    await using store = await createFollowing(engine);
    const search = store.open();
    await checkAnswers(search, store.db);
    await store.importRows(makeCompanies(1, 300, 0));
    await checkAnswers(search, store.db);
    assert.equal(countLines(search, 'search index built'), 2);
    for (let edition = 1; edition <= EDITIONS; edition++) {
      // Changed, unchanged and new companies.
      await store.importRows([...makeCompanies(edition * 20, 30, edition), ...makeCompanies(290, edition * 5, 0)]);
      await checkAnswers(search, store.db);
    }
    await store.importRows(makeCompanies(1, 10, 1));
    await checkAnswers(search, store.db);
    const line = search.lines.at(-1);
    assert.deepEqual([line?.message, line?.changed], ['search index updated', 10]);
    assert.equal(countLines(search, 'search index built'), 2);
    assert.equal(countLines(search, 'search index updated'), EDITIONS + 1);
    const { overlayDocuments, segments, seconds } = search.readFigures?.() ?? assert.fail();
    assert.ok(overlayDocuments >= 100 && segments >= 1);
    assert.equal(line?.overlayPercent, Math.round((10_000 * overlayDocuments) / 300) / 100);
    assert.ok(seconds.update !== undefined);
  });

  test('if the journal does not lead to the present, the index is built again, and the log says why', async () => {
    await using store = await createFollowing(engine);
    const search = store.open();
    await store.importRows(makeCompanies(1, 50, 0));
    await checkAnswers(search, store.db);
    await store.db.run('UPDATE journal SET generation = generation + 100');
    await store.importRows(makeCompanies(1, 5, 1));
    await checkAnswers(search, store.db);
    assert.match(String(search.lines.at(-1)?.reason), /journal/);
  });

  test('a restart loads the file and follows the journal from there', async () => {
    await using store = await createFollowing(engine);
    await store.importRows(makeCompanies(1, 300, 0));
    const first = store.open();
    await first.refresh();
    await store.importRows(makeCompanies(100, 20, 1));
    await checkAnswers(first, store.db);
    await first.close();
    await store.importRows(makeCompanies(110, 20, 2));
    const second = store.open();
    await checkAnswers(second, store.db);
    await store.importRows(makeCompanies(120, 20, 3));
    await checkAnswers(second, store.db);
    assert.deepEqual(
      second.lines.map(({ message }) => message),
      ['search index loaded', 'search index updated'],
    );
    await second.close();
    // As after a long absence, in which the journal was pruned.
    await store.importRows(makeCompanies(130, 20, 4));
    await store.db.run('DELETE FROM journal WHERE generation < (SELECT max(generation) FROM journal)');
    const third = store.open();
    await checkAnswers(third, store.db);
    assert.equal(countLines(third, 'search index built'), 1);
    assert.match(String(third.lines[0]?.reason), /journal/);
  });
});

const FOLDS = runs(2, 3);

for (const isSaved of [true, false]) {
  const which = isSaved ? 'replaced' : 'replaced, and whose file could not be written,';
  test(`a base that was ${which} does not stay in memory`, async () => {
    await using store = await createFollowing('sqlite');
    const file = join(store.database.dataDir, 'search.index');
    if (!isSaved) mkdirSync(join(file, 'occupied'), { recursive: true });
    await store.importRows(makeCompanies(1, 200, 0));
    const search = store.open({ maxOverlay: () => 20 });
    const bases = new Set<object>();
    const replaced: WeakRef<object>[] = [];
    search.onIndex?.(({ base }) => {
      if (bases.has(base.arrays)) return;
      for (const old of bases) replaced.push(new WeakRef(old));
      bases.clear();
      bases.add(base.arrays);
    });
    await search.refresh();
    search.start();
    const failures = () => countLines(search, 'cannot save the search index: the next start has to build it');
    for (let edition = 1; replaced.length < FOLDS; edition++) {
      if (!isSaved) await until('saving has failed', () => failures() === edition);
      // The last base can be saved.
      if (edition === FOLDS) rmSync(file, { recursive: true, force: true });
      await store.importRows(makeCompanies(1, 40, edition));
      await until('the overlay is folded', () => replaced.length >= Math.min(edition, FOLDS));
    }
    const collect = exposeCollection();
    await until('the memory is freed', () => {
      collect();
      return replaced.every((base) => base.deref() === undefined);
    });
  });
}

function exposeCollection(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

test('an update that fails is tried again by a new thread', async () => {
  await using store = await createFollowing('sqlite');
  await store.importRows(makeCompanies(1, 100, 0));
  const file = join(store.database.dataDir, 'registry.db');
  const search = store.open();
  await search.refresh();
  await store.importRows(makeCompanies(1, 10, 1));
  renameSync(file, `${file}.away`);
  await assert.rejects(search.refresh());
  renameSync(`${file}.away`, file);
  await until('the search is up to date', async () => {
    await search.refresh().catch(() => undefined);
    return search.version() === (await answerAfresh(store.db)).version;
  });
  assert.deepEqual(await answer(search), (await answerAfresh(store.db)).answers);
});
