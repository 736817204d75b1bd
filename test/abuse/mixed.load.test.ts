import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, engines } from '../harness/databases.ts';
import { findFreePort } from '../harness/postgres-server.ts';
import { until } from '../harness/until.ts';
import { type Abuser, abusers, type Scene } from './abusers.ts';
import { type Holdings, readHoldings, startTarget, type Target } from './target.ts';
import { formatWaits, startWitness } from './witness.ts';

/** `ABUSE_MINUTES=60` runs it for an hour on each database. */
const MINUTES = Number(process.env.ABUSE_MINUTES ?? 5);
/** Garbage collection and indexes after imports vary the memory, but it must not grow with time. */
const MAX_GROWTH = 1.25;
const MAX_GROWTH_MEGABYTES = 100;
/** Database connections and files that the server opens itself. */
const MAX_MORE_DESCRIPTORS = 30;
/** For a well-behaved client, while the server is attacked and an import runs. */
const MAX_P99_MS = 1_000;
const CLIENTS_PER_ABUSER = 2;
const IMPORT_EVERY_MS = 20_000;

async function abuse(engine: Engine) {
  const adminPort = await findFreePort();
  const env = { WORKERS: '2', ADMIN_PORT: String(adminPort) };
  await using target = await startTarget(engine, { env, companies: 20_000 });
  const [payer, quitter] = [
    await target.office.createAccount({ keys: 20 }),
    await target.office.createAccount({ keys: 20 }),
  ];
  const [victim, witnessed] = [await target.office.createAccount(), await target.office.createAccount()];
  const counts = { paid: 0, quit: 0, accepted: 0, rounds: {} };
  const scene: Scene = { url: target.url, payer, quitter, victim, counts };
  await target.command('generate', 'gb', '--rows', '20000', '--seed', '2', '--out', 'other.csv');

  await using witness = await startWitness(target, witnessed.keys[0]);
  const endsAt = performance.now() + MINUTES * 60_000;
  const samples: Holdings[] = [];
  await Promise.all([
    ...Object.entries(abusers).flatMap(([name, abuser]) =>
      Array.from({ length: CLIENTS_PER_ABUSER }, () => repeat(name, abuser, scene, endsAt)),
    ),
    importAgain(target, endsAt),
    sample(target, endsAt, samples),
  ]);

  const waits = await witness.stop();
  const [first, after] = [samples[0] as Holdings, await untilQuiet(target, samples[0] as Holdings)];
  const third = Math.ceil(samples.length / 3);
  const peak = (part: readonly Holdings[]) => Math.max(...part.map(({ megabytes }) => megabytes));
  const [early, late] = [peak(samples.slice(0, third)), peak(samples.slice(-third))];
  const failures = await listFailures(adminPort);
  const charged = {
    payer: (await target.office.settle(payer.accountId)).quota,
    quitter: (await target.office.settle(quitter.accountId)).quota,
    victim: (await target.office.settle(victim.accountId)).quota,
    witness: (await target.office.settle(witnessed.accountId)).quota,
  };
  const rounds = Object.values<number>(counts.rounds).reduce((sum, count) => sum + count, 0);
  const figures = [
    `${rounds} rounds of ${Object.keys(abusers).length} kinds`,
    `memory ${early} MB in the first third, ${late} in the last`,
    `descriptors ${first.descriptors} to ${after.descriptors}, threads ${first.threads} to ${after.threads}`,
    formatWaits(waits),
  ].join('; ');
  assert.deepEqual(failures, [], 'answers with 5xx');
  assert.ok(late <= Math.max(early * MAX_GROWTH, early + MAX_GROWTH_MEGABYTES), `memory grew: ${figures}`);
  assert.ok(after.descriptors <= first.descriptors + MAX_MORE_DESCRIPTORS, `descriptors are left: ${figures}`);
  assert.ok(after.threads <= first.threads + 2, `threads are left: ${figures}`);
  assert.ok(waits.failed === 0 && waits.p99 < MAX_P99_MS, `others waited: ${figures}`);
  assert.deepEqual([charged.payer, charged.witness], [counts.paid, waits.served], 'charges are exact');
  assert.ok(charged.quitter <= counts.quit, 'aborted requests are charged once');
  assert.deepEqual([charged.victim, counts.accepted], [0, 0], 'another site is not served');
  return figures;
}

async function repeat(name: string, abuser: Abuser, scene: Scene, endsAt: number): Promise<void> {
  const { rounds } = scene.counts;
  while (performance.now() < endsAt) {
    await abuser(scene);
    rounds[name] = (rounds[name] ?? 0) + 1;
    await sleep(20);
  }
}

/** Replaces all companies again and again, so that a new index is built each time. */
async function importAgain(target: Target, endsAt: number): Promise<void> {
  for (let count = 0; performance.now() < endsAt; count++) {
    await target.command('import', 'gb', count % 2 === 0 ? 'other.csv' : 'companies.csv', '--full');
    await sleep(Math.min(IMPORT_EVERY_MS, Math.max(0, endsAt - performance.now())));
  }
}

async function sample(target: Target, endsAt: number, samples: Holdings[]): Promise<void> {
  while (performance.now() < endsAt) {
    samples.push(readHoldings(target));
    await sleep(1_000);
  }
}

/** The server closes its side of the attackers' connections with a short delay. */
async function untilQuiet(target: Target, first: Holdings): Promise<Holdings> {
  const isQuiet = () => readHoldings(target).descriptors <= first.descriptors + MAX_MORE_DESCRIPTORS;
  await until('the connections are closed', isQuiet, 60_000).catch(() => undefined);
  return readHoldings(target);
}

/** Health checks answer 503 while the service starts, so they do not count. */
async function listFailures(adminPort: number): Promise<string[]> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  const failures: string[] = [];
  for (const [, labels = '', count] of text.matchAll(/^http_request_duration_seconds_count\{(.*)\} (\d+)$/gm)) {
    if (/status="5/.test(labels) && !labels.includes('/health/')) failures.push(`${count} × ${labels}`);
  }
  return failures;
}

for (const engine of engines) {
  test(`${MINUTES} minutes of mixed abuse on ${engine}`, { timeout: (MINUTES + 10) * 60_000 }, async (t) => {
    t.diagnostic(await abuse(engine));
  });
}
