import { titleOf } from '../../classifications/isic.ts';
import { type Html, html } from '../html.ts';
import type { SourceValue } from './record-fields.ts';
import { readRecord } from './registry-split.ts';

/** `62 Computer programming, consultancy and related activities` */
export function nameIndustry(code: string): string {
  const title = titleOf(code);
  return title === '' ? code : `${code} ${title}`;
}

/** The ISIC code of an activity as a link to the companies with it, or why it has none. */
export function showIndustry(isic: unknown, note?: unknown): Html | string | undefined {
  const { level, label, ...codes } = readRecord(isic as SourceValue);
  const code = codes[String(level)];
  if (code === undefined) return note === undefined ? undefined : `None: ${note}`;
  return html`<a href="/explore?isic=${String(code)}">${String(code)}</a> ${String(label)}`;
}
