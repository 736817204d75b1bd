import { formatCount } from '../../core/format-count.ts';
import type { ImportResult, PartyCounts } from '../../importing/import-result.ts';
import { describeProblem } from '../../importing/mapping/problems.ts';
import type { UnknownValue } from '../../records/imports/unknown-values.ts';
import type { Register } from '../../registers/contract.ts';
import { printable } from '../../terminal/printable.ts';

/** What `firmament import` prints at the end. */
export function renderImport(register: Register, result: ImportResult, seconds: number): string {
  const title = `${register.id}  ${register.name}: ${result.files.map(({ name }) => printable(name)).join(', ')}`;
  if (result.outcome === 'unchanged') return `${title}\nAlready imported: nothing to do. Use --again to re-import.\n`;
  const table = listCounts(result, seconds).map(([name, value]) => `  ${name.padEnd(11)} ${value}`);
  return `${[title, ...table, ...listNotes(result)].join('\n')}\n`;
}

function listCounts(result: ImportResult, seconds: number): [name: string, value: string][] {
  const { skipped, rejected, ...counts } = result.counts;
  const rows = counts.rows + (result.parties?.rows ?? 0);
  const reasons = result.skipped.map(({ reason, rows }) => `${formatCount(rows)} ${printable(reason)}`).join(', ');
  return [
    ...(counts.rows > 0 || result.parties === undefined ? showCounts(counts) : []),
    ...(result.parties === undefined ? [] : [['parties', describeParties(result.parties)] as [string, string]]),
    ['rejected', formatCount(rejected)],
    ...showIf(skipped > 0, 'skipped', `${formatCount(skipped)} (rows that are not companies: ${reasons})`),
    ...showIf(
      result.unreadable > 0,
      'unreadable',
      `${formatCount(result.unreadable)} (rows with a value that could not be read)`,
    ),
    ...showIf(result.withoutNumber > 0, 'no number', formatCount(result.withoutNumber)),
    ['speed', `${formatCount(Math.round(rows / seconds))} rows/s, ${seconds.toFixed(1)} s`],
    ['generation', result.generation === null ? 'not published (--dry-run)' : String(result.generation)],
  ];
}

function showCounts(counts: object): [name: string, value: string][] {
  return Object.entries(counts).map(([name, count]) => [name, formatCount(count)]);
}

function describeParties({ rows, ...counts }: PartyCounts): string {
  const parts = Object.entries(counts).map(([name, count]) => `${formatCount(count)} ${name}`);
  return `${formatCount(rows)} rows: ${parts.join(', ')}`;
}

function showIf(condition: boolean, name: string, value: string): [name: string, value: string][] {
  return condition ? [[name, value]] : [];
}

function listNotes({ warnings, unknownColumns, unknownValues, problems }: ImportResult): string[] {
  return [
    ...warnings.map((warning) => `Note: ${printable(warning)}`),
    ...(unknownColumns.length > 0
      ? [`New columns, kept in sourceData: ${unknownColumns.map(printable).join(', ')}`]
      : []),
    ...(unknownValues.length > 0 ? ['Values that the register does not know:', ...listUnknown(unknownValues)] : []),
    ...(problems.length > 0
      ? ['First problems:', ...problems.map((problem) => `  ${printable(describeProblem(problem))}`)]
      : []),
  ];
}

const MAX_UNKNOWN_SHOWN = 20;

function listUnknown(values: readonly UnknownValue[]): string[] {
  const shown = values.slice(0, MAX_UNKNOWN_SHOWN).map(({ kind, column, value, rows }) => {
    const what = value === null ? 'other values' : printable(JSON.stringify(value));
    return `  ${kind} ${printable(column)} ${what}: ${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`;
  });
  const more = values.length - shown.length;
  return more > 0
    ? [...shown, `  and ${formatCount(more)} more: firmament registers --unknown lists all of them`]
    : shown;
}
