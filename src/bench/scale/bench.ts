import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchServer, type Load, startLoad, startServe } from '../http/processes.ts';
import { drawEndpoints, type Endpoint, type EndpointName } from '../http/requests.ts';
import {
  countCharged,
  type Place,
  providePostgresPlace,
  provideSqlitePlace,
  replaceAccounts,
} from '../http/targets.ts';
import { median } from '../median.ts';

/**
 * `bench scale`: how much more several serving threads answer than one. On a machine with few cores, whoever makes the load would
 * take the cores that are to be measured. So server and load never run at the same time: one is stopped (SIGSTOP) while the
 * other runs, in short turns, with so many requests under way that neither runs out of work in its turn. Counted is the time in
 * which the server ran. What is left to compete is other work on the machine, and PostgreSQL, which cannot be stopped: it
 * answers the server.
 */
export interface ScaleBenchOptions {
  readonly rows: number;
  /** Where the data is kept between runs. */
  readonly cache: string;
  readonly engines: readonly Place['engine'][];
  /** A PostgreSQL of the caller's, whose tables are emptied; else one is started. */
  readonly databaseUrl: string | undefined;
  /** Threads that are compared with one. */
  readonly workers: number;
  /** Of a round, the turns of both together. */
  readonly seconds: number;
  readonly rounds: number;
  readonly keys: number;
  readonly path: string;
  readonly onStep: (step: string) => void;
  readonly signal: AbortSignal;
}

export interface ScaleFigures {
  readonly rows: number;
  readonly connections: number;
  readonly turnMs: number;
  readonly measurements: readonly ScaleMeasurement[];
}

export interface ScaleMeasurement {
  readonly engine: Place['engine'];
  readonly endpoint: EndpointName;
  readonly sides: readonly ScaleSide[];
  /** Requests a second by those of one thread: the median, and of each pair of rounds. */
  readonly ratio: number;
  readonly ratios: readonly number[];
  /** Answers, and how many of them were charged. */
  readonly answers: number;
  readonly charged: number;
}

/** Medians over the rounds, for each second in which the server ran. */
export interface ScaleSide {
  readonly workers: number;
  readonly perSecond: number;
  /** Cores it used; null where the system does not tell. */
  readonly cpu: number | null;
}

const CONNECTIONS = 512;
const TURN_MS = 10;
const WARM_UP_SECONDS = 6;

export async function benchScale(options: ScaleBenchOptions): Promise<ScaleFigures> {
  const { rows, cache, engines, databaseUrl, signal, onStep } = options;
  const folder = join(cache, `http-${rows}`);
  onStep('data');
  const sqlite = await provideSqlitePlace(folder, rows, (done) => onStep(`data: ${done} of ${rows} rows`));
  const endpoints = (await drawEndpoints(folder, rows)).filter(({ name }) => name !== 'countries');
  const measurements: ScaleMeasurement[] = [];
  for (const engine of engines) {
    if (engine === 'postgres') onStep('data on PostgreSQL');
    const place =
      engine === 'sqlite'
        ? sqlite
        : await providePostgresPlace({ folder, rows, databaseUrl, cores: undefined, signal });
    try {
      for (const endpoint of endpoints) measurements.push(await measure(place, endpoint, options));
    } finally {
      await place.close();
    }
  }
  return { rows, connections: CONNECTIONS, turnMs: TURN_MS, measurements };
}

async function measure(place: Place, endpoint: Endpoint, options: ScaleBenchOptions): Promise<ScaleMeasurement> {
  const { engine, dataDir, databaseUrl } = place;
  const { keys, path, seconds, rounds, signal, onStep } = options;
  onStep(`${engine} ${endpoint.name}`);
  const secrets = await replaceAccounts(place, keys);
  const running: { stop(): Promise<void> }[] = [];
  try {
    const servers: (BenchServer & { workers: number })[] = [];
    for (const workers of [1, options.workers]) {
      const where = { dataDir, databaseUrl, path, core: undefined, profile: undefined, signal };
      const server = { ...(await startServe({ ...where, workers })), workers };
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
      charged: await countCharged(place),
    };
  } finally {
    await Promise.all(running.map((process) => process.stop()));
  }
}

interface Round {
  readonly answers: number;
  readonly perSecond: number;
  readonly cpu: number | null;
}

/** Runs server and load in turns until the load has been made. */
async function takeTurns(server: BenchServer, load: Load, make: () => Promise<{ answers: number }>): Promise<Round> {
  let isOver = false;
  let serverMs = 0;
  const cpuBefore = server.cpuSeconds();
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
  const cpu = cpuBefore === undefined || cpuAfter === undefined ? null : (cpuAfter - cpuBefore) / serverSeconds;
  return { answers, perSecond: answers / serverSeconds, cpu };
}

function summarize(rounds: readonly Round[]): Omit<ScaleSide, 'workers'> {
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    cpu: rounds.some(({ cpu }) => cpu === null) ? null : median(rounds.map(({ cpu }) => cpu ?? 0)),
  };
}
