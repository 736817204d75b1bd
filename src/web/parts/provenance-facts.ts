import { type Html, html } from '../html.ts';
import { showText } from '../text/display-text.ts';
import { formatAmount, formatDate, formatMoment, formatNumber } from '../text/formatting.ts';
import { factList } from './fact-list.ts';

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
  return factList([
    ['Register', html`<code>${register}</code>`],
    ['Publisher', showText(publisher)],
    ['File', showText(file)],
    ['SHA-256', html`<code class="hash">${hash.replace('sha256:', '')}</code>`],
    ['Row', formatNumber(row)],
    ...(asOf ? [['As of', formatDate(asOf)] as const] : []),
    ['Imported', formatMoment(Date.parse(importedAt))],
    ['Source URL', html`<a href="${sourceUrl}" rel="noreferrer noopener">${sourceUrl}</a>`],
    ['Licence', showText(licence)],
    ...(files && files.length > 1 ? [['All files', listFiles(files, file)] as const] : []),
  ]);
}

/** All parts that a record was read from. A part of the main file is named by its entry alone. */
function listFiles(files: readonly ProvenanceFile[], main: string): Html {
  return html`<ul>${files.map(({ file, entry, rows }) => {
    const name = entry === null ? file : file === main ? entry : `${file} › ${entry}`;
    return html`<li>${showText(name)} <span class="quiet">${showRows(rows)}</span></li>`;
  })}</ul>`;
}

function showRows(rows: ProvenanceFile['rows']): string {
  if (rows.length === 0) return 'code table';
  const ranges = rows
    .slice(0, MAX_RANGES)
    .map(({ first, last }) => (first === last ? formatNumber(first) : `${formatNumber(first)}–${formatNumber(last)}`));
  const left = rows.length - ranges.length;
  const more = left > 0 ? ` and ${formatAmount(left, 'more range')}` : '';
  return `${rows.length === 1 && rows[0]?.first === rows[0]?.last ? 'row' : 'rows'} ${ranges.join(', ')}${more}`;
}
