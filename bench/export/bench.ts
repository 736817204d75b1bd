import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type ExportFormat, entityFormats } from '../../src/base/export-formats.ts';
import { startLoad, startServe } from '../http/processes.ts';
import { replaceAccounts } from '../http/targets.ts';
import { median } from '../median.ts';
import type { LoadOptions } from '../reporting.ts';
import { type ExportStore, provideStore } from './data.ts';
import type { Exported, ExportTask } from './export-process.ts';
import { timeCopy, timeDuck } from './rivals.ts';

/**
 * `bench export`: how fast everything is written in each format, what that takes, how it affects a server on the same store, and how
 * other programs compare that write the same entities.
 */
interface ExportBenchOptions extends Omit<LoadOptions, 'engines' | 'rounds'> {
  readonly onlyOurs: boolean;
}

export interface ExportFigures {
  readonly entities: number;
  readonly formats: readonly FormatFigures[];
  readonly server: ServerFigures;
  readonly rivals: readonly RivalFigures[];
}

interface FormatFigures extends Exported {
  readonly format: ExportFormat;
  readonly perSecond: number;
  /** Microseconds per entity. */
  readonly cpuMicros: number;
}

/** Times of requests for single records: without an export, and while Parquet is written. */
interface ServerFigures {
  readonly usualP99Ms: number;
  readonly exportingP99Ms: number;
  readonly ratio: number;
  readonly answers: number;
}

interface RivalFigures {
  readonly name: string;
  /** The format of ours that writes the same. */
  readonly format: ExportFormat;
  /** Null if it is not available. */
  readonly perSecond: number | null;
  /** Our speed divided by its speed. */
  readonly ratio: number | null;
}

const CONNECTIONS = 8;

export async function benchExport(options: ExportBenchOptions): Promise<ExportFigures> {
  const { rows, cache, signal, onStep, onlyOurs } = options;
  onStep('data');
  const store = await provideStore(join(cache, `export-${rows}`), rows);
  const formats: FormatFigures[] = [];
  for (const format of entityFormats) {
    onStep(format);
    formats.push(await measureFormat(store, format, signal));
  }
  onStep('server');
  const server = await measureServer(store, options);
  const rivals: RivalFigures[] = [];
  if (!onlyOurs) {
    onStep('PostgreSQL COPY');
    rivals.push(compare('PostgreSQL COPY … TO', 'csv', await timeCopy(store, signal), store, formats));
    onStep('DuckDB');
    rivals.push(compare('DuckDB sqlite_scan', 'parquet', await timeDuck(store), store, formats));
  }
  return { entities: store.entities, formats, server, rivals };
}

async function measureFormat(
  { folder }: ExportStore,
  format: ExportFormat,
  signal: AbortSignal,
): Promise<FormatFigures> {
  const out = join(folder, 'exported');
  rmSync(out, { recursive: true, force: true });
  const program = fileURLToPath(new URL('export-process.ts', import.meta.url));
  const task = JSON.stringify({ dataDir: folder, format, out } satisfies ExportTask);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program, task], { signal });
    const exported: Exported = JSON.parse(stdout);
    const { rows, seconds, cpuSeconds } = exported;
    return { format, ...exported, perSecond: rows / seconds, cpuMicros: (1e6 * cpuSeconds) / rows };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

async function measureServer(store: ExportStore, options: ExportBenchOptions): Promise<ServerFigures> {
  const { path, keys, seconds, signal } = options;
  const { folder: dataDir, paths } = store;
  const location = { dataDir, databaseUrl: undefined };
  const secrets = await replaceAccounts({ engine: 'sqlite', ...location, close: async () => undefined }, keys);
  const server = await startServe({ ...location, path, core: undefined, profile: undefined, signal });
  const load = startLoad(undefined, signal);
  const send = () => load.make({ port: server.port, paths, secrets, connections: CONNECTIONS, seconds });
  try {
    // The first round is not counted.
    await send();
    const usual = [await send(), await send(), await send()];
    let isOver = false;
    const exporting = measureFormat(store, 'parquet', signal).finally(() => {
      isOver = true;
    });
    exporting.catch(() => undefined);
    const during = [await send()];
    while (!isOver) during.push(await send());
    await exporting;
    const usualP99Ms = median(usual.map(({ p99Ms }) => p99Ms));
    const exportingP99Ms = median(during.map(({ p99Ms }) => p99Ms));
    const answers = [...usual, ...during].reduce((sum, round) => sum + round.answers, 0);
    return { usualP99Ms, exportingP99Ms, ratio: exportingP99Ms / usualP99Ms, answers };
  } finally {
    await load.stop();
    await server.stop();
  }
}

function compare(
  name: string,
  format: ExportFormat,
  seconds: number | undefined,
  { entities }: ExportStore,
  formats: readonly FormatFigures[],
): RivalFigures {
  const perSecond = seconds === undefined ? null : entities / seconds;
  const ours = formats.find((one) => one.format === format)?.perSecond ?? 0;
  return { name, format, perSecond, ratio: perSecond === null ? null : ours / perSecond };
}
