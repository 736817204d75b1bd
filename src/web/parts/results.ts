import type { EntityStatus } from '../../core/entity-status.ts';
import type { EntitySummary } from '../../core/entity-summary.ts';
import { type Html, html } from '../html.ts';
import { showText } from '../text/display-text.ts';
import { formatAmount, formatDate } from '../text/formatting.ts';

/** The parts of a search reply that a page shows. */
export interface FoundPage {
  readonly data: readonly EntitySummary[];
  readonly meta: {
    readonly page: number;
    readonly pageSize: number;
    readonly pageCount: number;
    readonly total: number;
  };
}

/** `1 company matches “holding”`. Without search text, only the number. */
export function totalLine(total: number, q: string): Html {
  return html`<p class="total" role="status"><strong>${formatAmount(total, 'company', 'companies')}</strong>${
    q !== '' && html` ${total === 1 ? 'matches' : 'match'} “${showText(q)}”`
  }${total === 0 && '. Try a shorter search or fewer filters.'}</p>`;
}

export function resultList(entities: readonly EntitySummary[], first = 1): Html {
  return html`<ol class="results" start="${first}">${entities.map(
    (entity) => html`<li>
      <a class="name" href="/entities/${entity.id}">${showText(entity.canonicalName)}</a>
      <p class="facts">
        <span class="country">${entity.countryCode}</span>
        ${statusBadge(entity.status)}
        ${identifyingFacts(entity)}
        ${entity.legalForm !== null && html`<span>${showText(entity.legalForm)}</span>`}
        ${entity.registeredAt !== null && html`<span>since ${formatDate(entity.registeredAt)}</span>`}
      </p>
    </li>`,
  )}</ol>`;
}

/** Distinguishes companies with the same name. */
export function identifyingFacts({ register, registrationNumber, city }: EntitySummary): Html {
  return html`${registrationNumber !== null && html`<span><code>${showText(registrationNumber)}</code></span>`}
    ${city !== null && html`<span>${showText(city)}</span>`}
    ${register !== null && html`<span>register <code>${showText(register)}</code></span>`}`;
}

/** Colour only repeats what the text says. */
export function statusBadge(status: string): Html {
  const tone = TONES[status] ?? 'plain';
  return html`<span class="badge ${tone}">${status.replaceAll('_', ' ')}</span>`;
}

const TONES: Readonly<Record<string, string>> = {
  active: 'good',
  in_liquidation: 'warn',
  insolvent: 'warn',
} satisfies Partial<Record<EntityStatus, string>>;
