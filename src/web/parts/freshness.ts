import type { RegisterState } from '../../registry/registry.ts';
import { type Html, html } from '../html.ts';
import { formatAge } from '../text/formatting.ts';

const DAY = 86_400_000;
const PUBLISHING_DAYS: Readonly<Record<string, number>> = {
  daily: 1,
  weekly: 7,
  'twice a month': 16,
  monthly: 31,
  quarterly: 92,
};

/**
 * Whether the data is current. It is overdue after twice the publishing interval, because publishers are often a little
 * late.
 */
export function freshness({ register, importedAt, entities, synthetic }: RegisterState, now: number): Html {
  if (importedAt === null || entities === 0) return html`<span class="badge plain">no data yet</span>`;
  const age = now - importedAt;
  const published = register.updates === 'unknown' ? '' : `published ${register.updates}`;
  const days = PUBLISHING_DAYS[register.updates];
  const isOverdue = days !== undefined && age > 2 * days * DAY;
  const badge = synthetic
    ? html`<span class="badge plain">sample</span>`
    : isOverdue
      ? html`<span class="badge warn">update due</span>`
      : html`<span class="badge good">up to date</span>`;
  return html`${badge} <span class="quiet">${formatAge(age)}${published && `, ${published}`}</span>`;
}

/** Shown wherever sample data appears: fictitious companies must not be mistaken for real ones. */
export const sampleHint: Html = html`<p class="hint">This server holds sample data: fictitious companies in real register formats.</p>`;
