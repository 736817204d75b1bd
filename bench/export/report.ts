import { formatCount } from '../../src/base/format-count.ts';
import type { Invocation } from '../../src/base/terminal/command.ts';
import { renderTable } from '../../src/base/terminal/table.ts';
import { printFigures, readLoadOptions, runUntilStopped } from '../reporting.ts';
import { benchExport, type ExportFigures } from './bench.ts';

export async function runBenchExport(invocation: Invocation): Promise<void> {
  const { values, signal } = invocation;
  const options = readLoadOptions(invocation, { rounds: 1, keys: 2_000 });
  const work = benchExport({ ...options, onlyOurs: values['only-ours'] === true });
  const figures = await runUntilStopped(signal, work);
  const bars = judge(figures);
  printFigures(invocation, { ...figures, bars }, () => renderFigures(figures) + renderBars(bars));
}

interface Bar {
  readonly name: string;
  readonly figure: number;
  readonly sign: '≥' | '≤';
  readonly required: number;
  readonly unit: string;
  readonly passed: boolean;
}

function judge({ formats, server }: ExportFigures): Bar[] {
  const bars: Bar[] = [];
  const atLeast = (name: string, figure: number, required: number, unit: string) =>
    bars.push({ name, figure, sign: '≥', required, unit, passed: figure >= required });
  const atMost = (name: string, figure: number, required: number, unit: string) =>
    bars.push({ name, figure, sign: '≤', required, unit, passed: figure <= required });
  for (const { format, perSecond, peakMegabytes } of formats) {
    if (format === 'parquet') {
      atLeast('parquet', perSecond, 30_000, ' entities/s');
      atMost('parquet, peak memory', peakMegabytes, 1_000, ' MB');
    }
    if (format === 'ndjson') atLeast('ndjson', perSecond, 70_000, ' entities/s');
  }
  atMost('p99 of a server during an export', server.ratio, 1.5, ' × its usual');
  return bars;
}

function renderBars(bars: readonly Bar[]): string {
  const rows = bars.map(({ name, figure, sign, required, unit, passed }) => {
    return [name, `${show(figure)}${unit}`, `${sign} ${formatCount(required)}${unit}`, passed ? 'passed' : 'missed'];
  });
  return `\n${renderTable(['BAR', 'FIGURE', 'REQUIRED', 'RESULT'], rows)}`;
}

function renderFigures({ entities, formats, server, rivals }: ExportFigures): string {
  const rows = formats.map(({ format, perSecond, cpuMicros, peakMegabytes, bytes, rows: count }) => {
    return [format, ...[perSecond, cpuMicros, peakMegabytes, bytes / count].map(show)];
  });
  const header = [`EXPORT OF ${formatCount(entities)}`, 'ENTITIES/S', 'CPU µS EACH', 'PEAK MB', 'BYTES EACH'];
  const usual = [
    ['usual', show(server.usualP99Ms)],
    ['while Parquet is written', show(server.exportingP99Ms)],
  ];
  return `${renderTable(header, rows)}\n${renderTable(['SERVER', 'P99 MS'], usual)}${renderRivals(rivals)}`;
}

function renderRivals(rivals: ExportFigures['rivals']): string {
  if (rivals.length === 0) return '';
  const rows = rivals.map(({ name, format, perSecond, ratio }) => {
    return perSecond === null || ratio === null
      ? [name, 'not available', format, '']
      : [name, show(perSecond), format, `${show(ratio)} ×`];
  });
  return `\n${renderTable(['COMPARED WITH', 'ENTITIES/S', 'OUR FORMAT', 'OURS'], rows)}`;
}

/** Three digits are as precise as such a measurement. */
function show(value: number): string {
  return formatCount(Number(value.toPrecision(3)));
}
