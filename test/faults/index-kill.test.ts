import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { completeEnv, spawnScript } from '../harness/children.ts';
import { usualEngines } from '../harness/databases.ts';
import { isDeep } from '../harness/depth.ts';
import { checkAnswers, createFollowing, type Following, makeCompanies } from '../search/following.ts';
import { LONG } from './size.ts';

/** Starts `follower.ts`. */
function startFollower({ database: { dataDir, databaseUrl, timeLimits } }: Following, maxOverlay: number) {
  const task = JSON.stringify({ location: { dataDir, databaseUrl, timeLimits }, maxOverlay });
  const child = spawnScript(fileURLToPath(new URL('follower.ts', import.meta.url)), [task], {
    env: completeEnv({}),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  return {
    async prints(message: string) {
      const count = () => output.split(message).length;
      for (const before = count(); count() === before; ) await sleep(1);
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The line before which, or after which, the process dies: an update is followed by a save, a fold by another one. */
const points = ['', 'search index updated', 'search index folded'] as const;
const delays = [0, 1, 2, 5, 10, 20, 40, 80, 160, 320];
const kills: readonly (readonly [(typeof points)[number], number])[] = isDeep
  ? points.flatMap((point) => delays.map((delay) => [point, delay] as const))
  : [
      ['', 30],
      ['search index updated', 0],
      ['search index folded', 0],
      ['search index folded', 30],
    ];

for (const engine of usualEngines) {
  test(
    `kill -9 during an update, a fold or a save on ${engine}: the files are loaded or ignored, and the answers are right`,
    LONG,
    async (t) => {
      await using store = await createFollowing(engine);
      await store.importRows(makeCompanies(1, 2_000, 0));
      const outcomes = new Map<string, number>();
      let edition = 0;
      for (const [point, delay] of kills) {
        const follower = startFollower(store, point === 'search index folded' ? 1 : 200);
        await follower.prints('search index');
        const printed = follower.prints(point === '' ? 'search index updated' : point);
        printed.catch(() => undefined);
        edition++;
        await store.importRows(makeCompanies((edition * 97) % 1_900, 60, edition));
        await printed;
        await sleep(delay);
        await follower.kill();
        const search = store.open();
        await checkAnswers(search, store.db);
        await store.importRows(makeCompanies((edition * 89) % 1_900, 5, edition + 1_000));
        await checkAnswers(search, store.db);
        await search.close();
        const started = String(search.lines[0]?.message);
        outcomes.set(started, (outcomes.get(started) ?? 0) + 1);
        const left = readdirSync(store.database.dataDir).filter((name) => name.endsWith('.tmp'));
        assert.deepEqual(left, [], 'incomplete files are removed by the next save');
      }
      assert.ok((outcomes.get('search index loaded') ?? 0) > kills.length / 3, JSON.stringify([...outcomes]));
      t.diagnostic(JSON.stringify([...outcomes]));
    },
  );
}
