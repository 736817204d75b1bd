import { type Html, html } from '../html.ts';
import { showText } from '../text/display-text.ts';
import { formatAmount, formatDate, formatMoment, formatNumber } from '../text/formatting.ts';
import { factList } from './fact-list.ts';
import { scrollArea } from './scroll-area.ts';

/** `Provenance` of the contract. Numbers are texts, as in the source of the record. */
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
  readonly hash: string;
  readonly entry: string | null;
  readonly rows: readonly { readonly first: string; readonly last: string }[];
}

/** Bounds the size of the page. The JSON has all ranges. */
const MAX_RANGES = 3;

export function provenanceFacts(provenance: Provenance): Html {
  const { register, publisher, file, hash, row, asOf, importedAt, sourceUrl, licence, files } = provenance;
  const facts = factList([
    ['Register', html`<code>${register}</code>`],
    ['Publisher', showText(publisher)],
    ['File', showText(file)],
    ['SHA-256', html`<code class="hash">${hash.replace('sha256:', '')}</code>`],
    ['Row', formatNumber(row)],
    ...(asOf ? [['As of', formatDate(asOf)] as const] : []),
    ['Imported', formatMoment(Date.parse(importedAt))],
    ['Source URL', html`<a href="${sourceUrl}" rel="noreferrer noopener">${sourceUrl}</a>`],
    ['Licence', showText(licence)],
  ]);
  return html`${facts}${files && files.length > 1 && fileTable(files)}`;
}

/** All files of a record that was joined from several tables. */
function fileTable(files: readonly ProvenanceFile[]): Html {
  const table = html`<table>
    <thead><tr><th>All files</th><th>Rows</th></tr></thead>
    <tbody>${files.map(
      ({ file, entry, rows }) =>
        html`<tr><td>${showText(entry === null ? file : `${file} › ${entry}`)}</td><td>${showRows(rows)}</td></tr>`,
    )}</tbody>
  </table>`;
  return scrollArea('All files', table);
}

function showRows(rows: ProvenanceFile['rows']): string {
  if (rows.length === 0) return 'code table';
  const ranges = rows
    .slice(0, MAX_RANGES)
    .map(({ first, last }) => (first === last ? formatNumber(first) : `${formatNumber(first)}–${formatNumber(last)}`));
  const left = rows.length - ranges.length;
  return ranges.join(', ') + (left > 0 ? ` and ${formatAmount(left, 'more range')}` : '');
}
