import { plainText, showText } from '../../base/display-text.ts';
import { type Html, html } from '../../base/html.ts';
import type { Difference } from '../../import/proof/compare.ts';
import type { Proof, ProvenFile } from '../../import/proof/proof.ts';
import type { Proofs } from '../../import/proof/proofs.ts';
import { bare } from '../../registry/records/address-lines.ts';
import type { RecordExcerpt } from '../../registry/records/shown-record.ts';
import { codeBlock, factList, notice, stackTable } from '../parts/blocks.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { formatAmount, formatCount, formatField } from '../text/formatting.ts';
import { flatten, labelPath } from '../text/record-fields.ts';
import { describeRows } from './source.ts';

type ProofResult = NonNullable<Awaited<ReturnType<Proofs['prove']>>>;

interface ProofView {
  readonly visitor: Visitor;
  readonly id: string;
  readonly excerpt: RecordExcerpt;
  readonly result: ProofResult;
  readonly left: number;
}

/** The result of checking a record against the official file. `firmament prove` does the same check. */
export function proofPage({ visitor, id, excerpt, result, left }: ProofView): Html {
  const proof = typeof result === 'string' ? undefined : result;
  // Without a proof, no request was charged, so the page shows no data of the record.
  const name = proof === undefined ? 'The record' : String(excerpt.value.canonicalName ?? '');
  return layout(
    `Proof: ${plainText(name)}`,
    html`<p class="crumbs"><a href="/entities/${id}">← ${showText(name)}</a></p>
    <h1>Proof of this record</h1>
    ${outcomeNotice(result)}
    ${
      proof === undefined
        ? html`<p><a class="button" href="/entities/${id}/proof">Try again</a> <a href="/entities/${id}">Back to the record</a></p>
          <p class="cost">This page used no request.</p>`
        : html`<p class="cost">This proof used one request; ${formatCount(left)} left in this period.</p>
          ${proof.files.map(fileFacts)}
          ${differenceTable(proof)}
          ${sideBySide(excerpt, proof)}`
    }
    <h2>Check it yourself</h2>
    <p>Download the file from its publisher, compare its SHA-256 and read the row, or run this command.
      <a href="/docs/provenance">Provenance</a> explains how.</p>
    ${codeBlock('Command line', `firmament prove ${id} --file <file>`)}`,
    { section: '/explore', visitor, isUnlisted: true, scripts: ['copy.js'] },
  );
}

function outcomeNotice(result: ProofResult): Html {
  if (typeof result === 'string') return notice('info', ...NOT_PROVEN[result]);
  const { outcome, synthetic, delisted, cells, fields } = result;
  const sum = (side: 'agree' | 'differ') => (cells?.[side] ?? 0) + (fields?.[side] ?? 0);
  const [agree, differ] = [sum('agree'), sum('differ')];
  if (outcome === 'proven') {
    const text = html`The file has its SHA-256, and all ${formatCount(agree)} cells and fields of the record are what it says.
      ${synthetic && ' The file is synthetic: the company is invented.'}
      ${delisted && ' A newer file of the register no longer has the company: this is the last one with it.'}`;
    return notice('good', 'Proven just now', text);
  }
  if (outcome !== 'different') return notice('warn', ...NOT_PROVEN[outcome]);
  const text = `${formatCount(differ)} of ${formatAmount(agree + differ, 'value')} are not what the file says. Do not rely on this record, and report it to the operator.`;
  return notice('bad', 'Different from the file', text);
}

const NOT_PROVEN: Readonly<
  Record<Exclude<ProofResult | Proof['outcome'], Proof | 'proven' | 'different'>, readonly [string, string]>
> = {
  altered: [
    'Not proven: the file was altered',
    'The copy of the file that is kept here no longer has its SHA-256, so it proves nothing.',
  ],
  'not kept': [
    'Not proven: the file is not kept here',
    'The record names the file and its SHA-256, but this server does not keep the file.',
  ],
  unverifiable: [
    'Not proven: the rows were not found',
    'The file is intact, but this version cannot find the rows of the record in it.',
  ],
  busy: [
    'Not yet: others are first',
    'Files are read one after the other. You keep your place: try again in a moment.',
  ],
  'too slow': [
    'Not proven: the file is too large',
    'It cannot be read within the time of a request. The command below has no such limit.',
  ],
};

const STATES: Readonly<Record<ProvenFile['state'], Html>> = {
  intact: html`<span class="badge good">✓ agrees</span>`,
  altered: html`<span class="badge bad">differs</span>`,
  'not kept': html`<span class="badge plain">not kept</span>`,
  unreadable: html`<span class="badge warn">rows not found</span>`,
};

function fileFacts({ file, hash, url, state, parts }: ProvenFile): Html {
  const places = parts.flatMap(({ rows, content }) => (content === 'codes' ? [] : rows));
  return factList([
    ['File', showText(file)],
    ['SHA-256', html`<code class="hash">${hash.replace('sha256:', '')}</code> ${STATES[state]}`],
    ['Place in the file', describeRows(places)],
    ['Source', html`<a href="${url}" rel="noreferrer noopener">${url}</a>`],
  ]);
}

function differenceTable({ cells, fields }: Proof): Html | false {
  const differences = [cells, fields].flatMap((part) => part?.differences ?? []).slice(0, MAX_DIFFERENCES);
  if (differences.length === 0) return false;
  return html`<h2>Differences</h2>${stackTable('Differences', differences, [
    {
      label: 'Value',
      show: ({ table, column }) => showText([table, column ?? 'whole row'].filter((part) => part !== null).join(' › ')),
    },
    { label: 'Official file', show: ({ original }) => showSide(original) },
    { label: 'This record', show: ({ stored }) => showSide(stored) },
  ])}`;
}

function showSide(value: unknown): Html {
  return value === undefined ? html`<span class="empty">missing</span>` : showText(write(value));
}

const MAX_DIFFERENCES = 50;
const MAX_VALUE = 200;

function write(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

/** Shows each cell of the official row beside the fields of the record that it became. */
function sideBySide({ value, totals }: RecordExcerpt, { cells, source }: Proof): Html | false {
  if (cells === null) return false;
  const fields = listFields(value, totals);
  const rows = flatten(value.sourceData ?? null, totals).flatMap(({ path, value: text }) => {
    if (typeof text !== 'string' || text === '') return [];
    return {
      path,
      text,
      ...align(text, path.at(-1) ?? '', fields),
      difference: findDifference(path, text, cells.differences),
    };
  });
  const used = new Set(rows.flatMap(({ found }) => found));
  const others = fields.filter((field) => !used.has(field));
  return html`<h2>${source === null ? 'The official file' : `Row ${formatCount(source.row)} of the official file`} beside this record</h2>
    <div class="beside">${stackTable('Cells of the official row and fields of this record', rows, [
      { label: 'Column', show: ({ path }) => showText(path.join(' › ')) },
      {
        label: 'Official file',
        show: ({ text, difference }) => (difference ? showSide(difference.original) : showText(text)),
      },
      {
        label: 'This record',
        show({ text, found, isPart, difference }) {
          if (difference) return html`<span class="badge bad">differs</span> ${showText(text)}`;
          if (found.length === 0) return html`<span class="quiet">kept as published</span>`;
          return html`${found.map((field) => html`<div><span class="quiet">${isPart && 'part of '}${field.label}</span> ${!isPart && showText(field.text)}</div>`)}`;
        },
      },
    ])}</div>
    ${others.length > 0 && html`<h3>Made from codes or from several cells</h3>${factList(others.map(({ label, text }) => [label, showText(text)] as const))}`}`;
}

/** The fields of a record about its company: without the source row, the provenance, and data derived from other records. */
function listFields({ registry, ...record }: RecordExcerpt['value'], totals: RecordExcerpt['totals']) {
  const { sourceData: _row, provenance: _source, related: _others, id: _id, updatedAt: _at, ...own } = record;
  const all = [...flatten(own), ...flatten(registry ?? null, totals, { path: [], pointer: '/registry' })];
  return all.flatMap(({ path, value }) => {
    if (typeof value !== 'string' || value === '') return [];
    const name = path.at(-1) ?? '';
    return { name, label: labelPath(path), text: formatField(name, value), bare: bareText(value) };
  });
}

/** Shorter texts occur in other texts by chance. */
const MIN_PART = 4;

/**
 * Finds the fields with the letters and digits of a cell; if there are none, fields with longer texts that contain the cell. Of several fields
 * with the same short text, such as `0`, only those count whose name is in the name of the column.
 */
function align(cell: string, column: string, fields: ReturnType<typeof listFields>) {
  const bare = bareText(cell);
  const same = bare === '' ? [] : fields.filter((field) => field.bare === bare);
  if (bare.length < MIN_PART && same.length > 1) {
    const isNamed = ({ name }: (typeof same)[number]) => bareText(column).includes(bareText(name));
    return { found: same.filter(isNamed), isPart: false };
  }
  const isPart = same.length === 0 && bare.length >= MIN_PART;
  return { found: isPart ? fields.filter((field) => field.bare.includes(bare)) : same, isPart };
}

/** Reduces a text for comparison. A date that starts with the day is reversed, because dates in records start with the year. */
function bareText(text: string): string {
  return bare(text.replace(/^(\d\d)[./-](\d\d)[./-](\d{4})$/, '$3$2$1'));
}

function findDifference(path: readonly string[], text: string, all: readonly Difference[]): Difference | undefined {
  return all.find(({ table, column, stored }) => {
    const place = [table ?? [], column?.split('/') ?? []].flat();
    return write(stored ?? '') === text && place.at(-1) === path.at(-1) && (table === null || path[0] === table);
  });
}
