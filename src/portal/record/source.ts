import { linkText, showText } from '../../base/display-text.ts';
import { type Html, html } from '../../base/html.ts';
import { isSupplied } from '../../registry/records/records.ts';
import type { SourceValue } from '../../registry/records/source-values.ts';
import type { RegisterState } from '../../registry/registry.ts';
import { factList, scrollArea } from '../parts/blocks.ts';
import { describeDates, freshness } from '../parts/registers.ts';
import { formatAmount, formatCount, formatDate, formatDay, formatMoment, formatNumber } from '../text/formatting.ts';
import { type Field, flatten } from '../text/record-fields.ts';
import { listAddress } from './fields.ts';

/** `Provenance` of the contract. Numbers are texts, as in the JSON of the record. */
export interface Provenance {
  readonly register: string;
  readonly publisher: string;
  readonly file: string;
  readonly hash: string;
  readonly row: string;
  readonly asOf?: string | null;
  readonly importedAt: string;
  readonly sourceUrl: string;
  readonly licence: string;
  readonly synthetic?: boolean | null;
  readonly files?: readonly ProvenanceFile[] | null;
}

interface ProvenanceFile {
  readonly file: string;
  /** Null if a person named the file. */
  readonly url?: string | null;
  readonly hash: string;
  readonly entry: string | null;
  readonly rows: readonly Range[];
}

/** The number of ranges to show, to keep the list short. The JSON has all ranges. */
const MAX_RANGES = 3;

type Totals = Readonly<Record<string, number>>;

/** The file and row of a record in a sentence, and all other details to unfold. */
export function provenanceSection(
  provenance: Provenance | null,
  totals: Totals,
  { registers, now }: { readonly registers: readonly RegisterState[]; readonly now: number },
): Html {
  if (provenance === null) return html`<p class="empty">Unknown.</p>`;
  const { register, publisher, file, hash, row, asOf, importedAt, sourceUrl, licence, files, synthetic } = provenance;
  const others = (totals['/provenance/files'] ?? files?.length ?? 1) - 1;
  const more = others > 0 ? ` and ${formatAmount(others, 'other part')}` : '';
  const state = registers.find((each) => each.register.id === register);
  return html`<p>Read from row ${formatNumber(row)} of <strong>${showText(file)}</strong>${more},
    ${isSupplied(provenance) ? 'supplied by the operator of this service in the format of' : 'published by'} ${showText(publisher)}${asOf && ` with data as of ${formatDate(asOf)}`}, and imported on ${formatDay(Date.parse(importedAt))}.</p>
    <details class="fold"><summary>Files, hashes and licence</summary>${factList([
      ['Register', html`<code>${register}</code>`],
      [
        'Publisher',
        html`${showText(publisher)}${isSupplied(provenance) && html`<br><span class="quiet">The file was supplied by the operator, not downloaded from the publisher.</span>`}`,
      ],
      ['File', showText(file)],
      ['SHA-256', html`<code class="hash">${hash.replace('sha256:', '')}</code>`],
      ['Row', formatNumber(row)],
      ...(asOf ? [['As of', formatDate(asOf)] as const] : []),
      ['Imported', formatMoment(Date.parse(importedAt))],
      ...(state
        ? [
            [
              'Register data',
              describeState({ ...state, synthetic: state.synthetic || synthetic === true }, now),
            ] as const,
          ]
        : []),
      ['Source URL', html`<a href="${sourceUrl}" rel="noreferrer noopener">${sourceUrl}</a>`],
      ['Licence', showText(licence)],
      ...(files && files.length > 1 ? [['All files', listFiles(files, file, totals)] as const] : []),
    ])}</details>`;
}

/** Shows how current the register is. Its data may be newer than the file of the record, if the record has not changed since. */
function describeState(state: RegisterState, now: number): Html {
  const { asOf, checked, imported } = describeDates(state, now);
  return html`${freshness(state)}<br>
    <span class="quiet">Data as of: ${asOf} · Last check: ${checked} · Imported: ${imported}</span>`;
}

/** Lists the files from which a record was read. A part of the main file is named only by its entry. */
function listFiles(files: readonly ProvenanceFile[], main: string, totals: Totals): Html {
  const more = (totals['/provenance/files'] ?? files.length) - files.length;
  return html`<ul>${files.map(({ file, entry, rows }, index) => {
    const name = entry === null ? file : file === main ? entry : `${file} › ${entry}`;
    const count = totals[`/provenance/files/${index}/rows`] ?? rows.length;
    return html`<li>${showText(name)} <span class="quiet">${describeRows(rows, count)}</span></li>`;
  })}${more > 0 && html`<li>${formatAmount(more, 'more file')}</li>`}</ul>`;
}

interface Range {
  readonly first: string | number;
  readonly last: string | number;
}

/** `row 5`, or `rows 20–31, 40 and 2 more ranges`. `count` is the number of all ranges. */
export function describeRows(ranges: readonly Range[], count = ranges.length): string {
  if (count === 0) return 'code table';
  const shown = ranges.slice(0, MAX_RANGES).map(({ first, last }) => {
    const start = formatNumber(String(first));
    return first === last ? start : `${start}–${formatNumber(String(last))}`;
  });
  const left = count - shown.length;
  const isOne = count === 1 && ranges[0]?.first === ranges[0]?.last;
  return `${isOne ? 'row' : 'rows'} ${shown.join(', ')}${left > 0 ? ` and ${formatAmount(left, 'more range')}` : ''}`;
}

const SEPARATOR = ' › ';

/** Source fields with their values, exactly as published: one table per source table or row, without empty columns. */
export function sourceSection(id: string, sourceData: SourceValue, totals: Totals): Html {
  const fields = flatten(sourceData, totals, { path: [], pointer: '/sourceData' });
  const groups = Map.groupBy(fields, (field) => field.path.slice(0, countGroupKeys(field)).join(SEPARATOR));
  const tables = Array.from(groups, ([title, group]) => {
    if (title === '' || groups.size === 1) return sourceTable(id, group);
    const inside = group.map((field) => {
      const path = field.path.slice(countGroupKeys(field));
      return path.length === 0 ? field : { ...field, path };
    });
    return html`<h3>${showText(title)}</h3>${sourceTable(id, inside, title)}`;
  });
  return html`<p>Every source field, exactly as published.</p>
    <details class="fold"><summary>Show ${formatAmount(fields.length, 'source field')}</summary>${tables}</details>`;
}

/** The number of keys that name the group of a field: its table and, if the table has several rows, its row. A single row has no group. */
function countGroupKeys({ path, value }: Field): number {
  if (path.length < 2) return typeof value === 'number' ? path.length : 0;
  return path.length > 2 && /^\d+$/.test(path[1] ?? '') ? 2 : 1;
}

/** Columns without a value are folded: many registers have dozens of them. */
export function sourceTable(id: string, fields: readonly Field[], label = 'Original source row'): Html {
  const nameOf = ({ path }: Field) => showText(path.join(SEPARATOR));
  const filled = fields.filter(({ value }) => value !== '');
  const empty = fields.filter(({ value }) => value === '').map((field) => html`<li><code>${nameOf(field)}</code></li>`);
  const rows = filled.map((field) => {
    const { value, pointer } = field;
    const text =
      typeof value === 'string'
        ? linkText(value)
        : html`<span class="quiet">${formatCount(value)} in total:</span> <a href="${listAddress(id, pointer)}">show all</a>
          <span class="quiet">(each page uses one request)</span>`;
    return html`<tr><th scope="row">${nameOf(field)}</th><td dir="auto">${text}</td></tr>`;
  });
  const table = html`<table class="source"><thead><tr><th>Field</th><th>Value</th></tr></thead><tbody>${rows}</tbody></table>`;
  return html`${rows.length > 0 && scrollArea(label, table)}${
    empty.length > 0 &&
    html`<details class="fold quiet"><summary>${formatAmount(empty.length, 'empty field')}</summary><ul class="names">${empty}</ul></details>`
  }`;
}
