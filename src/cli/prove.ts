import { basename, join, relative } from 'node:path';
import { formatCount } from '../base/format-count.ts';
import { isUuid } from '../base/ids.ts';
import { type Command, CommandError, describeStop, UsageError } from '../base/terminal/command.ts';
import { createDisplay } from '../base/terminal/progress.ts';
import { print, printable, printableJson } from '../base/terminal/table.ts';
import type { Comparison, Difference } from '../import/proof/compare.ts';
import { countRows, type Proof, type ProofProgress, type ProvenFile, proveRecord } from '../import/proof/proof.ts';
import { registers } from '../registers/index.ts';
import { open } from '../services/open.ts';
import { requireFile } from './arguments.ts';

export const command: Command = {
  arguments: '<entity-id>',
  options: {
    file: { type: 'list', description: 'An original that "firmament fetch" did not keep. Name as many as needed.' },
    json: { type: 'boolean', description: 'Print the result as JSON.' },
  },
  help: `
Finds the files that the record was read from, by the hashes in its provenance: among those that "firmament fetch" keeps
in DATA_DIR/sources, those that the demo keeps in DATA_DIR/samples, and those named with --file. Hashes them again, reads the rows of the record again, and compares every
source cell and every normalized field with the store.

Exit code 0: proven. 1: something differs, a file was altered, or the record cannot be checked. 2: wrong usage. 3: nothing
differs, but an original is no longer kept; the result says where to get it.`,
  examples: [
    ['prove 0b8f3c52-6a0e-5d0c-9a43-2f6c1f2f7d11', 'Compare a record with the files that were fetched.'],
    ['prove 0b8f3c52-6a0e-5d0c-9a43-2f6c1f2f7d11 --file register.csv', 'Compare it with a file of your own.'],
  ],
  async run({ values, lists, positionals, signal }) {
    // In "--file a.csv b.csv", the second file is not part of the option but an argument.
    const [id, ...others] = positionals;
    if (id === undefined) throw new UsageError('prove needs the id of a record.');
    const { file: files = [] } = lists;
    if (others.length > 0 && files.length === 0) throw new UsageError('prove takes one id. Name files with --file.');
    const given = [...files, ...others];
    if (!isUuid(id)) {
      throw new CommandError(
        `"${id}" is not the id of a record: ids are UUIDs, as in the "id" of API replies and in page addresses.`,
      );
    }
    for (const path of given) requireFile(path);
    const proof = await runProof(id.toLowerCase(), given, signal);
    print(values.json ? printableJson(proof) : renderProof(proof));
    if (proof.outcome !== 'proven')
      throw new CommandError(printable(proof.message), proof.outcome === 'not kept' ? 3 : 1);
  },
};

async function runProof(id: string, given: readonly string[], signal: AbortSignal): Promise<Proof> {
  await using opened = open();
  const { services, config } = opened;
  using display = createDisplay();
  const onProgress = ({ step, file, bytes, totalBytes }: ProofProgress) => {
    const text = printable(`${step === 'hashing' ? 'Hashing' : 'Reading'} ${basename(file)}`);
    display.update({ text, done: bytes, total: totalBytes });
  };
  await services.requireSchema();
  const folder = join(config.dataDir, 'sources');
  const samples = join(config.dataDir, 'samples');
  const options = { db: services.registryDb, registers, folder, samples, given, onProgress, signal };
  const proof = await proveRecord(id, options).catch(describeStop(signal, 'Stopped.'));
  if (proof !== undefined) return proof;
  throw new CommandError(`There is no record with the id ${id}: check the id, and DATA_DIR or DATABASE_URL.`);
}

const MAX_SHOWN = 20;
const MAX_VALUE = 200;

/** Everything except the message, which follows as the last line if the record is proven. */
function renderProof(proof: Proof): string {
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
