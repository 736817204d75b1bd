import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FirmamentServer, type Load, startLoad, startServe } from '../http/processes.ts';
import { drawEndpoints, type Endpoint, type EndpointName } from '../http/requests.ts';
import {
  countCharged,
  providePostgresTarget,
  provideSqliteTarget,
  replaceAccounts,
  type Target,
} from '../http/targets.ts';
import { median } from '../median.ts';
import type { LoadOptions } from '../reporting.ts';

/**
 * `bench scale`: how many more requests several serving threads answer than one. On a machine with few cores the load
 * would take the cores that the server is measured on. So server and load never run at the same time: one is stopped
 * (SIGSTOP) while the other runs, in short turns, with enough requests in flight that neither runs out of work during its
 * turn. Only the time in which the server ran is counted. PostgreSQL cannot be stopped, because it answers the server, so
 * it still competes for the cores.
 */
interface ScaleBenchOptions extends LoadOptions {
  /** The number of threads to compare with one. */
  readonly workers: number;
}

export interface ScaleFigures {
  readonly rows: number;
  readonly connections: number;
  readonly turnMs: number;
  readonly measurements: readonly ScaleMeasurement[];
}

interface ScaleMeasurement {
  readonly engine: Target['engine'];
  readonly endpoint: EndpointName;
  readonly sides: readonly ScaleSide[];
  /** Requests per second divided by those of one thread: the median, and each pair of rounds. */
  readonly ratio: number;
  readonly ratios: readonly number[];
  /** Answers, and how many of them were charged. */
  readonly answers: number;
  readonly charged: number;
}

/** Medians over the rounds, per second in which the server ran. */
interface ScaleSide {
  readonly workers: number;
  readonly perSecond: number;
  /** Cores used; null if the system does not report it. */
  readonly cpu: number | null;
  /** The part of it that garbage collection used. */
  readonly gc: number;
}

const CONNECTIONS = 512;
const TURN_MS = 10;
const WARM_UP_SECONDS = 6;

export async function benchScale(options: ScaleBenchOptions): Promise<ScaleFigures> {
  const { rows, cache, engines, databaseUrl, signal, onStep } = options;
  const folder = join(cache, `http-${rows}`);
  onStep('data');
  const sqlite = await provideSqliteTarget(folder, rows, (done) => onStep(`data: ${done} of ${rows} rows`));
  const endpoints = (await drawEndpoints(folder, rows)).filter(({ name }) => name === 'search' || name === 'detail');
  const measurements: ScaleMeasurement[] = [];
  for (const engine of engines) {
    if (engine === 'postgres') onStep('data on PostgreSQL');
    const target =
      engine === 'sqlite'
        ? sqlite
        : await providePostgresTarget({ folder, rows, databaseUrl, cores: undefined, signal });
    try {
      for (const endpoint of endpoints) measurements.push(await measure(target, endpoint, options));
    } finally {
      await target.close();
    }
  }
  return { rows, connections: CONNECTIONS, turnMs: TURN_MS, measurements };
}

async function measure(target: Target, endpoint: Endpoint, options: ScaleBenchOptions): Promise<ScaleMeasurement> {
  const { engine, dataDir, databaseUrl } = target;
  const { keys, path, seconds, rounds, signal, onStep } = options;
  onStep(`${engine} ${endpoint.name}`);
  const secrets = await replaceAccounts(target, keys);
  const running: { stop(): Promise<void> }[] = [];
  try {
    const servers: (FirmamentServer & { workers: number })[] = [];
    for (const workers of [1, options.workers]) {
      const common = { dataDir, databaseUrl, path, core: undefined, profile: undefined, signal };
      const server = { ...(await startServe({ ...common, workers })), workers };
      servers.push(server);
      running.push(server);
    }
    const load = startLoad(undefined, signal);
    running.push(load);
    const task = { paths: endpoint.paths, secrets, connections: CONNECTIONS };
    let answers = 0;
    const sides: Round[][] = servers.map(() => []);
    for (let round = 0; round <= rounds; round++) {
      for (const [at, server] of servers.entries()) {
        const lasting = round === 0 ? Math.min(WARM_UP_SECONDS, 2 * seconds) : seconds;
        const result = await takeTurns(server, load, () => load.make({ ...task, port: server.port, seconds: lasting }));
        answers += result.answers;
        if (round > 0) sides[at]?.push(result);
      }
    }
    for (const server of servers) await server.stop();
    const [alone = [], together = []] = sides;
    const ratios = together.map(({ perSecond }, at) => perSecond / (alone[at]?.perSecond ?? 0));
    onStep(`${engine} ${endpoint.name}: ${median(ratios).toFixed(2)} times`);
    return {
      engine,
      endpoint: endpoint.name,
      sides: servers.map(({ workers }, at) => ({ workers, ...summarize(sides[at] ?? []) })),
      ratio: median(ratios),
      ratios,
      answers,
      charged: await countCharged(target),
    };
  } finally {
    await Promise.all(running.map((process) => process.stop()));
  }
}

interface Round {
  readonly answers: number;
  readonly perSecond: number;
  readonly cpu: number | null;
  readonly gc: number;
}

/** Lets server and load take turns until the load is complete. */
async function takeTurns(
  server: FirmamentServer,
  load: Load,
  make: () => Promise<{ answers: number }>,
): Promise<Round> {
  let isOver = false;
  let serverMs = 0;
  const gcBefore = await server.readGcSeconds();
  const [cpuBefore, startedAt] = [server.cpuSeconds(), performance.now()];
  const making = make().finally(() => {
    isOver = true;
  });
  making.catch(() => undefined);
  try {
    while (!isOver) {
      process.kill(load.pid, 'SIGSTOP');
      process.kill(server.pid, 'SIGCONT');
      const started = performance.now();
      await sleep(TURN_MS);
      process.kill(server.pid, 'SIGSTOP');
      serverMs += performance.now() - started;
      process.kill(load.pid, 'SIGCONT');
      await sleep(TURN_MS);
    }
  } finally {
    for (const { pid } of [server, load]) process.kill(pid, 'SIGCONT');
  }
  const { answers } = await making;
  const [cpuAfter, serverSeconds] = [server.cpuSeconds(), serverMs / 1_000];
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpu = cpuBefore === undefined || cpuAfter === undefined ? null : (cpuAfter - cpuBefore) / serverSeconds;
  const gcSeconds = (await server.readGcSeconds()) - gcBefore;
  // A collection that the end of a turn interrupts goes on in the next turn. Over many turns, its time is in proportion.
  const gc = gcSeconds / seconds;
  return { answers, perSecond: answers / serverSeconds, cpu, gc };
}

function summarize(rounds: readonly Round[]): Omit<ScaleSide, 'workers'> {
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    cpu: rounds.some(({ cpu }) => cpu === null) ? null : median(rounds.map(({ cpu }) => cpu ?? 0)),
    gc: median(rounds.map(({ gc }) => gc)),
  };
}
