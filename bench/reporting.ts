import { join } from 'node:path';
import { readConfig, readEnvironment } from '../src/base/config/config.ts';
import { formatCount } from '../src/base/format-count.ts';
import { CommandError, type Invocation, parseNumber } from '../src/base/terminal/command.ts';
import { renderTable } from '../src/base/terminal/table.ts';

/**
 * What all benchmarks share: their options, progress on stderr, and output. This folder measures the product from outside
 * and is not used by it. Each benchmark has a folder with its data, its measurements (`bench.ts`) and its output
 * (`report.ts`).
 */
export interface BenchOptions {
  /** Where generated data is kept between runs. */
  readonly cache: string;
  readonly databaseUrl: string | undefined;
  readonly onStep: (step: string) => void;
  readonly signal: AbortSignal;
}

export function readBenchOptions({ values, signal }: Invocation): BenchOptions {
  const started = performance.now();
  return {
    cache: join(readConfig(readEnvironment()).dataDir, 'bench'),
    databaseUrl: readText(values, 'database-url'),
    onStep: (step) =>
      process.stderr.write(`${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s  ${step}\n`),
    signal,
  };
}

export interface LoadOptions extends BenchOptions {
  readonly rows: number;
  readonly engines: readonly ('sqlite' | 'postgres')[];
  /** Length of a round. */
  readonly seconds: number;
  readonly rounds: number;
  /** How many accounts share the load, each with one key. */
  readonly keys: number;
  /** The search path for commands. */
  readonly path: string;
}

/** The options of the benchmarks that send HTTP requests to a server. */
export function readLoadOptions(invocation: Invocation, defaults: { rounds: number; keys: number }): LoadOptions {
  const { values } = invocation;
  return {
    ...readBenchOptions(invocation),
    rows: parseNumber(values, 'rows', 1_000_000),
    engines: values['no-postgres'] ? ['sqlite'] : ['sqlite', 'postgres'],
    seconds: parseNumber(values, 'seconds', 3),
    rounds: parseNumber(values, 'rounds', defaults.rounds),
    keys: parseNumber(values, 'keys', defaults.keys),
    path: readEnvironment().PATH ?? '',
  };
}

export function readText(values: Invocation['values'], name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** Work that a signal interrupts fails in many ways, none of which tells the user more than this. */
export async function runUntilStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw signal.aborted ? new CommandError('Stopped. Data that is complete is kept for the next run.') : error;
  }
}

export function printFigures<T>({ values }: Invocation, figures: T, render: (figures: T) => string): void {
  process.stdout.write(values.json ? `${JSON.stringify(figures, null, 2)}\n` : render(figures));
}

/** What a benchmark requires and what it measured, as text. */
export interface RenderedBar {
  readonly name: string;
  readonly measured: string;
  readonly required: string;
  readonly passed: boolean;
}

export function renderBars(title: string, unit: string, bars: readonly RenderedBar[]): string {
  if (bars.length === 0) return '';
  const rows = bars.map(({ name, measured, required, passed }) => [
    name,
    measured,
    `≥ ${required}`,
    passed ? 'passed' : 'missed',
  ]);
  return `\n${renderTable([title, unit, 'REQUIRED', 'RESULT'], rows)}`;
}

interface Charged {
  readonly engine: string;
  readonly endpoint: string;
  readonly answers: number;
  readonly charged: number;
  /** Whether its answers cost nothing. */
  readonly isFree?: boolean;
}

/** An answer that was not charged was cheaper than it should be, so the measurement does not count. */
export function isMetered({ answers, charged, isFree = false }: Charged): boolean {
  return charged === (isFree ? 0 : answers);
}

export function describeUncharged(measurements: readonly Charged[]): string {
  return measurements
    .filter((measurement) => !isMetered(measurement))
    .map(({ engine, endpoint, answers, charged }) => {
      return `Not metered: ${formatCount(charged)} of ${formatCount(answers)} answers of ${endpoint} on ${engine} were charged.\n`;
    })
    .join('');
}
