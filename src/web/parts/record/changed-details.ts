import type { ChangedDetail } from '../../../journal/details.ts';
import { type Html, html } from '../../html.ts';
import { showText } from '../../text/display-text.ts';
import { formatField } from '../../text/field-values.ts';
import { formatAmount } from '../../text/formatting.ts';
import { labelPath } from '../../text/record-fields.ts';

/** How many details of a change the page shows. The API has more. */
const MAX_SHOWN = 8;

/** One line per value that an import changed. An address is one value: its parts have no lines of their own. */
export function changedDetails(details: readonly ChangedDetail[]): Html[] {
  const wholes = details.filter(({ field }) => field.endsWith('.address.text')).map(({ field }) => field);
  const isPart = (field: string) =>
    (field === 'city' && wholes.length > 0) ||
    wholes.some((whole) => field !== whole && field.startsWith(whole.slice(0, -'text'.length)));
  const fields = new Set(details.map(({ field }) => field));
  const isCode = (field: string) => field.endsWith('.code') && fields.has(field.replace(/code$/, 'label'));
  const shown = details.filter(({ field }) => !isPart(field) && !isCode(field) && !REPEATED.test(field));
  const lines = shown.slice(0, MAX_SHOWN).map(describe);
  const left = shown.length - lines.length;
  return left > 0 ? [...lines, html`And ${formatAmount(left, 'more value')}`] : lines;
}

/** The change itself has the legal form, and the status of a registration is the status of the company. */
const REPEATED = /^registry\.legalForm\b|\.labels\b|^registrations\.status/;

function describe({ field, before, after }: ChangedDetail): Html {
  const path = field
    .replace(/^registry\./, '')
    .replace(/\.(?:text|label)$/, '')
    .split('.');
  const label = path[0] === 'status' ? labelPath(['registerStatus', ...path.slice(1)]) : labelPath(path);
  const show = (text: string) => html`<b>${showText(summarize(path.at(-1) ?? '', text))}</b>`;
  if (before === null) return html`${label} added: ${show(after ?? '')}`;
  if (after === null) return html`${label} removed: ${show(before)}`;
  return html`${label} changed from ${show(before)} to ${show(after)}`;
}

/** An item of a list is JSON, unless it was cut: what names it is enough here. */
function summarize(key: string, text: string): string {
  if (!text.startsWith('{')) return formatField(key, text);
  try {
    const { name, label, text: written, number, code, role } = JSON.parse(text);
    const parts = [role?.replaceAll('_', ' '), name ?? label ?? written, number ?? code];
    return parts.filter((part) => part !== undefined).join(', ') || text;
  } catch {
    return text;
  }
}
