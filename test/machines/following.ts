import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/core/clock.ts';
import type { Db } from '../../src/db/db.ts';
import { openStore } from '../../src/db/open.ts';
import { importFiles } from '../../src/importing/import.ts';
import { registers } from '../../src/registers/index.ts';
import { createEngine } from '../../src/search/memory/answer/engine.ts';
import { buildIndex } from '../../src/search/memory/build/build.ts';
import type { SearchQuery } from '../../src/search/search.ts';
import { createChance } from '../../synthetic/chance.ts';
import { isDeep, runs } from '../harness/depth.ts';
import { readLimits } from '../harness/limits.ts';
import type { Machines } from '../harness/machines.ts';
import { until } from '../harness/until.ts';
import { company, writeGb } from '../registry/gb-file.ts';
import { gb } from '../registry/gb-import.ts';
import { everything } from '../search/world-queries.ts';

/** In the deep run they change enough for overlays to be folded. */
const [IMPORTS, ROWS, COMPANIES] = isDeep ? [50, 400, 12_000] : [4, 100, 2_000];
const WORDS = ['ACORN', 'BIRCH', 'CEDAR', 'DAMSON', 'ELM'];

const QUERIES: readonly Partial<SearchQuery>[] = [
  {},
  { page: 50 },
  { q: 'acorn' },
  { q: 'ch ce' },
  { q: '000012' },
  { status: 'in_liquidation', page: 2 },
  { q: 'e', country: 'GB', page: 40 },
];
const PAGE_SIZE = 25;

export function testFollowing(use: () => Machines): void {
  let all: readonly number[] = [];
  let machines: Machines;
  let db: Db;
  let folder: string;
  let keys: readonly string[] = [];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'firmament-following-'));
    machines = use();
    all = machines.urls.map((_, at) => at);
    db = openStore('registry', {
      dataDir: folder,
      databaseUrl: machines.envOf(0).DATABASE_URL,
      timeLimits: readLimits(),
    });
    keys = (await machines.office.createAccount({ keys: 8 })).keys;
  });
  after(async () => {
    await db?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const chance = createChance(19);

  async function runImport(name: string, numbers: readonly number[]): Promise<void> {
    const rows = numbers.map((number) =>
      company(String(number).padStart(8, '0'), `${chance.pick(WORDS)} ${chance.pick(WORDS)} LTD`, {
        CompanyStatus: chance.is(0.1) ? 'Liquidation' : 'Active',
      }),
    );
    const paths = [writeGb(folder, `${name}.csv`, rows)];
    await importFiles(db, systemClock, { register: gb, registers, paths, mode: 'partial' });
  }

  let asked = 0;
  async function ask(machine: number, query: Partial<SearchQuery>): Promise<{ tag: string; text: string } | undefined> {
    const fields = Object.entries(query).map(([name, value]) => [name, String(value)]);
    const path = `/api/v1/entities?${new URLSearchParams([...fields, ['pageSize', String(PAGE_SIZE)]])}`;
    const headers = { 'x-api-key': keys[asked++ % keys.length] ?? '' };
    try {
      const reply = await fetch(`${machines.urls[machine]}${path}`, { headers });
      const text = await reply.text();
      return reply.status === 200 ? { tag: reply.headers.get('etag') ?? '', text } : undefined;
    } catch {
      // A machine that restarts does not answer, or not completely.
      return undefined;
    }
  }

  /** The tag of a reply names its query and the version of the data: for one tag, there must be one text. */
  async function watch(machine: number, texts: Map<string, string>, isOver: () => boolean): Promise<void> {
    for (let at = machine; !isOver(); at++) {
      const reply = await ask(machine, QUERIES[at % QUERIES.length] ?? {});
      await sleep(runs(100, 40));
      if (reply === undefined) continue;
      const digest = hash('sha256', reply.text);
      assert.equal(texts.get(reply.tag) ?? digest, digest, `machine ${machine} differs: ${reply.text.slice(0, 300)}`);
      texts.set(reply.tag, digest);
    }
  }

  async function runImports(): Promise<void> {
    for (let number = 0; number < IMPORTS; number++) {
      // Some companies are new.
      const changed = Array.from({ length: ROWS }, () => chance.between(0, COMPANIES + number * 20));
      await runImport(`import-${number}`, [...new Set(changed)]);
      if (number % 10 === 2) await machines.restart(number % machines.urls.length);
    }
  }

  /** An overlay of more than 5,000 documents is folded. A machine that was restarted may not need it. */
  async function untilFolded(): Promise<void> {
    await until('an overlay with many documents is folded', () =>
      all.some((machine) => hasLogged(machine, 'search index folded')),
    );
  }

  /** Asks until all machines have followed the last import. */
  async function compareWithNewIndex(): Promise<void> {
    const base = await buildIndex(db);
    const engine = createEngine({ version: base.version, base });
    for (const query of QUERIES) {
      const expected = Buffer.from(engine.find({ ...everything, pageSize: PAGE_SIZE, ...query }).body).toString();
      for (const machine of all) {
        await until(`machine ${machine} serves the data of a new index: ${JSON.stringify(query)}`, async () => {
          return (await ask(machine, query))?.text === expected;
        });
      }
    }
  }

  test(`all machines follow ${IMPORTS} imports: they give the same bytes for the same version, while they update, fold and restart`, {
    timeout: 900_000,
  }, async (t) => {
    await runImport(
      'first',
      Array.from({ length: COMPANIES }, (_, at) => at),
    );
    const texts = new Map<string, string>();
    let isOver = false;
    const watching = Promise.all(all.map((machine) => watch(machine, texts, () => isOver)));
    watching.catch(() => undefined);
    try {
      await runImports();
      if (isDeep) await untilFolded();
      await compareWithNewIndex();
    } finally {
      isOver = true;
    }
    await watching;
    const versions = new Set(all.flatMap((machine) => readVersions(machine)));
    t.diagnostic(`${versions.size} versions were served, ${texts.size} different replies compared`);
    assert.ok(all.some((machine) => hasLogged(machine, 'search index updated')));
  });

  const hasLogged = (machine: number, message: string) => machines.at(machine).output().includes(`"${message}"`);

  function readVersions(machine: number): string[] {
    return [
      ...machines
        .at(machine)
        .output()
        .matchAll(/"version":"([^"]+)"/g),
    ].map(([, version = '']) => version);
  }
}
