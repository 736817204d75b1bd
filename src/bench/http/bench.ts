import { join } from 'node:path';
import { median } from '../median.ts';
import type { LoadFigures } from './load.ts';
import { type BenchServer, type Cores, findCores, type Load, startBare, startLoad, startServe } from './processes.ts';
import { checkSame, readReplies } from './replies.ts';
import { drawEndpoints, type Endpoint, type EndpointName } from './requests.ts';
import { countCharged, type Place, providePostgresPlace, provideSqlitePlace, replaceAccounts } from './targets.ts';

/**
 * `bench http`: requests a second of the real server, as a process as shipped, against a bare `node:http` server that sends the
 * same bodies and as many headers. Servers on one core, load from another process on another; the two are asked in turn, in
 * short rounds, so that other work on the machine hits both, and a ratio is that of two rounds side by side.
 */
export interface HttpBenchOptions {
  readonly rows: number;
  /** Where the data is kept between runs. */
  readonly cache: string;
  readonly engines: readonly Place['engine'][];
  /** A PostgreSQL of the caller's, whose tables are emptied; else one is started. */
  readonly databaseUrl: string | undefined;
  /** Of a round. */
  readonly seconds: number;
  readonly rounds: number;
  /** Accounts with a key each, used one after the other. */
  readonly keys: number;
  /** The search path for commands. */
  readonly path: string;
  /** Where processor profiles of the server go, if it is to be profiled. */
  readonly profile: string | undefined;
  readonly onStep: (step: string) => void;
  readonly signal: AbortSignal;
}

export interface HttpFigures {
  readonly rows: number;
  readonly keys: number;
  readonly connections: number;
  readonly seconds: number;
  /** Which cores servers and load were held to; null when they were not. */
  readonly cores: Cores | null;
  readonly measurements: readonly HttpMeasurement[];
}

export interface HttpMeasurement {
  readonly engine: Place['engine'];
  readonly endpoint: EndpointName;
  readonly bytes: number;
  readonly ours: SideFigures;
  readonly bare: SideFigures;
  /** Our requests a second by those of the bare server: the median, and of each pair of rounds. */
  readonly ratio: number;
  readonly ratios: readonly number[];
  /** Answers of our server, and how many of them were charged: unless these are the same, it was not metered. */
  readonly answers: number;
  readonly charged: number;
}

/** Medians over the rounds. */
export interface SideFigures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of one core; null where the system does not tell. */
  readonly serverCpu: number | null;
  readonly loadCpu: number;
}

const CONNECTIONS = 64;
/** Long enough for the compiler to have seen it all. */
const WARM_UP_SECONDS = 4;

export async function benchHttp(options: HttpBenchOptions): Promise<HttpFigures> {
  const { rows, cache, engines, keys, seconds, onStep } = options;
  const cores = findCores();
  const folder = join(cache, `http-${rows}`);
  onStep('data');
  const sqlite = await provideSqlitePlace(folder, rows, (done) => onStep(`data: ${done} of ${rows} rows`));
  const endpoints = await drawEndpoints(folder, rows);
  const measurements: HttpMeasurement[] = [];
  for (const engine of engines) {
    if (engine === 'postgres') onStep('data on PostgreSQL');
    const { databaseUrl, signal } = options;
    const place =
      engine === 'sqlite'
        ? sqlite
        : await providePostgresPlace({ folder, rows, databaseUrl, cores: cores?.others, signal });
    try {
      for (const endpoint of endpoints) measurements.push(await measure(place, endpoint, cores, options));
    } finally {
      await place.close();
    }
  }
  return { rows, keys, connections: CONNECTIONS, seconds, cores: cores ?? null, measurements };
}

/** New accounts and new processes for each endpoint. */
async function measure(
  place: Place,
  { name, paths }: Endpoint,
  cores: Cores | undefined,
  { keys, path, profile, seconds, rounds, signal, onStep }: HttpBenchOptions,
): Promise<HttpMeasurement> {
  const { engine, dataDir, databaseUrl } = place;
  const title = `${engine} ${name}`;
  onStep(title);
  const secrets = await replaceAccounts(place, keys);
  const running: { stop(): Promise<void> }[] = [];
  const kept = <T extends { stop(): Promise<void> }>(process: T): T => {
    running.push(process);
    return process;
  };
  try {
    const core = cores?.server;
    const into = profile === undefined ? undefined : join(profile, `${engine}-${name}`);
    const server = kept(await startServe({ dataDir, databaseUrl, path, core, profile: into, signal }));
    const replies = await readReplies(server.port, paths, secrets);
    const bareServer = kept(await startBare(replies, core, signal));
    checkSame(replies, await readReplies(bareServer.port, paths, secrets));
    const load = kept(startLoad(cores?.load, signal));
    const askOurs = createAsker(load, server, paths, secrets);
    const askBare = createAsker(load, bareServer, paths, secrets);

    let answers = replies.size + (await askOurs(Math.min(WARM_UP_SECONDS, seconds))).answers;
    await askBare(Math.min(WARM_UP_SECONDS, seconds) / 2);
    const ours: Round[] = [];
    const bare: Round[] = [];
    for (let round = 1; round <= rounds; round++) {
      ours.push(await askOurs(seconds));
      bare.push(await askBare(seconds));
      answers += ours.at(-1)?.answers ?? 0;
    }
    await server.stop();
    const charged = await countCharged(place);
    const ratios = ours.map(({ perSecond }, at) => perSecond / (bare[at] as Round).perSecond);
    const ratio = median(ratios);
    onStep(`${title}: ${(100 * ratio).toFixed(1)} %`);
    const bytes = Math.round([...replies.values()].reduce((sum, { body }) => sum + body.length, 0) / replies.size);
    const both = { ours: summarize(ours), bare: summarize(bare) };
    return { engine, endpoint: name, bytes, ...both, ratio, ratios, answers, charged };
  } finally {
    await Promise.all(running.map((process) => process.stop()));
  }
}

interface Round extends LoadFigures {
  readonly serverCpu: number | null;
}

function createAsker(
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
