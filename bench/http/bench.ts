import { join } from 'node:path';
import { median } from '../median.ts';
import type { LoadOptions } from '../reporting.ts';
import type { LoadFigures } from './load.ts';
import { type BenchServer, type Cores, findCores, type Load, startBare, startLoad, startServe } from './processes.ts';
import { checkSame, readReplies } from './replies.ts';
import { drawEndpoints, type Endpoint, type EndpointName } from './requests.ts';
import { countCharged, providePostgresTarget, provideSqliteTarget, replaceAccounts, type Target } from './targets.ts';

/**
 * `bench http`: requests per second of the real server, run as shipped, compared with a bare `node:http` server that sends
 * the same bodies and headers. The servers run on one core, the load on another. Short rounds alternate between the two, so
 * that other work on the machine affects both, and each ratio is that of two neighbouring rounds.
 */
interface HttpBenchOptions extends LoadOptions {
  /** The folder for CPU profiles of the server; undefined to run without profiling. */
  readonly profile: string | undefined;
}

export interface HttpFigures {
  readonly rows: number;
  readonly keys: number;
  readonly connections: number;
  readonly seconds: number;
  /** The cores that servers and load were pinned to; null if they were not pinned. */
  readonly cores: Cores | null;
  readonly measurements: readonly HttpMeasurement[];
}

export interface HttpMeasurement {
  readonly engine: Target['engine'];
  readonly endpoint: EndpointName;
  readonly bytes: number;
  readonly ours: SideFigures;
  readonly bare: SideFigures;
  /** Our requests per second divided by those of the bare server: the median, and each pair of rounds. */
  readonly ratio: number;
  readonly ratios: readonly number[];
  /**
   * The bare server's processor time per request divided by ours: the median of all pairs of rounds. Other work on the machine disturbs it
   * less than `ratio`. Null if the system does not report processor time.
   */
  readonly cpuRatio: number | null;
  /** Answers of our server, and how many of them were charged. If these differ, the run was not metered. */
  readonly answers: number;
  readonly charged: number;
  readonly isFree: boolean;
}

/** Medians over the rounds. */
interface SideFigures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The share of one core; null if the system does not report it. */
  readonly serverCpu: number | null;
  readonly loadCpu: number;
}

const CONNECTIONS = 64;
/** Long enough for the just-in-time compiler to have optimized the hot paths. */
const WARM_UP_SECONDS = 4;

export async function benchHttp(options: HttpBenchOptions): Promise<HttpFigures> {
  const { rows, cache, engines, keys, seconds, onStep } = options;
  const cores = findCores();
  const folder = join(cache, `http-${rows}`);
  onStep('data');
  const sqlite = await provideSqliteTarget(folder, rows, (done) => onStep(`data: ${done} of ${rows} rows`));
  const endpoints = await drawEndpoints(folder, rows);
  const measurements: HttpMeasurement[] = [];
  for (const engine of engines) {
    if (engine === 'postgres') onStep('data on PostgreSQL');
    const { databaseUrl, signal } = options;
    const target =
      engine === 'sqlite'
        ? sqlite
        : await providePostgresTarget({ folder, rows, databaseUrl, cores: cores?.others, signal });
    try {
      for (const endpoint of endpoints) measurements.push(await measure(target, endpoint, cores, options));
    } finally {
      await target.close();
    }
  }
  return { rows, keys, connections: CONNECTIONS, seconds, cores: cores ?? null, measurements };
}

/** Measures one endpoint, with new accounts and new processes. */
async function measure(
  target: Target,
  { name, paths, isFree = false }: Endpoint,
  cores: Cores | undefined,
  { keys, path, profile, seconds, rounds, signal, onStep }: HttpBenchOptions,
): Promise<HttpMeasurement> {
  const { engine, dataDir, databaseUrl } = target;
  const title = `${engine} ${name}`;
  onStep(title);
  const secrets = await replaceAccounts(target, keys);
  const running: { stop(): Promise<void> }[] = [];
  const keep = <T extends { stop(): Promise<void> }>(process: T): T => {
    running.push(process);
    return process;
  };
  try {
    const core = cores?.server;
    const into = profile === undefined ? undefined : join(profile, `${engine}-${name}`);
    const server = keep(await startServe({ dataDir, databaseUrl, path, core, profile: into, signal }));
    const replies = await readReplies(server.port, paths, secrets);
    const bareServer = keep(await startBare(replies, core, signal));
    checkSame(replies, await readReplies(bareServer.port, paths, secrets));
    const load = keep(startLoad(cores?.load, signal));
    const runOurs = createRounds(load, server, paths, secrets);
    const runBare = createRounds(load, bareServer, paths, secrets);

    let answers = replies.size + (await runOurs(Math.min(WARM_UP_SECONDS, seconds))).answers;
    await runBare(Math.min(WARM_UP_SECONDS, seconds) / 2);
    const ours: Round[] = [];
    const bare: Round[] = [];
    for (let round = 1; round <= rounds; round++) {
      ours.push(await runOurs(seconds));
      bare.push(await runBare(seconds));
      answers += ours.at(-1)?.answers ?? 0;
    }
    await server.stop();
    const charged = await countCharged(target);
    const ratios = ours.map(({ perSecond }, at) => perSecond / (bare[at] as Round).perSecond);
    const ratio = median(ratios);
    const cpuRatios = ours.map((round, at) => cpuEach(bare[at] as Round) / cpuEach(round));
    const cpuRatio = cpuRatios.some(Number.isNaN) ? null : median(cpuRatios);
    onStep(`${title}: ${(100 * ratio).toFixed(1)} %`);
    const bytes = Math.round([...replies.values()].reduce((sum, { body }) => sum + body.length, 0) / replies.size);
    const both = { ours: summarize(ours), bare: summarize(bare) };
    return { engine, endpoint: name, bytes, ...both, ratio, ratios, cpuRatio, answers, charged, isFree };
  } finally {
    await Promise.all(running.map((process) => process.stop()));
  }
}

interface Round extends LoadFigures {
  readonly serverCpu: number | null;
}

/** Processor time per request; NaN if it is not known. */
function cpuEach({ serverCpu, perSecond }: Round): number {
  return (serverCpu ?? Number.NaN) / perSecond;
}

function createRounds(
  load: Load,
  { port, cpuSeconds }: BenchServer,
  paths: readonly string[],
  secrets: readonly string[],
) {
  return async (seconds: number): Promise<Round> => {
    const [before, started] = [cpuSeconds(), performance.now()];
    const figures = await load.make({ port, paths, secrets, connections: CONNECTIONS, seconds });
    const [after, took] = [cpuSeconds(), (performance.now() - started) / 1_000];
    return { ...figures, serverCpu: before === undefined || after === undefined ? null : (after - before) / took };
  };
}

function summarize(rounds: readonly Round[]): SideFigures {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick));
  return {
    perSecond: of(({ perSecond }) => perSecond),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    serverCpu: rounds.some(({ serverCpu }) => serverCpu === null) ? null : of(({ serverCpu }) => serverCpu ?? 0),
    loadCpu: of(({ loadCpu }) => loadCpu),
  };
}
