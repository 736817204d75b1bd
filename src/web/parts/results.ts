import { type Html, html } from '../html.ts';
import { showText } from '../text/display-text.ts';
import { writeDate } from '../text/formatting.ts';

/** What a page needs of a search reply. */
export interface FoundPage {
  readonly data: readonly FoundEntity[];
  readonly meta: {
    readonly page: number;
    readonly pageSize: number;
    readonly pageCount: number;
    readonly total: number;
  };
}

export interface FoundEntity {
  readonly id: string;
  readonly countryCode: string;
  readonly canonicalName: string;
  readonly status: string;
  readonly legalForm: string | null;
  readonly registeredAt: string | null;
}

export function resultList(entities: readonly FoundEntity[], first = 1): Html {
  return html`<ol class="results" start="${first}">${entities.map(
    (entity) => html`<li>
      <a class="name" href="/entities/${entity.id}">${showText(entity.canonicalName)}</a>
      <p class="facts">
        <span class="country">${entity.countryCode}</span>
        ${statusBadge(entity.status)}
        ${entity.legalForm !== null && html`<span>${showText(entity.legalForm)}</span>`}
        ${entity.registeredAt !== null && html`<span>since ${writeDate(entity.registeredAt)}</span>`}
      </p>
    </li>`,
  )}</ol>`;
}

/** In words, and in a colour besides. */
export function statusBadge(status: string): Html {
  const tone = TONES[status] ?? 'plain';
  return html`<span class="badge ${tone}">${status.replaceAll('_', ' ')}</span>`;
}

const TONES: Readonly<Record<string, string>> = {
  active: 'good',
  in_liquidation: 'warn',
  insolvent: 'warn',
};
