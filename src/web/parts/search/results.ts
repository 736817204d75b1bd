import type { EntityStatus } from '../../../core/entity-status.ts';
import type { EntitySummary } from '../../../core/entity-summary.ts';
import type { MatchCandidate } from '../../../matching/matching.ts';
import { nameRegister } from '../../../registry/register-names.ts';
import { type Html, html } from '../../html.ts';
import { nameCountry } from '../../text/country-name.ts';
import { plainText, showText } from '../../text/display-text.ts';
import { formatAmount, formatDate, formatScore } from '../../text/formatting.ts';
import { shortenLegalForm } from '../../text/legal-form.ts';
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
    q.trim() !== '' && html` ${total === 1 ? 'matches' : 'match'} “${showText(q)}”`
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
        ${showPlace(entity)}
        ${entity.legalForm !== null && !isNamed(entity.legalForm, entity) && showLegalForm(entity.legalForm)}
        ${entity.registeredAt !== null && html`<span class="keep since">since ${formatDate(entity.registeredAt)}</span>`}
        ${isForeign(entity) && html`<span class="keep">${nameRegister(entity.register ?? '')}</span>`}
      </p>
      ${entity.why !== undefined && html`<p class="why">${showText(entity.why)}</p>`}
    </li>`,
  )}</ol>`;
}

/** How many reasons a candidate shows. The API has all of them. */
const MAX_REASONS = 3;

/** The strongest reasons for and against a candidate, with what agrees first. */
export function listReasons({ reasons }: MatchCandidate): string {
  const strongest = reasons.toSorted((a, b) => Math.abs(b.weight) - Math.abs(a.weight)).slice(0, MAX_REASONS);
  return reasons
    .filter((reason) => strongest.includes(reason))
    .map(({ text }) => text)
    .join(' · ');
}

/** Companies that may be meant, with the probability and the strongest reasons. */
export function meantList(candidates: readonly MatchCandidate[]): Html | false {
  if (candidates.length === 0) return false;
  const results = candidates.map((candidate) => ({
    ...candidate.entity,
    why: `${formatScore(candidate.score)} likely: ${listReasons(candidate)}`,
  }));
  return html`<section aria-labelledby="meant-title"><h2 id="meant-title" class="meant">Did you mean</h2>${resultList(results)}</section>`;
}

/** Town and country; once if the country is a city. */
export function showPlace({ city, countryCode }: Pick<Result, 'city' | 'countryCode'>): Html {
  const country = nameCountry(countryCode);
  const isSame = city?.toLowerCase() === country.toLowerCase();
  return html`${city !== null && !isSame && html`<span class="town">${showText(city)}</span>`} <span class="keep">${country}</span>`;
}

/** Whether the name starts with its legal form in words, as in Ukraine. */
function isNamed(legalForm: string, { canonicalName }: Result): boolean {
  return canonicalName.toLowerCase().startsWith(legalForm.toLowerCase());
}

function showLegalForm(legalForm: string): Html {
  const short = shortenLegalForm(legalForm);
  return html`<span class="form"${short !== legalForm && html` title="${plainText(legalForm)}"`}>${showText(short)}</span>`;
}

/** Whether the company comes from a register that spans countries. The register of its own country is not shown. */
function isForeign({ register, countryCode }: Result): boolean {
  return register !== null && register !== countryCode.toLowerCase();
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
