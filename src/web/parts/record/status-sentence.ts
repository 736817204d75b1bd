import type { EntityStatus } from '../../../core/entity-status.ts';
import { type Html, html } from '../../html.ts';
import { showText } from '../../text/display-text.ts';
import { formatDate } from '../../text/formatting.ts';
import { readRecord, type SourceRecord } from '../../text/registry-split.ts';

/** What the status of a company means, and what its register says. False for active companies, where it is clear. */
export function statusSentence(status: string, { status: published, endedAt }: SourceRecord): Html | false {
  const sentence = Object.hasOwn(SENTENCES, status) && SENTENCES[status as EntityStatus];
  if (!sentence) return false;
  const { label, since } = readRecord(published);
  const day = status === 'dissolved' ? (endedAt ?? since) : since;
  const details = [
    label !== undefined && html`its register says “${showText(String(label))}”`,
    day !== undefined && html`since ${formatDate(String(day))}`,
  ].filter((part) => part !== false);
  const [first, second] = details;
  return html`<p class="meaning">${sentence}${first && html` (${first}${second && html` ${second}`})`}.</p>`;
}

const SENTENCES: Readonly<Record<EntityStatus, string | false>> = {
  active: false,
  inactive: 'This company is suspended, has stopped or is not registered at present, but it has not ended',
  in_liquidation: 'This company is being wound up',
  insolvent: 'This company is in bankruptcy, administration or another insolvency procedure',
  dissolved: 'This company has ended: it was dissolved, struck off or merged into another one',
  delisted: 'This company is missing from the latest complete file of its register. This is its last known state',
  unknown: 'Whether this company is active is not known',
};
