import type { Freshness } from '../../base/freshness.ts';
import { type Html, html } from '../../base/html.ts';
import type { RegisterState } from '../../registry/registry.ts';
import { formatAge, formatDate, formatDay } from '../text/formatting.ts';

const BADGES: Readonly<Record<Freshness, Html>> = {
  fresh: html`<span class="badge good">Up to date</span>`,
  due: html`<span class="badge plain">Update due</span>`,
  overdue: html`<span class="badge warn">Overdue</span>`,
};

/** Whether the data is current, and how often the publisher replaces it. */
export function freshness({ register, freshness, entities, synthetic }: RegisterState): Html {
  if (entities === 0) return html`<span class="badge plain">No data yet</span>`;
  const published = register.updates === 'unknown' ? 'publishing rhythm unknown' : `published ${register.updates}`;
  const badge = synthetic ? html`<span class="badge plain">Sample</span>` : freshness && BADGES[freshness];
  return html`${badge} <span class="quiet">${published}</span>`;
}

/** The day that the data describes, when its publisher was last asked for newer data, and when it was imported. */
export function describeDates({ asOf, checkedAt, importedAt }: RegisterState, now: number) {
  return {
    asOf: asOf === null ? 'unknown' : formatDate(asOf),
    checked: checkedAt === null ? 'never' : formatAge(now - checkedAt),
    imported: importedAt === null ? 'never' : formatDay(importedAt),
  };
}

/** Shown wherever sample data appears: fictitious companies must not be mistaken for real ones. */
export const sampleHint: Html = html`<p class="hint">This server holds sample data: fictitious companies in real register formats.</p>`;
