import { formatCount } from '../../src/base/format-count.ts';
import type { Invocation } from '../../src/base/terminal/command.ts';
import { renderTable } from '../../src/base/terminal/table.ts';
import {
  describeUncharged,
  isMetered,
  printFigures,
  type RenderedBar,
  readLoadOptions,
  readText,
  renderBars,
  runUntilStopped,
} from '../reporting.ts';
import { benchHttp, type HttpFigures, type HttpMeasurement } from './bench.ts';

export async function runBenchHttp(invocation: Invocation): Promise<void> {
  const options = {
    ...readLoadOptions(invocation, { rounds: 5, keys: 2_000 }),
    profile: readText(invocation.values, 'profile'),
  };
  const figures = await runUntilStopped(invocation.signal, benchHttp(options));
  const bars = figures.measurements.flatMap(judge);
  printFigures(invocation, { ...figures, bars }, () => renderFigures(figures) + renderJudgement(bars));
}

interface Bar {
  readonly name: string;
  readonly percent: number;
  readonly required: number;
  readonly passed: boolean;
}

/** What we require at 1 M entities: percent of the bare server's requests per second. Other endpoints are only reported. */
const REQUIRED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  sqlite: { search: 80, detail: 55, countries: 76 },
  postgres: { search: 75, detail: 48, countries: 75 },
};

function judge(measurement: HttpMeasurement): Bar[] {
  const { engine, endpoint, ratio } = measurement;
  const required = REQUIRED[engine]?.[endpoint];
  if (required === undefined) return [];
  const percent = 100 * ratio;
  return [{ name: `${endpoint}, ${engine}`, percent, required, passed: percent >= required && isMetered(measurement) }];
}

function renderJudgement(bars: readonly Bar[]): string {
  return renderBars('BAR (for 1 M entities)', 'RATIO', bars.map(toText));
}

function toText({ name, percent, required, passed }: Bar): RenderedBar {
  return { name, measured: `${percent.toFixed(1)} %`, required: `${required} %`, passed };
}

function renderFigures({ rows, keys, connections, seconds, cores, measurements }: HttpFigures): string {
  const sides = measurements.flatMap((measurement) => {
    const { engine, endpoint, bytes, ratio, ratios, cpuRatio } = measurement;
    return (['ours', 'bare'] as const).map((side) => {
      const { perSecond, p50Ms, p99Ms, serverCpu, loadCpu } = measurement[side];
      const spread = `${percent(Math.min(...ratios))}–${percent(Math.max(...ratios))} %`;
      return [
        engine,
        endpoint,
        side === 'ours' ? 'firmament' : 'node:http',
        bytes,
        Math.round(perSecond),
        p50Ms.toFixed(2),
        p99Ms.toFixed(2),
        serverCpu === null ? '?' : `${percent(serverCpu)} %`,
        serverCpu === null ? '?' : ((1e6 * serverCpu) / perSecond).toFixed(1),
        `${percent(loadCpu)} %`,
        side === 'ours' ? `${(100 * ratio).toFixed(1)} %` : '',
        side === 'ours' ? spread : '',
        side !== 'ours' ? '' : cpuRatio === null ? '?' : `${(100 * cpuRatio).toFixed(1)} %`,
      ];
    });
  });
  const header = [
    'ENGINE',
    'ENDPOINT',
    'SERVER',
    'BYTES',
    'REQUESTS/S',
    'P50 MS',
    'P99 MS',
    'SERVER CPU',
    'µS EACH',
    'LOAD CPU',
  ];
  const pinning =
    cores === null
      ? 'Processes were not pinned to cores: taskset is missing, or there is only one core.'
      : `Servers on core ${cores.server}, load on core ${cores.load}, our PostgreSQL on ${cores.others}.`;
  return (
    `${renderTable([...header, 'RATIO', 'RANGE', 'BY CPU'], sides)}\n` +
    `${formatCount(rows)} entities, ${formatCount(keys)} keys, ${connections} connections; medians of ${measurements[0]?.ratios.length} ` +
    `rounds of ${seconds} s; the two servers alternate. By CPU: of processor time per request.\n${pinning} All answers were 200.\n${describeUncharged(measurements)}`
  );
}

function percent(share: number): string {
  return (100 * share).toFixed(0);
}
