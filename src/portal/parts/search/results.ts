import { plainText, showInvisible, showText } from '../../../base/display-text.ts';
import type { EntityStatus } from '../../../base/entity-status.ts';
import type { EntitySummary } from '../../../base/entity-summary.ts';
import { fold } from '../../../base/fold.ts';
import { type Html, html } from '../../../base/html.ts';
import { nameRegister } from '../../../registry/register-names.ts';
import { findInName, findInNumber, type Span } from '../../../search/found-spans.ts';
import type { MatchCandidate } from '../../../search/match/matching.ts';
import type { SearchQuery } from '../../../search/search.ts';
import { listWords } from '../../../search/words.ts';
import { formatAmount, formatDate, formatScore, nameCountry, shortenLegalForm } from '../../text/formatting.ts';

export interface Result extends EntitySummary {
  /** The latest former name, if the register publishes former names. */
  readonly formerName?: string | undefined;
  /** The former or other name by which the search found the company. */
  readonly matchedName?: string | null | undefined;
  /** Why the company is shown, if its name and number do not contain the search text. */
  readonly why?: string;
}

export interface FoundPage {
  readonly data: readonly Result[];
  readonly meta: {
    readonly page: number;
    readonly pageSize: number;
    readonly pageCount: number;
    readonly total: number;
  };
}

/** `1 company matches “holding”`. Without search text, only the number. `public/live-search.js` focuses the line. */
export function totalLine(total: number, text: string): Html {
  return html`<p class="total" role="status" tabindex="-1"><strong>${formatAmount(total, 'company', 'companies')}</strong>${
    text.trim() !== '' && html` ${total === 1 ? 'matches' : 'match'} “${showText(text)}”`
  }</p>`;
}

/** A list of entities, each with the facts that distinguish it from entities of the same name. `first` is the number of the first one. */
export function resultList(entities: readonly Result[], query?: Pick<SearchQuery, 'q' | 'words'>, first = 1): Html {
  const texts = [query?.q ?? '', ...listWords(fold(query?.words ?? ''))];
  return html`<ol class="results" start="${first}">${entities.map(
    (entity) => html`<li>
      <div class="title"><a class="name" href="/entities/${entity.id}">${isNameless(entity) ? UNNAMED : showNameMatch(entity.canonicalName, texts)}</a>
        ${otherName(entity, texts)}
        ${statusBadge(entity.status)}</div>
      <p class="facts">
        ${entity.registrationNumber !== null && html`<span class="keep"><code>${showNumberMatch(entity.registrationNumber, texts)}</code></span>`}
        ${showPlace(entity)}
        ${entity.legalForm !== null && !isNamed(entity.legalForm, entity) && showLegalForm(entity.legalForm)}
        ${entity.registeredAt !== null && html`<span class="keep since">since ${formatDate(entity.registeredAt)}</span>`}
        ${entity.register !== null && entity.register !== entity.countryCode.toLowerCase() && html`<span class="keep">${nameRegister(entity.register).replace(/^[^:]+: /, '')}</span>`}
      </p>
      ${entity.why !== undefined && html`<p class="why">${showText(entity.why)}</p>`}
    </li>`,
  )}</ol>`;
}

/** The former or other name by which the search found a company, or else its latest former name. */
function otherName({ matchedName, formerName }: Result, texts: readonly string[]): Html | false {
  const isOther = typeof matchedName === 'string' && matchedName !== formerName;
  const name = isOther ? matchedName : formerName;
  if (name === undefined) return false;
  return html`<span class="former">${isOther ? 'found by' : 'formerly'} ${showNameMatch(name, texts)}</span>`;
}

/** The number of reasons to show per candidate. The API has all reasons. */
const MAX_REASONS = 3;

/** The strongest reasons for and against a candidate, in the order of `reasons`, which starts with agreements. */
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

/** The title of a company whose name the register does not publish. Users would take its number for a name. */
export const UNNAMED = 'Name not published';

/** Shows town and country, or only the country if both have one name, such as Singapore. */
export function showPlace({ city, countryCode }: Pick<Result, 'city' | 'countryCode'>): Html {
  const country = nameCountry(countryCode);
  const isSame = city?.toLowerCase() === country.toLowerCase();
  return html`${city !== null && !isSame && html`<span class="town">${showText(city)}</span>`} <span class="keep">${country}</span>`;
}

/** Whether a company has no published name: imports put the number in place of a missing name. */
function isNameless({ canonicalName, registrationNumber }: Result): boolean {
  return canonicalName === registrationNumber;
}

/** Whether the name starts with its legal form in words, as in Ukraine. */
function isNamed(legalForm: string, { canonicalName }: Result): boolean {
  return canonicalName.toLowerCase().startsWith(legalForm.toLowerCase());
}

function showLegalForm(legalForm: string): Html {
  const short = shortenLegalForm(legalForm);
  return html`<span class="form"${short !== legalForm && html` title="${plainText(legalForm)}"`}>${showText(short)}</span>`;
}

/** Shows a status. The colour only repeats the meaning of the text. */
export function statusBadge(status: string): Html {
  const tone = TONES[status] ?? 'plain';
  return html`<span class="badge ${tone}">${status.replaceAll('_', ' ')}</span>`;
}

const TONES: Readonly<Record<string, string>> = {
  active: 'good',
  in_liquidation: 'warn',
  insolvent: 'warn',
} satisfies Partial<Record<EntityStatus, string>>;

/** Shows a name and highlights the parts that the search text matches. */
export function showNameMatch(name: string, texts: readonly string[]): Html {
  return showMarked(name, findInName(name, texts));
}

/** Shows a registration number and highlights the parts that the search text matches. The search ignores separators. */
export function showNumberMatch(number: string, texts: readonly string[]): Html {
  return showMarked(number, findInNumber(number, texts));
}

function showMarked(text: string, parts: readonly Span[]): Html {
  if (parts.length === 0) return showText(text);
  let at = 0;
  const shown = parts.map(([from, to]) => {
    const before = text.slice(at, from);
    at = to;
    return html`${showInvisible(before)}<mark>${showInvisible(text.slice(from, to))}</mark>`;
  });
  return html`<bdi>${shown}${showInvisible(text.slice(at))}</bdi>`;
}
