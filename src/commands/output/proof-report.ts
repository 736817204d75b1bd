import { relative } from 'node:path';
import { formatCount } from '../../core/format-count.ts';
import type { Comparison, Difference } from '../../importing/proof/compare.ts';
import { printable } from '../../terminal/printable.ts';
import { countRows, type Proof, type ProvenFile } from '../../updating/proof.ts';

/** Differences that are printed. JSON has more. */
const MAX_SHOWN = 20;
/** The maximum length of a printed value, in characters. */
const MAX_VALUE = 200;

/** Everything except the message, which follows as the last line if the record is proven. */
export function renderProof(proof: Proof): string {
  const { id, name, register, files, cells, fields, delisted, synthetic, given } = proof;
  const originals = new Set(files.map(({ hash }) => hash));
  const lines = [
    ['Record', `${name} (${register}) ${id}`],
    ...(synthetic ? [['', 'synthetic: the company is invented']] : []),
    ...(delisted ? [['', 'delisted: a newer file lacks the company; this is the last file with it']] : []),
    ...files.flatMap(describeFile),
    ...given
      .filter(({ hash }) => hash === null || !originals.has(hash))
      .map(({ path, hash }) => ['Given', `${path}: not an original of this record (${hash ?? 'it cannot be read'})`]),
    ...describeComparison('Cells', cells),
    ...describeComparison('Fields', fields),
  ];
  const report = lines.map(([title = '', text = '']) => `${title.padEnd(8)}${printable(text)}\n`).join('');
  return proof.outcome === 'proven' ? `${report}${proof.message}\n` : report;
}

const STATES: Readonly<Record<ProvenFile['state'], string>> = {
  intact: '✓ the hash agrees',
  altered: '✗ altered',
  'not kept': '✗ not kept',
  unreadable: '✗ the hash agrees, but the rows cannot be found',
};

function describeFile({ file, hash, state, path, actualHash, problem, parts }: ProvenFile): string[][] {
  return [
    ['File', file],
    ...(path === null ? [] : [['', relative('', path).startsWith('..') ? path : relative('', path)]]),
    ['', `${hash}  ${STATES[state]}`],
    ...(state === 'altered' && actualHash !== null ? [['', `${actualHash}  is its hash now`]] : []),
    ...(problem === null ? [] : [['', problem]]),
    ...parts.map((part) => ['', describePart(part)]),
  ];
}

function describePart({ entry, table, content, rows, found }: ProvenFile['parts'][number]): string {
  const where = [entry, table]
    .filter((name, index, names) => name !== null && names.indexOf(name) === index)
    .join(', ');
  if (content === 'codes') return `${where}: code table`;
  const ranges = rows.slice(0, MAX_SHOWN).map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`));
  const count = countRows(rows);
  const list = `${count === 1 ? 'row' : 'rows'} ${ranges.join(', ')}${rows.length > MAX_SHOWN ? ', …' : ''}`;
  const missing = found === null || found === count ? '' : `  ✗ ${formatCount(count - found)} not in the file`;
  return `${where === '' ? '' : `${where}: `}${list}${missing}`;
}

function describeComparison(title: string, comparison: Comparison | null): string[][] {
  if (comparison === null) return [[title, 'not compared']];
  const { agree, differ, differences } = comparison;
  const left = differ - Math.min(MAX_SHOWN, differences.length);
  return [
    [title, `${formatCount(agree)} of ${formatCount(agree + differ)} agree ${differ === 0 ? '✓' : '✗'}`],
    ...differences.slice(0, MAX_SHOWN).flatMap(describeDifference),
    ...(left > 0
      ? [['', `and ${formatCount(left)} more${differences.length > MAX_SHOWN ? ' (see --json)' : ''}`]]
      : []),
  ];
}

function describeDifference(difference: Difference): string[][] {
  const { table, row, column } = difference;
  const where = [table, row === null ? null : `row ${row}`, column ?? 'the whole row'].filter((part) => part !== null);
  return [
    ['', `${where.join(', ')}:`],
    ['', `  store     ${showValue(difference, 'stored')}`],
    ['', `  original  ${showValue(difference, 'original')}`],
  ];
}

function showValue(difference: Difference, side: 'stored' | 'original'): string {
  if (!Object.hasOwn(difference, side)) return 'missing';
  const text = JSON.stringify(difference[side]);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
