import { type Html, html } from '../../html.ts';
import { showText } from '../../text/display-text.ts';
import { formatCount, formatMoney } from '../../text/formatting.ts';
import { isRecord, type SourceRecord, type SourceValue } from '../../text/record-fields.ts';
import { signInAddress } from '../../visitor.ts';
import type { Visitor } from '../layout.ts';

/** A label with its English name and its code. Null if there is neither label nor code. */
export function showCoded({ code, label, labels }: SourceRecord): Html | null {
  const english = readEnglish(label, labels);
  return showParts([label ?? code, english, label !== undefined && code !== undefined && `code ${code}`]);
}

/** An amount with all its digits, and its currency. Null if there is neither. */
export function showMoney(money: SourceRecord): Html | null {
  const text = writeMoney(money);
  return text === '' ? null : showText(text);
}

export function writeMoney({ amount, currency }: SourceRecord): string {
  const parts = [amount === undefined ? undefined : formatMoney(String(amount)), currency];
  return parts.filter((part) => part !== undefined).join(' ');
}

/** The English name beside a national label, if the source has one and it is another. */
export function readEnglish(label: SourceValue | undefined, labels: SourceValue | undefined): SourceValue | undefined {
  const english = labels !== undefined && isRecord(labels) ? labels.en : undefined;
  return english === label ? undefined : english;
}

/** Shows the first part normally and the others after it in a lighter colour. */
export function showParts(parts: readonly (SourceValue | undefined)[]): Html | null {
  const [first, ...more] = parts.filter((part) => part !== undefined && part !== false).map(String);
  if (first === undefined) return null;
  return html`${showText(first)}${more.map((part) => html` <span class="quiet">· ${showText(part)}</span>`)}`;
}

/** How many items the page of a list shows. */
export const LIST_PAGE_SIZE = 50;

/** Says how many items a list has if the page shows only some of them, and links to all. False if it shows all. */
export type ShowMore = (pointer: string, shown: number) => Html | false;

export function createShowMore(id: string, totals: Readonly<Record<string, number>>, visitor: Visitor): ShowMore {
  return (pointer, shown) => {
    const total = totals[pointer];
    if (total === undefined || total <= shown) return false;
    const all = listAddress(id, pointer);
    const link =
      visitor === 'anonymous'
        ? html`<a href="${signInAddress(all)}">Sign in to see all ${formatCount(total)}</a>`
        : html`<a href="${all}">Show all ${formatCount(total)}</a> (each page uses one request)`;
    return html`<p class="quiet">The first ${formatCount(shown)} of ${formatCount(total)}. ${link}</p>`;
  };
}

export function listAddress(id: string, pointer: string, page = 1): string {
  return `/entities/${id}?list=${encodeURIComponent(pointer)}${page === 1 ? '' : `&page=${page}`}`;
}
