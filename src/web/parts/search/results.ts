import type { EntityStatus } from '../../../core/entity-status.ts';
import type { EntitySummary } from '../../../core/entity-summary.ts';
import type { MatchCandidate } from '../../../matching/matching.ts';
import { type Html, html } from '../../html.ts';
import { nameCountry } from '../../text/country-name.ts';
import { showText } from '../../text/display-text.ts';
import { formatAmount, formatDate, formatScore } from '../../text/formatting.ts';
import { showNameMatch, showNumberMatch } from '../../text/match.ts';

/** What a page knows about a result. */
export interface Result extends EntitySummary {
  /** The latest one, if the register publishes it. */
  readonly formerName?: string | undefined;
  /** Why it is shown, if the search text is not part of its name or number. */
  readonly why?: string;
}

/** The parts of a search reply that a page shows. */
export interface FoundPage {
  readonly data: readonly Result[];
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
  }</p>`;
}

export interface ListOptions {
  /** The position of the first entity in all results. */
  readonly first?: number;
  /** The search text, to mark where it matches. */
  readonly q?: string;
}

/** Each entity with what distinguishes it from others of the same name. */
export function resultList(entities: readonly Result[], { first = 1, q = '' }: ListOptions = {}): Html {
  return html`<ol class="results" start="${first}">${entities.map(
    (entity) => html`<li>
      <div class="title"><a class="name" href="/entities/${entity.id}">${showNameMatch(entity.canonicalName, q)}</a>
        ${entity.formerName !== undefined && html`<span class="former">formerly ${showNameMatch(entity.formerName, q)}</span>`}
        ${statusBadge(entity.status)}</div>
      <p class="facts">
        ${entity.registrationNumber !== null && html`<span class="keep"><code>${showNumberMatch(entity.registrationNumber, q)}</code></span>`}
        ${entity.city !== null && html`<span>${showText(entity.city)}</span>`}
        <span class="keep">${nameCountry(entity.countryCode)}</span>
        ${entity.legalForm !== null && html`<span class="form">${showText(entity.legalForm)}</span>`}
        ${entity.registeredAt !== null && html`<span class="keep since">since ${formatDate(entity.registeredAt)}</span>`}
        ${entity.register !== null && html`<span class="keep">register <code>${showText(entity.register)}</code></span>`}
      </p>
      ${entity.why !== undefined && html`<p class="why">${showText(entity.why)}</p>`}
    </li>`,
  )}</ol>`;
}

/** Companies that may be meant, with the probability and the reasons. */
export function meantList(candidates: readonly MatchCandidate[]): Html | false {
  if (candidates.length === 0) return false;
  const results = candidates.map(({ entity, score, reasons }) => ({
    ...entity,
    why: `${formatScore(score)} likely: ${reasons.map(({ text }) => text).join('; ')}`,
  }));
  return html`<section aria-labelledby="meant-title"><h2 id="meant-title" class="meant">Did you mean</h2>${resultList(results)}</section>`;
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
