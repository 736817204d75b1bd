import { formatCount } from '../../src/base/format-count.ts';
import { renderTable } from '../../src/base/terminal/table.ts';
import type { SpeedFigures } from './speed.ts';

interface Bar {
  readonly name: string;
  readonly figure: number;
  readonly bar: string;
  readonly passed: boolean;
}

/** What we require at 5 M entities. */
export function judgeSpeed({ perSecondAndCore, all, longestTurn, bytesPerEntity }: SpeedFigures): Bar[] {
  const atMost = (name: string, figure: number, most: number) => {
    return { name, figure, bar: `≤ ${most}`, passed: figure <= most };
  };
  return [
    {
      name: 'queries per second and core, by CPU time',
      figure: perSecondAndCore,
      bar: '≥ 500',
      passed: perSecondAndCore >= 500,
    },
    atMost('99th percentile, ms', all.p99, 20),
    atMost('longest turn of the event loop, ms of CPU time', longestTurn, 5),
    atMost('index, bytes per entity', bytesPerEntity, 250),
  ];
}

export function renderSpeed(figures: SpeedFigures, bars: readonly Bar[]): string {
  const { entities, queries, all, kinds, bounded, longestTurnElapsed } = figures;
  const rows = [{ ...all, name: 'all', queries, found: undefined }, ...kinds].map((one) => [
    one.name,
    formatCount(one.queries),
    one.found === undefined ? '' : `${Math.round((100 * one.found) / one.queries)} %`,
    ...[one.meanCpu, one.p50Cpu, one.p99Cpu, one.p50, one.p99].map(round),
  ]);
  const judged = bars.map(({ name, figure, bar, passed }) => [name, round(figure), bar, passed ? 'passed' : 'missed']);
  return (
    `${renderTable(['QUERIES', 'COUNT', 'FOUND', 'MEAN CPU MS', 'P50 CPU', 'P99 CPU', 'P50 MS', 'P99 MS'], rows)}\n` +
    `${formatCount(entities)} companies. FOUND: a company of the name that was changed is among the first five; the last two kinds ask for\n` +
    `other names. Longest turn by the clock: ${round(longestTurnElapsed)} ms. A bound of the work was reached ${formatCount(bounded)} times.\n\n` +
    renderTable(['BAR (for 5 M entities)', 'FIGURE', 'REQUIRED', 'RESULT'], judged)
  );
}

/** Three digits are as precise as such a measurement. */
function round(value: number): number {
  return Number(value.toPrecision(3));
}
