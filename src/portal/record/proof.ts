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
import { type Field, flatten, labelPath } from '../text/record-fields.ts';

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
  if (typeof result === 'string') {
    const [title, text] = NOT_PROVEN[result];
    return notice('info', title, text);
  }
  const { outcome, synthetic, delisted } = result;
  const [agree, differ] = countValues(result);
  if (outcome === 'proven') {
    return notice(
      'good',
      'Proven just now',
      html`The file has its SHA-256, and all ${formatCount(agree)} cells and fields of the record are what it says.
      ${synthetic && ' The file is synthetic: the company is invented.'}
      ${delisted && ' A newer file of the register no longer has the company: this is the last one with it.'}`,
    );
  }
  if (outcome === 'different') {
    return notice(
      'bad',
      'Different from the file',
      `${formatCount(differ)} of ${formatAmount(agree + differ, 'value')} are not what the file says. Do not rely on this record, and report it to the operator.`,
    );
  }
  const [title, text] = NOT_PROVEN[outcome];
  return notice('warn', title, text);
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

function countValues({ cells, fields }: Proof): readonly [agree: number, differ: number] {
  const sum = (side: 'agree' | 'differ') => (cells?.[side] ?? 0) + (fields?.[side] ?? 0);
  return [sum('agree'), sum('differ')];
}

const STATES: Readonly<Record<ProvenFile['state'], Html>> = {
  intact: html`<span class="badge good">✓ agrees</span>`,
  altered: html`<span class="badge bad">differs</span>`,
  'not kept': html`<span class="badge plain">not kept</span>`,
  unreadable: html`<span class="badge warn">rows not found</span>`,
};

function fileFacts({ file, hash, url, state, parts }: ProvenFile): Html {
  const places = parts.flatMap(({ rows, content }) => (content === 'codes' ? [] : rows));
  const shown = places
    .slice(0, MAX_RANGES)
    .map(({ first, last }) => formatCount(first) + (last > first ? `–${formatCount(last)}` : ''));
  return factList([
    ['File', showText(file)],
    ['SHA-256', html`<code class="hash">${hash.replace('sha256:', '')}</code> ${STATES[state]}`],
    [
      shown.length === 1 && !shown[0]?.includes('–') ? 'Row' : 'Rows',
      shown.length === 0 ? 'code table' : shown.join(', ') + (places.length > MAX_RANGES ? ' and more' : ''),
    ],
    ['Source', html`<a href="${url}" rel="noreferrer noopener">${url}</a>`],
  ]);
}

const MAX_RANGES = 5;

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
  const used = new Set<RecordField>();
  const rows = flatten(value.sourceData ?? null, totals)
    .filter((cell): cell is Cell => typeof cell.value === 'string' && cell.value !== '')
    .map((cell) => {
      const found = align(cell.value, fields);
      for (const field of found.fields) used.add(field);
      return { cell, ...found, difference: findDifference(cell, cells.differences) };
    });
  const others = fields.filter((field) => !used.has(field));
  return html`<h2>${source === null ? 'The official file' : `Row ${formatCount(source.row)} of the official file`} beside this record</h2>
    ${stackTable('Cells of the official row and fields of this record', rows, [
      { label: 'Column', show: ({ cell }) => showText(cell.path.join(' › ')) },
      {
        label: 'Official file',
        show: ({ cell, difference }) => (difference ? showSide(difference.original) : showText(cell.value)),
      },
      { label: 'This record', show: showAligned },
    ])}
    ${others.length > 0 && html`<h3>Made from codes or from several cells</h3>${factList(others.map(({ label, text }) => [label, showText(text)] as const))}`}`;
}

interface Aligned {
  readonly cell: Cell;
  readonly fields: readonly RecordField[];
  readonly isPart: boolean;
  readonly difference: Difference | undefined;
}

function showAligned({ cell, fields, isPart, difference }: Aligned): Html {
  if (difference) return html`<span class="badge bad">differs</span> ${showText(cell.value)}`;
  if (fields.length === 0) return html`<span class="quiet">kept as published</span>`;
  return html`${fields.map(({ label, text }) => html`<div><span class="quiet">${isPart && 'part of '}${label}</span> ${!isPart && showText(text)}</div>`)}`;
}

interface RecordField {
  readonly label: string;
  readonly text: string;
  readonly bare: string;
}

type Cell = Field & { readonly value: string };

/** The fields of a record about its company: without the source row, the provenance, and data derived from other records. */
function listFields({ registry, ...record }: RecordExcerpt['value'], totals: RecordExcerpt['totals']): RecordField[] {
  const { sourceData: _row, provenance: _source, related: _others, id: _id, updatedAt: _at, ...own } = record;
  const all = [...flatten(own), ...flatten(registry ?? null, totals, { path: [], pointer: '/registry' })];
  return all.flatMap(({ path, value }) => {
    if (typeof value !== 'string' || value === '') return [];
    const text = formatField(path.at(-1) ?? '', value);
    return { label: labelPath(path), text, bare: bareText(value) };
  });
}

/** Shorter texts occur in other texts by chance. */
const MIN_PART = 4;

/** Finds the fields with the letters and digits of a cell; if there are none, fields with longer texts that contain the cell. */
function align(
  cell: string,
  fields: readonly RecordField[],
): { readonly fields: RecordField[]; readonly isPart: boolean } {
  const bare = bareText(cell);
  if (bare === '') return { fields: [], isPart: false };
  const same = fields.filter((field) => field.bare === bare);
  if (same.length > 0 || bare.length < MIN_PART) return { fields: same, isPart: false };
  return { fields: fields.filter((field) => field.bare.includes(bare)), isPart: true };
}

/** Reduces a text for comparison. A date that starts with the day is reversed, because dates in records start with the year. */
function bareText(text: string): string {
  return bare(text.replace(/^(\d\d)[./-](\d\d)[./-](\d{4})$/, '$3$2$1'));
}

function findDifference({ path, value }: Cell, differences: readonly Difference[]): Difference | undefined {
  return differences.find(({ table, column, stored }) => {
    const place = [table ?? [], column?.split('/') ?? []].flat();
    return write(stored ?? '') === value && place.at(-1) === path.at(-1) && (table === null || path[0] === table);
  });
}
