import { formatCount } from '../../src/base/format-count.ts';
import {
  CommandError,
  describeUnknown,
  type Invocation,
  parseNumber,
  UsageError,
} from '../../src/base/terminal/command.ts';
import { renderTable } from '../../src/base/terminal/table.ts';
import { type BenchOptions, printFigures, readBenchOptions, readText, runUntilStopped } from '../reporting.ts';
import { benchMatch, type MatchFigures, type MatchPart, matchParts } from './bench.ts';
import { benchMatchSpeed } from './speed.ts';
import { judgeSpeed, renderSpeed } from './speed-report.ts';

export async function runBenchMatch(invocation: Invocation): Promise<void> {
  const data = readText(invocation.values, 'data');
  const options = readBenchOptions(invocation);
  if (invocation.values.entities !== undefined) return measureSpeed(invocation, options);
  if (data === undefined)
    throw new UsageError(
      'bench match needs --data, the folder with the data sets (bench/match/README.md lists them), or --entities, to measure the speed.',
    );
  const parts = readParts(invocation);
  const every = parseNumber(invocation.values, 'every', 1);
  const figures = await runUntilStopped(options.signal, benchMatch(data, options, parts, every));
  printFigures(invocation, figures, renderFigures);
  const missed = figures.lines.filter(({ passed }) => !passed).length;
  if (missed > 0) throw new CommandError(`${missed} of ${figures.lines.length} lines are below the bar.`);
}

async function measureSpeed(invocation: Invocation, options: BenchOptions): Promise<void> {
  const entities = parseNumber(invocation.values, 'entities', 0);
  const figures = await runUntilStopped(options.signal, benchMatchSpeed(entities, options));
  const bars = judgeSpeed(figures);
  printFigures(invocation, { ...figures, bars }, () => renderSpeed(figures, bars));
  const missed = bars.filter(({ passed }) => !passed).length;
  if (missed > 0) throw new CommandError(`${missed} of ${bars.length} lines are below the bar.`);
}

function readParts({ values }: Invocation): readonly MatchPart[] {
  const names = readText(values, 'only')?.split(',') ?? matchParts;
  return names.map((name) => {
    const part = matchParts.find((one) => one === name);
    if (part === undefined) throw new UsageError(describeUnknown('part', name, matchParts));
    return part;
  });
}

function renderFigures({ lines, changedLabels, worst, unanswered }: MatchFigures): string {
  const rows = lines.map(({ name, rival, figures, cases, bar, isAtMost, passed }) => [
    name,
    formatCount(cases),
    rival,
    ...[figures.all, figures.tuning, figures.heldOut].map(round),
    `${isAtMost ? '≤' : '≥'} ${bar}`,
    passed ? 'passed' : 'missed',
  ]);
  const labels = changedLabels.map(({ asked, known, published, register }) => [
    asked,
    known,
    published ? 'yes' : 'no',
    register === undefined ? 'left out' : register ? 'yes' : 'no',
  ]);
  const misses = worst.map(({ set, asked, wanted, got, score }) => [
    set,
    shorten(asked),
    shorten(wanted),
    shorten(got),
    round(score),
  ]);
  return (
    `Not answered in time: ${formatCount(unanswered)} queries\n${renderTable(['LINE', 'CASES', 'BEST RIVAL', 'OURS', 'TUNING', 'HELD OUT', 'REQUIRED', 'RESULT'], rows)}` +
    `\nLabels of name_bench that the register view changes:\n${renderTable(['ASKED', 'KNOWN', 'PUBLISHED', 'REGISTER'], labels)}` +
    `\nThe worst answers of each set, by score:\n${renderTable(['SET', 'ASKED', 'MEANT', 'ANSWER', 'SCORE'], misses)}`
  );
}

function shorten(text: string): string {
  return text.length > 50 ? `${text.slice(0, 49)}…` : text;
}

function round(figure: number): string {
  return Number.isInteger(figure) ? String(figure) : figure.toFixed(3);
}
