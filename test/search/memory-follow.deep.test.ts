import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { engines } from '../harness/databases.ts';
import { boundMs } from '../harness/depth.ts';
import { until } from '../harness/until.ts';
import { checkAnswers, countLines, createFollowing, makeCompanies } from './following.ts';

for (const engine of engines) {
  describe(`segments and folds of an index in memory on ${engine}`, () => {
    test('a large overlay is folded in the background: before, during and after, the answers are those of a new index', async () => {
      await using store = await createFollowing(engine);
      await store.importRows(makeCompanies(1, 400, 0));
      const search = store.open({ maxOverlay: () => 60 });
      await search.refresh();
      search.start();
      let edition = 0;
      const folds = () => countLines(search, 'search index folded');
      const countOverlay = () => search.readFigures?.()?.overlayDocuments ?? 0;
      while (folds() < 2) {
        edition++;
        await store.importRows(makeCompanies((edition * 37) % 380, 25, edition));
        await checkAnswers(search, store.db);
        // Folds take place between the imports; on a slow machine they need a pause.
        if (edition % 10 === 0) await until('the overlay is folded', () => countOverlay() <= 60);
      }
      await checkAnswers(search, store.db);
      assert.ok(countLines(search, 'search index updated') > 3);
      assert.equal(countLines(search, 'search index built') + countLines(search, 'search index loaded'), 1);
    });

    test('many small imports are merged into few segments', async () => {
      await using store = await createFollowing(engine);
      await store.importRows(makeCompanies(1, 200, 0));
      const search = store.open();
      for (let edition = 1; edition <= 10; edition++) {
        await store.importRows(makeCompanies(edition * 10, 5, edition));
        await search.refresh();
      }
      await checkAnswers(search, store.db);
      assert.ok((search.readFigures?.()?.segments ?? 99) <= 8);
    });

    test('closing during a build, an update or a fold ends at once', async () => {
      await using store = await createFollowing(engine);
      await store.importRows(makeCompanies(1, 1_000, 0));
      for (const maxOverlay of [1, 1_000]) {
        for (const pause of [0, 10, 50, 200, 400]) {
          const search = store.open({ maxOverlay: () => maxOverlay });
          const refreshed = search.refresh().catch(() => undefined);
          search.start();
          if (pause > 50) await refreshed;
          await store.importRows(makeCompanies(pause, 20, pause + maxOverlay));
          await sleep(pause);
          const started = performance.now();
          await search.close();
          assert.ok(performance.now() - started < boundMs(5_000));
          await refreshed;
        }
      }
    });
  });
}
