import type { Engine } from '../../harness/databases.ts';
import { writeLargeCompany } from '../../harness/large-company.ts';
import { until } from '../../harness/until.ts';
import type { Attack } from '../attack.ts';
import { openSockets } from '../sockets.ts';
import { readHoldings, startTarget, type Target } from '../target.ts';
import { formatWaits, startWitness } from '../witness.ts';

const ESTABLISHMENTS = 20_000;
const CLIENTS = 50;
/** Per serving thread. Each client with its own copy would take 1,400 MB. */
const MAX_MEGABYTES = 350;

async function importLarge(engine: Engine, env: Record<string, string>) {
  const target = await startTarget(engine, { env, companies: 100 });
  const paths = writeLargeCompany(target.database.dataDir, 'br', ESTABLISHMENTS);
  await target.command('import', 'br', ...paths);
  const [key = ''] = (await target.office.createAccount()).keys;
  return { target, key, path: await findLarge(target, key) };
}

async function findLarge(target: Target, key: string): Promise<string> {
  const headers = { 'x-api-key': key };
  let id: string | undefined;
  await until('search finds the large company', async () => {
    const reply = await fetch(`${target.url}/api/v1/entities?country=BR&q=sertao`, { headers });
    const { data } = (await reply.json()) as { data: { id: string }[] };
    id = data[0]?.id;
    return id !== undefined;
  });
  return `/api/v1/entities/${id}`;
}

/** Clients that request the record again and again while others are served, and clients that do not read it. */
async function readTogether(engine: Engine, workers: number) {
  const { target, key, path } = await importLarge(engine, { WORKERS: String(workers) });
  await using _ = target;
  const [witnessKey] = (await target.office.createAccount()).keys;
  const headers = `Host: a\r\nX-API-Key: ${key}\r\nAccept-Encoding: identity\r\n`;
  await fetch(target.url + path, { headers: { 'x-api-key': key } });
  const before = readHoldings(target);
  await using witness = await startWitness(target, witnessKey);
  using sockets = openSockets(target.url);
  for (let count = 0; count < CLIENTS; count++) {
    (await sockets.open()).pause().write(`GET ${path} HTTP/1.1\r\n${headers}\r\n`);
  }
  let served = 0;
  const endsAt = performance.now() + 10_000;
  const codings = ['gzip', 'br', 'zstd', 'identity'];
  await Promise.all(
    codings.map(async (coding) => {
      while (performance.now() < endsAt) {
        const reply = await fetch(target.url + path, { headers: { 'x-api-key': key, 'accept-encoding': coding } });
        await reply.arrayBuffer();
        if (reply.status === 200) served++;
      }
    }),
  );
  const during = readHoldings(target);
  const waits = await witness.stop();
  const isBounded = during.megabytes < before.megabytes + workers * MAX_MEGABYTES;
  return {
    held: waits.failed === 0 && waits.p99 < 500 && isBounded && served > 0,
    figures: `${served} times 28 MB, memory ${before.megabytes} to ${during.megabytes} MB, ${formatWaits(waits)}`,
  };
}

export const attacks: readonly Attack[] = [1, 2].map((workers) => ({
  name: `a record of 28 MB for ${CLIENTS} clients that never read and 4 that read, WORKERS=${workers}`,
  run: (engine) => readTogether(engine, workers),
}));
