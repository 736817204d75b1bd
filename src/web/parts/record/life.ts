import { type Html, html } from '../../html.ts';
import { showText } from '../../text/display-text.ts';
import { listRecords, type SourceRecord } from '../../text/registry-split.ts';

/** Something that happened to a company, as its register dates it. */
export interface LifeEvent {
  /** ISO date. */
  readonly date: string;
  readonly text: Html;
}

interface Dated {
  readonly registeredAt: string | null;
  readonly status: string;
}

/** When the company was founded, registered, renamed, moved and ended, as far as the register says so. */
export function listLifeEvents({ registeredAt, status }: Dated, common: SourceRecord): LifeEvent[] {
  const { foundedAt, endedAt, previousNames, addresses } = common;
  const found: (readonly [unknown, Html])[] = [
    [foundedAt !== registeredAt && foundedAt, html`Founded`],
    [registeredAt, html`Registered`],
    ...listRecords(previousNames).map(({ name, until }) => [until, html`Renamed; before: ${quote(name)}`] as const),
    ...listRecords(addresses)
      .filter(({ type }) => type === 'former')
      .map(({ text, until }) => [until, html`Moved; before: ${quote(text)}`] as const),
    [endedAt, status === 'dissolved' ? html`Ended` : html`End of the registration`],
  ];
  return found.flatMap(([date, text]) => (typeof date === 'string' && ISO_DATE.test(date) ? [{ date, text }] : []));
}

const ISO_DATE = /^\d{4}-\d\d-\d\d$/;

function quote(text: SourceRecord[string] | undefined): Html {
  return html`<b>${showText(String(text ?? ''))}</b>`;
}
