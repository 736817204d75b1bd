import { type Html, html } from '../../html.ts';
import { showText } from '../../text/display-text.ts';
import { formatMoney } from '../../text/formatting.ts';
import type { SourceValue } from '../../text/record-fields.ts';
import { isRecord, type SourceRecord } from '../../text/registry-split.ts';

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
