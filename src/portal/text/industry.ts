import { type Html, html } from '../../base/html.ts';
import { titleOf } from '../../registers/classifications/isic.ts';
import { readRecord, type SourceValue } from '../../registry/records/source-values.ts';

/** `62 Computer programming, consultancy and related activities` */
export function nameIndustry(code: string): string {
  const title = titleOf(code);
  return title === '' ? code : `${code} ${title}`;
}

/** The ISIC code of an activity; undefined if it has none. */
export function codeOfIndustry(isic: unknown): string | undefined {
  const { level, ...codes } = readRecord(isic as SourceValue);
  const code = codes[String(level)];
  return code === undefined ? undefined : String(code);
}

/** The ISIC code of an activity as a link to the companies with it, or why it has none. */
export function showIndustry(isic: unknown, note?: unknown): Html | string | undefined {
  const code = codeOfIndustry(isic);
  if (code === undefined) return note === undefined ? undefined : `None: ${note}`;
  return html`<a href="/explore?isic=${code}">${code}</a> ${String(readRecord(isic as SourceValue).label)}`;
}
