import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runs } from '../harness/depth.ts';
import { readLimits } from '../harness/limits.ts';
import { until } from '../harness/until.ts';
import {
  answer,
  answerAfresh,
  countLines,
  createFollowing,
  type LoggedSearch,
  makeCompanies,
  queries,
} from '../search/following.ts';

const IMPORTS = runs(5, 50);

test(`three servers on one PostgreSQL follow ${IMPORTS} imports: all give the same bytes for the same version`, async (t) => {
  await using store = await createFollowing('postgres');
  await store.importRows(makeCompanies(1, 500, 0));
  const { databaseUrl, dataDir } = store.database;
  const timeLimits = readLimits();
  const locate = () => ({ databaseUrl, timeLimits, dataDir: mkdtempSync(join(dataDir, 'server-')) });
  // One never folds, one folds all the time, and one is restarted again and again.
  const restarted = locate();
  const searches: LoggedSearch[] = [
    store.open({ location: locate() }),
    store.open({ location: locate(), maxOverlay: () => 1 }),
    store.open({ location: restarted, maxOverlay: () => 100 }),
  ];
  /** By version and query: the answer of the server that was asked first. */
  const answers = new Map<string, string>();
  let compared = 0;
  let isOver = false;

  async function ask(at: number): Promise<void> {
    for (let query = at; !isOver; query++) {
      await sleep(runs(10, 0));
      const search = searches[at] as LoggedSearch;
      if (!search.isReady()) continue;
      const number = query % queries.length;
      const { version, body } = await search.find(queries[number] as (typeof queries)[0]);
      const key = `${version} ${number}`;
      const text = Buffer.from(body).toString();
      const known = answers.get(key);
      if (known === undefined) answers.set(key, text);
      else {
        assert.equal(text, known, key);
        compared++;
      }
    }
  }

  t.after(() => {
    isOver = true;
  });
  for (const search of searches) search.start();
  // An index that is built later contains the imports already, and has nothing to update or fold.
  await until('every server has an index', () => searches.every((search) => search.isReady()));
  const asking = searches.map((_, at) => ask(at));
  for (let edition = 1; edition <= IMPORTS; edition++) {
    await store.importRows(makeCompanies((edition * 53) % 480, 1 + ((edition * 17) % 40), edition));
    if (edition % 5 !== 0) continue;
    await searches[2]?.close();
    searches[2] = store.open({ location: restarted, maxOverlay: () => 100 });
    searches[2].start();
  }
  const { version, answers: expected } = await answerAfresh(store.db);
  for (const search of searches) {
    await until('the last import is served', () => search.isReady() && search.version() === version);
  }
  // A fold has a low priority, and may still be waiting for a processor.
  await until('a fold is served', () => countLines(searches[1] as LoggedSearch, 'search index folded') > 0);
  isOver = true;
  await Promise.all(asking);
  for (const search of searches) assert.deepEqual(await answer(search), expected);
  for (const search of searches.slice(0, 2)) assert.ok(countLines(search, 'search index updated') > 0);
  t.diagnostic(`${compared} answers were compared with those of another server or an earlier one`);
});
