import type { RegisterState } from '../../../registry/registry.ts';
import { type Html, html } from '../../html.ts';
import { showText } from '../../text/display-text.ts';
import { formatAmount, formatDate, formatDay, formatMoment, formatNumber } from '../../text/formatting.ts';
import { factList } from '../blocks.ts';
import { describeDates, freshness } from './freshness.ts';

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

/** Keeps the list short. The JSON has all ranges. */
const MAX_RANGES = 3;

type Totals = Readonly<Record<string, number>>;

/** The register that a record comes from; undefined if this version of the program does not know it. */
interface Origin {
  readonly state: RegisterState | undefined;
  readonly now: number;
}

export function provenanceSentence(
  { publisher, file, row, asOf, importedAt, files }: Provenance,
  totals: Totals,
): Html {
  const others = (totals['/provenance/files'] ?? files?.length ?? 1) - 1;
  const more = others > 0 ? ` and ${formatAmount(others, 'other part')}` : '';
  return html`<p>Read from row ${formatNumber(row)} of <strong>${showText(file)}</strong>${more}, published by
    ${showText(publisher)}${asOf && ` with data as of ${formatDate(asOf)}`}, and imported on ${formatDay(Date.parse(importedAt))}.</p>`;
}

export function provenanceFacts(provenance: Provenance, totals: Totals, origin: Origin): Html {
  const { register, publisher, file, hash, row, asOf, importedAt, sourceUrl, licence, files } = provenance;
  return factList([
    ['Register', html`<code>${register}</code>`],
    ['Publisher', showText(publisher)],
    ['File', showText(file)],
    ['SHA-256', html`<code class="hash">${hash.replace('sha256:', '')}</code>`],
    ['Row', formatNumber(row)],
    ...(asOf ? [['As of', formatDate(asOf)] as const] : []),
    ['Imported', formatMoment(Date.parse(importedAt))],
    ...showState(provenance, origin),
    ['Source URL', html`<a href="${sourceUrl}" rel="noreferrer noopener">${sourceUrl}</a>`],
    ['Licence', showText(licence)],
    ...(files && files.length > 1 ? [['All files', listFiles(files, file, totals)] as const] : []),
  ]);
}

/** How current the data of the register is. It may be newer than the file of the record, which did not change since. */
function showState({ synthetic }: Provenance, { state, now }: Origin): (readonly [string, Html])[] {
  if (state === undefined) return [];
  const { asOf, checked, imported } = describeDates(state, now);
  return [
    [
      'Register data',
      html`${freshness({ ...state, synthetic: state.synthetic || synthetic === true })}<br>
      <span class="quiet">Data as of: ${asOf} · Last check: ${checked} · Imported: ${imported}</span>`,
    ],
  ];
}

/** The parts that a record was read from. A part of the main file is named by its entry alone. */
function listFiles(files: readonly ProvenanceFile[], main: string, totals: Totals): Html {
  const more = (totals['/provenance/files'] ?? files.length) - files.length;
  return html`<ul>${files.map(({ file, entry, rows }, index) => {
    const name = entry === null ? file : file === main ? entry : `${file} › ${entry}`;
    const count = totals[`/provenance/files/${index}/rows`] ?? rows.length;
    return html`<li>${showText(name)} <span class="quiet">${showRows(rows, count)}</span></li>`;
  })}${more > 0 && html`<li>${formatAmount(more, 'more file')}</li>`}</ul>`;
}

function showRows(rows: ProvenanceFile['rows'], count: number): string {
  if (count === 0) return 'code table';
  const ranges = rows
    .slice(0, MAX_RANGES)
    .map(({ first, last }) => (first === last ? formatNumber(first) : `${formatNumber(first)}–${formatNumber(last)}`));
  const left = count - ranges.length;
  const more = left > 0 ? ` and ${formatAmount(left, 'more range')}` : '';
  return `${count === 1 && rows[0]?.first === rows[0]?.last ? 'row' : 'rows'} ${ranges.join(', ')}${more}`;
}
